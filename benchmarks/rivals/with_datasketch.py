"""datasketch: MinHash and MinHashLSH as its documentation shows them; candidates of 20 bands of 5 rows."""

import sys

from datasketch import MinHash, MinHashLSH
from shingles import documents, shingles, write_pairs

source, out = sys.argv[1], sys.argv[2]
index = MinHashLSH(num_perm=100, params=(20, 5))
ids, pairs = [], []
for name, text in documents(source):
    sketch = MinHash(num_perm=100, seed=1)
    sketch.update_batch([shingle.encode() for shingle in shingles(text)])
    number = len(ids)
    ids.append(name)
    pairs.extend((earlier, number) for earlier in index.query(sketch))
    index.insert(number, sketch)
write_pairs(out, ids, pairs)
