/**
 * Labelled shingles, Broder's option A: each occurrence of a shingle is a distinct element, so a bag becomes a set.
 *
 * With c the odd seeded constant of purpose `occurrence`, modulo 2^64: the first occurrence keeps
 * its hash h, the n-th (n >= 2) becomes fmix64(h + n * c). The intersection of two labelled sets counts a
 * shingle as often as both have it (Broder 1997, section 2; Mining of Massive Datasets 3.1.3). Occurrences
 * are counted in an open-addressing table of typed arrays, with 12 bytes per slot.
 */
import { carryOf, multiplyHigh64, seededConstants, writeFmix64 } from '../arrays/hashing.js';

const LEAST_PLACES = 4096;
/** Larger tables are freed before the next document. */
const KEPT_PLACES = 1 << 18;

export class OccurrenceLabels {
  private readonly oddLow: number;
  private readonly oddHigh: number;
  private keys = new Uint32Array(2 * LEAST_PLACES);
  /** By slot of the table: the occurrences of its key; 0: the slot is free. */
  private counts = new Uint32Array(LEAST_PLACES);
  /** Number of slots, a power of two; the arrays may be longer. */
  private places = LEAST_PLACES;
  private taken = 0;

  constructor(seed: number) {
    const constants = new Int32Array(seededConstants(seed, 'occurrence', 1, true));
    this.oddLow = constants[0]!;
    this.oddHigh = constants[1]!;
  }

  /** Resets all counts. */
  begin(): void {
    if (this.counts.length > KEPT_PLACES) this.allocate(LEAST_PLACES);
    else this.counts.fill(0, 0, this.places);
    this.places = LEAST_PLACES;
    this.taken = 0;
  }

  /** Labels the next `count` hashes of the document, in place. */
  label(hashes: Uint32Array, count: number): void {
    for (let i = 0; i < 2 * count; i += 2) {
      const low = hashes[i]!;
      const high = hashes[i + 1]!;
      const n = this.occurrence(low, high);
      if (n > 1) this.writeLabelled(hashes, i, low, high, n);
    }
  }

  /** Writes the element of the n-th occurrence (n >= 1) of a shingle to `out[at], out[at+1]`. */
  writeLabelled(out: Uint32Array, at: number, low: number, high: number, n: number): void {
    if (n === 1) {
      out[at] = low;
      out[at + 1] = high;
      return;
    }
    const sum = (low + Math.imul(n, this.oddLow)) | 0;
    const product = multiplyHigh64(n | 0, 0, this.oddLow, this.oddHigh);
    writeFmix64(out, at, sum, (high + product + carryOf(sum, low)) | 0);
  }

  /** Counts one more occurrence of a hash and returns their number. */
  private occurrence(low: number, high: number): number {
    const place = this.slotOf(low, high);
    if (this.counts[place] === 0) {
      this.keys[2 * place] = low;
      this.keys[2 * place + 1] = high;
      this.counts[place] = 1;
      if (++this.taken * 2 > this.places) this.grow();
      return 1;
    }
    return ++this.counts[place]!;
  }

  /** The slot of a key, or the free slot where it belongs. */
  private slotOf(low: number, high: number): number {
    const mask = this.places - 1;
    let place = low & mask;
    while (this.counts[place] !== 0 && (this.keys[2 * place] !== low || this.keys[2 * place + 1] !== high)) {
      place = (place + 1) & mask;
    }
    return place;
  }

  private allocate(places: number): void {
    this.keys = new Uint32Array(2 * places);
    this.counts = new Uint32Array(places);
  }

  private grow(): void {
    const { keys, counts, places } = this;
    this.places = 2 * places;
    this.allocate(this.places);
    for (let i = 0; i < places; i++) {
      if (counts[i] === 0) continue;
      const place = this.slotOf(keys[2 * i]!, keys[2 * i + 1]!);
      this.keys[2 * place] = keys[2 * i]!;
      this.keys[2 * place + 1] = keys[2 * i + 1]!;
      this.counts[place] = counts[i]!;
    }
  }
}
