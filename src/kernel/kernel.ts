/**
 * The interface of a kernel: the WebAssembly kernel, and in the tests a plain reference with the same results.
 *
 * All data are typed arrays; 64-bit hashes are pairs (low, high) in a Uint32Array, the byte order of a
 * little-endian u64. A kernel is made per worker and holds scratch memory, so its objects are not re-entrant.
 */

import type { SetLabels, SetNames } from '../blocks/sets.js';
import type { BandingParams, SketchParams } from '../sketch/params.js';
import type { Sketcher } from '../sketch/signature.js';
import type { writeSignatures } from '../sketch/slots.js';
import { type PlacedRows, type ShingleParams, type ShingleSink, ShingleStream } from '../text/shingles.js';

export interface Kernel {
  readonly name: string;
  shingleStream(params: ShingleParams, sink: ShingleSink): ShingleStream;
  sketcher(params: SketchParams): Sketcher;
  /**
   * Sketches documents to rows of the signature matrix, with one call per whole document. A kernel may return the same object again,
   * without rows, so at most one is in use at a time.
   *
   * @param sink also gets the shingles of each document
   */
  documentSketches(shingle: ShingleParams, sketch: SketchParams, sink?: ShingleSink): DocumentSketches;
  /** Sorts `count` 64-bit hashes (not in kernel memory) in place as unsigned numbers and drops repetitions; returns how many remain. */
  sortUnique(hashes: Uint32Array, count: number): number;
  /**
   * The collector of sets of documents. Every call returns the same object.
   */
  setCollector(): SetCollector;
  /**
   * The comparer of sets. Every call returns the same object. The first call may enlarge the memory of the kernel, which detaches
   * views of it.
   */
  setComparer(): SetComparer;
  /**
   * Sorts the first `count` 64-bit keys (not in kernel memory) as unsigned numbers, in place and stably, each with its payload word,
   * like `sortByKey64` of src/arrays/sort.ts.
   */
  sortByKey64(keys: Uint32Array, payload: Uint32Array, count: number): void;
  /**
   * Returns a scanner that finds ids and texts in many lines of JSON per call; absent: lines are parsed one at a time. `textField` and
   * `idField` are names without escapes.
   */
  jsonLines?(textField: string, idField: string): JsonLineScanner;
  /**
   * Returns a scanner that finds the rows of many lines `set, element[, value]` per call; absent or null: lines are read one at a
   * time. Every call returns the same object. `quote`: lines with this byte are left to the reference; below 0: none are.
   */
  rowLines?(fields: RowFields, quote: number, seed: number): RowLineScanner | null;
  /** An empty table of names of sets. A kernel may return the same object again, so one is in use at a time. */
  setNames(): SetNames;
  /** Labels the elements of sets. A kernel may return the same object again, so one is in use at a time. */
  setLabels(seed: number): SetLabels;
  /** Makes a function that computes the content keys of sets. */
  setKeys(seed: number): SetKeys;
  /** Converts signatures for storage; src/sketch/slots.ts is the reference. */
  readonly slotWriter: {
    /** `stride` is a multiple of 16. */
    writeSignatures: typeof writeSignatures;
    /** Writes the keys of all bands of rows of `stride` slots, band after band: band b of row i is `keys[b * rows + i]`. */
    writeBandKeys(slots: Uint16Array, stride: number, banding: BandingParams, keys: Uint32Array): void;
  };
}

/**
 * The content key of a set: 128 bits that are equal for equal sets, for any order and grouping of their elements. Writes the keys of
 * `sets` sets, set s to `keys[4s .. 4s+4)`: its elements are the hashes up to `ends[s]`, after those of the set before, and element i
 * is in it `copies[i]` times (once if `copies` is null). The key of the empty set is 0.
 *
 * With seeded odd constants p, q and constants r, s of purpose `set`, modulo 2^64, an element with hash e that is in the set n
 * times adds fmix64((e ^ r) + n * p) to the first half of the key and fmix64((e ^ s) + n * q) to the second. (element, n) is
 * equivalent to the labelled elements 1 .. n, so bags that are equal after labelling have equal keys. The key of a set is the sum
 * of the keys of its parts. Two different sets of elements with different hashes share a key with probability 2^-128; among n sets
 * the probability is about n^2 / 2^129. It does not protect against an adversary who constructs colliding sets.
 */
export type SetKeys = (
  keys: Uint32Array,
  ends: Uint32Array,
  sets: number,
  hashes: Uint32Array,
  copies: Uint16Array | null,
) => void;

/** Collects the shingle hashes of documents. */
export interface SetCollector {
  /** Discards all sets and the current document. */
  clear(): void;
  /**
   * Adds the first `count` hashes of a list to the current document; the list may be the one that a
   * `ShingleSink` gets.
   */
  add(hashes: Uint32Array, count: number): void;
  /** Keeps the hashes added since the last document in their order, with repetitions. Returns their number. */
  keep(): number;
  /** Discards the hashes added since the last document. */
  drop(): void;
  /** The hashes of all kept documents, concatenated; valid until the next call of the kernel. */
  sets(): Uint32Array;
}

/** Counts the common elements of many pairs of sets. It holds sets, each added once, as long as there is room. */
export interface SetComparer {
  /** Removes all sets. */
  clear(): void;
  /**
   * Adds the hashes [from, to) of a list, in any order, with repetitions, as the next set, numbered from 0. Returns
   * the number of distinct ones; -1: there is no room, and the set is not added.
   */
  place(hashes: Uint32Array, from: number, to: number): number;
  /** Whether the comparer should be cleared as soon as its sets are no longer needed, because it holds much. */
  readonly isLarge: boolean;
  /** For i from `from` (inclusive) to `to`, writes to `common[i]` the number of common elements of the sets a[i] and b[i]. */
  compare(a: Uint32Array, b: Uint32Array, from: number, to: number, common: Uint32Array): void;
}

