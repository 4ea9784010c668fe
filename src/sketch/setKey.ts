/**
 * The content key of a set: 128 bits that are equal for equal sets, whatever the order and grouping of their elements.
 *
 * Floor 0. With seeded odd constants p, q and constants r, s of purpose `set`, modulo 2^64, an element with hash e that is
 * in the set n times adds fmix64((e ^ r) + n * p) to the first half of the key and fmix64((e ^ s) + n * q) to the second.
 * (element, n) says the same as the labelled elements 1 .. n, so bags that are equal after labelling have equal keys.
 * Sums of parts of a set are the key of the whole. Two different sets of elements with different hashes share a key with
 * probability 2^-128, among n sets about n^2 / 2^129; like every hash here it is no protection from someone who makes
 * sets in order to collide.
 */
import { carryOf, multiplyHigh64, seededConstants } from './hashing.js';
import { writeFmix64 } from './mixing.js';

export class SetKey {
  private readonly constants: Int32Array;
  private readonly mixed = new Uint32Array(2);

  constructor(seed: number) {
    const odd = seededConstants(seed, 'set', 4, true);
    this.constants = new Int32Array(odd);
  }

  /** Adds an element that is in the set `copies` times (1 .. 2^32-1) to the key at `key[at .. at+4)`. */
  add(key: Uint32Array, at: number, low: number, high: number, copies: number): void {
    this.addHalf(key, at, low, high, copies, 0);
    this.addHalf(key, at + 2, low, high, copies, 4);
  }

  private addHalf(
    key: Uint32Array,
    at: number,
    low: number,
    high: number,
    copies: number,
    half: 0 | 4,
  ): void {
    const { constants, mixed } = this;
    const startLow = low ^ constants[half]!;
    const startHigh = high ^ constants[half + 1]!;
    const oddLow = constants[half + 2]!;
    const oddHigh = constants[half + 3]!;
    const sum = (startLow + Math.imul(copies, oddLow)) | 0;
    const product = multiplyHigh64(copies | 0, 0, oddLow, oddHigh);
    writeFmix64(mixed, 0, sum, (startHigh + product + carryOf(sum, startLow)) | 0);
    addToKey(key, at, mixed[0]!, mixed[1]!);
  }
}

/** Adds a 64-bit number to the half of a key at `key[at], key[at+1]`, modulo 2^64. */
function addToKey(key: Uint32Array, at: number, low: number, high: number): void {
  const sum = (key[at]! + low) >>> 0;
  key[at + 1] = key[at + 1]! + high + carryOf(sum, low);
  key[at] = sum;
}

/** Adds the key of a part of a set, `part[partAt .. partAt+4)`, to that of another part. */
export function addKeys(key: Uint32Array, at: number, part: Uint32Array, partAt: number): void {
  addToKey(key, at, part[partAt]!, part[partAt + 1]!);
  addToKey(key, at + 2, part[partAt + 2]!, part[partAt + 3]!);
}
