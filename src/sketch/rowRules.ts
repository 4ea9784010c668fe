/**
 * What lines `set, element, value` say together: what one line contributes, how lines about one element of one set
 * combine, and how often the element then is in the set.
 *
 *      rule           contribution of a line      together     in the set
 *      set            1 where the weight > 0      -            once
 *      bag            weight in millionths        sum          as often as the whole part of the sum
 *      liked          1 where liked               -            once
 *      liked-hated    1 liked, 0 hated            maximum      once, as the element "liked" or the element "hated"
 *      stars          1 .. 5                      maximum      as often as there are stars
 *
 * Every combination is associative, commutative and exact (sums are of whole numbers below 2^53, and saturate), so the
 * order and the grouping of lines never show. Mining of Massive Datasets, section 3.1.2: ratings as sets and bags.
 *
 * Floor 0. Never knows lines or files.
 */

/** What a rating makes of an element; see `--ratings`. */
export type RatingRule = 'liked' | 'liked-hated' | 'stars';
export type RowRule = 'set' | 'bag' | RatingRule;

/** A line that makes its set known, and nothing else. */
export const NOTHING = -1;

export const MOST_STARS = 5;

/** An element is in a bag at most so often: one line must not stand for gigabytes. */
export const MOST_COPIES = 65535;

/** A weight of one, in the whole numbers that are added. */
const UNIT = 1_000_000;
/** Sums stop here: more than MOST_COPIES, and so is every sum of which a part was cut. */
const MOST_WEIGHT = UNIT * (MOST_COPIES + 1);

/** The occurrence whose label makes the element "hated" of an item: the first is "liked". */
export const HATED = 2;

/** Whether lines under this rule have anything to combine but that they are there. */
export function hasWeights(rule: RowRule): boolean {
  return rule === 'bag' || rule === 'liked-hated' || rule === 'stars';
}

/** Whether an element can be in a set more than once under this rule. */
export function hasCopies(rule: RowRule): boolean {
  return rule === 'bag' || rule === 'stars';
}

/** Whether a number is a value under this rule: of stars a whole number from 1 to 5, else any finite one from 0. */
export function isValue(rule: RowRule, value: number): boolean {
  if (rule === 'stars') return Number.isInteger(value) && value >= 1 && value <= MOST_STARS;
  return value >= 0 && value < Number.POSITIVE_INFINITY;
}

/** What a line with this value (one that `isValue`) contributes, or NOTHING. */
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

/** Two contributions about one element of one set as one. */
export function combined(rule: RowRule, a: number, b: number): number {
  return rule === 'bag' ? Math.min(MOST_WEIGHT, a + b) : Math.max(a, b);
}

/**
 * How often the element of this contribution is in its set, 0 and more; above MOST_COPIES it has to be cut. Of
 * `liked-hated` always once.
 */
export function copiesOf(rule: RowRule, contribution: number): number {
  if (rule === 'bag') return Math.floor(contribution / UNIT);
  return rule === 'stars' ? contribution : 1;
}
