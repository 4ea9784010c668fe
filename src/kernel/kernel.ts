/**
 * The seam behind which the sketch mathematics runs: the plain reference today, a faster one with the same bytes later.
 *
 * Floor 1. Everything here works on typed arrays; 64-bit hashes are pairs (low, high) in a Uint32Array, the byte order
 * of a little-endian u64. A kernel is made per worker and holds scratch memory, so its objects are not re-entrant.
 */
import type { BandingParams, ShingleParams, SketchParams } from '../sketch/params.js';

/**
 * Receives the shingle hashes of the document in hand, in text order, in one or more calls: `hashes[0 .. 2*count)`.
 * The array is scratch memory of the kernel: what is to outlive the call must be copied.
 */
export type ShingleSink = (hashes: Uint32Array, count: number) => void;

/** Text in, shingle hashes out. One document at a time: begin, push any number of times, end. */
export interface ShingleStream {
  begin(): void;
  /** Raw bytes of the document (UTF-8, or anything for `bytes`), in order, cut anywhere. */
  push(bytes: Uint8Array): void;
  /**
   * Ends the document: hands the last hashes to the sink and fills the fields below.
   * A document without tokens is `empty` and has no shingle; one with fewer than k tokens (or without a shingle of the
   * kind asked for) has one shingle, all its tokens.
   */
  end(): void;
  /** Tokens of the document: words, code points, bytes or lines. */
  readonly tokens: number;
  /** Shingles handed to the sink, repeated ones counted every time. */
  readonly occurrences: number;
  /** An invalid byte sequence was replaced, or a run of combining marks was cut. */
  readonly repaired: boolean;
  /** 128-bit hash of the token sequence as four uint32; equal exactly for documents with equal token sequences. */
  readonly contentKey: Uint32Array;
}

/** Sets of shingle hashes in, signatures out. Slots are uint32; 0xffffffff in every slot is the empty signature. */
export interface Sketcher {
  /** Slots of a signature. */
  readonly hashes: number;
  /** Slots of storage a signature takes: `hashes` padded to a multiple of 16; padding slots stay 0xffffffff. */
  readonly stride: number;
  /** Makes `signature` the empty signature. */
  clear(signature: Uint32Array): void;
  /**
   * Lowers the slots by `count` shingle hashes. Order and repetition do not matter, and any partition of a set gives,
   * after `merge`, the same slots as the whole set at once.
   */
  update(signature: Uint32Array, hashes: Uint32Array, count: number): void;
  /** Element-wise minimum of raw (unfinished) signatures into `into`. */
  merge(into: Uint32Array, from: Uint32Array): void;
  /** After the last merge: densifies OPH, leaves the others as they are. The empty signature stays empty. */
  finish(signature: Uint32Array): void;
}

export interface Kernel {
  readonly name: string;
  shingleStream(params: ShingleParams, sink: ShingleSink): ShingleStream;
  sketcher(params: SketchParams): Sketcher;
  /**
   * The bucket keys of one signature: `out[2*b], out[2*b+1]` is the 64-bit key of band b. The band's number is mixed in,
   * so equal rows in two bands are two buckets.
   */
  bandKeys(signature: Uint32Array, banding: BandingParams, seed: number, out: Uint32Array): void;
  /** Equal slots of two signatures of `hashes` slots that start at the given offsets. */
  agreement(a: Uint32Array, aOffset: number, b: Uint32Array, bOffset: number, hashes: number): number;
  /** Sorts `count` 64-bit hashes in place as unsigned numbers and drops repetitions; returns how many are left. */
  sortUnique(hashes: Uint32Array, count: number): number;
  /** Common elements of two sorted distinct lists: hashes [aFrom, aTo) of `a` and [bFrom, bTo) of `b` (counted in hashes). */
  intersectionSize(
    a: Uint32Array,
    aFrom: number,
    aTo: number,
    b: Uint32Array,
    bFrom: number,
    bTo: number,
  ): number;
  /**
   * The row chunk of a shingle hash: floor(mix(hash) * rowChunks / 2^32), where mix is a second mix of the hash,
   * independent of the bits that choose a sketch's bin (DESIGN: else every FSS partial runs extra rounds).
   */
  rowChunkOf(low: number, high: number, rowChunks: number): number;
}
