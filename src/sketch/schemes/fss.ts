/**
 * Fast Similarity Sketching (Dahlgaard, Knudsen, Thorup, FOCS 2017), in a form whose parts merge exactly.
 *
 * Every element x (a well-mixed 64-bit hash) has one value in each of 128 rounds, for a slot that also follows from x; a slot is
 * the minimum of its values over all elements and rounds. The top bits of a value are its round, so values of earlier rounds are
 * smaller:
 *
 *     round        slot                      value (32 bits)
 *     0            bin of x.high             0 | x.low >>> 1                     31 bits
 *     1 .. 126     bin of y.high             1 | round: 7 bits | y.low >>> 8     24 bits    y = x * C[round]
 *     127          all N, one value each     1 | 127: 7 bits   | 24 bits of mix(x + (128 + slot) * K)
 *
 * Values depend on one element, not on the set, so a slot is a plain minimum and any partition of the set merges to the same
 * signature. Rounds that can no longer lower a slot are skipped, with the same result. Round 0 uses the bits unmixed, because they
 * already depend on the seed.
 */
import { binOf, carryOf, mixedHigh, multiplyHigh64, seededConstants } from '../../arrays/hashing.js';
import { type Sketcher, sketcherOf } from '../signature.js';

/** The round that has a value for every slot: after it no slot is empty. */
const FULL_ROUND = 127;

/** Round 0, the only round that most documents need. It has no multiplication. */
function lowerByFirstRound(signature: Uint32Array, hashes: Uint32Array, count: number, slots: number): void {
  for (let i = 0; i < 2 * count; i += 2) {
    const slot = binOf(hashes[i + 1]!, slots);
    const value = hashes[i]! >>> 1;
    if (value < signature[slot]!) signature[slot] = value;
  }
}

/** One of rounds 1..126, by the round's odd constant (low, high). */
function lowerByRound(
  signature: Uint32Array,
  hashes: Uint32Array,
  count: number,
  slots: number,
  least: number,
  constantLow: number,
  constantHigh: number,
): void {
  for (let i = 0; i < 2 * count; i += 2) {
    const low = hashes[i]!;
    const slot = binOf(multiplyHigh64(low, hashes[i + 1]!, constantLow, constantHigh), slots);
    const value = (least | (Math.imul(low, constantLow) >>> 8)) >>> 0;
    if (value < signature[slot]!) signature[slot] = value;
  }
}

/** Round 127: a value for every slot, so that even a set of one element fills 1024 slots. */
function lowerByFullRound(
  signature: Uint32Array,
  hashes: Uint32Array,
  count: number,
  slots: number,
  stepLow: number,
  stepHigh: number,
): void {
  // Starts at 128 * step, after the multiples that belong to round numbers.
  const startLow = stepLow << 7;
  const startHigh = (stepHigh << 7) | (stepLow >>> 25);
  for (let i = 0; i < 2 * count; i += 2) {
    let low = (hashes[i]! + startLow) | 0;
    let high = (hashes[i + 1]! + startHigh + carryOf(low, startLow)) | 0;
    for (let slot = 0; slot < slots; slot++) {
      const value = (0xff000000 | Math.min(mixedHigh(low, high) >>> 8, 0xfffffe)) >>> 0;
      if (value < signature[slot]!) signature[slot] = value;
      low = (low + stepLow) | 0;
      high = (high + stepHigh + carryOf(low, stepLow)) | 0;
    }
  }
}

/**
 * The FSS sketcher of `slots` slots (16..1024). Time O(count + slots log slots) for most sets. A small set takes up to 127 rounds,
 * so many updates with few elements take longer than one update with all elements.
 */
export function createFssSketcher(slots: number, seed: number): Sketcher {
  // Constants of rounds 1..126 at 0..125, then the step of the full round.
  const constants = seededConstants(seed, 'fss', FULL_ROUND, true);
  return sketcherOf(slots, (signature, hashes, count) => {
    if (count === 0) return;
    lowerByFirstRound(signature, hashes, count, slots);
    // A slot below the smallest value of a round is below all values of later rounds, so one pass over the slots serves all
    // rounds.
    let open = 0;
    for (let round = 1; round <= FULL_ROUND; round++) {
      const least = (0x80000000 | (round << 24)) >>> 0;
      while (open < slots && signature[open]! < least) open++;
      if (open === slots) return;
      const low = constants[2 * round - 2]! | 0;
      const high = constants[2 * round - 1]! | 0;
      if (round < FULL_ROUND) lowerByRound(signature, hashes, count, slots, least, low, high);
      else lowerByFullRound(signature, hashes, count, slots, low, high);
    }
  });
}
