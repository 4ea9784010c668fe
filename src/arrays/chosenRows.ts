/** Rows of columns, in steps: those with great values, and a column at some rows. */

import { type ArrayType, newArray } from './ownPages.js';
import { eachRange, type Stepwise } from './stepwise.js';

/** How many of the first `count` values are at least `least`. */
function* countFrom(values: ArrayLike<number>, count: number, least: number): Stepwise<number> {
  let some = 0;
  yield* eachRange(count, (from, to) => {
    for (let i = from; i < to; i++) some += values[i]! >= least ? 1 : 0;
  });
  return some;
}

/** The rows of the first `count` values that are at least `least`, ascending. */
export function* rowsFrom(values: ArrayLike<number>, count: number, least: number): Stepwise<Uint32Array> {
  const rows = newArray(Uint32Array, yield* countFrom(values, count, least));
  let row = 0;
  yield* eachRange(count, (from, to) => {
    for (let i = from; i < to; i++) if (values[i]! >= least) rows[row++] = i;
  });
  return rows;
}

/** The values of a column at some rows, in the order of the rows. `into`: where they are written. */
export function* columnAt<T extends Uint8Array | Uint16Array | Uint32Array | Float64Array>(
  column: T,
  rows: Uint32Array,
  into: T = newArray(column.constructor as ArrayType<T>, rows.length),
): Stepwise<T> {
  yield* eachRange(rows.length, (from, to) => {
    for (let i = from; i < to; i++) into[i] = column[rows[i]!]!;
  });
  return into;
}
