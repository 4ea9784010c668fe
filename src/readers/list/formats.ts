/**
 * The table of formats: the names of their files, how they are cut into splits, and their readers.
 *
 * A new format is a reader in `readers/formats` and a row here. The values of `--input` are generated from the rows when the program is
 * built (scripts/formats.mjs), so that help loads no reader. contents.ts opens the few files whose names are not enough.
 */
import type { Block } from '../../blocks/block.js';
import type { InputFormat, InputKind } from '../../sketch/formatNames.js';
import { CODECS } from '../bytes/codecs.js';
import { type ChunkDocuments, LINES, type RecordChunk, type RecordRule } from '../bytes/records.js';
import type { ReadBuffers, ReadParams } from '../documentSink.js';
import {
  firstTableRecords,
  nextLine,
  TableDocuments,
  type TableMarks,
  TableRecords,
} from '../formats/csv/table.js';
import { readJsonLines } from '../formats/json/jsonLines.js';
import { MBOX, MboxDocuments } from '../formats/mail.js';
import { parquetCuts, readParquet } from '../formats/parquet.js';
import type { FormatReading, LinesOfFile, ListedFile } from '../formats/reading.js';
import { readJson, readMail, readPage, readRecordsAsText, readText } from '../formats/singleFiles.js';
import { textCuts } from '../formats/textFiles.js';
import { WarcDocuments } from '../formats/web/warc.js';
import { WARC } from '../formats/web/warcRecords.js';
import type { ArrayFile, ElementsSplit } from '../split.js';
import { CODEC_SHIFT, type Codec, type FileKind, FORMAT_BITS, STDIN } from './fileList.js';

/** Properties of every format. */
interface FormatFacts {
  readonly name: InputFormat;
  /** Its name is a value of `--input`: `piped` also for standard input, `files` for files only. Absent: it is not a value. */
  readonly input?: 'piped' | 'files';
  /** The endings of its files, in lower case and without that of a codec. A file that no format claims is a text. */
  readonly names: readonly string[];
  /** The format where an option names the text field, or the array of records. */
  readonly withTextField?: InputFormat;
  readonly withRecords?: InputFormat;
  /**
   * `text`: the file is the document. `records`: objects with fields. `either`: one of these, by its content. `texts`:
   * records that are documents themselves. `rows`: elements of sets.
   */
  readonly holds: 'text' | 'records' | 'either' | 'texts' | 'rows';
  /** The word for its files, as in `1 CSV file`; empty: none. */
  readonly word: string;
  /** What else `apply` can do than leave out records, and its precautions. Absent: nothing. */
  readonly applied?: {
    /** Fields can be added to its records. */
    readonly annotates?: true;
    /** Paragraphs and lines can be taken out of its documents. */
    readonly units?: true;
    /** Quotes and brackets delimit records; some encodings have these bytes inside letters. */
    readonly hasMarks?: true;
    /** A record is a member of gzip. */
    readonly hasMembers?: true;
  };
  /** Binary: --encoding and byte order marks are ignored. */
  readonly isBinary?: true;
}

/** Read as a whole; many small files make one split. */
interface WholeFormat extends FormatFacts {
  readonly splits: 'nowhere';
  /** It may be an array of JSON, whose elements apply cuts. */
  readonly values?: true;
  read(file: ListedFile, reading: FormatReading): void;
}

/** The same, but a task finds places to cut a large file, between its elements; a text only where units are compared. */
interface ElementsFormat extends FormatFacts {
  readonly splits: 'by elements';
  /** A block of kind `cuts` (split.ts). */
  cuts(file: ArrayFile, params: ReadParams, buffers: ReadBuffers): Block;
  read(file: ListedFile | ElementsSplit, reading: FormatReading): void;
}

/** Records that follow one another in a stream. */
interface RecordsFormat extends FormatFacts, RecordRule {}

/** Cut between lines: into ranges, or, where it can only be read from its beginning, into chunks as they come. */
interface LinesFormat extends RecordsFormat {
  readonly splits: 'by lines';
  /** Returns the number of lines that start there. Null: its lines are not documents (SetLineReader reads them). */
  readonly read: ((lines: LinesOfFile, reading: FormatReading) => number) | null;
}

/** Only a reading from the beginning finds the ends of records: cut into chunks as they are read. */
interface OrderedFormat extends RecordsFormat {
  readonly splits: 'in order';
  documents(chunk: RecordChunk, file: number, reading: FormatReading): ChunkDocuments;
  /** The fields of the records of a beginning; `isWhole`: the last record is complete, too. Absent: they have none. */
  fields?(head: Buffer, isWhole: boolean, params: ReadParams): Iterable<Readonly<Record<string, unknown>>>;
}

export type CutFormat = LinesFormat | OrderedFormat;
export type Format = WholeFormat | ElementsFormat | CutFormat;

/** Whether a stream of it is cut into chunks. */
export function isCut(format: Format): format is CutFormat {
  return format.splits === 'by lines' || format.splits === 'in order';
}

