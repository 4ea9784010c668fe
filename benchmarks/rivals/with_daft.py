"""Daft: its minhash expression, then bands as its documentation does them: chunk, explode, group. Pairs are ours."""

import sys

import daft
from daft import col
from daft.functions import monotonically_increasing_id
from shingles import WORDS, write_pairs

source, out = sys.argv[1], sys.argv[2]
BANDS, ROWS = 20, 5
sketches = (
    daft.read_json(source)
    .with_column("node", monotonically_increasing_id())
    .with_column("sketch", col("text").minhash(num_hashes=BANDS * ROWS, ngram_size=WORDS, hash_function="xxhash3_64"))
    .select("node", "id", "sketch")
    .collect()
)
ids = dict(zip(*sketches.select("node", "id").to_pydict().values()))
band = daft.functions.chunk(col("sketch"), ROWS)
buckets = (
    sketches.select("node", band.alias("bands"))
    .with_column("band", daft.lit(list(range(BANDS))))
    .explode("bands", "band")
    .groupby(col("band"), col("bands").hash())
    .agg(col("node").list_agg().alias("nodes"))
    .where(col("nodes").list_count() > 1)
    .select("nodes")
    .to_pydict()["nodes"]
)
pairs = set()
for nodes in buckets:
    nodes = sorted(nodes)
    pairs.update((a, b) for i, a in enumerate(nodes) for b in nodes[i + 1 :])
write_pairs(out, ids, pairs)
