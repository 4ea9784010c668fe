/**
 * The one table of everything that can go wrong: a code, what it means, and what to do about it.
 *
 * Users read these texts on the terminal, in `skipped.tsv` and in `manifest.json`, so they never carry words
 * of the platform (those differ between machines and would break "same input, same bytes").
 */

/** `maxDocument` is `--max-document`. */
export function flagName(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The other way round, without the dashes. */
function keyOfFlag(flag: string): string {
  return flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** An option in a text of the table, by its key, and with a value: `{maxDocument}`, `{verify: exact}`, of a switch `{force: true}`. */
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

/** What the library says of a code in words that are not those of the command with other names. */
const OWN_WORDS: Readonly<Record<string, { readonly remedy: string }>> = {
  OPTION_INVALID: { remedy: 'the types of the options say what each may be' },
  NO_INPUT: { remedy: "name at least one file or directory in paths, or '-' for JSON lines from a stream" },
  RESULT_DAMAGED: { remedy: 'verifyResult(folder) tells more; a run with force: true makes the result anew' },
  APPLY_REFUSED: { remedy: 'the types of the options say what can be written, and what listed' },
};

/** The words of the library for a code. */
export function entryInCode(code: ErrorCode): { readonly text: string; readonly remedy: string } {
  const { text, remedy } = ENTRIES[code];
  return { text: inKeys(text), remedy: OWN_WORDS[code]?.remedy ?? inKeys(remedy) };
}

/** Quoted text is the user's own and stays as it is. */
const QUOTED_OR_NAME = /"(?:[^"\\]|\\.)*"|(?<![\w-])--([a-z][a-z0-9]*(?:-[a-z]+)*)|\bPATH(s?)\b|\bflags\b/g;

/** A detail with the names of options in the place of flags: `--max-document 5` is `maxDocument 5`. Quoted text stays. */
export function inOptions(text: string): string {
  return text.replace(QUOTED_OR_NAME, (found, flag: string | undefined) => {
    if (flag !== undefined) return keyOfFlag(flag);
    return found.startsWith('"') ? found : found === 'flags' ? 'options' : 'paths';
  });
}

/** Rows of the table: what is wrong, and what to do. */
const ofUse = (text: string, remedy: string) => ({ scope: 'use', text, remedy }) as const;
const ofDocument = (text: string, remedy: string) => ({ scope: 'document', text, remedy }) as const;
const ofRun = (text: string, remedy: string) => ({ scope: 'run', text, remedy }) as const;
const ofNote = (text: string, remedy: string) => ({ scope: 'note', text, remedy }) as const;

/** What may be wrong with packed data, by the program that packs so. */
function errorsOfPacking<const P extends 'GZIP' | 'ZSTD' | 'BZIP2' | 'XZ'>(packing: P, program: string) {
  const anew = 'make the file anew; records before';
  const entry = (what: string, text: string, remedy: string) =>
    [`${packing}_${what}`, ofDocument(`the ${program} data ${text}`, remedy)] as const;
  const entries = [
    entry('DAMAGED', 'are damaged or have something else after their end', `${anew} the damage were read`),
    entry('TRUNCATED', 'end too early', `${anew} the end were read`),
  ];
  type Code = `${P}_${'DAMAGED' | 'TRUNCATED'}`;
  return Object.fromEntries(entries) as Readonly<Record<Code, (typeof entries)[number][1]>>;
}

/**
 * Notes, which are not errors: documents and places that skipped.tsv lists beside the skipped ones, because a
 * count alone would not identify them.
 */
