/**
 * Searches in sorted columns.
 */

/** The smallest integer in [from, to) for which a monotonic condition holds; `to` if there is none. */
export function firstWhere(from: number, to: number, holds: (n: number) => boolean): number {
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** The first position in [from, to) of an ascending column with a value of at least `value`; `to` if there is none. */
export function lowerBound(column: Uint32Array, from: number, to: number, value: number): number {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (column[middle]! < value) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The range that contains a position: range r is [starts[r], starts[r + 1]). Of empty ranges at its start the last one. */
export function rangeOf(starts: Uint32Array, position: number): number {
  return lowerBound(starts, 1, starts.length - 1, position + 1) - 1;
}