/** Whether files of it are read whole or by elements, so that small ones share a split. */
export function isWhole(format: Format): format is WholeFormat | ElementsFormat {
  return !isCut(format);
}

/** Whether apply has DuckDB write files of it. */
export function hasRows(format: Format): boolean {
  return format.splits === 'by elements' && format.holds === 'records';
}

/** Whether a file of it is a text that may be cut between its units. */
export function hasUnits(format: Format): boolean {
  return format.splits === 'by elements' && format.holds === 'text';
}

/** Whether a file of it may be an array of JSON. */
export function hasValues(format: Format): boolean {
  return format.splits === 'nowhere' && format.values === true;
}

/** The common properties of tables with any separator and quote. */
const tableBy = (usual: TableMarks): Omit<OrderedFormat, 'name' | 'names' | 'word'> => ({
  input: 'piped',
  applied: { hasMarks: true },
  holds: 'records',
  splits: 'in order',
  records: (chunk, params) => new TableRecords(chunk, params, usual),
  resume: nextLine,
  documents: (chunk, file, reading) => new TableDocuments(chunk, file, reading, usual),
  fields: (head, isWhole, params) => firstTableRecords(head, isWhole, params, usual),
});

/** In the order of their numbers in FileKind; files with an unknown name have the first. */
export const FORMATS: readonly Format[] = [
  {
    name: 'text',
    input: 'files',
    names: [],
    word: 'TEXT',
    applied: { units: true },
    holds: 'text',
    splits: 'by elements',
    cuts: textCuts,
    read: readText,
  },
  {
    name: 'html',
    input: 'files',
    names: ['.html', '.htm', '.xhtml'],
    word: 'HTML',
    applied: { units: true },
    holds: 'text',
    splits: 'nowhere',
    read: readPage,
  },
  {
    name: 'jsonl',
    input: 'piped',
    names: ['.jsonl', '.ndjson', '.jsonlines', '.jl', '.geojsonl'],
    word: 'JSON-lines',
    applied: { annotates: true, units: true },
    withRecords: 'json',
    holds: 'records',
    splits: 'by lines',
    ...LINES,
    read: readJsonLines,
  },
  {
    name: 'json',
    input: 'files',
    names: [],
    word: 'JSON',
    applied: { units: true, hasMarks: true },
    holds: 'records',
    splits: 'nowhere',
    values: true,
    read: (file, reading) => readJson(file, reading, false),
  },
  {
    name: 'json-or-text',
    names: ['.json'],
    word: 'JSON',
    applied: { units: true, hasMarks: true },
    withTextField: 'json',
    withRecords: 'json',
    holds: 'either',
    splits: 'nowhere',
    values: true,
    read: (file, reading) => readJson(file, reading, true),
  },
  { name: 'csv', names: ['.csv'], word: 'CSV', ...tableBy({ separator: ',', quote: '"' }) },
  { name: 'tsv', names: ['.tsv', '.tab'], word: 'TSV', ...tableBy({ separator: '\t', quote: 'none' }) },
  {
    name: 'parquet',
    input: 'files',
    names: ['.parquet', '.pq', '.parq', '.geoparquet', '.parquet.snappy'],
    word: 'Parquet',
    applied: { annotates: true },
    holds: 'records',
    splits: 'by elements',
    isBinary: true,
    cuts: parquetCuts,
    read: readParquet,
  },
  {
    name: 'warc',
    input: 'piped',
    names: ['.warc', '.wet', '.wat'],
    word: 'WARC',
    applied: { hasMembers: true },
    holds: 'texts',
    isBinary: true,
    splits: 'in order',
    ...WARC,
    documents: ({ bytes }, file, reading) => new WarcDocuments(bytes, file, reading),
  },
  {
    name: 'mbox',
    input: 'piped',
    names: ['.mbox', '.mbx'],
    word: 'mbox',
    holds: 'texts',
    isBinary: true,
    splits: 'in order',
    ...MBOX,
    documents: (chunk, file, reading) => new MboxDocuments(chunk, file, reading),
  },
  {
    name: 'mail',
    input: 'files',
    names: ['.eml', '.emlx', '.mht', '.mhtml'],
    word: 'mail',
    holds: 'text',
    splits: 'nowhere',
    read: readMail,
  },
  {
    // Skipped by its name: lines of sequences are not words.
    name: 'fasta',
    names: ['.fasta', '.fa', '.fna', '.faa', '.ffn', '.fastq', '.fq'],
    word: 'FASTA',
    holds: 'text',
    splits: 'nowhere',
    read: ({ list, i }, { sink }) => sink.skip(list.indexes[i]!, -1, 'FASTA', null),
  },
  {
    name: 'sets',
    input: 'piped',
    names: [],
    word: '',
    holds: 'rows',
    splits: 'by lines',
    ...LINES,
    read: null,
  },
  {
    name: 'records-as-text',
    names: [],
    word: 'TEXT',
    applied: { units: true },
    holds: 'text',
    splits: 'nowhere',
    read: readRecordsAsText,
  },
];

