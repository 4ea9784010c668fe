/**
 * The elements of a set under a random permutation, of which every sketch of Broder 1997 is a sample.
 *
 * The permutation of the 64-bit numbers is fmix64(a * x + b) with a odd and b from the seed: each step can be
 * undone, so distinct elements stay distinct. Theorem 1 allows "an arbitrary injection" of elements to numbers, so
 * hashes of any width up to 64 bits are valid input. Rabin fingerprints need the permutation: they are linear, and
 * unpermuted samples of them would not be random.
 */
import { carryOf, finalise64, multiplyHigh64, writeFmix64 } from '../../arrays/hashing.js';
import { OccurrenceLabels } from '../../text/labels.js';

/** The parameters of sampling. Two sketches are comparable only where these are equal. */
export interface ElementParams {
  /** 0..2^53-1. */
  readonly seed: number;
  /** Option A: the n-th occurrence of a shingle is a distinct element. False is option B, sets. */
  readonly bag: boolean;
}

export class PermutedElements {
  /** The last batch, permuted: pairs (low, high). Valid until the next `take`. */
  values = new Uint32Array(0);

  private readonly labels: OccurrenceLabels | undefined;
  private readonly multiplierLow: number;
  private readonly multiplierHigh: number;
  private readonly addendLow: number;
  private readonly addendHigh: number;

  constructor(params: ElementParams) {
    this.labels = params.bag ? new OccurrenceLabels(params.seed) : undefined;
    const start = finalise64(BigInt(params.seed) + 0xd1342543de82ef95n);
    const multiplier = finalise64(start + 0x9e3779b97f4a7c15n) | 1n;
    const addend = finalise64(start + 2n * 0x9e3779b97f4a7c15n);
    this.multiplierLow = Number(multiplier & 0xffffffffn) | 0;
    this.multiplierHigh = Number(multiplier >> 32n) | 0;
    this.addendLow = Number(addend & 0xffffffffn) | 0;
    this.addendHigh = Number(addend >> 32n) | 0;
  }

  /** Starts a new set: occurrences are counted anew. */
  begin(): void {
    this.labels?.begin();
  }

  /** Labels (option A) and permutes hashes[0 .. 2*count) into `values`; the input is not changed. */
  take(hashes: Uint32Array, count: number): void {
    if (this.values.length < 2 * count) this.values = new Uint32Array(2 * count);
    const { values } = this;
    if (this.labels === undefined) {
      this.permute(hashes, count);
      return;
    }
    values.set(hashes.subarray(0, 2 * count));
    this.labels.label(values, count);
    this.permute(values, count);
  }

  private permute(from: Uint32Array, count: number): void {
    const { values, multiplierLow, multiplierHigh, addendLow, addendHigh } = this;
    for (let i = 0; i < 2 * count; i += 2) {
      const low = from[i]!;
      const product = Math.imul(low, multiplierLow);
      const sum = (product + addendLow) | 0;
      const high = multiplyHigh64(low, from[i + 1]!, multiplierLow, multiplierHigh);
      writeFmix64(values, i, sum, (high + addendHigh + carryOf(sum, product)) | 0);
    }
  }
}
