/**
 * The median of a column by histograms, without sorting it.
 */

/** Number of bins of a histogram: most columns have a median below it, and need one pass. */
const BINS = 1 << 16;

/**
 * The lower median of the whole numbers of at least 1 in some columns; smaller numbers are ignored; null where there is no such
 * number. Linear: a histogram of single values, and where the median is beyond them, histograms of narrowing ranges.
 *
 * @param without values to leave out of the columns, each as often as it occurs in `without`
 */
export function medianOfPositive(
  columns: readonly ArrayLike<number>[],
  without: Float64Array = new Float64Array(0),
): number | null {
  let low = 1;
  let width = 1;
  let { counts, total, most } = histogram(columns, without, low, width);
  if (total === 0) return null;
  // The number of values from `low` on that are below the median.
  let rank = Math.floor((total - 1) / 2);
  for (;;) {
    let bin = 0;
    while (bin < BINS && rank >= counts[bin]!) rank -= counts[bin++]!;
    if (bin < BINS && width === 1) return low + bin;
    if (bin === BINS) {
      low += BINS * width;
      width = Math.ceil((most - low + 1) / BINS);
    } else {
      low += bin * width;
      width = Math.ceil(width / BINS);
    }
    ({ counts, total, most } = histogram(columns, without, low, width));
  }
}

interface Histogram {
  /** Bin i counts the values in [low + i * width, low + (i + 1) * width). */
  readonly counts: Float64Array;
  /** The number of values of at least `low`, and the largest of all values. */
  readonly total: number;
  readonly most: number;
}

function histogram(
  columns: readonly ArrayLike<number>[],
  without: Float64Array,
  low: number,
  width: number,
): Histogram {
  const counts = new Float64Array(BINS);
  let total = 0;
  let most = 0;
  const take = (column: ArrayLike<number>, sign: number): void => {
    for (let i = 0; i < column.length; i++) {
      const value = column[i]!;
      if (value > most) most = value;
      if (value < low) continue;
      total += sign;
      const bin = width === 1 ? value - low : Math.floor((value - low) / width);
      if (bin < BINS) counts[bin]! += sign;
    }
  };
  for (const column of columns) take(column, 1);
  take(without, -1);
  return { counts, total, most };
}

/** Values from here on are counted in a map. */
const SINGLE = 1 << 16;

/**
 * The same median of values that are added one by one. It counts how often each value occurs: memory is an entry per distinct
 * value, at most the square root of twice their sum, which is a million where they add up to 5 * 10^11.
 */
export class CountedMedian {
  private readonly small = new Float64Array(SINGLE);
  private readonly large = new Map<number, number>();
  private total = 0;

  /** Adds a whole number; numbers below 1 are ignored. */
  add(value: number): void {
    if (value < 1) return;
    this.total++;
    if (value < SINGLE) this.small[value]!++;
    else this.large.set(value, (this.large.get(value) ?? 0) + 1);
  }

  get value(): number | null {
    if (this.total === 0) return null;
    let rank = Math.floor((this.total - 1) / 2);
    for (let value = 1; value < SINGLE; value++) {
      if (rank < this.small[value]!) return value;
      rank -= this.small[value]!;
    }
    const values = Float64Array.from(this.large.keys()).sort();
    for (const value of values) {
      if (rank < this.large.get(value)!) return value;
      rank -= this.large.get(value)!;
    }
    return null;
  }
}
