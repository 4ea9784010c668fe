"""Tables of a result: rows of TSV as dicts, columns, Arrow tables or data frames."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Iterator

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

#: Columns that hold numbers; every other column holds text.
_NUMBERS = {
    'jaccard': float,
    'agreement': float,
    'containment': float,
    'containment_a_in_b': float,
    'containment_b_in_a': float,
    'similarity': float,
    'cluster': int,
}
_ESCAPE = re.compile(rb'\\(?:x([0-9a-f]{2})|(.))')
_PLAIN = {b't': b'\t', b'n': b'\n', b'r': b'\r', b'\\': b'\\'}


def _unescaped(cell: bytes) -> str:
    if b'\\' in cell:
        cell = _ESCAPE.sub(lambda found: bytes([int(found[1], 16)]) if found[1] else _PLAIN.get(found[2], found[0]), cell)
    return cell.decode('utf-8', 'surrogateescape')


def read_columns(folder: str, name: str) -> dict[str, list[Any]]:
    """The columns of a table, in their order: `name` is a file (`skipped.tsv`) or a folder of parts (`pairs`)."""
    path = Path(folder, name)
    parts = [path] if path.suffix else sorted(path.glob('part-*.tsv'))
    columns: dict[str, list[Any]] = {}
    for part in parts:
        lines = part.read_bytes().split(b'\n')
        names = lines[0].decode().split('\t')
        rows = [line.split(b'\t') for line in lines[1:] if line]
        values = list(zip(*rows)) if rows else [()] * len(names)
        for column, cells in zip(names, values):
            number = _NUMBERS.get(column)
            if number is None:
                read: list[Any] = [_unescaped(cell) for cell in cells]
            else:
                read = [number(cell) if cell and cell != b'-' else None for cell in cells]
            columns.setdefault(column, []).extend(read)
    return columns


def _plain_list(values: Any) -> list[Any]:
    """The values of a column of any kind as objects of Python."""
    for convert in ('to_pylist', 'tolist', 'to_list'):
        if hasattr(values, convert):
            return getattr(values, convert)()
    return list(values)


class Table:
    """A table of a result, read again at each use: iterate its rows, or take it as columns, as Arrow or as a data frame.

    Functions that take Arrow streams (`pyarrow.table`, polars, DuckDB) take a `Table` as it is.
    """

    def __init__(self, folder: str, name: str, ids: Callable[[dict[str, list[Any]]], dict[str, Any]] | None = None):
        self._folder, self._name, self._ids = folder, name, ids

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns, by their names."""
        columns = read_columns(self._folder, self._name)
        return columns if self._ids is None else self._ids(columns)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The rows as dicts."""
        columns = {name: _plain_list(values) for name, values in self.to_dict().items()}
        for row in zip(*columns.values()):
            yield dict(zip(columns, row))

    def __len__(self) -> int:
        return len(next(iter(read_columns(self._folder, self._name).values()), ()))

    def to_arrow(self) -> pyarrow.Table:
        """The whole table; needs pyarrow."""
        import pyarrow

        return pyarrow.table({name: values.to_arrow() if hasattr(values, 'to_arrow') else values for name, values in self.to_dict().items()})

    def to_pandas(self) -> pandas.DataFrame:
        """The whole table; needs pandas."""
        import pandas

        return pandas.DataFrame({name: _plain_list(values) if hasattr(values, 'type') else values for name, values in self.to_dict().items()})

    def to_polars(self) -> polars.DataFrame:
        """The whole table; needs polars."""
        import polars

        return polars.DataFrame(self.to_dict())

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f'<{self._name} of {self._folder}>'