const NOTES = {
  REPAIRED: ofNote(
    'read, but part of it was replaced (bytes that are no text became U+FFFD) or cut (more than 30 marks on a letter)',
    'where the text looks wrong, name its {encoding}',
  ),
  SETS_REPAIRED: ofNote(
    'read, but an element that stands in it more than 65,535 times was counted so often',
    'nothing, unless such counts are a mistake',
  ),
  EMPTY: ofNote(
    'read, but without a token, so it is like no other document',
    'nothing, unless it should have a text: then look at {textField} and {shingle}',
  ),
  SETS_EMPTY: ofNote(
    'read, but without an element, so it is like no other set',
    'nothing, unless it should have elements: then look at {columns} and its weights',
  ),
  IGNORED: ofNote(
    'read, but all its shingles are in the files of {ignore}, so it is like no other document',
    'nothing, unless the files of {ignore} have more text than the part to ignore',
  ),
  RECORDS_AS_TEXT: ofNote(
    'read as a text as it stands: it is called or begins as a file of records (JSON, JSON lines, a table), and has no text field',
    'name the field of its records with {textField}, or leave it out with {exclude}',
  ),
  LINK_INSIDE: ofNote(
    'a symbolic link to what lies below the PATHs and is met there under its own name',
    'nothing: its target is read',
  ),
  LINK_OUTSIDE: ofNote(
    'a symbolic link to what does not lie below the PATHs, or is left out there',
    'name its target as a PATH if it is to be read: a PATH may be a link',
  ),
  LINK_BROKEN: ofNote(
    'a symbolic link that leads nowhere: its target is missing, out of reach or the link itself',
    'mend the link or remove it',
  ),
} as const;

/** Why a row stands in skipped.tsv. */
type ListedKind = 'skipped' | 'repaired' | 'empty' | 'ignored' | 'as text' | 'left out';

/** The kind of a document or place with this note. */
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
 * Who has to act: the user's options (`use`), one document (`document`), or the whole run (`run`). A `note` ends nothing.
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

