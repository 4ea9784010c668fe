/**
 * The one table of everything that can go wrong: a code, what it means, and what to do about it.
 *
 * Users read these texts on the terminal, in `skipped.tsv` and in `manifest.json`. They never contain messages of the platform,
 * which differ between machines and would break "same input, same bytes".
 */

/** `maxDocument` is `--max-document`. */
export function flagName(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The inverse of `flagName`, for a flag without its dashes. */
function keyOfFlag(flag: string): string {
  return flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** An option in a text of the table: `{maxDocument}`, with a value `{verify: exact}`, a switch `{force: true}`. */
const OPTION = /\{(\w+)(?:: ([^}]+))?\}/g;

function inFlags(text: string): string {
  return text.replace(OPTION, (_, key: string, value: string | undefined) =>
    value === undefined || value === 'true' ? flagName(key) : `${flagName(key)} ${value}`,
  );
}

function inKeys(text: string): string {
  return text
    .replace(OPTION, (_, key: string, value: string | undefined) => {
      if (value === undefined) return key;
      return `${key}: ${/^(?:true|\d+)$/.test(value) ? value : `'${value}'`}`;
    })
    .replace(/\bPATH(s?)\b/g, 'path$1')
    .replace(/\bflags\b/g, 'options');
}

/** Remedies of the library that differ from those of the command line by more than the names of options. */
const OWN_WORDS: Readonly<Record<string, { readonly remedy: string }>> = {
  OPTION_INVALID: { remedy: 'the types of the options list the values of each' },
  NO_INPUT: { remedy: "name at least one file or directory in paths, or '-' for JSON lines from a stream" },
  RESULT_DAMAGED: {
    remedy: 'verifyResult(folder) lists all such files; to replace the result, run again with force: true',
  },
  APPLY_REFUSED: { remedy: 'the types of the options list what can be written and listed' },
  INDEX_MISSING: { remedy: 'name the folder of an index; createIndex(folder) makes a new one' },
  INDEX_REFUSED: { remedy: 'the types of the options list what each function takes' },
};

/** Text and remedy of a code for users of the library. */
export function entryInCode(code: ErrorCode): { readonly text: string; readonly remedy: string } {
  const { text, remedy } = ENTRIES[code];
  return { text: inKeys(text), remedy: OWN_WORDS[code]?.remedy ?? inKeys(remedy) };
}

/** Quoted text comes from the user and is not changed. */
const QUOTED_OR_NAME = /"(?:[^"\\]|\\.)*"|(?<![\w-])--([a-z][a-z0-9]*(?:-[a-z]+)*)|\bPATH(s?)\b|\bflags\b/g;

/** A detail with names of options instead of flags: `--max-document 5` is `maxDocument 5`. Quoted text is not changed. */
export function inOptions(text: string): string {
  return text.replace(QUOTED_OR_NAME, (match, flag: string | undefined) => {
    if (flag !== undefined) return keyOfFlag(flag);
    return match.startsWith('"') ? match : match === 'flags' ? 'options' : 'paths';
  });
}

/** Rows of the table: what is wrong, and what to do. */
const ofUse = (text: string, remedy: string) => ({ scope: 'use', text, remedy }) as const;
const ofDocument = (text: string, remedy: string) => ({ scope: 'document', text, remedy }) as const;
const ofRun = (text: string, remedy: string) => ({ scope: 'run', text, remedy }) as const;
const ofNote = (text: string, remedy: string) => ({ scope: 'note', text, remedy }) as const;

/** Errors in compressed data, by codec. */
function errorsOfCodec<const P extends 'GZIP' | 'ZSTD' | 'BZIP2' | 'XZ'>(codec: P, program: string) {
  const again = 'create the file again';
  const entry = (what: string, text: string, remedy: string) =>
    [`${codec}_${what}`, ofDocument(`the ${program} data ${text}`, remedy)] as const;
  const entries = [
    entry('DAMAGED', 'are damaged', `${again}; texts and records before the damage were read`),
    entry('TRUNCATED', 'end too early', `${again}; texts and records before the end were read`),
    entry('BEHIND', 'are followed by other bytes; everything before them was read', again),
    [
      `${codec}_OTHER`,
      ofDocument(`not ${program} data, although its name ends like that`, 'rename the file'),
    ] as const,
  ];
  type Code = `${P}_${'DAMAGED' | 'TRUNCATED' | 'BEHIND' | 'OTHER'}`;
  return Object.fromEntries(entries) as Readonly<Record<Code, (typeof entries)[number][1]>>;
}

