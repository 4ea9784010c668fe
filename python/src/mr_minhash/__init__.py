"""Near-duplicates in corpora, found by MinHash and verified exactly.

    >>> import mr_minhash
    >>> result = mr_minhash.run('texts/', threshold=0.7, out='found')
    >>> result.counts['dropped'], result.dropped.to_pandas()
    >>> result.apply(to='cleaned/')

Each call runs the program of this package in a process of its own, with the Node that comes with it. Options have the names of
the flags of `mr-minhash run --help` (`--max-document 5MB` is `max_document='5MB'`).
"""

from __future__ import annotations

import json
import os
import tempfile
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Sequence, TypeVar, Union

from . import _options
from ._options import VERSION as __version__
from ._process import MinHashError, Progress, answer, ask, given, snaked

if TYPE_CHECKING:
    import pandas
    import pyarrow
    from typing_extensions import Unpack

__all__ = ['MinHashError', 'Progress', 'Result', 'Table', '__version__', 'compare', 'filter', 'query', 'run']

Path_ = Union[str, 'os.PathLike[str]']
Record = TypeVar('Record')
OnProgress = Union[Callable[[Progress], None], None]


class Table:
    """A table of a result, read anew at each use: iterate its rows, or take it as Arrow or as a data frame.

    Functions that take Arrow streams (`pyarrow.table`, polars, DuckDB) take a `Table` as it is.
    """

    def __init__(self, folder: str, name: str):
        self.folder, self.name = folder, name

    def _exported(self, form: str, to: str) -> list[Path]:
        options = {'format': form, 'tables': [self.name], 'out': to, 'force': True}
        report = answer({'call': 'export', 'folder': self.folder, 'options': options})
        return [Path(report['out'], one['file']) for one in report['files']]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The rows as dicts, one after the other; needs no package."""
        with tempfile.TemporaryDirectory(prefix='mr-minhash-') as folder:
            for file in self._exported('jsonl', folder):
                with open(file, encoding='utf-8') as lines:
                    yield from map(json.loads, lines)

    def to_arrow(self) -> pyarrow.Table:
        """The whole table; needs pyarrow."""
        import pyarrow

        with tempfile.TemporaryDirectory(prefix='mr-minhash-') as folder:
            parts = []
            for file in self._exported('arrow', folder):
                with pyarrow.OSFile(str(file)) as source:
                    parts.append(pyarrow.ipc.open_file(source).read_all())
        return pyarrow.concat_tables(parts)

    def to_pandas(self) -> pandas.DataFrame:
        """The whole table as a data frame; needs pandas, and uses pyarrow where it is installed."""
        import pandas

        try:
            return self.to_arrow().to_pandas()
        except ModuleNotFoundError:
            return pandas.DataFrame.from_records(list(self))

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f'<{self.name} of {self.folder}>'


class Result:
    """A finished result, by its folder. `report` is the report of the run; for a folder that is opened, its manifest."""

    def __init__(self, folder: Path_, report: dict[str, Any] | None = None):
        self.folder = os.fspath(folder)
        if report is None:
            report = snaked(json.loads(Path(self.folder, 'manifest.json').read_text('utf-8')))
        self.report = report
        self.counts: dict[str, int] = report['counts']
        #: Accepted pairs: a, b, jaccard, agreement, containments, kind.
        self.pairs = Table(self.folder, 'pairs')
        #: A row for each document of a cluster: cluster, document, role, similarity, basis, place.
        self.clusters = Table(self.folder, 'clusters')
        #: The drop list: each dropped document, the kept document that it resembles, jaccard, place.
        self.dropped = Table(self.folder, 'duplicates')
        #: Documents and places that were skipped, with the reason.
        self.skipped = Table(self.folder, 'skipped')

    def apply(self, to: Path_, *, on_progress: OnProgress = None, **options: Unpack[_options.ApplyOptions]) -> dict[str, Any]:
        """Writes the corpus without the dropped documents to the folder `to`, every file in its format. Returns a report."""
        request = {'call': 'apply', 'folder': self.folder, 'options': given({'to': to, **options})}
        return snaked(answer(request, on_progress=on_progress))

    def __repr__(self) -> str:
        return f'<Result {self.folder}: {self.counts["read"]} documents, {self.counts["dropped"]} dropped>'


def _listed(paths: Path_ | Sequence[Path_]) -> list[str]:
    return [os.fspath(path) for path in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)]


def run(
    paths: Path_ | Sequence[Path_] | None = None,
    *,
    records: Iterable[dict[str, Any]] | None = None,
    on_progress: OnProgress = None,
    **options: Unpack[_options.RunOptions],
) -> Result:
    """Finds the near-duplicates of a corpus, and writes a result folder (`out`).

    The corpus is files and folders, or `records`: dicts with the text in `text` and the id in `id` (`text_field` and `id_field` name
    other keys). Raises MinHashError with all faults of the options at once.
    """
    if (paths is None) == (records is None):
        raise TypeError('run() takes either paths or records')
    listed = ['-'] if paths is None else _listed(paths)
    request = {'call': 'run', 'options': {'paths': listed, **given(options)}}
    report = snaked(answer(request, records or (), on_progress))
    return Result(report['out'], report)


def filter(  # noqa: A001
    records: Iterable[Record],
    *,
    text: str | Callable[[Record], str] = 'text',
    on_dropped: Callable[[Record, dict[str, Any]], None] | None = None,
    on_progress: OnProgress = None,
    **options: Unpack[_options.FilterOptions],
) -> Iterator[Record]:
    """Yields the records that resemble no kept record before them (or none of `against`), as they come, in one process.

    A record is a text, or a value from which `text` takes the text: the name of a key, or a function. `on_dropped` is called with
    every other record and a dict: `resembles_index` is the number of the kept record, from 0, beside `jaccard` and `kind`.
    """
    waiting: deque[Record] = deque()
    take = text if callable(text) else lambda record: record if isinstance(record, (str, bytes)) else record[text]

    def texts() -> Iterator[str]:
        for record in records:
            found = take(record)
            waiting.append(record)
            yield found

    for kind, row in ask({'call': 'filter', 'options': given(options)}, texts(), on_progress):
        if kind == 'row':
            record = waiting.popleft()
            if row['kept']:
                yield record
            elif on_dropped is not None:
                on_dropped(record, snaked(row))


def query(
    base: str | Sequence[str],
    paths: Path_ | Sequence[Path_] | None = None,
    *,
    records: Iterable[dict[str, Any] | str] | None = None,
    on_progress: OnProgress = None,
    **options: Unpack[_options.QueryOptions],
) -> Iterator[dict[str, Any]]:
    """Yields the documents of a corpus that resemble, contain or copy a text, the best first; several texts are answered in turn.

    The corpus is files and folders, or `records` with `id` and `text`. An answer is a dict of base, rank, document, place and the
    values of the method; with `explain=True` also of passages.
    """
    if (paths is None) == (records is None):
        raise TypeError('query() takes either paths or records')
    listed = None if paths is None else _listed(paths)
    request = {'call': 'query', 'base': base, 'paths': listed, 'options': given(options)}
    for kind, row in ask(request, records or (), on_progress):
        if kind == 'row':
            yield snaked(row)


def compare(a: str, b: str, **options: Unpack[_options.CompareOptions]) -> dict[str, Any]:
    """Compares two texts by every measure, exact and estimated, as sets and as bags; with `method`, by that method only."""
    return snaked(answer({'call': 'compare', 'a': a, 'b': b, 'options': given(options)}))


for _call, _kind in (
    (run, _options.RunOptions),
    (filter, _options.FilterOptions),
    (query, _options.QueryOptions),
    (compare, _options.CompareOptions),
    (Result.apply, _options.ApplyOptions),
):
    _call.__doc__ = f'{_call.__doc__}\n\nOptions:\n\n{_kind.__doc__}'