/** Every error by its code: who has to act, what is wrong and what to do. Options stand in the texts by their keys. */
const ENTRIES = {
  // Wrong use: exit code 2, nothing was read or written.
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
    'a PATH is an address of a kind that is not read: s3://, https:// and http:// are',
    'fetch it first, and name what that wrote; JSON lines can also be piped to the PATH -',
  ),
  // Servers.
  REMOTE_CLIENT_MISSING: ofUse(
    's3:// needs a package that is not installed: @aws-sdk/client-s3',
    'npm install @aws-sdk/client-s3, with -g where mr-minhash is installed so',
  ),
  REMOTE_CREDENTIALS: ofUse(
    'the S3 server is not told who asks, or does not know who that is',
    'set AWS_PROFILE, or AWS_ACCESS_KEY_ID and the like; AWS_NO_SIGN_REQUEST=1 for public buckets',
  ),
  REMOTE_DENIED: ofUse(
    'a server refuses to give what a PATH names',
    'check the address, the rights of who asks, and whether the link has run out',
  ),
  REMOTE_FAILED: ofRun('a server cannot be reached, or fails again and again', 'try again when it works'),
  PATH_IN_RESULT: ofUse(
    'a PATH is or lies in a result of mr-minhash or the output folder',
    'name the corpus itself, or move it out of the result',
  ),
  DUCKDB_UNAVAILABLE: ofUse(
    'this needs DuckDB, and the package @duckdb/node-api is not there or cannot be loaded',
    'npm install @duckdb/node-api installs it, in the current folder or beside mr-minhash',
  ),
  COLUMNS_UNKNOWN: ofUse(
    'no file has the fields that {columns} names',
    'name fields as the first line of the files does, or by number (from 1) where no line names them',
  ),
  // Fields of records: known before anything is read.
  TEXT_FIELD_UNKNOWN: ofUse(
    'the text field is not in the first records of any input',
    'name a field of the records with {textField}, leave files of other records out with {exclude}, or compare all files as they stand with {input: text}',
  ),
  FIELD_UNKNOWN: ofUse(
    'a field that {keep} names is not in the first records of any input',
    'name a field of the records, or leave the option out',
  ),
  OUTPUT_EXISTS: ofUse(
    'the output folder holds a finished result',
    'choose another {out}, or replace the result with {force: true}',
  ),
  OUTPUT_LOCKED: ofUse(
    'the output folder is locked',
    'wait until that run has ended, or choose another {out}',
  ),
  OUTPUT_FOREIGN: ofUse(
    'the output folder holds files that mr-minhash did not write',
    'choose another {out}, or delete the folder yourself: {force: true} replaces only what mr-minhash wrote',
  ),
  OUTPUT_UNWRITABLE: ofUse(
    'the output folder cannot be made or written to',
    'check the path and its permissions, or choose another {out}',
  ),
  RESULT_MISSING: ofUse(
    'the folder holds no finished result',
    'name the output folder of a finished run; a result of another version or build is made anew',
  ),
  RESULT_DAMAGED: ofUse(
    'a file of the result is not the one its manifest describes',
    'mr-minhash verify DIR tells more; run with {force: true} makes the result anew',
  ),
  RESULT_UNTRUSTED: ofUse(
    'others may have written the result, so the inputs that it names are not opened',
    'say where the corpus is',
  ),
  INDEX_MISSING: ofUse(
    'the folder is not an index',
    'name the folder of an index; mr-minhash index create INDEX makes a new one',
  ),
  INDEX_DAMAGED: ofUse(
    'a file of the index is missing or differs from what was written',
    'mr-minhash index check INDEX lists what is damaged; restore the folder from a copy, or create it again',
  ),
  INDEX_MISMATCH: ofUse(
    'the index was made with other parameters or by another procedure',
    'leave out the flags that differ, because the index has its own; or create an index with these',
  ),
  INDEX_LOCKED: ofUse('another process writes to the index', 'wait until it has ended'),
  INDEX_REFUSED: ofUse(
    'the index cannot be changed in this way',
    'the help of index lists what each subcommand takes',
  ),
  INPUT_CHANGED: ofUse(
    'an input is no longer what the run read',
    'run again; where the corpus was moved or copied, say where it is now',
  ),
  APPLY_REFUSED: ofUse(
    'the drop list cannot be applied',
    'mr-minhash apply --help tells what can be written, and what listed',
  ),
  TARGET_REFUSED: ofUse(
    'the folder for the cleaned corpus cannot be used',
    'choose another folder: a new or an empty one, apart from inputs and results',
  ),
  DOCUMENT_UNKNOWN: ofUse(
    'no such document in this result',
    'use the location of a document, or its id, as the result files have it',
  ),
  DOCUMENT_AMBIGUOUS: ofUse('several documents have this id', 'name one by its location'),

  // Of the library.
  DOCUMENT_INVALID: ofUse(
    'a value is no text',
    'give a string or a Uint8Array of UTF-8, or documents as { id, text } with such a text',
  ),
  SKETCH_INVALID: ofUse(
    'a value is no sketch that can be used',
    'make sketches with sketchOf or sketchOfElements, keep them with sketchToBytes and sketchFromBytes',
  ),
  SKETCHES_DIFFER: ofUse(
    'the two sketches were made with different parameters',
    'make both with the same options',
  ),
  INPUT_FAILED: ofRun(
    'an input stream failed before its end, so there is no result',
    'mend what writes into it, and run again; the cause of the error is that of the stream',
  ),

  // One document or place: named in skipped.tsv and counted; with {onError: fail} the run fails.
  BINARY: ofDocument(
    'a binary file: it has a NUL byte in its first 8 KB, or begins as a format that is not text',
    'convert it to text, give a UTF-16 file its {encoding}, or exclude it with {exclude}',
  ),
  UNREADABLE: ofDocument(
    'the file cannot be opened or read',
    'check its permissions and that it still exists',
  ),
  VANISHED: ofDocument(
    'the file was listed but is no longer there',
    'run again when nothing changes the inputs',
  ),
  NOT_A_FILE: ofDocument('not a regular file (a device, pipe or socket)', 'exclude it with {exclude}'),
  TOO_LARGE: ofDocument(
    'the text, or the JSON around it, is larger than {maxDocument} allows',
    'raise {maxDocument}; a record is read up to 2 GB',
  ),
  ...errorsOfPacking('GZIP', 'gzip'),
  GZIP_BEHIND: ofDocument(
    'bytes that are no gzip data follow the gzip data: everything before them was read',
    'make the file anew if something is missing: gzip -dc FILE | gzip > FILE.gz',
  ),
  ...errorsOfPacking('ZSTD', 'zstd'),
  ...errorsOfPacking('BZIP2', 'bzip2'),
  ...errorsOfPacking('XZ', 'xz'),
  PACKED_FOREIGN: ofDocument(
    'zstd or xz data that need a dictionary or filter that is not there, or refer back by more than 512 MB',
    'unpack the file yourself (zstd -d -M2048MB, zstd -d -D DICTIONARY or xz -dk FILE) and give that',
  ),
  UNPACKER_MISSING: ofDocument(
    'nothing here unpacks the data: zstd, bzip2 and xz are unpacked by the programs of these names',
    'install the program, or unpack the files and give those',
  ),
  MAIL_NO_HEADER: ofDocument(
    'the message does not begin with a field such as `From: ada@example.org`',
    'remove what is no mail; {input: text} compares a file as it stands',
  ),
  MAIL_NO_TEXT: ofDocument(
    'the mail has neither a plain text nor HTML, or all of it is attached',
    'nothing, unless its text is expected: then look at its Content-Type',
  ),
  FASTA: ofDocument(
    'sequences in FASTA or FASTQ, which are not read',
    'write JSON lines, a sequence without line ends per record (seqkit fx2tab FILE has both in columns), and use {shingle: chars:k}; {input: text} compares the file as it stands',
  ),
  WARC_DAMAGED: ofDocument(
    'bytes of a WARC file that are no record: a header, its Content-Length, or what follows its block is wrong',
    'reading went on at the next record; compare the file with its source, or write it anew',
  ),
  WARC_TRUNCATED: ofDocument(
    'a record of a WARC file that the file ends in',
    'get the file again: it was cut; the records before were read',
  ),
  WARC_BODY_DAMAGED: ofDocument(
    'a response whose body cannot be unpacked: its chunks or its Content-Encoding are damaged, not known, or unpack to far too much',
    'nothing, unless many are: then look at how the archive was written',
  ),
  // Parquet.
  PARQUET_FOOTER: ofDocument(
    'the end of the Parquet file, which says where its columns are, is damaged or cut off',
    'make or copy the file anew: nothing of it can be read',
  ),
  PARQUET_BROKEN: ofDocument(
    'the Parquet data are damaged or end too early: this row, and those behind it in its row group, are not read',
    'make the file anew; rows before the damage and other row groups were read, unless the footer is damaged',
  ),
  PARQUET_ENCRYPTED: ofDocument(
    'the Parquet file, or the column that is asked for, is encrypted',
    'write it anew without encryption',
  ),
  PARQUET_CODEC: ofDocument(
    'the Parquet column is packed by a codec that is not read',
    'write it anew with snappy, zstd, gzip, brotli or lz4, or without a codec',
  ),
  PARQUET_ENCODING: ofDocument(
    'the Parquet column has an encoding that is not read',
    'write it anew with the usual encodings: plain, dictionary or delta',
  ),
  PARQUET_ELSEWHERE: ofDocument(
    'the data of the Parquet column stand in another file',
    'give the files that hold the data in place of the one that lists them',
  ),
  PARQUET_PACKED: ofDocument(
    'a Parquet file that is packed as a whole: reading begins at its end, so it must be unpacked before',
    'unpack it (gzip -d, zstd -d); the columns of a Parquet file are packed in themselves',
  ),
  PARQUET_NO_COLUMN: ofDocument(
    'the Parquet file has no column of the name of the text field',
    'name a column of it with {textField}, or leave the file out with {exclude}',
  ),
  PARQUET_NOT_TEXT: ofDocument(
    'the Parquet column of the text field holds no strings',
    'name a column of strings, or of lists of strings, with {textField}',
  ),
  PARQUET_NOT_ID: ofDocument(
    'the Parquet column of the id field holds neither strings nor numbers',
    'name a column of strings, integers or UUIDs with {idField}',
  ),
  JSON_BROKEN: ofDocument(
    'not valid JSON',
    'fix the record; {input} names another form of the file: csv, tsv, json or text; `jq -c . FILE` puts records that span several lines on one each',
  ),
  JSON_LARGE: ofDocument(
    'a file of JSON of more than 256 MB, which would be read whole',
    "make JSON lines of it: jq -c '.[]' FILE.json > FILE.jsonl",
  ),
  JSON_NOT_AN_OBJECT: ofDocument(
    'the JSON value is not an object',
    'every record must be an object with the field named by {textField}; an array of records is read by {input} json',
  ),
  JSON_NO_TEXT: ofDocument(
    'the record lacks the text field, or holds neither a string nor strings there',
    'name the right field with {textField}',
  ),
  JSON_BAD_ID: ofDocument(
    'the id is neither a string nor a number, or is longer than 64 KB',
    'name the right field with {idField}',
  ),
  // Records of CSV and TSV.
  CSV_NO_TEXT: ofDocument(
    'the record ends before the text field, or the first line of the file does not name that field',
    'name the right field with {textField}, or the right character with {separator}',
  ),
  CSV_TOO_MANY_FIELDS: ofDocument(
    'the record has more fields than the first line of the file names',
    'put a text with a separator in it into quotes, or name the right character with {separator}',
  ),
  CSV_BAD_QUOTES: ofDocument(
    'a field in quotes does not end within 64 MB of the beginning of its record (or 1 MB and 6 times {maxDocument}, if ' +
      'that is less), or something stands between its end and the separator',
    'double the quotes within it, or cut a field that is so long; what follows is read from the next line on',
  ),
  // Lines of sets.
  SETS_NO_ELEMENT: ofDocument(
    'the line has no element: a field is missing or empty',
    'write set, TAB (in .csv files a comma, else what {separator} says), element, or say by {columns} which fields they are',
  ),
  SETS_BAD_NAME: ofDocument(
    'the name of the set is empty or longer than 64 KB',
    'name the right field with {columns}',
  ),
  SETS_BAD_WEIGHT: ofDocument(
    'the weight or rating is no finite number from 0, or of stars no whole number from 1 to 5, or a rating is not there',
    'mend the line, or give {columns} two fields and no {ratings} if the third is no weight',
  ),
  SETS_BAD_QUOTES: ofDocument(
    'a quoted field does not end, or something stands between its end and the comma',
    'double the quotes within it; a field may not hold a line break',
  ),
  SETS_TOO_LARGE: ofDocument(
    'the set has more elements than {maxDocument} allows at 8 bytes each, copies counted',
    'raise {maxDocument}',
  ),
  SETS_NO_COLUMN: ofDocument(
    'the first line of the file lacks a field that {columns} names',
    'name fields as the first line does, or by number (from 1) where no line names them',
  ),
  DENIED: ofDocument(
    'the server refuses to give it (401 or 403)',
    'check the rights of who asks, and whether it lies in an archive that must be thawed first',
  ),
  CHANGED: ofDocument(
    'the document changed, or was deleted, while the run was reading it',
    'run again when nothing changes the inputs',
  ),

  // No error: listed in skipped.tsv, beside what was skipped.
  ...NOTES,

  // The run: exit code 1.
  // Workers.
  TASK_FAILED: ofRun(
    'a task failed',
    'the message names the stage and the file; run again with {threads: 0} to see the true error',
  ),
  WORKER_LOST: ofRun('a worker died', 'the message names it; give it more memory or fewer {threads}'),
  WORKER_UNUSABLE: ofRun('the worker threads cannot be started', 'run again with {threads: 0} to see why'),
  KERNEL_UNUSABLE: ofRun(
    'the compiled kernel is missing, or this processor or Node cannot run it',
    'install the package again; it needs SIMD in WebAssembly, which Node has from version 20 on',
  ),
  // Known when all is read, or when that turns out to be impossible.
  NOTHING_READ: ofRun(
    'nothing was read, so there is no result',
    'name PATHs that hold what is to be compared, or change what keeps it out: {include}, {exclude}, {input}, {encoding}',
  ),
  TEXT_FIELD_MISSING: ofRun(
    'no record that was read has the text field, so there is no result',
    'name a field of the records with {textField}, or leave files of other records out with {exclude}',
  ),
  FIELD_MISSING: ofRun(
    'no record that was read has a number or a text in the field that {keep} names',
    'name a field of the records that holds numbers or texts, or leave the option out',
  ),
  INPUT_LOST: ofRun(
    'an input cannot be read as the run read it',
    'run again when nothing changes the inputs',
  ),
  INPUT_REFUSED: ofRun(
    'an input is unreadable or malformed and {onError: fail} is set',
    'mend or exclude the input, or use {onError: skip}',
  ),
  MEMORY_RECORD: ofRun(
    'a record of the input does not fit into {memory}',
    'give the {memory} that the message names, or leave such records out by the {maxDocument} that it names: they are listed in skipped.tsv then',
  ),
  MEMORY_BUDGET: ofRun(
    'a table of the run does not fit into {memory}',
    'give more {memory}, at least as much as the message names; where it speaks of pairs, a higher {threshold} or (bands) more {rows} makes fewer',
  ),
  DISK_FULL: ofRun(
    'there is too little space for what is written',
    'make room there, or choose a folder on another file system',
  ),
  WRITE_FAILED: ofRun('a file cannot be written', 'check the free space and the permissions of its folder'),
  SCRATCH_FAILED: ofRun(
    'a temporary file cannot be written or read',
    'make room there, name another folder by TMPDIR, or give more {memory}, so that less goes to the disk',
  ),
  COUNTS_UNBALANCED: ofRun(
    'documents in and documents out do not balance: a defect of mr-minhash',
    'please report it with the command',
  ),
  PROGRAM_FAILED: ofRun(
    'a program that packs or unpacks could not be started, or was ended from outside',
    'see what ended it (too little memory?), and run the same command again',
  ),
  // Blocks in memory and on disk.
  BLOCK_TRUNCATED: ofRun('a block is shorter than its header says', 'run the same command again'),
  BLOCK_CHECKSUM: ofRun('a block does not match its checksum', 'run the same command again'),
  BLOCK_FOREIGN: ofRun(
    'not a block of this version of mr-minhash, or of another kind than expected',
    'start the run over with {force: true}',
  ),
  SPARK_UNUSABLE: ofRun('Spark cannot be used', 'fix what the message says, or run on one machine'),
  SPARK_FAILED: ofRun('a statement failed on Spark', 'look at the log that the message names'),
  SPARK_ROWS_LOST: ofRun(
    'rows were lost or repeated on Spark',
    'run again with {force: true}; if it happens again, report it',
  ),
  INTERRUPTED: ofRun('interrupted', 'nothing was written; run the same command again'),
} as const satisfies Record<string, ErrorEntry>;

