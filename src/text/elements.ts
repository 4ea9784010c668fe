/**
 * The 64-bit hash of the bytes of an element: the row of the characteristic matrix for a `set, element` record.
 *
 * An element is one token of any bytes, and a shingle of this token: its hash is that of the shingle `lines:1` over the same bytes
 * (tokenHash.ts has the formula). It depends on the seed of the run, as the first round of FSS requires.
 */
import { writeFmix64 } from '../arrays/hashing.js';
import { TokenHash } from './tokenHash.js';

export class ElementHash {
  private readonly token: TokenHash;

  constructor(seed: number) {
    this.token = new TokenHash(seed, true);
  }

  /** Writes the hash of `bytes[from .. to)` to `out[at], out[at+1]`; for empty input, a constant that depends on the seed. */
  write(bytes: Uint8Array, from: number, to: number, out: Uint32Array, at: number): void {
    const { token } = this;
    for (let i = from; i < to; i++) token.add(bytes[i]!);
    token.finish(out, at);
    writeFmix64(out, at, out[at]! | 0, out[at + 1]! | 0);
  }
}

/** How a rating becomes elements; see `--ratings`. */
export type RatingRule = 'liked' | 'liked-hated' | 'stars';
/**
 * How the records `set, element, value` of the same set and element are combined, and how often the set then has the element:
 *
 *      rule           contribution of a line      together     in the set
 *      set            1 if the weight > 0      -            once
 *      bag            weight in millionths        sum          as often as the whole part of the sum
 *      liked          1 if liked               -            once
 *      liked-hated    1 liked, 0 hated            maximum      once, as the element "liked" or the element "hated"
 *      stars          1 .. 5                      maximum      as often as there are stars
 *
 * Every combination is associative, commutative and exact (sums of integers below 2^53 that saturate), so the
 * order and the grouping of lines do not matter. Mining of Massive Datasets, section 3.1.2: ratings as sets
 * and bags.
 */
export type RowRule = 'set' | 'bag' | RatingRule;

/** The contribution of a line that has a set but no element. */
export const NOTHING = -1;

const MOST_STARS = 5;

/** Highest multiplicity of an element in a bag, so that one line cannot expand to gigabytes. */
export const MOST_COPIES = 65535;

/** A weight of one in the fixed-point numbers that are added. */
const UNIT = 1_000_000;
/** Sums saturate here: above MOST_COPIES, so every saturated sum is above it, too. */
const MOST_WEIGHT = UNIT * (MOST_COPIES + 1);

/** The label of the element "item, hated". The element "item, liked" has the label 1. */
export const HATED = 2;

/** Whether lines have numbers that must be combined under this rule. */
export function hasWeights(rule: RowRule): boolean {
  return rule === 'bag' || rule === 'liked-hated' || rule === 'stars';
}

/** Whether an element can be in a set more than once under this rule. */
export function hasCopies(rule: RowRule): boolean {
  return rule === 'bag' || rule === 'stars';
}

/** Whether a number is a valid value under this rule: for `stars` an integer from 1 to 5, else a finite number >= 0. */
export function isValue(rule: RowRule, value: number): boolean {
  if (rule === 'stars') return Number.isInteger(value) && value >= 1 && value <= MOST_STARS;
  return value >= 0 && value < Number.POSITIVE_INFINITY;
}

/** The contribution of a line with this value, which `isValue` accepts; or NOTHING. */
export function contributionOf(rule: RowRule, value: number, likedFrom: number): number {
  switch (rule) {
    case 'set':
      return value > 0 ? 1 : NOTHING;
    case 'bag': {
      const weight = Math.min(MOST_WEIGHT, Math.round(value * UNIT));
      return weight > 0 ? weight : NOTHING;
    }
    case 'liked':
      return value >= likedFrom ? 1 : NOTHING;
    case 'liked-hated':
      return value >= likedFrom ? 1 : 0;
    case 'stars':
      return value;
  }
}

/** Combines two contributions of one element of one set. */
export function combined(rule: RowRule, a: number, b: number): number {
  return rule === 'bag' ? Math.min(MOST_WEIGHT, a + b) : Math.max(a, b);
}

/**
 * The multiplicity of an element with this contribution, from 0; the caller truncates it to MOST_COPIES. Always 1
 * under `liked-hated`.
 */
export function copiesOf(rule: RowRule, contribution: number): number {
  if (rule === 'bag') return Math.floor(contribution / UNIT);
  return rule === 'stars' ? contribution : 1;
}
