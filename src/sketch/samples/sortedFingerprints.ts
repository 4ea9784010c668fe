/**
 * Counts the common values of sorted columns of distinct 64-bit values, the form of every sample. Values are pairs (low, high)
 * ordered as unsigned numbers.
 */

/**
 * How many of the `most` smallest values of the union of two columns are in both: values [aFrom, aTo) of `a`
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
