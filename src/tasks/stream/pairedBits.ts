/**
 * Side files with bits of ranks: `paired`, which documents are in the pairs that are compared next, so that no other document's
 * signature is shuffled; `units`, which units become sets. One bit a rank, modulo the bits of the file: a collision only costs the
 * transport of a signature, or of a set, too many.
 */
import { u64At } from './records.js';
import type { StagePlace } from './stage.js';

/** Name of the side file in manifests. Without the file, all signatures are wanted. */
export const PAIRED = 'paired';
/** The same of units that become sets. */
export const UNITS = 'units';

const LEAST_BITS = 2 ** 16;
/** 4 MB, in the memory of each task. */
const MOST_BITS = 2 ** 25;
/** Bits per document in a pair: where ranks are spread, about one in 16 of the other documents collides. */
const SPARE = 16;

export class PairedBits {
  readonly bytes: Uint8Array;

  private constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** A file of zeros with room for so many documents. */
  static of(documents: number): PairedBits {
    let bits = LEAST_BITS;
    while (bits < MOST_BITS && bits < SPARE * documents) bits *= 2;
    return new PairedBits(new Uint8Array(bits / 8));
  }

  /** The file of a task; null: all signatures, or units, are wanted. */
  static from(
    { manifest, side }: StagePlace,
    name: typeof PAIRED | typeof UNITS = PAIRED,
  ): PairedBits | null {
    return manifest.sides[name] === undefined ? null : new PairedBits(side(name, 0, MOST_BITS / 8));
  }

  /** Marks the rank that stands at `at` of the key. */
  add(key: Uint8Array, at: number): void {
    this.addRank(u64At(key, at));
  }

  addRank(rank: number): void {
    const bit = rank % (8 * this.bytes.length);
    this.bytes[bit >>> 3]! |= 1 << (bit & 7);
  }

  has(key: Uint8Array, at: number): boolean {
    return this.hasRank(u64At(key, at));
  }

  hasRank(rank: number): boolean {
    const bit = rank % (8 * this.bytes.length);
    return ((this.bytes[bit >>> 3]! >>> (bit & 7)) & 1) === 1;
  }
}