/**
 * Notes, which are not errors: documents and files that skipped.tsv lists with the skipped ones, because a count would not
 * identify them.
 */
const NOTES = {
  REPAIRED: ofNote(
    'read, but part of it was replaced (bytes that are not text became U+FFFD) or cut (more than 30 marks on a letter)',
    'if the text looks wrong, set its {encoding}',
  ),
  SETS_REPAIRED: ofNote(
    'read, but an element that occurs in it more than 65,535 times was counted 65,535 times',
    'nothing, unless such counts are a mistake',
  ),
  EMPTY: ofNote(
    'read, but without a token, so it is like no other document',
    'nothing, unless it should have a text: then check {textField} and {shingle}',
  ),
  SETS_EMPTY: ofNote(
    'read, but without an element, so it is like no other set',
    'nothing, unless it should have elements: then check {columns} and its weights',
  ),
  IGNORED: ofNote(
    'read, but all its shingles are in the files of {ignore}, so it is like no other document',
    'nothing, unless the files of {ignore} have more text than the part to ignore',
  ),
  RECORDS_AS_TEXT: ofNote(
    'read as plain text: its name or beginning is that of a file of records (JSON, JSON lines, a table), but it has no text field',
    'name the field of its records with {textField}, or exclude it with {exclude}',
  ),
  LINK_INSIDE: ofNote(
    'a symbolic link to a file or folder below the PATHs, which is read under its own name unless it is excluded',
    'nothing: links are not followed',
  ),
  LINK_OUTSIDE: ofNote(
    'a symbolic link to a file or folder that is not below the PATHs, or is hidden there',
    'to read its target, give it as a PATH; a PATH may be a link',
  ),
  LINK_BROKEN: ofNote(
    'a broken symbolic link: its target is missing, cannot be read, or is the link itself',
    'fix the link or remove it',
  ),
} as const;

/** The values of the column `kind` of skipped.tsv. */
type ListedKind = 'skipped' | 'repaired' | 'empty' | 'ignored' | 'as text' | 'left out';

/** The kind of each note. */
const NOTE_KINDS: Readonly<Record<keyof typeof NOTES, ListedKind>> = {
  REPAIRED: 'repaired',
  SETS_REPAIRED: 'repaired',
  EMPTY: 'empty',
  SETS_EMPTY: 'empty',
  IGNORED: 'ignored',
  RECORDS_AS_TEXT: 'as text',
  LINK_INSIDE: 'left out',
  LINK_OUTSIDE: 'left out',
  LINK_BROKEN: 'left out',
};

/**
 * What an error affects: the command line (`use`), one document (`document`), or the whole run (`run`). A `note` is not an error.
 */
export type ErrorScope = 'use' | 'document' | 'run' | 'note';

/** A row of the table of errors. */
export interface ErrorEntry {
  readonly scope: ErrorScope;
  /** What is wrong, as a sentence without a full stop. */
  readonly text: string;
  /** What the user can do, as a sentence without a full stop. */
  readonly remedy: string;
}

