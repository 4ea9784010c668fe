"""Documents of the prepared input, and their 5-shingles of words as a user of a library would make them.

The input is JSON lines of id and text; a text is words in lower case with single blanks between.
"""

import json

WORDS = 5


def documents(path):
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            yield record["id"], record["text"]


def shingles(text):
    words = text.split(" ")
    if len(words) <= WORDS:
        return [text]
    return list({" ".join(words[i : i + WORDS]) for i in range(len(words) - WORDS + 1)})


def write_pairs(path, ids, pairs):
    """Pairs of positions in reading order, as pairs of ids."""
    with open(path, "w", encoding="utf-8") as out:
        out.writelines(f"{ids[a]}\t{ids[b]}\n" for a, b in pairs)


def write_clusters(path, members):
    """(cluster, id) of each document that is in a cluster."""
    with open(path, "w", encoding="utf-8") as out:
        out.writelines(f"{cluster}\t{document}\n" for cluster, document in members)
