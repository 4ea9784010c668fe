/** The median of a column, without sorting it. */

/** Values of this size or more are counted in a map. */
const SINGLE = 1 << 16;

/**
 * The lower median of the added whole numbers of at least 1; null without numbers. Counts how often each value occurs, so memory
 * is one entry per distinct value: at most the square root of twice their sum.
 */
export class CountedMedian {
  private readonly small = new Float64Array(SINGLE);
  private readonly large = new Map<number, number>();
  private total = 0;

  /** Adds a whole number, `times` times; numbers below 1 are ignored. */
  add(value: number, times = 1): void {
    if (value < 1) return;
    this.total += times;
    if (value < SINGLE) this.small[value]! += times;
    else this.large.set(value, (this.large.get(value) ?? 0) + times);
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