/** Every error by its code: scope, what is wrong, and what to do. Texts refer to options by their keys. */
const ENTRIES = {
  // Usage errors: exit code 2, nothing was read or written.
  OPTION_INVALID: ofUse(
    'an option has a value that cannot be used',
    'mr-minhash run --help lists every option with its values',
  ),
  NO_INPUT: ofUse(
    'no PATH was given',
    'name at least one file or directory, or - for JSON lines on standard input',
  ),
  PATH_MISSING: ofUse('a PATH does not exist or may not be read', 'check its spelling and permissions'),
  PATH_REMOTE: ofUse(
    'a PATH is an address of an unsupported kind; s3://, https:// and http:// are supported',
    'download its files (curl -O, gcloud storage cp -r, hdfs dfs -get) and pass their path, without file://; gs:// can be read as s3:// at the endpoint https://storage.googleapis.com',
  ),
  // Servers.
  REMOTE_CLIENT_MISSING: ofUse(
    's3:// needs a package that is not installed: @aws-sdk/client-s3',
    'npm install @aws-sdk/client-s3, with -g if mr-minhash is installed globally',
  ),
  REMOTE_CREDENTIALS: ofUse(
    'the S3 server needs credentials, or rejects those that are set',
    'set AWS_PROFILE, or AWS_ACCESS_KEY_ID and the like; AWS_NO_SIGN_REQUEST=1 for public buckets',
  ),
  REMOTE_DENIED: ofUse(
    'a server denies access to a PATH',
    'check the address, your permissions, and whether the link has expired',
  ),
  REMOTE_FAILED: ofRun(
    'a server cannot be reached, or fails repeatedly',
    'run again when the server is available',
  ),
  PATH_IN_RESULT: ofUse(
    'a PATH is in a result of mr-minhash or in the output folder',
    'name the corpus itself, or move it out of the result',
  ),
  DUCKDB_UNAVAILABLE: ofUse(
    'the package of DuckDB, @duckdb/node-api, is missing or cannot be loaded',
    'npm install @duckdb/node-api installs it, in the current folder or beside mr-minhash',
  ),
  COLUMNS_UNKNOWN: ofUse(
    'no file has the fields that {columns} names',
    'name the fields as the first line of the files does, or by number (from 1) if the files have no header line',
  ),
  // Fields of records: known before anything is read.
  TEXT_FIELD_UNKNOWN: ofUse(
    'the text field is not in the first records of any input',
    'name a field of the records with {textField}, exclude files of other records with {exclude}, or compare all files as plain text with {input: text}',
  ),
  FIELD_UNKNOWN: ofUse(
    'a field that {keep} names is not in the first records of any input',
    'name a field of the records, or omit the option',
  ),
  OUTPUT_EXISTS: ofUse(
    'the folder has an earlier result or corpus of mr-minhash',
    'choose another {out}, or replace the result with {force: true}',
  ),
  OUTPUT_LOCKED: ofUse(
    'the output folder is locked',
    'wait until that run has ended, or choose another {out}',
  ),
  OUTPUT_FOREIGN: ofUse(
    'the output folder holds files that mr-minhash did not write',
    'choose another {out}: {force: true} replaces only what mr-minhash wrote',
  ),
  OUTPUT_UNWRITABLE: ofUse(
    'the output folder cannot be created or written to',
    'check the path and its permissions, or choose another {out}',
  ),
  RESULT_MISSING: ofUse(
    'the folder holds no finished result',
    'name the output folder of a finished run; a result of another version or build must be created again',
  ),
  RESULT_DAMAGED: ofUse(
    'a file of the result is damaged, or was changed after the run',
    'mr-minhash verify DIR lists all such files; to replace the result, run again with {force: true}',
  ),
  RESULT_UNTRUSTED: ofUse(
    'others may have written the result, so its inputs are not opened',
    'give the location of the corpus',
  ),
  INDEX_MISSING: ofUse(
    'the folder is not an index',
    'name the folder of an index; mr-minhash index create INDEX creates one',
  ),
  INDEX_DAMAGED: ofUse(
    'a file of the index is missing or differs from what was written',
    'mr-minhash index check INDEX lists what is damaged; restore the folder from a copy, or create it again',
  ),
  INDEX_MISMATCH: ofUse(
    'the index was created with other parameters or by another procedure',
    'omit the flags that differ, because the index has its own values; or create an index with these',
  ),
  INDEX_LOCKED: ofUse(
    'another process writes to the index',
    'wait until it has ended; if it was killed, remove the folder in the message',
  ),
  INDEX_REFUSED: ofUse(
    'the index cannot be changed in this way',
    'mr-minhash index --help lists what each action takes',
  ),
  INPUT_CHANGED: ofUse(
    'an input changed since the run',
    'run again; if the corpus was moved or copied, give its new location',
  ),
  APPLY_REFUSED: ofUse(
    'the drop list cannot be applied',
    'mr-minhash apply --help lists what can be written and listed',
  ),
  TARGET_REFUSED: ofUse(
    'the folder for the cleaned corpus is not suitable',
    'choose a new or empty folder outside inputs and results',
  ),
  DOCUMENT_UNKNOWN: ofUse(
    'no such document in this result',
    'use the location of a document, or its id, as the result files have it',
  ),
  DOCUMENT_AMBIGUOUS: ofUse('several documents have this id', 'name one by its location'),

  // Of the library.
  DOCUMENT_INVALID: ofUse(
    'a value is not a text',
    'give a string or a Uint8Array of UTF-8, or documents as { id, text } with such a text',
  ),
  SKETCH_INVALID: ofUse(
    'a value is not a valid sketch',
    'make sketches with sketchOf or sketchOfElements, keep them with sketchToBytes and sketchFromBytes',
  ),
  SKETCHES_DIFFER: ofUse('the two sketches have different parameters', 'create both with the same options'),
  INPUT_FAILED: ofRun(
    'an input stream failed before its end, so there is no result',
    'fix the program that writes the stream, and run again; the cause of the error is that of the stream',
  ),

  // One document or file: counted, and listed in skipped.tsv; with {onError: fail} the run fails.
  BINARY: ofDocument(
    'a binary file: it has a NUL byte in its first 8 KB, or begins as a format that is not text',
    'convert it to text, give a UTF-16 file its {encoding}, or exclude it with {exclude}',
  ),
  BINARY_PDF: ofDocument(
    'a PDF file; convert it to text: pdftotext FILE.pdf',
    'convert it, or exclude it with {exclude}',
  ),
  BINARY_OFFICE: ofDocument(
    'a document of Word, Excel, PowerPoint or OpenDocument, or an e-book; convert it to text: pandoc -t plain FILE, or LibreOffice for .doc, .xls and .ppt',
    'convert it, or exclude it with {exclude}',
  ),
  BINARY_ARCHIVE: ofDocument(
    'an archive (zip, 7z, rar or tar); extract its files: unzip FILE.zip, 7z x FILE or tar -xf FILE.tar',
    'give the folder of the extracted files, or exclude it with {exclude}',
  ),
  BINARY_IMAGE: ofDocument(
    'an image; read its text: tesseract FILE FILE',
    'convert it, or exclude it with {exclude}',
  ),
  BINARY_TABLE: ofDocument(
    'a database or a table that is not read (SQLite, Avro, Arrow, HDF5, NumPy); write it as Parquet or JSON lines',
    'convert it, such as by duckdb -jsonl, or exclude it with {exclude}',
  ),
  BINARY_PACKED: ofDocument(
    'compressed twice, or by a program other than gzip, zstd, bzip2 and xz; decompress it',
    'decompress it once more, or exclude it with {exclude}',
  ),
  BINARY_UTF16: ofDocument(
    'text in UTF-16 without a byte order mark',
    'set {encoding} to utf-16le or utf-16be',
  ),
  UNREADABLE: ofDocument(
    'the file or folder cannot be opened or read',
    'check its permissions and that it still exists',
  ),
  VANISHED: ofDocument(
    'the file was listed but is no longer there',
    'run again while nothing changes the inputs',
  ),
  NOT_A_FILE: ofDocument('not a regular file (a device, pipe or socket)', 'exclude it with {exclude}'),
  TOO_LARGE: ofDocument(
    'the text, or the JSON around it, is larger than {maxDocument} allows',
    'raise {maxDocument}; a record is read up to 2 GB',
  ),
  ...errorsOfCodec('GZIP', 'gzip'),
  ...errorsOfCodec('ZSTD', 'zstd'),
  ...errorsOfCodec('BZIP2', 'bzip2'),
  ...errorsOfCodec('XZ', 'xz'),
  PACKED_FOREIGN: ofDocument(
    'zstd or xz data that need a missing dictionary or filter, or a window of more than 512 MB',
    'decompress the file yourself (zstd -d -M2048MB, zstd -d -D DICTIONARY or xz -dk FILE)',
  ),
  UNPACKER_MISSING: ofDocument(
    'the program that decompresses the data is missing: zstd, bzip2 and xz are decompressed by the programs of these names',
    'install the program, or decompress the files yourself',
  ),
  MAIL_NO_HEADER: ofDocument(
    'the message does not begin with a field such as `From: ada@example.org`',
    'remove what is not mail; {input: text} compares the file as plain text',
  ),
  MAIL_NO_TEXT: ofDocument(
    'the mail has no plain text and no HTML, or has attachments only',
    'nothing, unless it should have a text: then check its Content-Type',
  ),
  FASTA: ofDocument(
    'sequences in FASTA or FASTQ, which are not read',
    'write JSON lines, one sequence without line ends per record (seqkit fx2tab FILE has both in columns), and use {shingle: chars:k}; {input: text} compares the file as plain text',
  ),
  WARC_DAMAGED: ofDocument(
    'bytes of a WARC file that are not a record: a header, its Content-Length, or the end of its block is wrong',
    'reading continued at the next record; compare the file with its source, or write it again',
  ),
  WARC_TRUNCATED: ofDocument(
    'a record of a WARC file that is cut off by the end of the file',
    'download the file again; the records before this one were read',
  ),
  WARC_BODY_DAMAGED: ofDocument(
    'a response whose body cannot be decompressed: its chunks or its Content-Encoding are damaged, unknown, or expand to far too much',
    'nothing, unless there are many: then check how the archive was written',
  ),
  // Parquet.
  PARQUET_FOOTER: ofDocument(
    'the footer of the Parquet file, which locates its columns, is damaged or cut off',
    'create or copy the file again: nothing in it can be read',
  ),
  PARQUET_BROKEN: ofDocument(
    'the Parquet data are damaged or end too early: this row and the later rows of its row group are not read',
    'create the file again; rows before the damage and other row groups were read, unless the footer is damaged',
  ),
  PARQUET_ENCRYPTED: ofDocument(
    'the Parquet file, or the requested column, is encrypted',
    'write it again without encryption',
  ),
  PARQUET_CODEC: ofDocument(
    'the Parquet column is compressed with an unsupported codec',
    'write it again with snappy, zstd, gzip, brotli or lz4, or uncompressed',
  ),
  PARQUET_ENCODING: ofDocument(
    'the Parquet column has an unsupported encoding',
    'write it again with plain, dictionary or delta encoding',
  ),
  PARQUET_ELSEWHERE: ofDocument(
    'the data of the Parquet column are in another file',
    'give the files that hold the data instead of the file that lists them',
  ),
  PARQUET_PACKED: ofDocument(
    'a Parquet file that is compressed as a whole; reading begins at its end, so it must be decompressed first',
    'decompress it (gzip -d, zstd -d); the columns of a Parquet file are compressed already',
  ),
  PARQUET_NO_COLUMN: ofDocument(
    'the Parquet file has no column with the name of the text field',
    'name one of its columns with {textField}, or exclude the file with {exclude}',
  ),
  PARQUET_NOT_TEXT: ofDocument(
    'the Parquet column of the text field does not hold strings',
    'name a column of strings, or of lists of strings, with {textField}',
  ),
  JSON_BROKEN: ofDocument(
    'not valid JSON',
    'fix the record; {input} names another form of the file: csv, tsv, json or text; `jq -c . FILE` puts records that span several lines on one each, ' +
      "and jq -c '.[]' FILE the elements of an array",
  ),
  JSON_LARGE: ofDocument(
    'a JSON file of more than 256 MB, which would have to be read whole',
    "convert it to JSON lines: jq -c '.[]' FILE.json > FILE.jsonl",
  ),
  JSON_NOT_AN_OBJECT: ofDocument(
    'the JSON value is not an object',
    'every record must be an object with the field named by {textField}; an array of records is read by {input} json',
  ),
  JSON_NO_TEXT: ofDocument(
    'the record lacks the text field, or the field does not hold a string or an array of strings',
    'name the right field with {textField}',
  ),
  // Records of CSV and TSV.
  CSV_NO_TEXT: ofDocument(
    'the record ends before the text field, has the NULL of a database there, or the first line of the file does not name that field',
    'give the right field with {textField}, or the right character with {separator}',
  ),
  CSV_TOO_MANY_FIELDS: ofDocument(
    'the record has more fields than the first line of the file names',
    'quote texts that contain the separator, or give the right character with {separator}',
  ),
  CSV_BAD_QUOTES: ofDocument(
    'a field in quotes does not end within 64 MB of the beginning of its record (or 1 MB and 6 times {maxDocument}, if ' +
      'that is less), or other characters follow its closing quote',
    'double the quotes within the field ("" instead of \\"), or shorten it; reading continues at the next line',
  ),
  // Lines of sets.
  SETS_NO_ELEMENT: ofDocument(
    'the line has no element: a field is missing or empty',
    'write set, TAB (a comma in .csv files, or the {separator}), element; or name the fields with {columns}',
  ),
  SETS_BAD_NAME: ofDocument(
    'the name of the set is empty or longer than 64 KB',
    'name the right field with {columns}',
  ),
  SETS_BAD_WEIGHT: ofDocument(
    'the weight or rating is not a finite number of at least 0, or (stars) not a whole number from 1 to 5, or the rating is missing',
    `fix the line; if the third field is not a weight, give {columns} two fields and no {ratings}; if a line is a whole basket, give each item a line: awk -F, '{ for (i = 1; i <= NF; i++) print NR "\\t" $i }' FILE > sets.tsv`,
  ),
  SETS_BAD_QUOTES: ofDocument(
    'a quoted field does not end, or other characters follow its closing quote',
    'double the quotes within the field; a field must not contain a line break',
  ),
  SETS_TOO_LARGE: ofDocument(
    'the set has more elements than {maxDocument} allows, at 8 bytes per element and copy',
    'raise {maxDocument}',
  ),
  SETS_NO_COLUMN: ofDocument(
    'the first line of the file lacks a field that {columns} names',
    'name the fields as the first line does, or by number (from 1) if there is no header line',
  ),
  DENIED: ofDocument(
    'the server denies access (401 or 403)',
    'check your permissions, and whether the object must be restored from an archive first',
  ),
  CHANGED: ofDocument(
    'the document changed, or was deleted, while the run was reading it',
    'run again while nothing changes the inputs',
  ),

  // Not errors: listed in skipped.tsv with the skipped documents.
  ...NOTES,

  // The run: exit code 1.
  // Workers.
  TASK_FAILED: ofRun(
    'a task failed',
    'the message has the stage and the file; run again with {threads: 0} to see the original error',
  ),
  WORKER_LOST: ofRun('a worker died', 'give it more memory, or use fewer {threads}'),
  WORKER_UNUSABLE: ofRun('the worker threads cannot be started', 'run again with {threads: 0} to see why'),
  KERNEL_UNUSABLE: ofRun(
    'the compiled kernel is missing, or this processor or Node cannot run it',
    'install the package again; it needs SIMD in WebAssembly, which Node has from version 20 on',
  ),
  // Reported after reading, or if reading is not possible.
  NOTHING_READ: ofRun(
    'nothing was read, so there is no result',
    'give PATHs that hold documents, or change the options that exclude them: {include}, {exclude}, {input}, {encoding}',
  ),
  TEXT_FIELD_MISSING: ofRun(
    'no record that was read has the text field, so there is no result',
    'name a field of the records with {textField}, or exclude files of other records with {exclude}',
  ),
  INPUT_LOST: ofRun(
    'an input was changed or deleted while it was read',
    'run again while nothing changes the inputs',
  ),
  INPUT_REFUSED: ofRun(
    'an input is unreadable or malformed, and {onError: fail} is set',
    'fix or exclude the input, or use {onError: skip}',
  ),
  MEMORY_RECORD: ofRun(
    'a record of the input does not fit into {memory}',
    'raise {memory}, or set {maxDocument} to the size in the message: larger records are then listed in skipped.tsv',
  ),
  MEMORY_BUDGET: ofRun(
    'a table of the run does not fit into {memory}',
    'raise {memory} to at least the size in the message; if the table holds pairs, a higher {threshold} or more {rows} reduces their number',
  ),
  DISK_FULL: ofRun(
    'there is not enough disk space',
    'free some space, or choose a folder on another file system',
  ),
  WRITE_FAILED: ofRun('a file cannot be written', 'check the free space and the permissions of its folder'),
  SCRATCH_FAILED: ofRun(
    'a temporary file cannot be written or read',
    'free some space, set TMPDIR to another folder, or raise {memory} so that less is written to disk',
  ),
  COUNTS_UNBALANCED: ofRun(
    'documents in and documents out do not balance: a defect of mr-minhash',
    'please report it with the command',
  ),
  PROGRAM_FAILED: ofRun(
    'a program that compresses or decompresses could not be started, or was killed',
    'find out what killed it (too little memory?), and run the same command again',
  ),
  // Blocks in memory and on disk.
  BLOCK_TRUNCATED: ofRun('a block is shorter than its header says', 'run the same command again'),
  BLOCK_CHECKSUM: ofRun('a block does not match its checksum', 'run the same command again'),
  BLOCK_FOREIGN: ofRun(
    'not a block of this version of mr-minhash, or of another kind than expected',
    'start the run over with {force: true}',
  ),
  SPARK_UNUSABLE: ofRun('Spark cannot be used', 'fix the problem in the message, or run on one machine'),
  SPARK_FAILED: ofRun('a statement failed on Spark', 'read the log named in the message'),
  SPARK_ROWS_LOST: ofRun(
    'rows were lost or repeated on Spark',
    'run again with {force: true}; if it happens again, report it',
  ),
  INTERRUPTED: ofRun('interrupted', 'nothing was written; run the same command again'),
} as const satisfies Record<string, ErrorEntry>;

