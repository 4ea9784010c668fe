"""The options of every call, as the help of the command has them.

`npm run pages` writes this file from the tables of options: it is not to be edited.
"""

from __future__ import annotations

import os
from typing import Literal, Sequence, TypedDict

VERSION = '0.1.0'

#: Every keyword, for messages.
NAMES = frozenset(
    '''
    against agree annotate bag bands candidates checkpoint_after cluster cluster_work columns corpus decisions
    distinct dropped encoding engine exact_duplicates exclude expand_identical explain force group_by group_field
    guarantee hadoop_command hadoop_conf hashes hot_bucket id_field include input keep keep_empty keep_work
    level_unit liked_from link max_document max_shingle_documents measure memory method min_tokens modulus noise
    normalize on_error out paths pieces prefer protect ratings recall representative resume rows s3_endpoint
    sample samples seed separator shards shingle ship_node sketch spark_command spark_conf spark_master sql
    stop_words task_timeout text_field text_format threads threshold to top unit verify words write
    '''.split()
)


class RunOptions(TypedDict, total=False):
    """What `run` can be told.

    shingle:
        what a document is a set of: words:k, chars:k, bytes:k, lines:k or stopwords:k. k neighbouring tokens make one
        shingle, k from 1 to 63. stopwords:k is a stop word and the k-1 words after it. [default: words:5]
    stop_words:
        the stop words of stopwords:k, one word a line. Blank lines and lines that begin with # are left out.
        [default: a built-in English list]
    bag:
        count repeated shingles: the n-th occurrence is an element of its own
    normalize:
        what is done to texts before lower case: nfc, nfkc, casefold, no-marks, no-digits. Several are separated by
        commas. nfkc, in the place of nfc: the ligature of f and i is fi, a circled 1 is 1. casefold: the sharp s is
        ss. no-marks: without combining marks, so that an accented e is e. no-digits: every run of numbers is the same
        token. Bytes (bytes:k) are compared as they are. [default: nfc]
    method:
        how candidates are found: minhash (by sketch) or sswf (the same common words in the same order). sswf (Gupta
        and Singla): a document is the sequence in which 75 common English words occur in it, and documents with equal
        sequences are candidates. No recall is promised, and a document without such a word has none but identical
        ones. shards then is 1. [default: minhash]
    measure:
        what makes a pair: resemblance (Jaccard similarity) or containment. containment: the share of the shorter set
        that is in the longer one, found by samples (mod-m) and verified exactly; the drop list then drops only what a
        kept document contains. [default: resemblance]
    threshold:
        least Jaccard similarity (or containment) of a reported pair, above 0 and at most 1 [default: 0.8]
    sketch:
        how documents are sketched: fss, classic, min-s or mod-m. fss: Fast Similarity Sketching. classic: independent
        minhash functions. min-s, mod-m: samples of fingerprints, the smallest N or one in M, paired by those they
        share. With measure containment mod-m is the default. [default: fss]
    hashes:
        length of a signature or of a sample of min-s, 16 to 1024 [default: 128]
    modulus:
        mod-m keeps one fingerprint in M, 1 to 1048576. Of short documents all are kept. 1 keeps those of every
        document, so that nothing is estimated. [default: 8]
    bands:
        bands of a signature; B x R is at most N. Two documents are a candidate pair when they agree in all rows of at
        least one band. [default: chosen for recall]
    rows:
        rows of a band. Not given: the largest R (fewest false candidates) that reaches recall at the threshold.
        [default: chosen for recall]
    recall:
        least probability 1-(1-T^R)^B that a pair at the threshold becomes a candidate, between 0 and 1. Decides
        nothing when both bands and rows are given. The promise holds for verify exact; verify signature loses about
        half of the pairs right at T. [default: 0.95]
    hot_bucket:
        documents of a bucket that are paired all with all, 2 to 1000000, or auto. auto: the largest power of two, at
        least 256, that a budget of pairs allows, which follows from the corpus. A larger bucket is paired linearly,
        and what was left out is counted. With min-s and mod-m it is documents that have a fingerprint and little
        else. [default: auto]
    candidates:
        which candidate pairs are listed: margin, all or none. margin: those that reach the threshold or miss it by
        0.05 at most. All are counted, by agreement, in candidates/agreement.tsv. [default: margin]
    verify:
        how candidates are verified: exact, signature or none. exact: by the Jaccard similarity of the shingle sets,
        so every reported pair is true. signature: by the agreement of the signatures, an estimate. none: candidates
        only; clusters and drop list then come from documents with the same tokens alone. [default: exact]
    agree:
        accept a candidate pair when at least M of the N slots of hashes agree. With verify signature only, and in the
        place of threshold, which then is M/N. [default: by threshold]
    exact_duplicates:
        look for documents with the same tokens alone: no sketches, no candidates. What the tokens are follows from
        shingle: words, characters, lines or bytes; the kind of a pair says whether the texts are the same bytes, too.
        Excludes every other option about pairs but seed.
    sample:
        sketch only shingles whose hash is 0 mod N, about one in N, 1 to 65536. Decides which pairs are candidates;
        verify exact compares the full sets of all of them, and verify signature the samples. A document without a
        sampled shingle is found by identity alone, and counted. [default: 1]
    max_shingle_documents:
        sketch no shingle that occurs in more than N documents, 2 to 1000000000. They are counted first, which reads
        the input twice more, so it cannot be standard input, and listed in the file eliminated. Decides which pairs
        are candidates, as sample does. [default: no limit]
    cluster:
        how clusters are made: components or greedy. components: connected ones, which can chain. greedy: in the order
        of survivors a document joins the cluster whose representative it resembles most, where the estimate of its
        sketch reaches the threshold, else it founds one. Pairs and drop list are the same. [default: components]
    representative:
        what stands for a greedy cluster: its first member, or its popular fingerprints. popular: as many of its most
        popular fingerprints as a signature has slots. With cluster greedy only. [default: first]
    seed:
        every hash function follows from it. From 0 to 9007199254740991. [default: 1]
    input:
        what the files hold: auto, text, html, json, parquet, jsonl, csv, tsv, warc or sets. auto goes by the file
        name, and by the first bytes of a file without an ending; a .json file without the text field is a text
        document, unless text_field is given. sets: a set and one of its elements a line, in any order, separated by a
        TAB, in files named .csv by a comma; bag counts how often, or by which weight, an element is given. [default:
        auto]
    columns:
        with input sets: the fields of set, element and, if there is a third, weight or rating. As numbers from 1, or
        as names that stand in the first line of every file. What is first is compared: user,item finds like users,
        item,user like items. A weight that a line lacks is 1; one of 0 is no element. [default: 1,2,3]
    ratings:
        with input sets: the third field is a rating, and elements are what is liked, liked-hated or stars. liked: an
        item rated liked_from or more. liked-hated: liked or hated, two elements of an item. stars: an item as often
        as it has stars, 1 to 5. Of repeated ratings of an item the highest counts. [default: none: weights]
    liked_from:
        with ratings liked or liked-hated: the least rating that is liked [default: 4]
    text_field:
        the field of a record that holds the text, or several, separated by commas. Several are joined by a line
        break. A name may be a dotted path (meta.title); a comma in a name is \\,; an array of strings is one text. A
        number is the place of a field in CSV and TSV without a header. A run that finds it in no record has failed,
        and says which fields are there. [default: text]
    id_field:
        the field of a record that holds its id. A record without it, or whose id is empty, is called after its path:
        path, or path#n, its line, row or place in an array, from 1. A dotted path or a number, too, as text_field.
        [default: id]
    encoding:
        the encoding of the files. UTF-16 that begins with a byte order mark needs no flag; a page of HTML may name
        its own. [default: utf-8]
    text_format:
        what a text is, in a file or in the field of a record: auto, html or text. html: the text is what a reader
        sees of it. text: as it stands. auto: HTML where the name of the file says so, or the text begins as a page
        does, with a doctype or <html>; a text that only mentions a tag stands as it is. [default: auto]
    separator:
        the character between the fields of CSV, TSV and sets: one character, or tab. By their names: a comma in .csv
        files, a TAB in all others. [default: by name]
    sql:
        read the rows of a query, by DuckDB, in the place of paths. Its columns are the fields of records. Of several
        statements the last gives rows. Needs the package @duckdb/node-api. [default: none]
    include:
        read only files whose name or relative path matches; may be repeated. A glob without a slash (*.py) matches
        names in any folder, one with a slash (docs/*.py, /*.py) the path relative to its path, one that ends with a
        slash (docs/) all below such a folder. * stays within a folder, ** does not. [default: all text]
    exclude:
        leave out files and folders whose name or relative path matches; may be repeated. Globs as of include; a
        folder that matches is left out with all below it. [default: nothing]
    max_document:
        larger texts are skipped and named. Unpacked size of packed files; of a set 8 bytes an element. 1 KB is 1000
        bytes and 1 KiB is 1024; a plain number is bytes. [default: 1 GB]
    on_error:
        what an unreadable or malformed input does: skip or fail. skip: it is named in the skipped file and counted.
        fail: the run fails. [default: skip]
    keep:
        which of near-duplicates stays: first (in the input), last, longest, shortest, newest, oldest, id or
        field:NAME. longest, shortest: by bytes of text. newest, oldest: by when files were modified. id: the first by
        its bytes. field:NAME: the greatest value of a field of the records; field:NAME:asc: the least;
        field:NAME:a,b,c: these values in this order, before all others. Repeated: of equal ones the next rule
        decides, and at the end the place in the input. What protect and prefer name goes before. [default: first]
    prefer:
        sources in order of trust: none of their documents is dropped for one of a later or another source. Globs as
        of include, separated by commas, over places of files and over their paths below path. They go before keep.
        [default: none]
    protect:
        documents that are never dropped; others are dropped for them. Globs as of prefer. Pairs of two protected
        documents stay and are counted. [default: none]
    decisions:
        decisions that view saved: what was told apart never drops, what was decided to stay is kept. Lines of keep A
        B, both A B, drop A and lose A, with TABs between them. They go before all other rules. Ids that are not in
        the input are passed over and counted. A document is dropped only for a kept one that it resembles, whatever
        is decided. [default: none]
    against:
        find what the paths have of the documents there, and nothing else; may be repeated. Documents of path are a
        reference: never dropped, and never compared with each other. Nor are those of the paths. [default: none]
    group_field:
        compare only records with different values of this field [default: none]
    group_by:
        compare only documents whose places differ in the first N parts, from 1 [default: none]
    unit:
        what is compared: document, paragraph (separated by blank lines) or line [default: document]
    min_tokens:
        units of fewer tokens are left out: neither compared nor dropped [default: of documents 0, else k of shingle]
    out:
        the folder for the result [default: mr-minhash-out]
    force:
        replace a result or an unfinished run of mr-minhash in that folder. A finished result stays until the new one,
        made beside it in .new, is whole: the disk holds both. Never replaces anything else.
    resume:
        take up an unfinished run in that folder and do only what is missing. Refused where the inputs, the flags that
        decide the result or the version are others than before; all other flags may change. Without path it has the
        paths and flags that the run noted in the folder: all but those that name a program, a server or a place to
        write, which are given again. Where there is nothing to take up, a run begins.
    keep_work:
        keep the folder .work, which is removed when the result is finished
    expand_identical:
        list every pair of documents with the same tokens, not only those with the first
    write:
        then write the corpus without what was dropped into this folder, as apply does [default: nothing is written]
    shards:
        row chunks of the characteristic matrix, 1 to 65536, or auto. auto: one chunk where a column block fits a
        worker, so that map and combine fuse. [default: auto]
    threads:
        worker threads, 0 to 256; 0 works in the main thread. A run over 64 files or fewer starts one for every 256 KB
        at most. [default: cores available]
    task_timeout:
        a worker in which nothing moves for so long counts as hung; 0: never. Such as 30s, 10m or 1.5h; a plain number
        is seconds. Reading a document is a movement, so a long one is no hang, and a worker that is starting has a
        minute at least. Without effect with threads 0. [default: 10m]
    checkpoint_after:
        finished work goes to disk, for resume, once a run has lasted so long; 0: at once. A shorter run writes its
        result alone, and starts over when it was killed. [default: 20s]
    memory:
        what the run may hold in memory; beyond it, blocks go to disk. Such as 256MB or 4GiB. Workers count, the
        program itself (about 90 MB) comes on top. The disk is that of the output folder, under .work. [default: half
        of RAM]
    s3_endpoint:
        the server that s3:// is read from, in place of AWS_ENDPOINT_URL_S3 [default: AWS]
    engine:
        where tasks run: threads here, the same sorting on disk, or jobs of hadoop (Streaming) or spark (SQL). The
        result is the same. disk needs as little memory as memory says, and reads JSON lines and texts that are not
        packed. On Hadoop and Spark shards is the number of Reduce tasks of a job, and paths may be addresses of their
        file systems (hdfs://, s3a://, gs://). Inputs are JSON lines; on Spark also folders of text, and Parquet.
        [default: threads]
    cluster_work:
        a folder that all machines of the engine can read and write, for what jobs hand to each other [default: .work
        in out]
    hadoop_command:
        the command of your Hadoop [default: hadoop]
    hadoop_conf:
        a property of every Hadoop job [default: none]
    ship_node:
        send this node program along, for machines without Node
    spark_command:
        the spark-sql of your Spark [default: spark-sql]
    spark_master:
        where Spark works, such as local[2,4], yarn or spark://host:7077 [default: that of its settings]
    spark_conf:
        a setting of Spark [default: none]
    """

    shingle: str | None
    stop_words: str | Sequence[str] | None
    bag: bool | None
    normalize: str | Sequence[str] | None
    method: Literal['minhash', 'sswf'] | None
    measure: Literal['resemblance', 'containment'] | None
    threshold: float | None
    sketch: Literal['fss', 'classic', 'min-s', 'mod-m'] | None
    hashes: int | None
    modulus: int | None
    bands: int | None
    rows: int | None
    recall: float | None
    hot_bucket: int | Literal['auto'] | None
    candidates: Literal['margin', 'all', 'none'] | None
    verify: Literal['exact', 'signature', 'none'] | None
    agree: int | None
    exact_duplicates: bool | None
    sample: int | None
    max_shingle_documents: int | None
    cluster: Literal['components', 'greedy'] | None
    representative: Literal['first', 'popular'] | None
    seed: int | None
    input: Literal['auto', 'text', 'html', 'json', 'parquet', 'jsonl', 'csv', 'tsv', 'warc', 'sets'] | None
    columns: str | Sequence[str] | None
    ratings: Literal['liked', 'liked-hated', 'stars'] | None
    liked_from: float | None
    text_field: str | None
    id_field: str | None
    encoding: str | None
    text_format: Literal['auto', 'html', 'text'] | None
    separator: str | None
    sql: str | None
    include: str | Sequence[str] | None
    exclude: str | Sequence[str] | None
    max_document: int | str | None
    on_error: Literal['skip', 'fail'] | None
    keep: str | Sequence[str] | None
    prefer: str | Sequence[str] | None
    protect: str | Sequence[str] | None
    decisions: str | os.PathLike[str] | None
    against: Sequence[str | os.PathLike[str]] | None
    group_field: str | None
    group_by: str | None
    unit: Literal['document', 'paragraph', 'line'] | None
    min_tokens: int | None
    out: str | os.PathLike[str] | None
    force: bool | None
    resume: bool | None
    keep_work: bool | None
    expand_identical: bool | None
    write: str | os.PathLike[str] | None
    shards: int | Literal['auto'] | None
    threads: int | None
    task_timeout: float | str | None
    checkpoint_after: float | str | None
    memory: int | str | None
    s3_endpoint: str | None
    engine: Literal['threads', 'disk', 'hadoop', 'spark'] | None
    cluster_work: str | None
    hadoop_command: str | None
    hadoop_conf: str | Sequence[str] | None
    ship_node: bool | None
    spark_command: str | None
    spark_master: str | None
    spark_conf: str | Sequence[str] | None


