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

/** Rows of a bucket, on average at least, and buckets of all parts, at most, in bits: as many lines are open in the caches. */
const BUCKET_BITS: u32 = 6;
const MOST_BITS: u32 = 11;
/** Rows whose first bytes say how the buckets of a part share the order. */
const SAMPLED: u32 = 256;

/** Moves a row of at least 8 bytes. */
function moveRow(from: usize, to: usize, bytes: usize): void {
  for (let at: usize = 0; at + 8 <= bytes; at += 8) store<u64>(to + at, load<u64>(from + at));
  store<u64>(to + bytes - 8, load<u64>(from + bytes - 8));
}

/** Buckets of a part, in bits. */
function bucketBits(count: u32, parts: u32): u32 {
  const room = MOST_BITS - min<u32>(MOST_BITS, 32 - clz<u32>(parts - 1));
  return min<u32>(room, 31 - min<u32>(31, clz<u32>((count >> BUCKET_BITS) | 1)));
}

/**
 * Moves all rows to `moved`, part after part, and within a part to buckets in the order of their first 8 bytes, so that what sorts a
 * bucket stays in the nearest cache. `buckets` (u32 each): where each ends; `bucketOf`: u32 a row.
 */
function moveToBuckets(
  rows: usize,
  count: u32,
  width: usize,
  prefix: usize,
  parts: u32,
  bits: u32,
  moved: usize,
  buckets: usize,
  bucketOf: usize,
): void {
  let least = u64.MAX_VALUE;
  let most: u64 = 0;
  const step = max<u32>(1, count / SAMPLED);
  for (let row: u32 = 0; row < count; row += step) {
    const key = bswap<u64>(load<u64>(rows + <usize>row * width));
    least = min<u64>(least, key);
    most = max<u64>(most, key);
  }
  const last = ((<u64>1) << bits) - 1;
  const shift = <u64>max<i32>(0, 64 - <i32>clz<u64>(most - least) - <i32>bits);
  const all = (<usize>parts) << bits;
  memory.fill(buckets, 0, all << 2);
  for (let row: usize = 0; row < <usize>count; row++) {
    const at = rows + row * width;
    const part = parts === 1 ? 0 : partOf(at, prefix, parts);
    const key = max<u64>(least, bswap<u64>(load<u64>(at)));
    const bucket = (part << bits) | <u32>min<u64>(last, (key - least) >> shift);
    store<u32>(bucketOf + (row << 2), bucket);
    const size = buckets + ((<usize>bucket) << 2);
    store<u32>(size, load<u32>(size) + 1);
  }
  let sum: u32 = 0;
  for (let bucket: usize = 0; bucket < all; bucket++) {
    const size = load<u32>(buckets + (bucket << 2));
    store<u32>(buckets + (bucket << 2), sum);
    sum += size;
  }
  for (let row: usize = 0; row < <usize>count; row++) {
    const next = buckets + ((<usize>load<u32>(bucketOf + (row << 2))) << 2);
    const to = load<u32>(next);
    store<u32>(next, to + 1);
    moveRow(rows + row * width, moved + <usize>to * width, width);
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
 * Moves `count` rows to `moved`, writes their numbers there to `order` (u32), sorted by part and bytes, and where each part ends to
 * `ends` (u32). `rows`: at least 12 bytes a row, which the sort needs when they are moved; `keys`: 8 bytes a row; `buckets`: see
 * `bucketBytes`.
 */
export function sortRows(
  rows: usize,
  count: u32,
  width: u32,
  prefix: u32,
  parts: u32,
  ends: usize,
  moved: usize,
  keys: usize,
  order: usize,
  buckets: usize,
  counts: usize,
): void {
  const bits = bucketBits(count, parts);
  moveToBuckets(rows, count, width, prefix, parts, bits, moved, buckets, order);
  const spare = rows;
  const spareOrder = rows + ((<usize>count) << 3);
  let from: u32 = 0;
  for (let bucket: usize = 0; bucket < (<usize>parts) << bits; bucket++) {
    const to = load<u32>(buckets + (bucket << 2));
    for (let i = from; i < to; i++) store<u32>(order + ((<usize>i) << 2), i);
    if (to > from) arrange(moved, width, 0, from, to, keys, order, spare, spareOrder, counts);
    store<u32>(ends + ((bucket >> bits) << 2), to);
    from = to;
  }
}

/** Bytes of the ends of buckets. */
export function bucketBytes(parts: u32): usize {
  return max<usize>((<usize>4) << MOST_BITS, (<usize>parts) << 2);
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
    moveRow(rows + <usize>load<u32>(order + (i << 2)) * bytes, out, bytes);
  }
}
