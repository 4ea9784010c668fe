/**
 * Removes the matches of two fingerprints that are noise: short runs, far from others (Gupta and Singla, section 3, with table 1).
 */

/** Equal symbols of two strings: symbol base[n] of one is symbol document[n] of the other, both ascending, from 0. */
export interface Matches {
  count: number;
  readonly base: Uint32Array;
  readonly document: Uint32Array;
}

/** Runs of up to this many matches are always noise. */
const SURE_NOISE = 2;
/** Runs of this many matches are noise if they are isolated. */
const DOUBTFUL = 3;
/** Symbols between a run and the next match, in either string, that isolate it on one side. */
const ISOLATING = 2;

/**
 * Removes the matches that are noise, in place. A run is a series of matches that are adjacent in both strings. Runs of
 * one and two are noise. A run of three is noise if on both sides at least two symbols, in either string, are between
 * it and the next match, even if that is noise (8 = 8 and 9 = 11 in table 1 are separated by two symbols of S2).
 *
 * On a side without a further match, the symbols up to the end of the string count. The paper does not define this; it
 * calls a run of three noise because "at least two words on each side of the match were not" found, and at an end of
 * both strings there are no such words. So a string of three symbols matches itself, as identical documents must.
 *
 * @returns the number of matches left
 */
export function removeNoise(matches: Matches, baseLength: number, documentLength: number): number {
  const { base, document, count } = matches;
  /** Symbols between match n - 1 and match n, in the string that has more of them. */
  const gapBefore = (n: number): number => {
    const [i, j] = n < count ? [base[n]!, document[n]!] : [baseLength, documentLength];
    const [before, beside] = n > 0 ? [base[n - 1]!, document[n - 1]!] : [-1, -1];
    return Math.max(i - before, j - beside) - 1;
  };
  let left = 0;
  let isolatedBefore = count > 0 && gapBefore(0) >= ISOLATING;
  for (let start = 0; start < count; ) {
    let end = start + 1;
    while (end < count && gapBefore(end) === 0) end++;
    const isolatedAfter = gapBefore(end) >= ISOLATING;
    const length = end - start;
    const isNoise = length <= SURE_NOISE || (length === DOUBTFUL && isolatedBefore && isolatedAfter);
    isolatedBefore = isolatedAfter;
    if (!isNoise) {
      base.copyWithin(left, start, end);
      document.copyWithin(left, start, end);
      left += length;
    }
    start = end;
  }
  matches.count = left;
  return left;
}
