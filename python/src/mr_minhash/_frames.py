"""Records in memory: reading a data frame, an Arrow table, a Dataset or a list, and results in the same form."""

from __future__ import annotations

import json
import os
from json.encoder import encode_basestring_ascii
from typing import Any, Callable, Iterable, Sequence


class Frame:
    """Records in their order, in one of the forms that `run` takes."""

    def __init__(self, data: Any):
        self.kind = _kind_of(data)
        if self.kind == 'polars' and hasattr(data, 'collect'):
            data = data.collect()
        elif self.kind == 'arrow' and not _is_table(data):
            import pyarrow

            data = pyarrow.table(data)
        elif self.kind == 'list' and not isinstance(data, (list, tuple)):
            data = list(data)
        self.data = data

    def __len__(self) -> int:
        return self.data.num_rows if self.kind == 'arrow' else len(self.data)

    @property
    def columns(self) -> list[str]:
        """Names of columns; of a list the keys of its dicts, none of texts."""
        if self.kind == 'list':
            if not self.data or not isinstance(self.data[0], dict):
                return []
            return [str(key) for key in dict.fromkeys(key for record in self.data if isinstance(record, dict) for key in record)]
        return [str(name) for name in (self.data.column_names if self.kind in ('arrow', 'datasets') else self.data.columns)]

    def column(self, name: str) -> list[Any]:
        """The values of a column as objects of Python."""
        if self.kind == 'list':
            return [record.get(name) if isinstance(record, dict) else _refuse_mixed(at, record) for at, record in enumerate(self.data)]
        if self.kind == 'arrow':
            return self.data.column(name).to_pylist()
        if self.kind == 'polars':
            return self.data.get_column(name).to_list()
        if self.kind == 'datasets':
            return list(self.data[name])
        # Names of other types, such as numbers, are matched by their text.
        return self.data.iloc[:, self.columns.index(name)].tolist()

    def ids(self, name: str | None) -> Any:
        """The values that identify records, with their type: a column, the index of a pandas frame, or numbers from 0."""
        if name is not None:
            self.check(name)
        if self.kind == 'pandas':
            return self.data.index if name is None else self.data[name]
        if name is None:
            return range(len(self))
        if self.kind == 'arrow':
            return self.data.column(name)
        if self.kind == 'polars':
            return self.data.get_column(name)
        return self.column(name)

    def check(self, name: str) -> None:
        """Raises KeyError for a name that is not that of a column."""
        if name not in self.columns:
            raise KeyError(f'{name!r}: the records have no such column; they have {", ".join(map(repr, self.columns)) or "none"}')

    def keep(self, kept: Sequence[bool]) -> Any:
        """The kept records, in the form of all records."""
        if self.kind == 'pandas':
            return self.data[list(kept)]
        if self.kind == 'polars':
            return self.data.filter(list(kept))
        rows = [row for row, stays in enumerate(kept) if stays]
        if self.kind == 'arrow':
            import pyarrow

            return self.data.take(pyarrow.array(rows, pyarrow.int64()))
        if self.kind == 'datasets':
            return self.data.select(rows)
        return [self.data[row] for row in rows]

    def with_columns(self, columns: dict[str, list[Any]]) -> Any:
        """The records with further columns; those of the same name are replaced."""
        if self.kind == 'pandas':
            return self.data.assign(**columns)
        if self.kind == 'polars':
            import polars

            return self.data.with_columns(*(polars.Series(name, values) for name, values in columns.items()))
        if self.kind == 'arrow':
            table = self.data
            for name, values in columns.items():
                at = table.column_names.index(name) if name in table.column_names else None
                table = table.append_column(name, [values]) if at is None else table.set_column(at, name, [values])
            return table
        if self.kind == 'datasets':
            data = self.data.remove_columns([name for name in columns if name in self.data.column_names])
            for name, values in columns.items():
                data = data.add_column(name, values)
            return data
        rows = zip(*columns.values())
        return [{**(record if isinstance(record, dict) else {'text': record}), **dict(zip(columns, row))} for record, row in zip(self.data, rows)]

    def frame_of(self, columns: dict[str, Any]) -> Any:
        """A separate table in the form of the records: a pandas frame has their index."""
        if self.kind == 'pandas':
            return type(self.data)(columns, index=self.data.index)
        if self.kind == 'polars':
            import polars

            return polars.DataFrame(columns)
        if self.kind == 'arrow':
            import pyarrow

            return pyarrow.table(columns)
        if self.kind == 'datasets':
            return type(self.data).from_dict(columns)
        return [dict(zip(columns, row)) for row in zip(*columns.values())]


def _kind_of(data: Any) -> str:
    module = type(data).__module__.split('.')[0]
    if module == 'datasets':
        if not hasattr(data, 'select'):
            raise TypeError(f'expected a Dataset, got {type(data).__name__}: pass one split, or a list of its records')
        return module
    # A frame has columns, or a LazyFrame can be collected; a series is a list of texts.
    if module in ('pandas', 'polars'):
        return module if type(data).__name__.endswith('Frame') else 'list'
    if module == 'pyarrow' and type(data).__name__.endswith('Array'):
        return 'list'
    if hasattr(data, '__arrow_c_stream__'):
        return 'arrow'
    if isinstance(data, (str, bytes, dict, os.PathLike)) or not isinstance(data, Iterable):
        raise TypeError(f'expected records (a data frame, an Arrow table, a Dataset or a list), got {type(data).__name__}')
    return 'list'