/** A code of the error table. */
export type ErrorCode = keyof typeof ENTRIES;

/**
 * The table in the words of the command line, which docs/options.md and `skipped.tsv` show. The message of an error has those of the
 * library.
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

/** What a row with this code says in the column `kind` of skipped.tsv. */
export function listedKind(code: ErrorCode): ListedKind {
  return code in NOTE_KINDS ? NOTE_KINDS[code as keyof typeof NOTES] : 'skipped';
}

/**
 * One fault: what is wrong, and the particulars (which option, which file, got, expected). The faults of an error name
 * options as the library does (`threshold 2`).
 */
export interface Fault {
  readonly code: ErrorCode;
  readonly detail: string;
  /** The detail in the words of the command (`--threshold 2`), where those are others. */
  readonly typed?: string;
  /** What can be done, where that is not what the table says; empty: nothing is advised. */
  readonly remedy?: string;
}

/** Details that name options; the others may hold names of files, which are left as they are. */
const NAMES_OPTIONS: readonly ErrorCode[] = [
  'OPTION_INVALID',
  'NO_INPUT',
  'COLUMNS_UNKNOWN',
  'MEMORY_BUDGET',
  'MEMORY_RECORD',
];

/** Faults are written once, in the words of the command; an error of the library says them in its own. */
function inLibraryWords(fault: Fault): Fault {
  if (fault.typed !== undefined || !NAMES_OPTIONS.includes(fault.code)) return fault;
  const detail = inOptions(fault.detail);
  return detail === fault.detail ? fault : { ...fault, detail, typed: fault.detail };
}

