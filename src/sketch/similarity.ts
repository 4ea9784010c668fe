/**
 * Common elements, exact resemblance and containment of two sets of 64-bit shingle hashes (Broder 1997, section 2).
 *
 * "Exact" refers to hashes: two shingles with the same hash are one element.
 */

/**
 * Common elements of two lists of 64-bit hashes (pairs low, high), each sorted as unsigned numbers and
 * without repetition: hashes [aFrom, aTo) of `a` and [bFrom, bTo) of `b`, counted in hashes. An empty list
 * gives 0.
 */
export function intersectionSize(
  a: Uint32Array,
  aFrom: number,
  aTo: number,
  b: Uint32Array,
  bFrom: number,
  bTo: number,
): number {
  let common = 0;
  let i = 2 * aFrom;
  let j = 2 * bFrom;
  const aEnd = 2 * aTo;
  const bEnd = 2 * bTo;
  while (i < aEnd && j < bEnd) {
    const aHigh = a[i + 1]!;
    const bHigh = b[j + 1]!;
    // If the high halves differ, the list that advances is random, so it is computed without a branch.
    let aStep = aHigh < bHigh ? 2 : 0;
    let bStep = 2 - aStep;
    if (aHigh === bHigh) {
      const aLow = a[i]!;
      const bLow = b[j]!;
      aStep = aLow <= bLow ? 2 : 0;
      bStep = bLow <= aLow ? 2 : 0;
      if (aLow === bLow) common++;
    }
    i += aStep;
    j += bStep;
  }
  return common;
}

/**
 * The number of the `most` smallest values of the union of two columns that are in both: values [aFrom, aTo) of `a`
 * and [bFrom, bTo) of `b`, counted in values. The merge of Broder 1997, section 4.4: O(most). It looks at the
 * min(most, sizeA + sizeB - the number returned) smallest values of the union.
 */
export function commonAmongFirst(
  a: Uint32Array,
  aFrom: number,
  aTo: number,
  b: Uint32Array,
  bFrom: number,
  bTo: number,
  most: number,
): number {
  let common = 0;
  let i = 2 * aFrom;
  let j = 2 * bFrom;
  // Past the end of either column there are no common values.
  for (let seen = 0; seen < most && i < 2 * aTo && j < 2 * bTo; seen++) {
    const order = orderOf(a, i, b, j);
    if (order === 0) common++;
    if (order <= 0) i += 2;
    if (order >= 0) j += 2;
  }
  return common;
}

/** Negative, 0 or positive as the value at a[i], a[i+1] is below, equal to or above that at b[j], b[j+1]. */
function orderOf(a: Uint32Array, i: number, b: Uint32Array, j: number): number {
  const high = a[i + 1]! - b[j + 1]!;
  return high !== 0 ? high : a[i]! - b[j]!;
}

/**
 * |A and B| / |A or B|, 0..1; 0 if both sets are empty. A pair is accepted if this quotient is >= the
 * threshold. All callers use this division: 55/100 >= 0.55 is true, but 55 >= 0.55 * 100 is false (the product is rounded up).
 */
export function resemblanceOf(intersection: number, sizeA: number, sizeB: number): number {
  const union = sizeA + sizeB - intersection;
  return union === 0 ? 0 : intersection / union;
}

/** |A and B| / |A| for the set A of `size` elements, 0..1: how much of A is in B. 0 if A is empty. */
export function containmentOf(intersection: number, size: number): number {
  return size === 0 ? 0 : intersection / size;
}
