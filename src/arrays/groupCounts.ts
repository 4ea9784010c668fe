/**
 * Groups of documents, where only documents of different groups are compared, and counts of rows by group.
 */
import { newArray } from './ownPages.js';
import { sortByKey64 } from './sort.js';

/** `of`: by document the number of its group. Only documents of different groups can be a pair. */
export interface Groups {
  readonly of: Uint32Array;
}

/** Whether two documents are of one group; false where there are no groups. */
export function areOfOneGroup(groups: Groups | null, a: number, b: number): boolean {
  return groups !== null && groups.of[a] === groups.of[b];
}

/** By row, the number of rows with its bucket and its group, itself included. Linear. */
export function sameGroupCounts(buckets: Uint32Array, groups: Uint32Array): Uint32Array {
  const count = buckets.length;
  const keys = new Uint32Array(2 * count);
  const rows = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    keys[2 * i] = groups[i]!;
    keys[2 * i + 1] = buckets[i]!;
    rows[i] = i;
  }
  sortByKey64(keys, rows, count);
  const counts = new Uint32Array(count);
  for (let from = 0, to = 0; from < count; from = to) {
    while (to < count && keys[2 * to] === keys[2 * from] && keys[2 * to + 1] === keys[2 * from + 1]) to++;
    for (let i = from; i < to; i++) counts[rows[i]!] = to - from;
  }
  return counts;
}

/** By row, the group of its document: document d has the rows [offsets[d], offsets[d + 1]). */
export function groupsOfRows(offsets: Uint32Array, groups: Groups): Uint32Array {
  const rows = new Uint32Array(offsets.at(-1)!);
  for (let d = 0; d + 1 < offsets.length; d++) rows.fill(groups.of[d]!, offsets[d]!, offsets[d + 1]!);
  return rows;
}

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
