"""FastSketchLSH: batches of token sets. A sketch must be a power of two: 128 slots, of which the first 100 are banded."""

import sys

import numpy as np
from FastSketchLSH import LSH, FastSimilaritySketch
from shingles import documents, shingles, write_pairs

BATCH = 1000
source, out = sys.argv[1], sys.argv[2]
sketcher = FastSimilaritySketch(128, 42)
ids, batch, sketches = [], [], []


def flush():
    if batch:
        rows = np.asarray(sketcher.batch(batch), dtype=np.uint64)
        sketches.append(np.ascontiguousarray(rows[:, :100]))
        batch.clear()


for name, text in documents(source):
    ids.append(name)
    batch.append(shingles(text))
    if len(batch) == BATCH:
        flush()
flush()
matrix = np.concatenate(sketches)
index = LSH(100, 20)
index.insert(matrix)
pairs = ((a, b) for a, found in enumerate(index.query(matrix)) for b in sorted(set(found)) if a < b)
write_pairs(out, ids, pairs)