/** A code of the error table. */
export type ErrorCode = keyof typeof ENTRIES;

/**
 * The table with the flags of the command line, as in docs/options.md and `skipped.tsv`. The message of an error has the names of
 * the library.
 */
export const ERRORS = Object.fromEntries(
  Object.entries(ENTRIES).map(([code, { scope, text, remedy }]) => [
    code,
    { scope, text: inFlags(text), remedy: inFlags(remedy) },
  ]),
) as Readonly<Record<ErrorCode, ErrorEntry>>;

/** Codes with scope `document`, in table order: a skipped document's reason is stored as an index into this list. */
export const SKIP_CODES: readonly ErrorCode[] = (Object.keys(ERRORS) as ErrorCode[]).filter(
  (code) => ERRORS[code].scope === 'document',
);

/** Reasons that a row of skipped.tsv can give, by number. Skip codes have the same number in SKIP_CODES. */
export const LISTED_CODES: readonly ErrorCode[] = [...SKIP_CODES, ...(Object.keys(NOTES) as ErrorCode[])];

/** The column `kind` of skipped.tsv for a code. */
export function listedKind(code: ErrorCode): ListedKind {
  return code in NOTE_KINDS ? NOTE_KINDS[code as keyof typeof NOTES] : 'skipped';
}

/**
 * One thing that is wrong, with its particulars (which option or file, got, expected). Problems of a MinHashError have the option
 * names of the library (`threshold 2`).
 */