/** `text: detail (remedy)` in the words of the library. */
export function faultText(fault: Fault): string {
  const entry = entryInCode(fault.code);
  const { detail, remedy = entry.remedy } = inLibraryWords(fault);
  return `${entry.text}${detail === '' ? '' : `: ${detail}`}${remedy === '' ? '' : ` (${remedy})`}`;
}

/**
 * The only error class that the product throws on purpose. It carries one fault, or all faults of the options at once;
 * `message` has a line for each. `cause` is the error of a stream or of the platform, where there is one.
 */
export class MinHashError extends Error {
  /** Of the first fault. */
  readonly code: ErrorCode;
  /** At least one. */
  readonly faults: readonly Fault[];

  // Class and fields do not survive a thread boundary, so workers return faults as data and throw only for defects.
  constructor(faults: Fault | readonly Fault[], options?: { cause?: unknown }) {
    const list = (Array.isArray(faults) ? faults : [faults as Fault]).map(inLibraryWords);
    super(list.map(faultText).join('\n'), options);
    this.name = 'MinHashError';
    this.code = list[0]!.code;
    this.faults = list;
  }

  /** What can be done about the first fault; empty: nothing is advised. */
  get hint(): string {
    const { code, remedy = entryInCode(code).remedy } = this.faults[0]!;
    return remedy;
  }

