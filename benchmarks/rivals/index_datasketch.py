"""datasketch as an index in memory: records are inserted, then texts are looked up. Prints seconds, memory and answers as JSON."""

import json
import resource
import sys
import time

from datasketch import MinHash, MinHashLSH
from shingles import documents, shingles

source, queries, count, hashes, bands, rows = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])


def sketch_of(text):
    sketch = MinHash(num_perm=hashes, seed=1)
    sketch.update_batch([shingle.encode() for shingle in shingles(text)])
    return sketch


index = MinHashLSH(num_perm=hashes, params=(bands, rows))
began, began_cpu = time.perf_counter(), time.process_time()
inserted = 0
for _, text in documents(source):
    if inserted == count:
        break
    index.insert(inserted, sketch_of(text))
    inserted += 1
wall, cpu = time.perf_counter() - began, time.process_time() - began_cpu
with open(queries, encoding="utf-8") as file:
    texts = json.load(file)
times = []
candidates = 0
began_cpu = time.process_time()
for text in texts:
    start = time.perf_counter()
    candidates += len(index.query(sketch_of(text)))
    times.append(time.perf_counter() - start)
times.sort()
print(
    json.dumps(
        {
            "documents": inserted,
            "wall": wall,
            "cpu": cpu,
            "queryCpu": (time.process_time() - began_cpu) / len(texts),
            "p95": times[int(0.95 * len(times))],
            "candidates": candidates,
            "peakBytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
        }
    )
)