export interface Problem {
  readonly code: ErrorCode;
  readonly detail: string;
  /** The detail with flags (`--threshold 2`), if it differs. */
  readonly typed?: string;
  /** The remedy, if it differs from that of the table; empty: there is no advice. */
  readonly remedy?: string;
}

/** Codes whose details contain flags. Other details may contain names of files, which are not changed. */
const NAMES_OPTIONS: readonly ErrorCode[] = [
  'OPTION_INVALID',
  'NO_INPUT',
  'COLUMNS_UNKNOWN',
  'MEMORY_BUDGET',
  'MEMORY_RECORD',
  'INDEX_REFUSED',
  'INDEX_MISMATCH',
];

/** A problem with the option names of the library. Problems are written with flags. */
function inLibraryWords(problem: Problem): Problem {
  if (problem.typed !== undefined || !NAMES_OPTIONS.includes(problem.code)) return problem;
  const detail = inOptions(problem.detail);
  return detail === problem.detail ? problem : { ...problem, detail, typed: problem.detail };
}

/** `text: detail (remedy)` with the option names of the library. */
export function problemText(problem: Problem): string {
  const entry = entryInCode(problem.code);
  const { detail, remedy = entry.remedy } = inLibraryWords(problem);
  return `${entry.text}${detail === '' ? '' : `: ${detail}`}${remedy === '' ? '' : ` (${remedy})`}`;
}

