"""An index that grows: records are added in portions, and texts are looked up in it."""

from __future__ import annotations

import os
from typing import Any, Callable, Iterable, Iterator, Union

from ._frames import Frame, check_texts, is_missing, text_of
from ._process import Progress, answer, ask_server, in_library, snaked


class Index:
    """The index in a folder. Any number of processes may read it at a time, and one may change it.

    >>> index = Index.create('crawl.index', threshold=0.8)
    >>> index.add(october, portion='2026-10', text='body', id='url')
    >>> index.add(november, portion='2026-11', text='body', id='url')['near']
    >>> index.query(text)[0]['document']

    `Index(folder)` opens an index; MinHashError INDEX_MISSING, INDEX_DAMAGED or INDEX_MISMATCH is raised if that is not possible.
    """

    def __init__(self, folder: Union[str, os.PathLike[str]]):
        self.folder = os.path.abspath(os.fspath(folder))
        self._facts()

    @classmethod
    def create(cls, folder: Union[str, os.PathLike[str]], **options: Any) -> Index:
        """Makes an empty index in a new or empty folder. Options decide which documents are near, as those of `run`; the index has them."""
        answer({'call': 'indexCreate', 'folder': os.path.abspath(os.fspath(folder)), 'options': in_library(options)})
        return cls(folder)

    def _facts(self) -> dict[str, Any]:
        return ask_server({'call': 'indexFacts', 'folder': self.folder})

    @property
    def portions(self) -> list[dict[str, Any]]:
        """A dict for each portion: name, added (a date), documents."""
        return self._facts()['portions']

    def __len__(self) -> int:
        """Documents in the index."""
        return self._facts()['documents']

    def add(
        self,
        records: Any,
        *,
        portion: str,
        text: str = 'text',
        id: str | None = None,  # noqa: A002
        on_progress: Callable[[Progress], None] | None = None,
    ) -> dict[str, Any]:
        """Adds records, in one of the forms that `run` takes, as a portion: all, or none if an error is raised.

        `text` and `id` name columns; without `id` the index of a pandas frame, or numbers from 0, name records. Records without a text are
        skipped. Returns a dict of counts: documents that were added, and of these near, which resemble documents that were in the index
        before, and same, which have the same tokens as such a document; empty, which have no tokens and are skipped.
        """
        frame = Frame(records)
        is_of_texts = frame.kind == 'list' and not frame.columns
        if not is_of_texts:
            frame.check(text)
        texts = frame.data if is_of_texts else frame.column(text)
        ids = frame.ids(id)

        def documents() -> Iterator[dict[str, str]]:
            for at, (name, value) in enumerate(zip(ids, texts)):
                if not is_missing(value):
                    yield {'id': str(name), 'text': text_of(at, value)}

        request = {'call': 'indexAdd', 'folder': self.folder, 'portion': portion}
        return snaked(answer(request, documents(), on_progress))

    def query(self, text: str, *, top: int = 10, threshold: float | None = None) -> list[dict[str, Any]]:
        """The documents that resemble a text, most similar first: dicts of document (its id), location, portion, jaccard and kind.

        `threshold` is at least that of the index, which is the default. A text without tokens resembles nothing.
        """
        check_texts('query', text)
        options = in_library({'top': top, 'threshold': threshold})
        rows = ask_server({'call': 'indexQuery', 'folder': self.folder, 'text': text, 'options': options})
        return [{**row, 'jaccard': float(row['jaccard'])} for row in rows]

    def remove(self, *, portion: str | None = None, ids: Iterable[Any] | None = None, not_seen_since: str | None = None) -> int:
        """Removes a portion, documents by id or location, or those that no addition resembled since a day (YYYY-MM-DD); returns their number."""
        if ids is not None and not isinstance(ids, Iterable):
            raise TypeError(f'remove() takes a list of ids, got {type(ids).__name__}')
        names = None if ids is None else [str(one) for one in ([ids] if isinstance(ids, str) else ids)]
        removal = in_library({'portion': portion, 'ids': names, 'not_seen_since': not_seen_since})
        return answer({'call': 'indexRemove', 'folder': self.folder, 'removal': removal})

    def compact(self) -> None:
        """Gives back the bytes of removed documents."""
        answer({'call': 'indexCompact', 'folder': self.folder})

    def close(self) -> None:
        """Closes the files. The index may be used again."""
        ask_server({'call': 'indexClose', 'folder': self.folder})

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f'<Index {self.folder}: {len(self)} documents>'
