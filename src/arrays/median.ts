/**
 * The median of a column by histograms, without sorting it.
 */

/** Bins of a histogram: most columns have their median among the first so many values, and need one pass. */
const BINS = 1 << 16;

/**
 * The lower median of the whole numbers of at least 1 in some columns, other numbers being passed over; null where there is
 * none. Linear: a histogram of single values, and where the median is beyond them, histograms of ranges that get narrower.
 *
 * @param without values of the columns that do not count, each as often as it is here
 */
export function medianOfPositive(
  columns: readonly ArrayLike<number>[],
  without: Float64Array = new Float64Array(0),
): number | null {
  let low = 1;
  let width = 1;
  let { counts, total, most } = histogram(columns, without, low, width);
  if (total === 0) return null;
  // How many of the values from `low` on are below the median.
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
  /** Values in [low + i * width, low + (i + 1) * width). */
  readonly counts: Float64Array;
  /** All values of at least `low`, and the largest of all. */
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
 * The same median of values that come one by one, by how often each occurs: memory is an entry for each different value, at
 * most the root of twice their sum, a million where they add up to 5 * 10^11.
 */
export class CountedMedian {
  private readonly small = new Float64Array(SINGLE);
  private readonly large = new Map<number, number>();
  private total = 0;

  /** A whole number; those below 1 are passed over. */
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