/** The line of an error on the command line and on pages: the detail of an option's error, otherwise the table's text and the detail. */
export function problemLine({ code, detail, typed = detail }: Problem): string {
  if (code === 'OPTION_INVALID') return typed;
  const { text } = ERRORS[code];
  return typed === '' ? text : `${text}: ${typed}`;
}

/**
 * The only error class that is thrown on purpose. It has one problem, or all problems of the options at once;
 * `message` has a line for each. `cause` is the error of a stream or of the platform, if there is one.
 */
export class MinHashError extends Error {
  /** The code of the first problem. */
  readonly code: ErrorCode;
  /** At least one. */
  readonly problems: readonly Problem[];

  // Class and fields are lost between threads, so workers return problems as data and throw only for defects.
  constructor(problems: Problem | readonly Problem[], options?: { cause?: unknown }) {
    const list = (Array.isArray(problems) ? problems : [problems as Problem]).map(inLibraryWords);
    super(list.map(problemText).join('\n'), options);
    this.name = 'MinHashError';
    this.code = list[0]!.code;
    this.problems = list;
  }

  /** The remedy of the first problem; empty: there is no advice. */
  get hint(): string {
    const { code, remedy = entryInCode(code).remedy } = this.problems[0]!;
    return remedy;
  }

  /** 2 for a usage error, 130 for an interrupted run, else 1. */
  get exitCode(): number {
    if (this.code === 'INTERRUPTED') return 130;
    return ERRORS[this.code].scope === 'use' ? 2 : 1;
  }
}

