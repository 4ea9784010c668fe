/**
 * The table of formats: what a file is by its name, how it is cut into splits, who reads it, and what its records are called.
 *
 * A new format is a row here, its reader in `readers/formats`, and its word in INPUT_KINDS (src/sketch/params.ts). Listing
 * asks the table about names and kinds alone; it never looks into a file.
 */
import type { InputKind } from '../../sketch/params.js';
import { readJsonLines } from '../formats/json/jsonLines.js';
import type { FormatReading, LinesOfFile, ListedFile } from '../formats/reading.js';
import { readJsonFile, readJsonOrText, readText } from '../formats/singleFiles.js';
import type { ElementsSplit } from '../split.js';
import { type FileKind, FORMAT_BITS, GZIP, type InputFormat, STDIN } from './fileList.js';

/** What is true of every format. */
interface FormatFacts {
  readonly name: InputFormat;
  /** What the names of its files end with, in lower case and without `.gz`. A file that no format claims is a text. */
  readonly names: readonly string[];
  /** What it is where the text field was named. */
  readonly withTextField?: InputFormat;
  /** `text`: the file is the document. `either`: that, or records, which its content says. `rows`: elements of sets. */
  readonly holds: 'text' | 'records' | 'either' | 'rows';
  /** The number of a record in its address, behind the id of the file; `firstLine` of the split, 0 where records are not lines. */
  addressOf(record: number, firstLine: number): number;
}

/** Read as a whole; many small files make one split. */
interface WholeFormat extends FormatFacts {
  readonly splits: 'nowhere';
  read(file: ListedFile, reading: FormatReading): void;
}

/** The same, but a large file that is one array is cut between its elements. */
interface ArrayFormat extends FormatFacts {
  readonly splits: 'by elements';
  read(file: ListedFile | ElementsSplit, reading: FormatReading): void;
}

/** Cut between lines: into ranges, or, where it can only be read from its beginning, into chunks as they come. */
interface LinesFormat extends FormatFacts {
  readonly splits: 'by lines';
  /** Returns how many lines start there. Null: its lines are no documents (SetLineReader reads them). */
  readonly read: ((lines: LinesOfFile, reading: FormatReading) => number) | null;
}

export type Format = WholeFormat | ArrayFormat | LinesFormat;

/** Of elements, and of files that are one document (-1). */
const asItIs = (record: number): number => record;
/** Lines are counted from 1; what is no line (-1) is the file. */
const lineNumber = (record: number, firstLine: number): number =>
  record < 0 ? record : firstLine + record + 1;

/** In the order of their numbers in FileKind; the first is what no name says. */
const FORMATS: readonly Format[] = [
  { name: 'text', names: [], holds: 'text', splits: 'nowhere', read: readText, addressOf: asItIs },
  {
    name: 'jsonl',
    names: ['.jsonl', '.ndjson'],
    holds: 'records',
    splits: 'by lines',
    read: readJsonLines,
    addressOf: lineNumber,
  },
  {
    name: 'json',
    names: [],
    holds: 'records',
    splits: 'by elements',
    read: readJsonFile,
    addressOf: asItIs,
  },
  {
    name: 'json-or-text',
    names: ['.json'],
    withTextField: 'json',
    holds: 'either',
    splits: 'by elements',
    read: readJsonOrText,
    addressOf: asItIs,
  },
  { name: 'sets', names: [], holds: 'rows', splits: 'by lines', read: null, addressOf: lineNumber },
];

/** What the names of files that may hold records end with. */
export const RECORD_NAMES: readonly string[] = FORMATS.filter(
  ({ holds }) => holds === 'records' || holds === 'either',
).flatMap(({ names }) => names);

const NUMBERS = new Map(FORMATS.map(({ name }, number) => [name, number]));
const ENDINGS = FORMATS.flatMap(({ names, name, withTextField }) =>
  names.map((ending) => ({ ending, format: name, withField: withTextField ?? name })),
);
/** Last characters of names that say something, besides that of `.gz`. */
const LAST = new Set(ENDINGS.map(({ ending }) => ending.charCodeAt(ending.length - 1)));
const LAST_OF_GZ = 0x7a;

interface FormatParams {
  readonly input: InputKind;
  readonly textFieldGiven: boolean;
}

/**
 * Format and packing of a file. The ending `.gz` (any case) means gzip, and the name before it decides the
 * format; `--input` other than `auto` overrides the name.
 *
 * @param name a file's name or path as a binary string
 */
export function formatOf(name: string, params: FormatParams): { format: InputFormat; gzip: boolean } {
  const lower = name.toLowerCase();
  const gzip = lower.endsWith('.gz');
  if (params.input !== 'auto') return { format: params.input, gzip };
  const inner = gzip ? lower.slice(0, -3) : lower;
  const found = ENDINGS.find(({ ending }) => inner.endsWith(ending));
  if (found === undefined) return { format: FORMATS[0]!.name, gzip };
  return { format: params.textFieldGiven ? found.withField : found.format, gzip };
}

export function fileKind(format: InputFormat, gzip: boolean, stdin = false): FileKind {
  return NUMBERS.get(format)! | (gzip ? GZIP : 0) | (stdin ? STDIN : 0);
}

export function formatOfKind(kind: FileKind): Format {
  return FORMATS[kind & FORMAT_BITS]!;
}

export function formatNamed(name: InputFormat): Format {
  return FORMATS[NUMBERS.get(name)!]!;
}

/** formatOf as a byte; most names are told by their last letter, without a string made for them. */
export function fileKindOf(name: string, params: FormatParams): FileKind {
  const last = name.charCodeAt(name.length - 1) | 0x20;
  const hasEnding = last === LAST_OF_GZ || (params.input === 'auto' && LAST.has(last));
  if (!hasEnding) return params.input === 'auto' ? 0 : fileKind(params.input, false);
  const { format, gzip } = formatOf(name, params);
  return fileKind(format, gzip);
}

/** The kind of a file that is a text and nothing else. */
export const PLAIN_TEXT: FileKind = 0;
