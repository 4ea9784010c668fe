/** Long work of one thread in steps, between which its caller may let others have a turn; and the loops over rows that need them. */

/** Yields after each step, which should take less than a tenth of a second. */
export type Stepwise<T> = Generator<undefined, T, undefined>;

export function atOnce<T>(steps: Stepwise<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Rows of a step. */
const ROWS = 1 << 18;

/** Visits [0, count) range after range: the loop over a range is of a function of its own, which is as fast as one without steps. */
export function* eachRange(count: number, visit: (from: number, to: number) => void): Stepwise<void> {
  for (let from = 0; from < count; from += ROWS) {
    visit(from, Math.min(count, from + ROWS));
    yield;
  }
}

/** The rows that are wanted, in their order. */
export function* rowsWhere(rows: Uint32Array, isWanted: (row: number) => boolean): Stepwise<Uint32Array> {
  const found = new Uint32Array(rows.length);
  let count = 0;
  yield* eachRange(rows.length, (from, to) => {
    for (let i = from; i < to; i++) if (isWanted(rows[i]!)) found[count++] = rows[i]!;
  });
  return count === rows.length ? rows : found.slice(0, count);
}
