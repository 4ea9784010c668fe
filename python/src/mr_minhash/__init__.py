"""Near-duplicates in corpora, found by MinHash and verified exactly.

    >>> import mr_minhash
    >>> result = mr_minhash.run(df, text='body')
    >>> df = result.deduplicated()

A corpus is records (a data frame of pandas or polars, an Arrow table, a Dataset, a list of dicts or of texts) or files and folders.
Each call runs the program of this package in a process of its own, with the Node that comes with it. Options have the names of
the flags of `mr-minhash run --help` (`--max-document 5MB` is `max_document='5MB'`).
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import warnings
import weakref
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Sequence, TypeVar, Union

from . import _options
from ._frames import Frame, check_texts, is_missing, rows_at, taken, text_of, write_records
from ._index import Index
from ._options import VERSION as __version__
from ._process import MinHashError, Progress, answer, ask, ask_server, in_library, snaked
from ._tables import Table, read_columns

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    'Index',
    'MinHashError',
    'Progress',
    'Result',
    'Table',
    '__version__',
    'compare',
    'filter',
    'query',
    'run',
    'signature',
    'similarity',
]

Path_ = Union[str, 'os.PathLike[str]']
#: By name of a file of records: their ids.
_Ids = dict
Record = TypeVar('Record')
OnProgress = Union[Callable[[Progress], None], None]

#: The name of the file of records: a record's location is `records.jsonl#N`, N from 1.
_FILE = 'records.jsonl'
#: Columns of result tables that identify a document, and the columns with the ids that take their place.
_LOCATIONS = ('a', 'b', 'document', 'kept')
_AGAINST = 'against.jsonl'
#: Columns that are redundant if records are identified by their numbers.
_REDUNDANT = ('place', 'kept_place', 'location', 'a_location', 'b_location', 'document_location', 'kept_location')


def _ids_at(ids: _Ids, locations: list[str]) -> Any:
    """The ids of records at locations; with the type of the ids if all are of the corpus."""
    rows = rows_at(locations, _FILE)
    if None not in rows:
        return taken(ids[_FILE], rows)
    others = rows_at(locations, _AGAINST)
    of_corpus = iter(taken(ids[_FILE], [row for row in rows if row is not None]))
    of_reference = iter(taken(ids[_AGAINST], [row for row in others if row is not None]) if _AGAINST in ids else ())
    # Any other location is that of a skipped file.
    return [
        next(of_corpus) if row is not None else next(of_reference) if other is not None else location
        for location, row, other in zip(locations, rows, others)
    ]


class Result:
    """A finished result. `counts` has the numbers of its manifest; the tables are read when they are used.

    `Result(folder)` opens a finished result. `labels`, `annotate` and `deduplicated` need the records of `run`.
    """

    def __init__(self, folder: Path_, report: dict[str, Any] | None = None, *, records: Frame | None = None, ids: _Ids | None = None):
        self.folder = os.fspath(folder)
        self._records, self._ids = records, ids or {}
        if report is None:
            manifest = Path(self.folder, 'manifest.json')
            if not manifest.is_file():
                raise FileNotFoundError(f'{self.folder}: expected the folder of a finished result')
            report = snaked(json.loads(manifest.read_text('utf-8')))
        self.report = report
        self.counts: dict[str, Any] = report['counts']
        #: Accepted pairs: a, b, jaccard, agreement, containment_a_in_b, containment_b_in_a, kind.
        self.pairs = self._table('pairs')
        #: A row per document of a cluster: cluster, document, role, similarity, basis.
        self.clusters = self._table('clusters')
        #: The drop list: each dropped document, the kept document that it resembles most, jaccard.
        self.dropped = self._table('duplicates.tsv')
        #: What was skipped, with the reason.
        self.skipped = self._table('skipped.tsv')

    def _table(self, name: str) -> Table:
        return Table(self.folder, name, None if self._records is None else self._with_ids)

    def _with_ids(self, columns: dict[str, list[Any]]) -> dict[str, Any]:
        return {
            name: _ids_at(self._ids, values) if name in _LOCATIONS else values
            for name, values in columns.items()
            if name not in _REDUNDANT
        }

    def _frame(self, method: str) -> Frame:
        if self._records is None:
            raise ValueError(f'{method}() needs the records of run(); of files, apply() writes the corpus that is kept')
        return self._records

    def _labels(self, frame: Frame) -> dict[str, list[Any]]:
        count = len(frame)
        similarity, kept, root = [1.0] * count, [True] * count, list(range(count))
        dropped = read_columns(self.folder, 'duplicates.tsv')
        likeness = dropped['containment'] if 'containment' in dropped else dropped['jaccard']
        for row, value in zip(rows_at(dropped['document'], _FILE), likeness):
            if row is not None:
                kept[row], similarity[row] = False, value
        clusters = read_columns(self.folder, 'clusters')
        first: dict[int, int] = {}
        for cluster, row in zip(clusters.get('cluster', []), rows_at(clusters.get('document', []), _FILE)):
            if row is not None:
                root[row] = first.setdefault(cluster, row)
        sizes: dict[int, int] = {}
        for row in root:
            sizes[row] = sizes.get(row, 0) + 1
        # Clusters are numbered in the order of their first records.
        numbers: dict[int, int] = {}
        cluster_of = [numbers.setdefault(row, len(numbers)) for row in root]
        return {'cluster': cluster_of, 'cluster_size': [sizes[row] for row in root], 'kept': kept, 'similarity': similarity}

    def labels(self) -> Any:
        """A row per record, in the form of the records: id, cluster, cluster_size, kept, similarity.

        A record without a near-duplicate is a cluster of its own. `similarity` of a dropped record is the one to the kept record that it
        resembles most, and 1 of a kept one. A pandas frame has the index of the records, and no column of ids if they have none.
        """
        frame, ids = self._frame('labels'), self._ids[_FILE]
        labels = self._labels(frame)
        if frame.kind == 'pandas' and ids is frame.data.index:
            return frame.frame_of(labels)
        return frame.frame_of({'id': ids if frame.kind != 'pandas' else ids.array, **labels})

    def annotate(self) -> Any:
        """The records with the columns of `labels`."""
        frame = self._frame('annotate')
        return frame.with_columns(self._labels(frame))

    def deduplicated(self) -> Any:
        """The records without those that are dropped, in their form and order."""
        frame = self._frame('deduplicated')
        return frame.keep(self._labels(frame)['kept'])

    def apply(self, to: Path_, *, exist_ok: bool = False, on_progress: OnProgress = None, **options: Unpack[_options.ApplyOptions]) -> dict[str, Any]:
        """Writes the files of the corpus without the dropped documents to the folder `to`, each in its format. Returns a report."""
        if self._records is not None:
            raise ValueError('apply() writes files; of records, deduplicated() gives what is kept')
        request = {'call': 'apply', 'folder': self.folder, 'options': in_library({'to': to, 'force': exist_ok or None, **options})}
        return snaked(answer(request, on_progress=on_progress))

    def __repr__(self) -> str:
        return f'<Result {self.folder}: {self.counts["read"]} documents, {self.counts["dropped"]} dropped>'


def _listed(paths: Any) -> list[str]:
    return [os.fspath(path) for path in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)]


def _is_paths(data: Any) -> bool:
    """Whether `data` names files: a str or path, or a list of paths."""
    if isinstance(data, (str, os.PathLike)):
        return True
    if not isinstance(data, (list, tuple)) or len(data) == 0:
        return False
    if all(isinstance(one, os.PathLike) for one in data):
        return True
    if all(isinstance(one, str) and len(one) < 4096 and '\n' not in one and os.path.exists(one) for one in data):
        raise TypeError('a list of str is a list of texts, and all of these are names of files: pass paths=[...] to read the files')
    return False


def _field_of(keep: Any) -> str | None:
    parts = str(keep).split(':') if keep is not None else []
    return parts[1] if len(parts) > 1 and parts[0] == 'field' else None


def run(
    data: Any = None,
    *,
    paths: Path_ | Sequence[Path_] | None = None,
    text: str | Sequence[str] = 'text',
    id: str | None = None,  # noqa: A002
    out: Path_ | None = None,
    exist_ok: bool = False,
    against: Any = None,
    on_progress: OnProgress = None,
    **options: Unpack[_options.RunOptions],
) -> Result:
    """Finds the near-duplicates of records or files, and returns the result.

    `data` is a data frame of pandas or polars, an Arrow table or any Arrow stream, a Dataset, a list of dicts or a list of texts. `text`
    names the column with the text, or several, `id` the column that names records in the tables of the result; by default the index of a
    pandas frame, or numbers from 0. A str or path, or `paths`, are files and folders. Records without a text (None, NaN) are kept and counted.
    `against` is a reference in the same form, which is never dropped.

    The result is written to the folder `out`, which must not exist unless `exist_ok` is true; without `out` it is written to a temporary
    folder that is removed with the `Result`. Warnings of the run are warnings of Python. Raises MinHashError with all problems of the options at once.
    """
    if data is not None and paths is None and _is_paths(data):
        data, paths = None, data
    if (paths is None) == (data is None):
        raise TypeError('run() takes either records or paths')
    temporary = tempfile.mkdtemp(prefix='mr-minhash-')
    try:
        result = _run(data, paths, text, id, os.path.join(temporary, 'result') if out is None else out, exist_ok, against, on_progress, options, temporary)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    if out is None:
        weakref.finalize(result, shutil.rmtree, temporary, ignore_errors=True)
    else:
        shutil.rmtree(temporary, ignore_errors=True)
    return result


def _run(
    data: Any,
    paths: Any,
    text: str | Sequence[str],
    id: str | None,  # noqa: A002
    out: Path_,
    exist_ok: bool,
    against: Any,
    on_progress: OnProgress,
    options: Any,
    temporary: str,
) -> Result:
    is_of_files = data is None
    settings = {**options, 'out': out, 'force': exist_ok or None}
    files: list[str] = []
    ids: _Ids = {}
    frame = None
    if is_of_files:
        if text != 'text':
            settings['text_field'] = text if isinstance(text, str) else ','.join(text)
        settings.update(id_field=id, paths=_listed(paths), against=None if against is None else _listed(against))
    else:
        frame = Frame(data)
        if len(frame) == 0:
            raise ValueError('run() got no records')
        ids[_FILE] = frame.ids(id)
        for name, keyword in (('text_field', 'text'), ('id_field', 'id'), ('write', 'deduplicated()'), ('input', 'data')):
            if name in options:
                raise TypeError(f'run() of records takes {keyword}, not {name}')
        file = os.path.join(temporary, _FILE)
        field = _field_of(options.get('keep'))
        settings['text_field'], fields = write_records(frame, text, [] if field is None else [field], file)
        if field is not None:
            settings['keep'] = str(options['keep']).replace(f'field:{field}', f'field:{fields[field]}', 1)
        settings['paths'] = files = [file]
        if against is not None:
            if _is_paths(against):
                raise TypeError('run() of records takes records as against, too')
            reference = Frame(against)
            ids[_AGAINST] = reference.ids(id)
            file = os.path.join(temporary, _AGAINST)
            write_records(reference, text, [], file)
            files = [*files, file]
            settings['against'] = [file]
    try:
        report = snaked(answer({'call': 'run', 'options': in_library(settings)}, (), on_progress))
    except MinHashError as error:
        if is_of_files or error.code != 'TEXT_FIELD_MISSING':
            raise
        raise ValueError(f'run() got no record with a text in {text!r}') from None
    finally:
        for file in files:
            os.remove(file)
    for warning in report['warnings']:
        warnings.warn(warning, stacklevel=3)
    return Result(report['out'], report, records=frame, ids=ids)


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
    every other record and a dict: `resembles_index` is the number of the kept record among the records with a text, from 0, beside
    `jaccard` and `kind`. Records without a text (None, NaN) are yielded; a warning at the end counts them.
    """
    waiting: deque[tuple[Record, bool]] = deque()
    missing = 0
    has_found = False

    if not isinstance(records, Iterable):
        raise TypeError(f'filter() takes records, got {type(records).__name__}')
    if hasattr(records, 'columns') or hasattr(records, 'column_names') and not hasattr(records, 'select'):
        raise TypeError('filter() takes records one by one; of a data frame or table, run(data).deduplicated() gives what is kept')

    def field_of(record: Any) -> Any:
        nonlocal has_found
        if isinstance(record, (str, bytes)) or hasattr(record, 'as_py') or is_missing(record):
            return record
        if not hasattr(record, 'keys'):
            raise TypeError(f'expected a text or a record with {text!r}, got {type(record).__name__}')
        if text in record:
            has_found = True
        elif not has_found:
            raise KeyError(f'{text!r}: the first record has no such key; it has {", ".join(map(repr, record)) or "none"}')
        return record[text] if text in record else None

    take = text if callable(text) else field_of

    def texts() -> Iterator[str]:
        for at, record in enumerate(records):
            found = take(record)
            has_text = not is_missing(found)
            waiting.append((record, has_text))
            if has_text:
                yield text_of(at, found)

    for kind, row in ask({'call': 'filter', 'options': in_library(options)}, texts(), on_progress):
        while waiting and not waiting[0][1]:
            missing += 1
            yield waiting.popleft()[0]
        if kind == 'row':
            record, _ = waiting.popleft()
            if row['kept']:
                yield record
            elif on_dropped is not None:
                on_dropped(record, {**snaked(row), 'jaccard': float(row['jaccard'])})
    if missing:
        warnings.warn(f'filter: {missing} records without a text were passed on', stacklevel=2)