def _is_table(data: Any) -> bool:
    return type(data).__module__.startswith('pyarrow') and type(data).__name__ == 'Table'


def _refuse_mixed(at: int, record: Any) -> Any:
    raise TypeError(f'record {at}: expected a dict as the first record is, got {type(record).__name__}')


def is_missing(value: Any) -> bool:
    """Whether a text is absent: None, NaN, or the missing value of pandas."""
    # The missing value of pandas cannot be compared.
    if hasattr(value, 'as_py'):
        value = value.as_py()
    return value is None or type(value).__name__ == 'NAType' or value != value


def check_texts(call: str, *texts: Any) -> None:
    """Raises TypeError for arguments of a call that are not texts."""
    for text in texts:
        if not isinstance(text, (str, bytes)):
            raise TypeError(f'{call}() takes texts, got {type(text).__name__}')


def text_of(at: int, value: Any) -> str:
    """The text of a record. Raises TypeError for any other value."""
    if hasattr(value, 'as_py'):
        value = value.as_py()
    if isinstance(value, bytes):
        return value.decode('utf-8', 'replace')
    if isinstance(value, str):
        return value
    raise TypeError(f'record {at}: expected a text, got {type(value).__name__}')


def _json_text(at: int, value: Any) -> str:
    if isinstance(value, str):
        return encode_basestring_ascii(value)
    if hasattr(value, 'as_py'):
        return _json_text(at, value.as_py())
    if isinstance(value, (list, dict)):
        return json.dumps(value, default=str)
    return 'null' if is_missing(value) else encode_basestring_ascii(text_of(at, value))


def _json_text_in(column: str) -> Callable[[int, Any], str]:
    def json_text(at: int, value: Any) -> str:
        try:
            return _json_text(at, value)
        except TypeError as error:
            raise TypeError(f'{column!r}, {error}') from None

    return json_text


def _json_value(value: Any) -> str:
    if hasattr(value, 'item'):
        value = value.item()
    if is_missing(value):
        return 'null'
    return json.dumps(value if isinstance(value, (str, int, float)) else str(value))


def write_records(frame: Frame, text: str | Sequence[str], fields: Sequence[str], path: str) -> tuple[str, dict[str, str]]:
    """Writes the columns that a run reads as JSON lines, a line per record.

    Returns the value of `text_field`, and by column of `fields` its name in the file.
    """
    known = frame.columns
    if frame.kind == 'list' and not known:
        columns: list[tuple[str, Iterable[Any], Callable[[int, Any], str]]] = [('text', frame.data, _json_text)]
        text_field = 'text'
        if fields:
            raise ValueError(f'{fields[0]}: the records are texts and have no fields')
    else:
        columns, names = [], []
        for name in map(str, [text] if isinstance(text, (str, int)) else text):
            # A name with dots is a column, or a path into one whose values are dicts.
            column, *rest = [name] if name in known else name.split('.', 1)
            at = f't{len(names)}'
            frame.check(column)
            columns.append((at, frame.column(column), _json_text_in(column)))
            names.append('.'.join([at, *rest]))
        text_field = ','.join(names)
    kept = {}
    for name in fields:
        kept[name] = f'f{len(kept)}'
        frame.check(name)
        columns.append((kept[name], frame.column(name), lambda at, value: _json_value(value)))
    with open(path, 'w', encoding='ascii', newline='\n', buffering=1 << 20) as out:
        parts = []
        for at, (name, values, encode) in enumerate(columns):
            begin = ('{' if at == 0 else ',') + json.dumps(name) + ':'
            parts.append((begin, map(encode, range(len(frame)), values)))
        if len(parts) == 1:
            begin, values = parts[0]
            out.writelines(f'{begin}{value}}}\n' for value in values)
        else:
            for row in zip(*(values for _, values in parts)):
                out.write(''.join(begin + value for (begin, _), value in zip(parts, row)) + '}\n')
    return text_field, kept


def taken(ids: Any, rows: Sequence[int | None]) -> Any:
    """The ids of rows, with the type of the ids; a row that is None gives None."""
    module = type(ids).__module__.split('.')[0]
    if module == 'pandas' and None not in rows:
        return ids.take(list(rows)).array if hasattr(ids, 'array') else ids.take(list(rows))
    if module == 'pyarrow':
        import pyarrow

        return ids.take(pyarrow.array(rows, pyarrow.int64()))
    if module == 'polars' and None not in rows:
        return ids.gather(list(rows))
    values = ids.tolist() if module == 'pandas' else ids
    return [None if row is None else values[row] for row in rows]


def rows_at(locations: Iterable[str], file: str) -> list[int | None]:
    """Numbers of records from their locations in the file that was written, `FILE#1` and so on; None for other locations."""
    begin = len(file) + 1
    return [int(where[begin:]) - 1 if mark else None for where, mark in ((where, where.startswith(f'{file}#')) for where in locations)]

