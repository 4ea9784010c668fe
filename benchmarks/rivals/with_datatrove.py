"""datatrove: its three stages of MinHash on one machine, 20 buckets of 5 hashes; the files of clusters are read."""

import glob
import json
import os
import struct
import sys
import tempfile

from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.dedup import MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupSignature
from datatrove.pipeline.dedup.minhash import MinhashConfig
from datatrove.pipeline.readers import JsonlReader
from datatrove.utils.text import TextNormConfig
from shingles import documents, write_clusters


def stage(steps, tasks, workers, logs):
    LocalPipelineExecutor(steps, tasks=tasks, workers=workers, logging_dir=logs, skip_completed=False).run()


def main():
    source, out, threads = sys.argv[1], sys.argv[2], int(sys.argv[4])
    plain = TextNormConfig(False, False, False, False, False)
    config = MinhashConfig(n_grams=5, num_buckets=20, hashes_per_bucket=5, norm_config=plain)
    with tempfile.TemporaryDirectory() as scratch:
        ids = [[] for _ in range(threads)]
        os.mkdir(f"{scratch}/in")
        files = [open(f"{scratch}/in/{rank}.jsonl", "w", encoding="utf-8") for rank in range(threads)]
        for number, (name, text) in enumerate(documents(source)):
            rank = number % threads
            ids[rank].append(name)
            files[rank].write(json.dumps({"id": name, "text": text}) + "\n")
        for file in files:
            file.close()
        at = f"{scratch}/"
        reader = JsonlReader(at + "in")
        stage([reader, MinhashDedupSignature(at + "signatures", config)], threads, threads, at + "log1")
        buckets = MinhashDedupBuckets(at + "signatures", at + "buckets", config=config)
        stage([buckets], config.num_buckets, threads, at + "log2")
        cluster = MinhashDedupCluster(at + "buckets", at + "clusters", config, save_cluster_id=True)
        stage([cluster], 1, 1, at + "log3")
        members = []
        for file in glob.glob(at + "clusters/*.clusters"):
            with open(file, "rb") as opened:
                rank = int(os.path.basename(file).split(".")[0])
                members += [(number, ids[rank][place]) for place, number in struct.iter_unpack("<II", opened.read())]
        write_clusters(out, members)


if __name__ == "__main__":
    main()
