/**
 * Properties of code points, from the generated table of one Unicode version.
 *
 * Properties of the JavaScript engine (`\p`, toLowerCase) are not used: engines differ in their Unicode version, and the same text
 * must have the same tokens on all of them.
 *
 * One byte of flags per code point:
 *
 *      bit   7            6               5            4          3           2             1..0
 *            unassigned   trailing jamo   vowel jamo   changes    has lower   white space   class
 *                         (GCB=T)         (GCB=V)      under NFC  case
 *
 * The table holds runs (length, flags) and pairs (distance from the upper case before, signed distance to the
 * lower case). Numbers are written in base-64 digits of five bits, lowest first; the sixth bit is set if more digits follow.
 */
import { FLAG_RUNS, FOLDS, LOWER_CASE, NUMBERS, UNICODE_VERSION } from './table.js';

export { UNICODE_VERSION };

/** The two bits of a code point's class. */
export const CLASS = 3;
/** Not a letter, mark or number: it separates words. */
export const SEPARATOR = 0;
/** A letter or number (gc L, N) that forms words with its neighbours. */
export const WORD = 1;
/** A letter of a script without blanks: a word of its own, with the marks that follow. */
export const STANDALONE = 2;
/** A combining mark (gc M): belongs to the word before it. */
export const MARK = 3;
export const WHITE_SPACE = 4;
const HAS_LOWER_CASE = 8;
/** Full_Composition_Exclusion: NFC always replaces it. */
export const CHANGES = 16;
export const VOWEL_JAMO = 32;
export const TRAILING_JAMO = 64;
export const UNASSIGNED = 128;
/**
 * The flags of a default-ignorable code point (soft hyphen, joiners, byte order mark, variation selectors), which is removed from
 * canonical text. U+200B is not among them: it separates words.
 */
export const IGNORABLE = HAS_LOWER_CASE | UNASSIGNED;

const CODE_POINTS = 0x110000;
const PAGE_BITS = 8;
const PAGE = 1 << PAGE_BITS;

export interface CodePointTable {
  /** Flags by code point. */
  readonly flags: Uint8Array;
  /** Runs of marks with the same flags, in their order: first and end of each. */
  readonly marks: Uint32Array;
  /** By high bits of a code point: its page of `lowerSteps`; page 0 holds zeros. */
  readonly lowerPages: Uint8Array;
  /** Simple lower case minus the code point, by page and low bits. */
  readonly lowerSteps: Int32Array;
}

/** Decodes the numbers of an encoded text. */
function decodedNumbers(text: string): Int32Array {
  const values = new Uint8Array(128);
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  for (let i = 0; i < digits.length; i++) values[digits.charCodeAt(i)] = i;
  const numbers = new Int32Array(text.length);
  let count = 0;
  let shift = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = values[text.charCodeAt(i)]!;
    numbers[count]! |= (digit & 31) << shift;
    if (digit & 32) {
      shift += 5;
    } else {
      count++;
      shift = 0;
    }
  }
  return numbers.subarray(0, count);
}

function decodedFlags(): Pick<CodePointTable, 'flags' | 'marks'> {
  const flags = new Uint8Array(CODE_POINTS);
  const runs = decodedNumbers(FLAG_RUNS);
  const marks: number[] = [];
  for (let i = 0, at = 0; i < runs.length; i += 2) {
    const end = at + runs[i]!;
    if (runs[i + 1] !== 0) flags.fill(runs[i + 1]!, at, end);
    if ((runs[i + 1]! & CLASS) === MARK) marks.push(at, end);
    at = end;
  }
  return { flags, marks: Uint32Array.from(marks) };
}

function decodedTable(): CodePointTable {
  const { flags, marks } = decodedFlags();
  const pairs = decodedNumbers(LOWER_CASE);
  const lowerPages = new Uint8Array(CODE_POINTS >> PAGE_BITS);
  const steps = new Int32Array(PAGE * 256);
  let pages = 1;
  for (let i = 0, codePoint = 0; i < pairs.length; i += 2) {
    codePoint += pairs[i]!;
    const step = pairs[i + 1]!;
    const page = codePoint >> PAGE_BITS;
    if (lowerPages[page] === 0) lowerPages[page] = pages++;
    steps[(lowerPages[page]! << PAGE_BITS) | (codePoint & (PAGE - 1))] =
      step & 1 ? -(step + 1) / 2 : step / 2;
    flags[codePoint]! |= HAS_LOWER_CASE;
  }
  return { flags, marks, lowerPages, lowerSteps: steps.slice(0, pages << PAGE_BITS) };
}

let decoded: CodePointTable | undefined;

/**
 * The decoded table: created at the first call (about 1.2 MB), then always the same object; never written to.
 */
export function codePointTable(): CodePointTable {
  decoded ??= decodedTable();
  return decoded;
}

/** The simple lower case (UnicodeData) of a code point; the code point itself if it has none. */
export function lowerCaseOf(table: CodePointTable, codePoint: number): number {
  const page = table.lowerPages[codePoint >> PAGE_BITS]!;
  return codePoint + table.lowerSteps[(page << PAGE_BITS) | (codePoint & (PAGE - 1))]!;
}

/** Code points whose full case folding is not their simple lower case, and numbers (gc N); only --normalize needs them. */
export interface FoldingTable {
  readonly folds: ReadonlyMap<number, readonly number[]>;
  /** 1 for a number. */
  readonly numbers: Uint8Array;
}

let decodedFolding: FoldingTable | undefined;

/** Created at the first call, then always the same object; never written to. */
export function foldingTable(): FoldingTable {
  decodedFolding ??= { folds: decodedFolds(), numbers: decodedRuns() };
  return decodedFolding;
}

function decodedFolds(): Map<number, readonly number[]> {
  const folds = new Map<number, readonly number[]>();
  const list = decodedNumbers(FOLDS);
  for (let i = 0, codePoint = 0; i < list.length; i += 2 + list[i + 1]!) {
    codePoint += list[i]!;
    folds.set(codePoint, [...list.subarray(i + 2, i + 2 + list[i + 1]!)]);
  }
  return folds;
}

function decodedRuns(): Uint8Array {
  const numbers = new Uint8Array(CODE_POINTS);
  const runs = decodedNumbers(NUMBERS);
  for (let i = 0, at = 0; i < runs.length; i += 2) {
    at += runs[i]!;
    numbers.fill(1, at, at + runs[i + 1]!);
    at += runs[i + 1]!;
  }
  return numbers;
}

/**
 * Whether a code point can join the one before it under NFC: marks, and the vowels and trailing consonants of
 * Hangul.
 */
export function canJoin(flags: number): boolean {
  return (flags & CLASS) === MARK || (flags & (VOWEL_JAMO | TRAILING_JAMO)) !== 0;
}