def query(
    base: str | Sequence[str],
    data: Any = None,
    *,
    paths: Path_ | Sequence[Path_] | None = None,
    text: str | Sequence[str] = 'text',
    id: str | None = None,  # noqa: A002
    on_progress: OnProgress = None,
    **options: Unpack[_options.QueryOptions],
) -> Iterator[dict[str, Any]]:
    """Yields the documents of a corpus that resemble, contain or copy a text, the best first; several texts are answered in turn.

    The corpus is records or files, as of `run`. An answer is a dict of base, rank, document and the values of the method; with
    `explain=True` also of passages.
    """
    if data is not None and paths is None and _is_paths(data):
        data, paths = None, data
    if (paths is None) == (data is None):
        raise TypeError('query() takes either records or paths')
    if not isinstance(base, (str, bytes)):
        base = list(base) if isinstance(base, Iterable) else [base]
        check_texts('query', *base)
    if data is None:
        named = {**({'text_field': text if isinstance(text, str) else ','.join(text)} if text != 'text' else {}), **({'id_field': id} if id else {})}
        request = {'call': 'query', 'base': base, 'paths': _listed(paths), 'options': in_library({**named, **options})}
        for kind, row in ask(request, (), on_progress):
            if kind == 'row':
                yield snaked(row)
        return
    frame = Frame(data)
    if len(frame) == 0:
        return
    ids = frame.ids(id)
    with tempfile.TemporaryDirectory(prefix='mr-minhash-') as folder:
        file = os.path.join(folder, _FILE)
        text_field, _ = write_records(frame, text, [], file)
        request = {'call': 'query', 'base': base, 'paths': [file], 'options': in_library({'text_field': text_field, **options})}
        for kind, row in ask(request, (), on_progress):
            if kind == 'row':
                found = {name: value for name, value in snaked(row).items() if name not in _REDUNDANT}
                (row_number,) = rows_at([found['document']], _FILE)
                yield {**found, 'document': taken(ids, [row_number])[0]}