const LONGEST = 40;

/** Checks that an argument of the library can be iterated. @throws MinHashError DOCUMENT_INVALID if it cannot */
export function checkIterable<Element>(value: Iterable<Element>, name: string): Iterable<Element> {
  // Reading a property of null or undefined would throw.
  if (value !== null && value !== undefined && typeof value[Symbol.iterator] === 'function') return value;
  const detail = `${name}: expected a collection that can be iterated, got ${kindOf(value)}`;
  throw new MinHashError({ code: 'DOCUMENT_INVALID', detail });
}

const MOST_SLOTS = 65536;

/** The checks of numbers by kind. */
const NUMBERS = {
  share: { holds: (value: number) => value >= 0 && value <= 1, expected: 'a number from 0 to 1' },
  count: {
    holds: (value: number) => Number.isInteger(value) && value >= 1,
    expected: 'a whole number of at least 1',
  },
  // Sums over all slots of a signature would not end for larger numbers.
  slots: {
    holds: (value: number) => Number.isInteger(value) && value >= 1 && value <= MOST_SLOTS,
    expected: 'a whole number from 1 to 65536',
  },
  'count or 0': {
    holds: (value: number) => Number.isInteger(value) && value >= 0,
    expected: 'a whole number of at least 0',
  },
  size: {
    holds: (value: number) => value >= 0 && Number.isFinite(value),
    expected: 'a number of at least 0',
  },
} as const;

