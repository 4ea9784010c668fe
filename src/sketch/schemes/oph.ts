/**
 * One permutation hashing (Li, Owen, Zhang 2012) with optimal densification (Shrivastava 2017).
 *
 * The hash's high half chooses the slot, its low half is the value; a slot is the least value that fell into
 * it, so raw signatures merge exactly. Slots that stay empty are filled once, after the last merge: filled
 * earlier, a borrowed value would win against true ones of other parts, and the merge would be wrong.
 */
import { binOf, seededConstants } from '../../arrays/hashing.js';
import { EMPTY_SLOT, type Sketcher, sketcherOf } from '../signature.js';

/** MurmurHash3's 32-bit finaliser: a permutation of the int32. */
function finalise32(value: number): number {
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return value ^ (value >>> 16);
}

/** The slot that empty slot `slot` tries at `attempt` (0, 1, ...), the same for every document. */
function donorOf(donors: Uint32Array, slot: number, attempt: number, slots: number): number {
  // An odd stride and a permutation: over all attempts every uint32 appears, so every slot is tried some
  // time.
  const state = (donors[2 * slot + 1]! + Math.imul(attempt, donors[2 * slot]!)) | 0;
  return binOf(finalise32(state), slots);
}

/** Fills every empty slot with the value of the first slot it tries that was not empty before. */
function densify(signature: Uint32Array, slots: number, donors: Uint32Array): void {
  const raw = signature.slice(0, slots);
  let filled = 0;
  let last = 0;
  for (let slot = 0; slot < slots; slot++) {
    if (raw[slot] === EMPTY_SLOT) continue;
    filled++;
    last = raw[slot]!;
  }
  if (filled === 0) return;
  if (filled === 1) {
    // All attempts end there. Finding it by trying would take a million attempts for one element at 1024
    // slots.
    signature.fill(last, 0, slots);
    return;
  }
  for (let slot = 0; slot < slots; slot++) {
    for (let attempt = 0; signature[slot] === EMPTY_SLOT; attempt++) {
      signature[slot] = raw[donorOf(donors, slot, attempt, slots)]!;
    }
  }
}

/**
 * The OPH sketcher of `slots` slots (16..1024). Update takes O(count), finish O(slots^2 / filled slots). A
 * value 0xffffffff is stored as 0xfffffffe, so that empty and full slots differ.
 */
export function createOphSketcher(slots: number, seed: number): Sketcher {
  // A slot's stride (low half, odd) and start (high half).
  const donors = seededConstants(seed, 'oph', slots, true);
  return sketcherOf(slots, {
    update: (signature, hashes, count) => {
      for (let i = 0; i < 2 * count; i += 2) {
        const slot = binOf(hashes[i + 1]!, slots);
        const value = Math.min(hashes[i]!, 0xfffffffe);
        if (value < signature[slot]!) signature[slot] = value;
      }
    },
    finish: (signature) => densify(signature, slots, donors),
  });
}

/** Far tails are cut at this share of the mode: far below any printed digit. */
const TAIL = 1e-14;

/**
 * Unions up to this size are all evaluated; of larger ones, where the law changes slowly, one in each step of
 * a 16th.
 */
const EVERY_UNION = 128;
const LARGER_STEP = 16;

/** Unions of more than this many times N elements are closer to Bin(N, J) than smaller ones. */
const MOST_UNION = 8;

/** The mean of values[offset + X], X ~ Bin(n, p). */
function binomialMean(n: number, p: number, values: Float64Array, offset: number): number {
  if (n === 0 || p <= 0) return values[offset]!;
  if (p >= 1) return values[offset + n]!;
  const mode = Math.min(n, Math.floor((n + 1) * p));
  const odds = p / (1 - p);
  let weight = 1;
  let weights = 1;
  let sum = values[offset + mode]!;
  for (let k = mode; k < n && weight > TAIL; k++) {
    weight = ((weight * (n - k)) / (k + 1)) * odds;
    weights += weight;
    sum += weight * values[offset + k + 1]!;
  }
  weight = 1;
  for (let k = mode; k > 0 && weight > TAIL; k--) {
    weight = (weight * k) / (n - k + 1) / odds;
    weights += weight;
    sum += weight * values[offset + k - 1]!;
  }
  return sum / weights;
}

/** The mean of valueAt(X), X the shared ones among `drawn` of `union` elements of which `shared` are. */
function drawnMean(union: number, shared: number, drawn: number, valueAt: (x: number) => number): number {
  const least = Math.max(0, drawn + shared - union);
  const most = Math.min(drawn, shared);
  const peak = Math.floor(((drawn + 1) * (shared + 1)) / (union + 2));
  const mode = Math.min(most, Math.max(least, peak));
  const spare = union - shared - drawn;
  let weight = 1;
  let weights = 1;
  let sum = valueAt(mode);
  for (let x = mode; x < most && weight > TAIL; x++) {
    weight = (weight * ((shared - x) / (x + 1)) * (drawn - x)) / (spare + x + 1);
    weights += weight;
    sum += weight * valueAt(x + 1);
  }
  weight = 1;
  for (let x = mode; x > least && weight > TAIL; x--) {
    weight = (weight * (x / (shared - x + 1)) * (spare + x)) / (drawn - x + 1);
    weights += weight;
    sum += weight * valueAt(x - 1);
  }
  return sum / weights;
}

/** The number of `slots` bins that are hit by n balls, ball after ball; far tails are dropped. */
class Occupancy {
  readonly #slots: number;
  /** By number of bins; zero outside least..most. */
  readonly #probabilities: Float64Array;
  #least = 0;
  #most = 0;