def compare(a: str, b: str, **options: Unpack[_options.CompareOptions]) -> dict[str, Any]:
    """Compares two texts by every measure, exact and estimated, as sets and as bags; with `method`, by that method only."""
    check_texts('compare', a, b)
    return snaked(answer({'call': 'compare', 'a': a, 'b': b, 'options': in_library(options)}))


def signature(text: str, **options: Any) -> list[int]:
    """The MinHash signature of a text: `hashes` numbers of 32 bits (128 by default), the same as in `run`.

    The share of equal numbers of two signatures estimates the Jaccard similarity of their texts. Options: `hashes`, `shingle`, `bag`,
    `normalize`, `seed`, `sketch`. A text without tokens has a signature that no other text has a part of.
    """
    check_texts('signature', text)
    return ask_server({'call': 'signature', 'text': text, 'options': in_library(options)})


def similarity(a: str, b: str, **options: Any) -> float:
    """The exact Jaccard similarity of the shingle sets of two texts, 0 if both are empty. Options: `shingle`, `bag`, `normalize`, `seed`."""
    check_texts('similarity', a, b)
    # JSON does not distinguish 1 and 1.0.
    return float(ask_server({'call': 'similarity', 'a': a, 'b': b, 'options': in_library(options)}))


for _call, _kind in (
    (run, _options.RunOptions),
    (filter, _options.FilterOptions),
    (query, _options.QueryOptions),
    (compare, _options.CompareOptions),
    (Result.apply, _options.ApplyOptions),
):
    _call.__doc__ = f'{_call.__doc__}\n\nOptions:\n\n{_kind.__doc__}'