/** Checks a number that is an argument of the library. @throws MinHashError OPTION_INVALID for any other value */
export function checkNumber(name: string, value: number, kind: keyof typeof NUMBERS): void {
  const { holds, expected } = NUMBERS[kind];
  if (typeof value === 'number' && holds(value)) return;
  const detail = `${name}: expected ${expected}, got ${kindOf(value)}`;
  throw new MinHashError({ code: 'OPTION_INVALID', detail });
}

/** Checks an object that is an argument of the library. @throws MinHashError OPTION_INVALID for any other value */
export function checkObject(name: string, value: unknown): void {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return;
  const detail = `${name}: expected an object, got ${kindOf(value)}`;
  throw new MinHashError({ code: 'OPTION_INVALID', detail });
}

/** Checks bands and rows. @throws MinHashError OPTION_INVALID */
export function checkBands(bands: number, rows: number): void {
  checkNumber('bands', bands, 'slots');
  checkNumber('rows', rows, 'slots');
}

/**
 * The kind of a value, for messages about values of a wrong kind: `null`, `the number 5`, `the string "abc"`,
 * `an Array`, `an object`.
 */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'string') {
    return `the string ${JSON.stringify(value.length > LONGEST ? `${value.slice(0, LONGEST - 1)}…` : value)}`;
  }
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object') return `the ${typeof value} ${String(value)}`;
  // By its name, because an object of another realm is not an instance of our class.
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  return kind === 'Object' ? 'an object' : `${/^[AEIO]/.test(kind) ? 'an' : 'a'} ${kind}`;
}