  constructor(slots: number) {
    this.#slots = slots;
    this.#probabilities = new Float64Array(slots + 1);
    this.#probabilities[0] = 1;
  }

  add(): void {
    const probabilities = this.#probabilities;
    const slots = this.#slots;
    if (this.#most < slots) this.#most++;
    for (let bins = this.#most; bins >= this.#least; bins--) {
      const stays = (probabilities[bins]! * bins) / slots;
      const grows = bins === 0 ? 0 : (probabilities[bins - 1]! * (slots - bins + 1)) / slots;
      probabilities[bins] = stays + grows;
    }
    while (probabilities[this.#least]! < TAIL) probabilities[this.#least++] = 0;
    while (probabilities[this.#most]! < TAIL) probabilities[this.#most--] = 0;
  }

  mean(valueAt: (bins: number) => number): number {
    let weights = 0;
    let sum = 0;
    for (let bins = this.#least; bins <= this.#most; bins++) {
      const weight = this.#probabilities[bins]!;
      weights += weight;
      sum += weight * valueAt(bins);
    }
    return sum / weights;
  }
}

/** The least number of shared elements with which a union of `union` has the resemblance, as pairs are accepted. */
function leastSharedOf(similarity: number, union: number): number {
  let shared = Math.floor(similarity * union);
  while (shared / union < similarity) shared++;
  return shared;
}

/**
 * The mean value of the number of matching slots of two OPH signatures, for sets of any size.
 *
 * Slots of `oph` depend on each other. Elements that meet in a bin hide each other, and an empty slot repeats
 * the value of another: sets of few elements have few distinct values. The exact law follows from the
 * construction:
 *
 *      m   bins that the u elements of the union fall into: u balls into N bins
 *      c   of these m bins, those whose least element is in both sets: m drawn from u without replacement, of which
 *          k are shared. These slots match; where the least element is in one set only, the slots differ.
 *      e   of the N - m other slots, those that repeat a matching one: Bin(N - m, c / m). Both sets try the same
 *          bins; the first one that the union fell into decides: it gives both sets one value, or two.
 *
 * c + e slots match, and given their number all positions are equally likely. So the value of a number of
 * matching slots (candidate or not, accepted or not), averaged over the law, is the probability for a pair of
 * k / u. A guarantee has to hold for every u: it is the least of them, mostly that of a few elements. As u
 * grows the law becomes Bin(N, J).
 *
 * Uses +, -, * and / only, because the choice of bands follows from it and decides output bytes.
 */
export class OphMeans {
  readonly #slots: number;
  readonly #values: Float64Array;
  /** By bins x (N + 1) + equal bins: the mean over the slots that repeat them; NaN: not yet calculated. */
  readonly #repeated: Float64Array;

  /** `values[a]`: the value of a = 0..slots matching slots; 1 <= slots. */
  constructor(slots: number, values: Float64Array) {
    this.#slots = slots;
    this.#values = values;
    this.#repeated = new Float64Array((slots + 1) * (slots + 1)).fill(Number.NaN);
  }

  /** For pairs whose sets share `shared` of the `union` >= 1 elements they have together. */
  of(union: number, shared: number): number {
    const occupancy = new Occupancy(this.#slots);
    for (let ball = 0; ball < union; ball++) occupancy.add();
    return this.#meanOf(occupancy, union, shared);
  }

  /**
   * The least mean over unions of every size, each with as few shared elements as the resemblance (0..1)
   * allows. Where values rise with the matching slots, no pair of this resemblance or more has a lower one.
   */
  least(similarity: number): number {
    const slots = this.#slots;
    const occupancy = new Occupancy(slots);
    let least = binomialMean(slots, similarity, this.#values, 0);
    let union = 0;
    for (let next = 1; next <= MOST_UNION * slots; ) {
      const end = next + (next < EVERY_UNION ? 1 : Math.floor(next / LARGER_STEP));
      // Of neighbours the one closest to the resemblance is the worst case: the others are rounded up more.
      let chosen = next;
      let shared = leastSharedOf(similarity, next);
      for (let other = next + 1; other < end; other++) {
        const some = leastSharedOf(similarity, other);
        if (some * chosen >= shared * other) continue;
        chosen = other;
        shared = some;
      }
      for (; union < chosen; union++) occupancy.add();
      least = Math.min(least, this.#meanOf(occupancy, union, shared));
      next = end;
    }
    return least;
  }

  /**
   * The greatest resemblance, at least `from` (0..1), of a pair whose mean is below `level`, where values
   * rise with the matching slots and those of Bin(N, J) above `from` have a higher mean: then unions of more
   * than N elements have, too.
   */
  mostBelow(level: number, from: number): number {
    const slots = this.#slots;
    const occupancy = new Occupancy(slots);
    let most = from;
    for (let union = 1; union <= slots; union++) {
      occupancy.add();
      let shared = Math.floor(most * union);
      while (shared / union <= most) shared++;
      for (; shared <= union && this.#meanOf(occupancy, union, shared) < level; shared++)
        most = shared / union;
    }
    return most;
  }

  #meanOf(occupancy: Occupancy, union: number, shared: number): number {
    return occupancy.mean((bins) =>
      drawnMean(union, shared, bins, (equal) => this.#repeatedMean(bins, equal)),
    );
  }

  #repeatedMean(bins: number, equal: number): number {
    const at = bins * (this.#slots + 1) + equal;
    const known = this.#repeated[at]!;
    if (!Number.isNaN(known)) return known;
    const mean = binomialMean(this.#slots - bins, equal / bins, this.#values, equal);
    this.#repeated[at] = mean;
    return mean;
  }
}