/**
 * Number of words of a row: kind, position and length of the id, position and length of the text, and flags. Positions are
 * internal to the scanner.
 */
export const ROW_WORDS = 6;

/** Kinds of lines. */
export const LINE_BLANK = 0;
/** A record with a text. */
export const LINE_RECORD = 1;
/** JSON_BROKEN */
export const LINE_BROKEN = 2;
/** JSON_NOT_AN_OBJECT */
export const LINE_NO_OBJECT = 3;
/** JSON_NO_TEXT; the row may have an id. */
export const LINE_NO_TEXT = 4;
/** An object whose id is not a string, a number or null. */
export const LINE_OTHER_ID = 5;
/** TOO_LARGE: longer than the limit. */
export const LINE_TOO_LONG = 6;

/** Flags: the row has an id; a lone surrogate in the text became U+FFFD. */
export const LINE_HAS_ID = 2;
export const LINE_REPAIRED = 4;

/**
 * Scans many lines or elements per call, in memory that all scanners of its kernel share: not re-entrant.
 * src/readers/formats/json/jsonRecord.ts gives the same results one line at a time.
 */
export interface JsonLineScanner {
  /** The best number of bytes per call. */
  readonly window: number;
  /** Maximum number of bytes per call. */
  readonly most: number;
  /**
   * Scans the lines of [from, to), at least one byte and at most `most`; each ends with a line feed, which the
   * last line may lack. Returns the number of lines scanned; lines beyond the number of rows need
   * another call.
   *
   * @param longest bytes of the longest line that is scanned, below 2^32
   */
  scan(bytes: Uint8Array, from: number, to: number, longest: number): number;
  /** After a scan: the position in `bytes` after the last line scanned. */
  readonly end: number;
  /** After a scan: ROW_WORDS per line. */
  readonly rows: Uint32Array;
  /** The same rows where the kernel wrote them. */
  readonly placedRows: PlacedRows;
  /** Bytes that a row refers to: a view that is valid until the next scan, even if kernel memory grows. */
  bytes(place: number, length: number): Uint8Array;
  /** The same bytes without a copy: a view that is detached when kernel memory grows. */
  placed(place: number, length: number): Uint8Array;
}

/** The fields of a line, counted from 0; `weight` -1: lines have none. */
export interface RowFields {
  readonly set: number;
  readonly element: number;
  readonly weight: number;
  /** A byte of ASCII. */
  readonly separator: number;
}

/**
 * Number of words of a row of a line: kind, number of the line, positions and lengths of the set and of the element, their hashes
 * (src/text/elements.ts), and the value as a double, NaN if there is none.
 */
export const SET_ROW_WORDS = 12;

/** The kind of a line that is a row. Other lines are left to the reference; their set has the position and length of the line. */
export const IS_SET_ROW = 1;

/** Scans many lines per call. src/readers/formats/setLines.ts gives the same results one line at a time. */
export interface RowLineScanner {
  /**
   * Scans lines of [from, to), at least one byte; each ends with a line feed, which the last one may lack. Returns the number of
   * rows. Lines beyond the capacity of the scanner need another call; if a line is longer than that, `lines` is 0.
   */
  scan(bytes: Uint8Array, from: number, to: number): number;
  /** After a scan: scanned lines, blank lines among them, and the position after the last one. */
  readonly lines: number;
  readonly blank: number;
  readonly end: number;
  /** After a scan: SET_ROW_WORDS per row; and the same bytes as doubles. */
  readonly rows: Uint32Array;
  readonly values: Float64Array;
  /** Writes the numbers of the sets; to be called once after a scan whose lines are all rows. */
  number(names: SetNames, numbers: Uint32Array): void;
}

/** The finished signatures of documents, in order: rows of the signature matrix. */
export interface SignatureRows {
  /** Slots per row: a signature padded to a multiple of 16 slots with 0xffffffff. */
  readonly stride: number;
  /** Number of rows. */
  readonly length: number;
  clear(): void;
  /** Removes the rows from this number on; does nothing if there are none. */
  truncate(length: number): void;
  append(signature: Uint32Array): void;
  /** Copies all rows to `into`, which has `length * stride` slots. */
  copyTo(into: Uint32Array): void;
  /** All rows without a copy, divided among arrays; valid until the next document. */
  readonly held: readonly Uint32Array[];
}

/** A shingle stream with a row for every document that was ended. */
export interface DocumentSketches extends ShingleStream {
  readonly rows: SignatureRows;
}

/** Creates a stream that passes its shingles to the sink. */
type StreamMaker = (sink: ShingleSink) => ShingleStream;

/** Sketches the shingles of another stream. */
export class StreamedSketches extends ShingleStream implements DocumentSketches {
  readonly rows: SignatureRows;
  private readonly sketcher: Sketcher;
  private readonly stream: ShingleStream;
  private readonly signature: Uint32Array;

  constructor(streamTo: StreamMaker, sketcher: Sketcher, rows: SignatureRows, sink?: ShingleSink) {
    super();
    this.sketcher = sketcher;
    this.rows = rows;
    this.signature = new Uint32Array(sketcher.stride);
    this.stream = streamTo((hashes, count) => {
      sketcher.update(this.signature, hashes, count);
      sink?.(hashes, count);
    });
  }

  begin(): void {
    this.sketcher.clear(this.signature);
    this.stream.begin();
  }

  push(bytes: Uint8Array): void {
    this.stream.push(bytes);
  }

  end(): void {
    this.stream.end();
    this.rows.append(this.signature);
    this.found(this.stream);
  }
}
