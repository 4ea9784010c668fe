/**
 * Sorted columns of distinct 64-bit values, the common form of every sketch: union, and counting of common
 * values. Values are pairs (low, high) ordered as unsigned numbers.
 */

/** The `most` smallest values of the union of two columns, as a new column. `most` may be Infinity. */
export function unionOf(a: Uint32Array, b: Uint32Array, most: number): Uint32Array {
  const union = new Uint32Array(2 * Math.min(most, (a.length + b.length) / 2));
  let i = 0;
  let j = 0;
  let size = 0;
  while (size < union.length && (i < a.length || j < b.length)) {
    const order = i === a.length ? 1 : j === b.length ? -1 : orderOf(a, i, b, j);
    const from = order <= 0 ? a : b;
    const at = order <= 0 ? i : j;
    union[size++] = from[at]!;
    union[size++] = from[at + 1]!;
    if (order <= 0) i += 2;
    if (order >= 0) j += 2;
  }
  return size === union.length ? union : union.slice(0, size);
}

/**
 * How many of the `most` smallest values of the union of two columns are in both: values [aFrom, aTo) of `a`
 * and [bFrom, bTo) of `b`, counted in values. The merge of Broder 1997, section 4.4: O(most). The union's
 * part looked at is min(most, sizeA + sizeB - the number returned) values, whichever is cut short.
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
