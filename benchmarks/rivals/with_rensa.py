"""rensa: RMinHash and RMinHashLSH, one document at a time; candidates of 20 bands of 5 rows."""

import sys

from rensa import RMinHash, RMinHashLSH
from shingles import documents, shingles, write_pairs

source, out = sys.argv[1], sys.argv[2]
index = RMinHashLSH(threshold=0.8, num_perm=100, num_bands=20)
ids, pairs = [], []
for name, text in documents(source):
    sketch = RMinHash(num_perm=100, seed=42)
    sketch.update(shingles(text))
    number = len(ids)
    ids.append(name)
    pairs.extend((earlier, number) for earlier in index.query(sketch))
    index.insert(number, sketch)
write_pairs(out, ids, pairs)
