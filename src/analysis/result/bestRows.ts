/** The best of many rows in bounded memory. */

/** Keeps the `count` rows of greatest value, ties in the order of addition; holds at most twice as many. */
export class BestRows<Row> {
  /** Number of rows added. */
  total = 0;
  private entries: { readonly row: Row; readonly value: number }[] = [];
  private readonly count: number;
  /** Rows with a smaller value are ignored. */
  private least = Number.NEGATIVE_INFINITY;

  constructor(count: number) {
    this.count = count;
  }

  offer(row: Row, value: number): void {
    this.total++;
    if (this.count === 0 || value < this.least) return;
    this.entries.push({ row, value });
    if (this.entries.length >= 2 * this.count + 16) this.prune();
  }

  /** The best rows, the greatest first. */
  rows(): Row[] {
    this.prune();
    return this.entries.map(({ row }) => row);
  }

  private prune(): void {
    // Sorting is stable, so ties keep their order.
    this.entries = this.entries.sort((x, y) => y.value - x.value).slice(0, this.count);
    if (this.entries.length === this.count && this.count > 0) this.least = this.entries.at(-1)!.value;
  }
}