class FilterOptions(TypedDict, total=False):
    """What `filter` can be told.

    shingle:
        what a document is a set of: words:k, chars:k, bytes:k, lines:k or stopwords:k. k neighbouring tokens make one
        shingle, k from 1 to 63. stopwords:k is a stop word and the k-1 words after it. [default: words:5]
    stop_words:
        the stop words of stopwords:k, one word a line. Blank lines and lines that begin with # are left out.
        [default: a built-in English list]
    bag:
        count repeated shingles: the n-th occurrence is an element of its own
    normalize:
        what is done to texts before lower case: nfc, nfkc, casefold, no-marks, no-digits. Several are separated by
        commas. nfkc, in the place of nfc: the ligature of f and i is fi, a circled 1 is 1. casefold: the sharp s is
        ss. no-marks: without combining marks, so that an accented e is e. no-digits: every run of numbers is the same
        token. Bytes (bytes:k) are compared as they are. [default: nfc]
    threshold:
        least Jaccard similarity (or containment) of a reported pair, above 0 and at most 1 [default: 0.8]
    sketch:
        how documents are sketched: fss, classic, min-s or mod-m. fss: Fast Similarity Sketching. classic: independent
        minhash functions. min-s, mod-m: samples of fingerprints, the smallest N or one in M, paired by those they
        share. With measure containment mod-m is the default. [default: fss]
    hashes:
        length of a signature or of a sample of min-s, 16 to 1024 [default: 128]
    bands:
        bands of a signature; B x R is at most N. Two documents are a candidate pair when they agree in all rows of at
        least one band. [default: chosen for recall]
    rows:
        rows of a band. Not given: the largest R (fewest false candidates) that reaches recall at the threshold.
        [default: chosen for recall]
    recall:
        least probability 1-(1-T^R)^B that a pair at the threshold becomes a candidate, between 0 and 1. Decides
        nothing when both bands and rows are given. The promise holds for verify exact; verify signature loses about
        half of the pairs right at T. [default: 0.95]
    hot_bucket:
        documents of a bucket that are paired all with all, 2 to 1000000, or auto. auto: the largest power of two, at
        least 256, that a budget of pairs allows, which follows from the corpus. A larger bucket is paired linearly,
        and what was left out is counted. With min-s and mod-m it is documents that have a fingerprint and little
        else. [default: auto]
    verify:
        how candidates are verified: exact, signature or none. exact: by the Jaccard similarity of the shingle sets,
        so every reported pair is true. signature: by the agreement of the signatures, an estimate. none: candidates
        only; clusters and drop list then come from documents with the same tokens alone. [default: exact]
    seed:
        every hash function follows from it. From 0 to 9007199254740991. [default: 1]
    input:
        what the files hold: auto, text, html, json, parquet, jsonl, csv, tsv, warc or sets. auto goes by the file
        name, and by the first bytes of a file without an ending; a .json file without the text field is a text
        document, unless text_field is given. sets: a set and one of its elements a line, in any order, separated by a
        TAB, in files named .csv by a comma; bag counts how often, or by which weight, an element is given. [default:
        auto]
    text_field:
        the field of a record that holds the text, or several, separated by commas. Several are joined by a line
        break. A name may be a dotted path (meta.title); a comma in a name is \\,; an array of strings is one text. A
        number is the place of a field in CSV and TSV without a header. A run that finds it in no record has failed,
        and says which fields are there. [default: text]
    id_field:
        the field of a record that holds its id. A record without it, or whose id is empty, is called after its path:
        path, or path#n, its line, row or place in an array, from 1. A dotted path or a number, too, as text_field.
        [default: id]
    text_format:
        what a text is, in a file or in the field of a record: auto, html or text. html: the text is what a reader
        sees of it. text: as it stands. auto: HTML where the name of the file says so, or the text begins as a page
        does, with a doctype or <html>; a text that only mentions a tag stands as it is. [default: auto]
    include:
        read only files whose name or relative path matches; may be repeated. A glob without a slash (*.py) matches
        names in any folder, one with a slash (docs/*.py, /*.py) the path relative to its path, one that ends with a
        slash (docs/) all below such a folder. * stays within a folder, ** does not. [default: all text]
    exclude:
        leave out files and folders whose name or relative path matches; may be repeated. Globs as of include; a
        folder that matches is left out with all below it. [default: nothing]
    max_document:
        larger texts are skipped and named. Unpacked size of packed files; of a set 8 bytes an element. 1 KB is 1000
        bytes and 1 KiB is 1024; a plain number is bytes. [default: 1 GB]
    on_error:
        what an unreadable or malformed input does: skip or fail. skip: it is named in the skipped file and counted.
        fail: the run fails. [default: skip]
    memory:
        what the run may hold in memory; beyond it, blocks go to disk. Such as 256MB or 4GiB. Workers count, the
        program itself (about 90 MB) comes on top. The disk is that of the output folder, under .work. [default: half
        of RAM]
    against:
        find what the paths have of the documents there, and nothing else; may be repeated. Documents of path are a
        reference: never dropped, and never compared with each other. Nor are those of the paths. [default: none]
    """

    shingle: str | None
    stop_words: str | Sequence[str] | None
    bag: bool | None
    normalize: str | Sequence[str] | None
    threshold: float | None
    sketch: Literal['fss', 'classic', 'min-s', 'mod-m'] | None
    hashes: int | None
    bands: int | None
    rows: int | None
    recall: float | None
    hot_bucket: int | Literal['auto'] | None
    verify: Literal['exact', 'signature', 'none'] | None
    seed: int | None
    input: Literal['auto', 'text', 'html', 'json', 'parquet', 'jsonl', 'csv', 'tsv', 'warc', 'sets'] | None
    text_field: str | None
    id_field: str | None
    text_format: Literal['auto', 'html', 'text'] | None
    include: str | Sequence[str] | None
    exclude: str | Sequence[str] | None
    max_document: int | str | None
    on_error: Literal['skip', 'fail'] | None
    memory: int | str | None
    against: Sequence[str | os.PathLike[str]] | None