/** The endings of files that may hold records. */
export const RECORD_NAMES: readonly string[] = FORMATS.filter(
  ({ holds }) => holds === 'records' || holds === 'either',
).flatMap(({ names }) => names);

const NINE = 0x39;

const NUMBERS = new Map(FORMATS.map(({ name }, number) => [name, number]));
const ENDINGS = FORMATS.flatMap((format) => format.names.map((ending) => ({ ending, format })));
const ENDINGS_OF_CODECS = CODECS.flatMap(({ name, endings }) => endings.map((ending) => ({ ending, name })));
/** The last two characters of a name, in lower case, as a number. */
const tailOf = (name: string): number =>
  ((name.charCodeAt(name.length - 2) | 0x20) << 8) | name.charCodeAt(name.length - 1) | 0x20;
const FORMAT_TAILS = new Set(ENDINGS.map(({ ending }) => tailOf(ending)));
const CODEC_TAILS = new Set(ENDINGS_OF_CODECS.map(({ ending }) => tailOf(ending)));

export interface FormatParams {
  readonly input: InputKind;
  readonly textFieldGiven: boolean;
  readonly records?: string;
}

/** The format by which a file of this one is read with these options. */
export function formatWith({ name, withTextField, withRecords }: Format, params: FormatParams): InputFormat {
  if (params.records !== undefined && withRecords !== undefined) return withRecords;
  return params.textFieldGiven && params.input === 'auto' ? (withTextField ?? name) : name;
}

/** The format of a file by its name. */
export interface NamedFormat {
  readonly format: InputFormat;
  readonly codec: Codec | null;
}

/** A name in lower case without the ending of a codec (any case), and that codec. */
export function withoutCodec(name: string): { readonly inner: string; readonly codec: Codec | null } {
  const lower = name.toLowerCase();
  const row = ENDINGS_OF_CODECS.find(({ ending }) => lower.endsWith(ending));
  return row === undefined
    ? { inner: lower, codec: null }
    : { inner: lower.slice(0, -row.ending.length), codec: row.name };
}

/**
 * Format and codec of a file. An ending such as `.gz` (any case) means a codec, and the name before it decides the
 * format; `--input` other than `auto` overrides the name.
 *
 * @param name a file's name or path as a binary string
 */
export function formatOf(name: string, params: FormatParams): NamedFormat {
  const { inner, codec } = withoutCodec(name);
  const named =
    params.input === 'auto'
      ? ENDINGS.find(({ ending }) => inner.endsWith(ending))?.format
      : formatNamed(params.input);
  const format = formatWith(named ?? FORMATS[0]!, params);
  // `x.parquet.gz` is how pandas users call a Parquet file with compressed pages.
  return { format, codec: hasRows(formatNamed(format)) ? null : codec };
}

export function fileKind(format: InputFormat, codec: Codec | null, stdin = false): FileKind {
  const compressed = CODECS.findIndex(({ name }) => name === codec) + 1;
  return NUMBERS.get(format)! | (compressed << CODEC_SHIFT) | (stdin ? STDIN : 0);
}

export function formatOfKind(kind: FileKind): Format {
  return FORMATS[kind & FORMAT_BITS]!;
}

export function formatNamed(name: InputFormat): Format {
  return FORMATS[NUMBERS.get(name)!]!;
}

export function cutFormatNamed(name: InputFormat): CutFormat {
  const format = formatNamed(name);
  if (!isCut(format)) throw new Error(`${name} is not cut into chunks`);
  return format;
}

/** Mails of a Maildir are called `TIME.UNIQUE.HOST:2,FLAGS` (on Windows with `;` or `!`), or in its folder `new` without the flags. */
const IN_MAILDIR = /^\d+\.[^/]+[:;!]2,[A-Za-z]*$/;
const NEW_MAIL = /^\d{9,}\.[^/]*[A-Z][^/]*\.[^/]+$/;

/**
 * formatOf as a number; the last letters of most names are enough, and no string is made.
 *
 * @param folder the path of its folder, where it is known
 */
export function fileKindOf(name: string, params: FormatParams, folder = ''): FileKind {
  if (params.input === 'auto' && name.charCodeAt(0) <= NINE) {
    const isNew = /(?:^|\/)new$/.test(folder) && NEW_MAIL.test(name);
    if (isNew || IN_MAILDIR.test(name)) return fileKind('mail', null);
  }
  const tail = tailOf(name);
  const hasEnding = CODEC_TAILS.has(tail) || (params.input === 'auto' && FORMAT_TAILS.has(tail));
  if (!hasEnding)
    return params.input === 'auto' ? 0 : fileKind(formatWith(formatNamed(params.input), params), null);
  const { format, codec } = formatOf(name, params);
  return fileKind(format, codec);
}
