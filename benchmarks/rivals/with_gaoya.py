"""gaoya: its own analyser makes the shingles; a query gives what agrees in at least the threshold of the signature."""

import sys

from gaoya.minhash import MinHashStringIndex
from shingles import WORDS, documents, write_pairs

source, out, threshold = sys.argv[1], sys.argv[2], float(sys.argv[3])
index = MinHashStringIndex(
    hash_size=32,
    jaccard_threshold=threshold,
    num_bands=20,
    band_size=5,
    num_hashes=100,
    analyzer="word",
    lowercase=False,
    ngram_range=(WORDS, WORDS),
)
ids, texts = map(list, zip(*documents(source)))
index.par_bulk_insert_docs(list(range(len(ids))), texts)
found = index.par_bulk_query(texts)
write_pairs(out, ids, ((a, b) for a, matches in enumerate(found) for b in matches if a < b))