class QueryOptions(TypedDict, total=False):
    """What `query` can be told.

    shingle:
        what a document is a set of: words:k, chars:k, bytes:k, lines:k or stopwords:k. k neighbouring tokens make one
        shingle, k from 1 to 63. stopwords:k is a stop word and the k-1 words after it. [default: words:5]
    stop_words:
        the stop words of stopwords:k, one word a line. Blank lines and lines that begin with # are left out.
        [default: a built-in English list]
    normalize:
        what is done to texts before lower case: nfc, nfkc, casefold, no-marks, no-digits. Several are separated by
        commas. nfkc, in the place of nfc: the ligature of f and i is fi, a circled 1 is 1. casefold: the sharp s is
        ss. no-marks: without combining marks, so that an accented e is e. no-digits: every run of numbers is the same
        token. Bytes (bytes:k) are compared as they are. [default: nfc]
    seed:
        every hash function follows from it. From 0 to 9007199254740991. [default: 1]
    input:
        what the files hold: auto, text, html, json, parquet, jsonl, csv, tsv, warc or sets. auto goes by the file
        name, and by the first bytes of a file without an ending; a .json file without the text field is a text
        document, unless text_field is given. sets: a set and one of its elements a line, in any order, separated by a
        TAB, in files named .csv by a comma; bag counts how often, or by which weight, an element is given. [default:
        auto]
    text_field:
        the field of a record that holds the text, or several, separated by commas. Several are joined by a line
        break. A name may be a dotted path (meta.title); a comma in a name is \\,; an array of strings is one text. A
        number is the place of a field in CSV and TSV without a header. A run that finds it in no record has failed,
        and says which fields are there. [default: text]
    id_field:
        the field of a record that holds its id. A record without it, or whose id is empty, is called after its path:
        path, or path#n, its line, row or place in an array, from 1. A dotted path or a number, too, as text_field.
        [default: id]
    encoding:
        the encoding of the files. UTF-16 that begins with a byte order mark needs no flag; a page of HTML may name
        its own. [default: utf-8]
    text_format:
        what a text is, in a file or in the field of a record: auto, html or text. html: the text is what a reader
        sees of it. text: as it stands. auto: HTML where the name of the file says so, or the text begins as a page
        does, with a doctype or <html>; a text that only mentions a tag stands as it is. [default: auto]
    separator:
        the character between the fields of CSV, TSV and sets: one character, or tab. By their names: a comma in .csv
        files, a TAB in all others. [default: by name]
    include:
        read only files whose name or relative path matches; may be repeated. A glob without a slash (*.py) matches
        names in any folder, one with a slash (docs/*.py, /*.py) the path relative to its path, one that ends with a
        slash (docs/) all below such a folder. * stays within a folder, ** does not. [default: all text]
    exclude:
        leave out files and folders whose name or relative path matches; may be repeated. Globs as of include; a
        folder that matches is left out with all below it. [default: nothing]
    max_document:
        larger texts are skipped and named. Unpacked size of packed files; of a set 8 bytes an element. 1 KB is 1000
        bytes and 1 KiB is 1024; a plain number is bytes. [default: 1 GB]
    on_error:
        what an unreadable or malformed input does: skip or fail. skip: it is named in the skipped file and counted.
        fail: the run fails. [default: skip]
    threads:
        worker threads, 0 to 256; 0 works in the main thread. A run over 64 files or fewer starts one for every 256 KB
        at most. [default: cores available]
    task_timeout:
        a worker in which nothing moves for so long counts as hung; 0: never. Such as 30s, 10m or 1.5h; a plain number
        is seconds. Reading a document is a movement, so a long one is no hang, and a worker that is starting has a
        minute at least. Without effect with threads 0. [default: 10m]
    method:
        how documents are compared with the base: resemblance, containment, sswf, cops, cops-overlapping, scam,
        manber, heintze, winnowing, i-match, identity, inner-product, normalised-inner-product, cosine [default:
        resemblance]
    top:
        how many answers to a base, the best, or all [default: 10]
    threshold:
        least value of an answer, of the measure that answers are ranked by [default: by the method]
    distinct:
        leave out answers whose resemblance with a better one is 0.8 or more
    explain:
        name the passages that base and answer share, and show them side by side
    words:
        sswf: how many words of a base to select [default: 70]
    pieces:
        sswf: equal pieces that are looked for each by itself, for text that was rearranged [default: 1]
    noise:
        winnowing: shorter matches are never found, in letters [default: 25]
    guarantee:
        winnowing: matches of so many letters are always found [default: 50, or noise if larger]
    """

    shingle: str | None
    stop_words: str | Sequence[str] | None
    normalize: str | Sequence[str] | None
    seed: int | None
    input: Literal['auto', 'text', 'html', 'json', 'parquet', 'jsonl', 'csv', 'tsv', 'warc', 'sets'] | None
    text_field: str | None
    id_field: str | None
    encoding: str | None
    text_format: Literal['auto', 'html', 'text'] | None
    separator: str | None
    include: str | Sequence[str] | None
    exclude: str | Sequence[str] | None
    max_document: int | str | None
    on_error: Literal['skip', 'fail'] | None
    threads: int | None
    task_timeout: float | str | None
    method: Literal['resemblance', 'containment', 'sswf', 'cops', 'cops-overlapping', 'scam', 'manber', 'heintze', 'winnowing', 'i-match', 'identity', 'inner-product', 'normalised-inner-product', 'cosine'] | None
    top: int | Literal['all'] | None
    threshold: float | None
    distinct: bool | None
    explain: bool | None
    words: int | None
    pieces: int | None
    noise: int | None
    guarantee: int | None


