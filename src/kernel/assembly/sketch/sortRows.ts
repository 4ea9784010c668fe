/** Rows of one width, at least 8 bytes: sorted by their bytes, part by part. */
import { sortByKey64 } from './sort';

/** The part that a row is in, by its first bytes: `byHash` of src/engines/disk/sortedRuns.ts is the reference. */
function partOf(row: usize, prefix: usize, parts: u32): u32 {
  let hash: u32 = 0x811c9dc5;
  let at: usize = 0;
  for (; at + 4 <= prefix; at += 4) {
    hash = (hash ^ (hash >> 15) ^ bswap<u32>(load<u32>(row + at))) * 0x85ebca6b;
  }
  for (; at < prefix; at++) hash = (hash ^ <u32>load<u8>(row + at)) * 0x01000193;
  hash = (hash ^ (hash >> 13)) * 0xc2b2ae35;
  return (hash ^ (hash >> 16)) % parts;
}

/** Writes the numbers of all rows to `order`, part after part, and to `ends` (u32 a part) where each ends; `partOfRow`: u32 a row. */
function orderParts(
  rows: usize,
  count: u32,
  width: usize,
  prefix: usize,
  parts: u32,
  order: usize,
  partOfRow: usize,
  ends: usize,
): void {
  memory.fill(ends, 0, (<usize>parts) << 2);
  for (let row: usize = 0; row < <usize>count; row++) {
    const part = parts === 1 ? 0 : partOf(rows + row * width, prefix, parts);
    store<u32>(partOfRow + (row << 2), part);
    const size = ends + ((<usize>part) << 2);
    store<u32>(size, load<u32>(size) + 1);
  }
  let sum: u32 = 0;
  for (let part: usize = 0; part < <usize>parts; part++) {
    const size = load<u32>(ends + (part << 2));
    store<u32>(ends + (part << 2), sum);
    sum += size;
  }
  for (let row: usize = 0; row < <usize>count; row++) {
    const next = ends + ((<usize>load<u32>(partOfRow + (row << 2))) << 2);
    const to = load<u32>(next);
    store<u32>(next, to + 1);
    store<u32>(order + ((<usize>to) << 2), <u32>row);
  }
}

/** Sorts order[from, to) by the bytes of rows from `depth` on, before which they are equal. */
function arrange(
  rows: usize,
  width: usize,
  depth: usize,
  from: u32,
  to: u32,
  keys: usize,
  order: usize,
  spare: usize,
  spareOrder: usize,
  counts: usize,
): void {
  const at = min<usize>(depth, width - 8);
  for (let i = <usize>from; i < <usize>to; i++) {
    const row = rows + <usize>load<u32>(order + (i << 2)) * width;
    store<u64>(keys + (i << 3), bswap<u64>(load<u64>(row + at)));
  }
  const first = <usize>from;
  sortByKey64(keys + (first << 3), order + (first << 2), to - from, spare, spareOrder, counts);
  if (at + 8 >= width) return;
  for (let begin = from, end = from; begin < to; begin = end) {
    const key = load<u64>(keys + ((<usize>begin) << 3));
    end = begin + 1;
    while (end < to && load<u64>(keys + ((<usize>end) << 3)) === key) end++;
    if (end - begin > 1) arrange(rows, width, at + 8, begin, end, keys, order, spare, spareOrder, counts);
  }
}

/**
 * Writes the numbers of `count` rows to `order` (u32), sorted by part and bytes, and where each part ends. `keys`, `spare`: 8 bytes a
 * row, `spareOrder`: 4.
 */
export function sortRows(
  rows: usize,
  count: u32,
  width: u32,
  prefix: u32,
  parts: u32,
  ends: usize,
  keys: usize,
  order: usize,
  spare: usize,
  spareOrder: usize,
  counts: usize,
): void {
  orderParts(rows, count, width, prefix, parts, order, spareOrder, ends);
  let from: u32 = 0;
  for (let part: usize = 0; part < <usize>parts; part++) {
    const to = load<u32>(ends + (part << 2));
    if (to > from) arrange(rows, width, 0, from, to, keys, order, spare, spareOrder, counts);
    from = to;
  }
}

/**
 * Moves the rows together whose first bytes another row may have, too, as a flag of their last four, `word`, tells; rows with the word
 * `first` or `second` are among them. Returns how many there are. `flags`: `slots` bytes, a power of two.
 */
export function keepRecurring(
  rows: usize,
  count: u32,
  width: u32,
  word: u32,
  first: u32,
  second: u32,
  flags: usize,
  slots: u32,
): u32 {
  const mask = slots - 1;
  const bytes = <usize>width;
  const end = rows + <usize>count * bytes;
  memory.fill(flags, 0, <usize>slots);
  for (let row = rows; row < end; row += bytes) {
    const flag = flags + <usize>(load<u32>(row + <usize>word) & mask);
    store<u8>(flag, load<u8>(flag) === 0 ? 1 : 2);
  }
  store<u8>(flags + <usize>(first & mask), 2);
  store<u8>(flags + <usize>(second & mask), 2);
  let to = rows;
  for (let row = rows; row < end; row += bytes) {
    if (load<u8>(flags + <usize>(load<u32>(row + <usize>word) & mask)) !== 2) continue;
    memory.copy(to, row, bytes);
    to += bytes;
  }
  return <u32>((to - rows) / bytes);
}

/** Copies `count` rows, whose numbers are at `order`, to `out`. */
export function copyRows(rows: usize, width: u32, order: usize, count: u32, out: usize): void {
  const bytes = <usize>width;
  for (let i: usize = 0; i < <usize>count; i++, out += bytes) {
    const row = rows + <usize>load<u32>(order + (i << 2)) * bytes;
    for (let at: usize = 0; at + 8 <= bytes; at += 8) store<u64>(out + at, load<u64>(row + at));
    store<u64>(out + bytes - 8, load<u64>(row + bytes - 8));
  }
}
