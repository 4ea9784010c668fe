/** Rows brought together by keys. */
import { newArray } from './ownPages.js';

/** Rows by key: those of key k are `rows[starts[k] .. starts[k + 1])`, in the order in which they were given. */
export interface RowsByKey {
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
}

/** Brings rows together by keys below `keys`. `each` gives all of them, and is called twice. */
export function rowsByKey(keys: number, each: (give: (key: number, row: number) => void) => void): RowsByKey {
  const starts = new Uint32Array(keys + 1);
  let count = 0;
  each((key) => {
    starts[key + 1]!++;
    count++;
  });
  if (count === 0) return { starts, rows: new Uint32Array(0) };
  for (let key = 0; key < keys; key++) starts[key + 1]! += starts[key]!;
  const next = starts.slice();
  const rows = newArray(Uint32Array, count);
  each((key, row) => {
    rows[next[key]!++] = row;
  });
  return { starts, rows };
}
