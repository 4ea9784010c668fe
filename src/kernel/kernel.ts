/**
 * The seam behind which the sketch mathematics runs: the plain reference today, a faster one with the same bytes later.
 *
 * Floor 1. Everything here works on typed arrays; 64-bit hashes are pairs (low, high) in a Uint32Array, the byte order
 * of a little-endian u64. A kernel is made per worker and holds scratch memory, so its objects are not re-entrant.
 */
import type {
  AgreeingPairs,
  BandKeys,
  BucketPairs,
  PairSlice,
  Pairs,
  SignatureBlocks,
} from '../sketch/pairs.js';
import type { BandingParams, ShingleParams, SketchParams } from '../sketch/params.js';
import type { RowScatter } from '../sketch/rowScatter.js';
import type { ScatteredSketcher } from '../sketch/scatteredSketches.js';
import type { ShingleSink, ShingleStream } from '../sketch/shingles.js';
import type { Sketcher } from '../sketch/signature.js';
import type { Thinning, ThinningParams } from '../sketch/thinning.js';
import type { DocumentSketches } from './documentSketches.js';
import type { JsonLineScanner } from './jsonLines.js';
import type { RowFormatting } from './rowFormat.js';

export type { DocumentSketches, ShingleSink, ShingleStream, Sketcher };

export interface Kernel {
  readonly name: string;
  shingleStream(params: ShingleParams, sink: ShingleSink): ShingleStream;
  sketcher(params: SketchParams): Sketcher;
  /**
   * Documents to rows of the matrix of signatures, in one call each where they are given whole. At most one is in use at
   * a time, from `clear` on: a kernel may give the same one again. `thinning`, one of the same kernel: what is sketched
   * of the shingles; absent: all.
   */
  documentSketches(shingle: ShingleParams, sketch: SketchParams, thinning?: Thinning): DocumentSketches;
  /** What of a set is sketched. Lists that it thins are written over; one a run, for a kernel keeps what it needs. */
  thinning(params: ThinningParams): Thinning;
  /**
   * The bucket keys of all signatures of a column block, `stride` slots apart in `slots`, band after band: the 64-bit key
   * of band b of column c is `out[2 * (b * columns + c)]` and the next. The band's number is mixed in, so equal rows in
   * two bands are two buckets.
   */
  bandColumns(
    slots: Uint32Array,
    stride: number,
    banding: BandingParams,
    seed: number,
    out: Uint32Array,
  ): void;
  /** Equal slots of two signatures of `hashes` slots that start at the given offsets. */
  agreement(a: Uint32Array, aOffset: number, b: Uint32Array, bOffset: number, hashes: number): number;
  /** Sorts `count` 64-bit hashes in place as unsigned numbers and drops repetitions; returns how many are left. */
  sortUnique(hashes: Uint32Array, count: number): number;
  /** Where sets of documents are made, one after the other; the same object at every call, so one at a time. */
  setCollector(): SetCollector;
  /** Where many sets are compared; the same object at every call, so one at a time, and never beside a collector. */
  setComparer(): SetComparer;
  /**
   * Scatters rows into `rowChunks` (1..65536) row chunks, those of src/sketch/rowChunks.ts. One is in hand at a time, and the next one begins empty: they
   * share their memory, also with the sketchers of scattered rows.
   */
  rowScatter(rowChunks: number): RowScatter;
  /** Sketches what was scattered: partial signatures and their minima. */
  scatteredSketcher(params: SketchParams): ScatteredSketcher;
  /**
   * Optional, for many keys: sorts the first `count` 64-bit keys as unsigned numbers, in place and stably, each
   * with its payload word, as `sortByKey64` of src/sketch/radixSort.ts does.
   */
  sortByKey64?(keys: Uint32Array, payload: Uint32Array, count: number): void;
  /** Optional: finds ids and texts in lines of JSON, many lines a call. `textField`, `idField`: names as they are read. */
  jsonLines?(textField: string, idField: string): JsonLineScanner;
  /**
   * Optional, for result files: formats rows by thousands. Without it they are written cell by cell
   * (src/storage/results/rowWriter.ts), the same bytes.
   */
  readonly formatRows?: RowFormatting;
  /** Optional, for whole columns of documents and pairs. */
  readonly pairing?: Pairing;
}

/**
 * What reducers/candidatePairs.ts and reducers/verifiedPairs.ts do under the same names, a column a call. Pairs it
 * returns may be views of scratch memory, valid until the next call.
 */
export interface Pairing {
  /** Columns of its own. */
  bucketPairs(keys: BandKeys, documents: Uint32Array, hotBucket: number, slice?: PairSlice): BucketPairs;
  /** The union of the lists, sorted by (a, b), distinct, without the pairs of `known`, each sorted and distinct. */
  distinctPairs(lists: readonly Pairs[], known: readonly Pairs[]): Pairs;
  /**
   * The same with their agreements, accepted where at least `least`. Signatures may stay from call to call for as long
   * as `signatures` is the same object: what it holds must not change.
   */
  agreeingPairs(
    lists: readonly Pairs[],
    known: readonly Pairs[],
    signatures: SignatureBlocks,
    least: number,
  ): AgreeingPairs;
}

/** Turns the shingle hashes of documents into sets: sorted, distinct 64-bit hashes. */
export interface SetCollector {
  /** Forgets everything. */
  clear(): void;
  /** Takes the first `count` hashes of a list, for the document in hand; the list may be what a `ShingleSink` gets. */
  add(hashes: Uint32Array, count: number): void;
  /** The hashes taken since the last set become one, perhaps empty; returns how many are distinct. */
  close(): number;
  /** Forgets the hashes taken since the last set. */
  drop(): void;
  /** All sets, one after the other in the order made; valid until the next call of anything of the kernel. */
  sets(): Uint32Array;
}

/** Counts what many pairs of few sets have in common, without taking hold of a set more than once. */
export interface SetComparer {
  /** Forgets all sets, and makes room for sets of `hashes` hashes together, or for as many as it may take. */
  clear(hashes: number): void;
  /** Takes the sorted distinct hashes [from, to) of a list as the next set, numbered from 0; false: no room. */
  place(hashes: Uint32Array, from: number, to: number): boolean;
  /** For i from `from` (inclusive) to `to`: `common[i]` = common elements of the sets with numbers a[i] and b[i]. */
  compare(a: Uint32Array, b: Uint32Array, from: number, to: number, common: Uint32Array): void;
}
