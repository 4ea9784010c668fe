/**
 * The side file `paired`: which documents are in the pairs that are compared next, so that the signatures of others stay where they
 * are. A bit a rank, modulo as many bits as the file has: a document too many only costs its way.
 */
import { u64At } from './records.js';
import type { StagePlace } from './stage.js';

/** What manifests call the file; one without it wants all signatures. */
export const PAIRED = 'paired';

const LEAST_BITS = 2 ** 16;
/** 4 MB, which each task holds. */
const MOST_BITS = 2 ** 25;
/** Bits a document that is in a pair: where ranks are spread, one in so many others goes with them. */
const SPARE = 16;

export class PairedBits {
  readonly bytes: Uint8Array;

  private constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** Of none of so many documents. */
  static of(documents: number): PairedBits {
    let bits = LEAST_BITS;
    while (bits < MOST_BITS && bits < SPARE * documents) bits *= 2;
    return new PairedBits(new Uint8Array(bits / 8));
  }

  /** Those of a task; null: all signatures are wanted. */
  static from({ manifest, side }: StagePlace): PairedBits | null {
    return manifest.sides[PAIRED] === undefined ? null : new PairedBits(side(PAIRED, 0, MOST_BITS / 8));
  }

  /** The rank stands at `at`. */
  add(key: Uint8Array, at: number): void {
    const bit = u64At(key, at) % (8 * this.bytes.length);
    this.bytes[bit >>> 3]! |= 1 << (bit & 7);
  }

  has(key: Uint8Array, at: number): boolean {
    const bit = u64At(key, at) % (8 * this.bytes.length);
    return ((this.bytes[bit >>> 3]! >>> (bit & 7)) & 1) === 1;
  }
}
