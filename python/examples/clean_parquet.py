"""A folder of Parquet files in, the same files without near-duplicates out: python clean_parquet.py SHARDS CLEANED"""

import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import pyarrow.parquet as parquet

import mr_minhash


def clean(shards: str, cleaned: str, text_field: str = 'text') -> mr_minhash.Result:
    """Every file keeps its name, its columns, its types and its row groups. Of documents that are alike the first stays."""
    out = tempfile.mkdtemp(prefix='mr-minhash-')
    result = mr_minhash.run(shards, out=out, exist_ok=True, text=text_field, threshold=0.8)
    dropped = defaultdict(set)
    for row in result.dropped:
        file, _, number = row["place"].rpartition('#')  # part-0.parquet#7: rows count from 1
        dropped[file].add(int(number))
    for path in sorted(Path(shards).rglob('*.parquet')):
        place = path.relative_to(shards)
        target = Path(cleaned, place)
        target.parent.mkdir(parents=True, exist_ok=True)
        copy(parquet.ParquetFile(path), target, dropped[place.as_posix()])
    return result


def copy(source: parquet.ParquetFile, target: Path, dropped: set) -> None:
    """A row group at a time, so that files may be larger than memory."""
    row = 0
    with parquet.ParquetWriter(target, source.schema_arrow) as writer:
        for group in range(source.num_row_groups):
            table = source.read_row_group(group)
            writer.write_table(table.filter([row + n not in dropped for n in range(1, table.num_rows + 1)]))
            row += table.num_rows


if __name__ == '__main__':
    done = clean(*sys.argv[1:3])
    print(f'{done.counts["dropped"]} of {done.counts["read"]} documents are dropped')