class CompareOptions(TypedDict, total=False):
    """What `compare` can be told.

    shingle:
        what a document is a set of: words:k, chars:k, bytes:k, lines:k or stopwords:k. k neighbouring tokens make one
        shingle, k from 1 to 63. stopwords:k is a stop word and the k-1 words after it. [default: words:5]
    stop_words:
        the stop words of stopwords:k, one word a line. Blank lines and lines that begin with # are left out.
        [default: a built-in English list]
    normalize:
        what is done to texts before lower case: nfc, nfkc, casefold, no-marks, no-digits. Several are separated by
        commas. nfkc, in the place of nfc: the ligature of f and i is fi, a circled 1 is 1. casefold: the sharp s is
        ss. no-marks: without combining marks, so that an accented e is e. no-digits: every run of numbers is the same
        token. Bytes (bytes:k) are compared as they are. [default: nfc]
    hashes:
        length of a signature or of a sample of min-s, 16 to 1024 [default: 128]
    seed:
        every hash function follows from it. From 0 to 9007199254740991. [default: 1]
    samples:
        s of MIN_s, the smallest elements kept [default: hashes]
    modulus:
        m of MOD_m, which keeps one element in m [default: 25]
    level_unit:
        L_i keeps N to 2N elements of a long document [default: 100]
    method:
        the values of one method, with a as base and b as document
    words:
        sswf: how many words of a base to select [default: 70]
    pieces:
        sswf: equal pieces that are looked for each by itself, for text that was rearranged [default: 1]
    noise:
        winnowing: shorter matches are never found, in letters [default: 25]
    guarantee:
        winnowing: matches of so many letters are always found [default: 50, or noise if larger]
    """

    shingle: str | None
    stop_words: str | Sequence[str] | None
    normalize: str | Sequence[str] | None
    hashes: int | None
    seed: int | None
    samples: int | None
    modulus: int | None
    level_unit: int | None
    method: Literal['resemblance', 'containment', 'sswf', 'cops', 'cops-overlapping', 'scam', 'manber', 'heintze', 'winnowing', 'i-match', 'identity', 'inner-product', 'normalised-inner-product', 'cosine'] | None
    words: int | None
    pieces: int | None
    noise: int | None
    guarantee: int | None


class ApplyOptions(TypedDict, total=False):
    """What `apply` can be told.

    corpus:
        where an input of the run is now: one for each of its paths, in their order; names and sizes must be the same
    decisions:
        what was decided against the drop list, as view saves it: keep A B, both A B, drop A
    dropped:
        write what was dropped, and nothing else
    annotate:
        write everything, with fields cluster, kept and similarity added (JSON lines, Parquet)
    link:
        hard links in the place of copies, for files that stay as they are
    keep_empty:
        also write files of records in which no record is left
    force:
        replace what apply wrote to OUT before; never anything else
    """

    corpus: str | os.PathLike[str] | None
    decisions: str | os.PathLike[str] | None
    dropped: bool | None
    annotate: bool | None
    link: bool | None
    keep_empty: bool | None
    force: bool | None
