"""text-dedup: its command over the JSON lines; the clusters are read from what --debug leaves."""

import os
import pickle
import subprocess
import sys
import tempfile

from shingles import write_clusters

source, out, threads = sys.argv[1], sys.argv[2], sys.argv[4]
with tempfile.TemporaryDirectory() as scratch:
    arguments = f"--path json --data_files {source} --split train --cache_dir {scratch}/cache --output {scratch}/out"
    arguments += " --column text --idx_column id --ngram 5 --min_length 1 --num_perm 100 --b 20 --r 5"
    arguments += f" --hash_func xxh3 --num_proc {threads} --debug"
    subprocess.run(
        [sys.executable, "-m", "text_dedup.minhash", *arguments.split()],
        check=True,
        cwd=scratch,
        env={**os.environ, "HF_HOME": f"{scratch}/home", "HF_HUB_OFFLINE": "1"},
    )
    with open(os.path.join(scratch, "out", "uf.pkl"), "rb") as file:
        found = pickle.load(file)
write_clusters(out, [(found.find(name), name) for name in list(found.parent)])