  /** 2 for wrong use, 130 for an interrupted run, else 1. */
  get exitCode(): number {
    if (this.code === 'INTERRUPTED') return 130;
    return ERRORS[this.code].scope === 'use' ? 2 : 1;
  }
}

const LONGEST = 40;

/** A collection that a program gives to a function of the library. @throws MinHashError DOCUMENT_INVALID for any other value */
export function checkIterable<Element>(value: Iterable<Element>, name: string): Iterable<Element> {
  // A number has no iterator, and of null there is none to ask.
  if (value !== null && value !== undefined && typeof value[Symbol.iterator] === 'function') return value;
  const detail = `${name}: expected a collection that can be iterated, got ${kindOf(value)}`;
  throw new MinHashError({ code: 'DOCUMENT_INVALID', detail });
}

const MOST_SLOTS = 65536;

/** What a number may have to be. */
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

/** A number that a program gives to a function of the library. @throws MinHashError OPTION_INVALID for any other value */
export function checkNumber(name: string, value: number, kind: keyof typeof NUMBERS): void {
  const { holds, expected } = NUMBERS[kind];
  if (typeof value === 'number' && holds(value)) return;
  const detail = `${name}: expected ${expected}, got ${kindOf(value)}`;
  throw new MinHashError({ code: 'OPTION_INVALID', detail });
}

/** An object that a program gives to a function of the library. @throws MinHashError OPTION_INVALID for any other value */
export function checkObject(name: string, value: unknown): void {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return;
  const detail = `${name}: expected an object, got ${kindOf(value)}`;
  throw new MinHashError({ code: 'OPTION_INVALID', detail });
}

/** Bands and rows. @throws MinHashError OPTION_INVALID */
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
  // By its name: an object of another realm is no instance of our class.
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  return kind === 'Object' ? 'an object' : `${/^[AEIO]/.test(kind) ? 'an' : 'a'} ${kind}`;
}
