/** Groups rows by key. */
import { newArray } from './ownPages.js';

/** The rows of key k are `rows[starts[k] .. starts[k + 1])`, in the order of `each`. */
export interface RowsByKey {
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
}

/** Groups rows by keys below `keys`. `each` passes all of them, and is called twice. */
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
