/**
 * Sets of 64-bit hashes as bits, and their common elements; src/sketch/similarity.ts is the reference.
 *
 * Hashes get numbers in the order of their first occurrence. A text that shares passages with an earlier text has the same
 * hashes in the same order, so their numbers are consecutive, and the set is a few blocks of 128 bits. The state is a struct that
 * the glue allocates (src/kernel/wasmSets.ts has the same offsets), with the addresses of the lists:
 *
 *       0 hashes u32     by number, u64
 *       4 slots u32      table of open addressing, u32: 0, or number + 1 and above it some bits of its hash
 *       8 marks u32      bits of the open set, by number; else 0
 *      12 touched u32    the blocks of `marks` that are not 0, u32
 *      16 keys u32       by block of all sets: its place among the blocks of the numbers, u32, ascending in a set
 *      20 bits u32       by block of all sets: 128 bits
 *      24 room u32       maximum of numbers, at most 2^22 - 1
 *      28 blocks u32     maximum of blocks of all sets
 *      32 width u32      the table has 2^width slots
 *      36 numbers u32    number of hashes with a number
 *      40 open u32       blocks touched by the open set
 *      44 held u32       blocks of all sets
 */
import { C1 } from '../text/mixing';

const HASHES: usize = 0;
const SLOTS: usize = 4;
const MARKS: usize = 8;
const TOUCHED: usize = 12;
const KEYS: usize = 16;
const BITS: usize = 20;
const ROOM: usize = 24;
const BLOCKS: usize = 28;
const WIDTH: usize = 32;
const NUMBERS: usize = 36;
const OPEN: usize = 40;
const HELD: usize = 44;

/** Bits of a slot that hold number + 1; the others are bits of the hash, to avoid most comparisons of different hashes. */
const NUMBER_BITS: u32 = 22;
const NUMBER_MASK: u32 = (1 << NUMBER_BITS) - 1;

/** Width of the widest table: with the maximum of numbers, half of its slots are used. */
const WIDEST: u32 = 23;
/** Width from which a table does not fit into the L1 and L2 caches. */
const LARGE: u32 = 18;

/** Up to this many touched blocks are sorted; for more, all marks are scanned. */
const FEW_BLOCKS: u32 = 96;

/** Removes all numbers and sets; the table has 2^width slots. */
export function clearNumbers(state: usize, width: u32): void {
  store<u32>(state, width, WIDTH);
  store<u32>(state, 0, NUMBERS);
  store<u32>(state, 0, HELD);
  memory.fill(<usize>load<u32>(state, SLOTS), 0, (<usize>4) << (<usize>width));
}

/** The bits of a hash that its slot holds; the upper bits, which choose the slot, are not among them. */
function tagOf(mixed: u64): u32 {
  return <u32>(mixed >> 10) & ~NUMBER_MASK;
}

/**
 * How many numbers the table may have before it is widened: a quarter of its slots if it fits into the caches, so that
 * lookups are short, else half of its slots.
 */
function limitOf(state: usize): u32 {
  const width = load<u32>(state, WIDTH);
  const room = load<u32>(state, ROOM);
  return width === WIDEST ? room : min<u32>(room, 1 << (width < LARGE ? width - 2 : width - 1));
}

/** Widens the table, fourfold while it is small; false if there is no room for another number. */
function widen(state: usize): bool {
  const numbers = load<u32>(state, NUMBERS);
  if (numbers === load<u32>(state, ROOM)) return false;
  const before = load<u32>(state, WIDTH);
  const width = before < LARGE ? before + 2 : min<u32>(before + 1, WIDEST);
  const slots = <usize>load<u32>(state, SLOTS);
  const hashes = <usize>load<u32>(state, HASHES);
  const mask: u32 = (1 << width) - 1;
  store<u32>(state, width, WIDTH);
  memory.fill(slots, 0, (<usize>4) << (<usize>width));
  for (let number: u32 = 0; number < numbers; number++) {
    const mixed = load<u64>(hashes + ((<usize>number) << 3)) * C1;
    let slot = <u32>(mixed >> <u64>(64 - width));
    while (load<u32>(slots + ((<usize>slot) << 2)) !== 0) slot = (slot + 1) & mask;
    store<u32>(slots + ((<usize>slot) << 2), tagOf(mixed) | (number + 1));
  }
  return true;
}

/** The slot of a hash, or the free slot for it. */
function slotOf(slots: usize, width: u32, hashes: usize, hash: u64, mixed: u64): usize {
  const tag = tagOf(mixed);
  const mask: u32 = (1 << width) - 1;
  let slot = <u32>(mixed >> <u64>(64 - width));
  let found = load<u32>(slots + ((<usize>slot) << 2));
  while (found !== 0) {
    const number = <usize>((found & NUMBER_MASK) - 1);
    if (((found ^ tag) & ~NUMBER_MASK) === 0 && load<u64>(hashes + (number << 3)) === hash) break;
    slot = (slot + 1) & mask;
    found = load<u32>(slots + ((<usize>slot) << 2));
  }
  return slots + ((<usize>slot) << 2);
}

/** Sets `bits` in word `word` (64 bits) of the marks of the open set. */
function mark(state: usize, word: u32, bits: u64): void {
  const at = <usize>load<u32>(state, MARKS) + ((<usize>word) << 3);
  const block = at & ~(<usize>15);
  if ((load<u64>(block) | load<u64>(block, 8)) === 0) {
    const open = load<u32>(state, OPEN);
    store<u32>(<usize>load<u32>(state, TOUCHED) + ((<usize>open) << 2), word >> 1);
    store<u32>(state, open + 1, OPEN);
  }
  store<u64>(at, load<u64>(at) | bits);
}

/**
 * Adds the hashes [list, end), in any order, with repetitions, to the open set, while there is room for numbers; returns the position
 * after the last added hash.
 */
function addWhileRoom(state: usize, list: usize, end: usize): usize {
  const hashes = <usize>load<u32>(state, HASHES);
  const slots = <usize>load<u32>(state, SLOTS);
  const width = load<u32>(state, WIDTH);
  const limit = limitOf(state);
  let numbers = load<u32>(state, NUMBERS);
  let next = numbers;
  let word: u32 = 0;
  let bits: u64 = 0;
  for (; list < end; list += 8) {
    const hash = load<u64>(list);
    let number = next;
    // Most hashes follow the same hash as in an earlier text, and so have the next number.
    if (number === numbers || load<u64>(hashes + ((<usize>number) << 3)) !== hash) {
      const mixed = hash * C1;
      const slot = slotOf(slots, width, hashes, hash, mixed);
      const found = load<u32>(slot);
      number = (found & NUMBER_MASK) - 1;
      if (found === 0) {
        if (numbers === limit) break;
        number = numbers++;
        store<u32>(slot, tagOf(mixed) | numbers);
        store<u64>(hashes + ((<usize>number) << 3), hash);
      }
    }
    next = number + 1;
    if (number >> 6 !== word) {
      if (bits !== 0) mark(state, word, bits);
      word = number >> 6;
      bits = 0;
    }
    bits |= (<u64>1) << (<u64>(number & 63));
  }
  if (bits !== 0) mark(state, word, bits);
  store<u32>(state, numbers, NUMBERS);
  return list;
}

/**
 * Adds the hashes [list, end), in any order, with repetitions, to the open set; false if there is no room for
 * their numbers.
 */
export function addToSet(state: usize, list: usize, end: usize): bool {
  let at = addWhileRoom(state, list, end);
  while (at < end && widen(state)) at = addWhileRoom(state, at, end);
  return at >= end;
}

const RANGES: usize = 256;

/** Widens the table for `count` more numbers, as far as there is room. */
function makeRoomFor(state: usize, count: u32): void {
  const numbers = load<u32>(state, NUMBERS) + count;
  while (limitOf(state) < min<u32>(numbers, load<u32>(state, ROOM)) && widen(state)) {}
}

/**
 * Copies the hashes [list, end) to `to`, ordered by 256 ranges of slots, and within a range in their order; `counts`: a u32 a
 * range.
 */
function moveByRange(list: usize, end: usize, to: usize, counts: usize): void {
  memory.fill(counts, 0, RANGES << 2);
  for (let at = list; at < end; at += 8) {
    const range = counts + ((<usize>((load<u64>(at) * C1) >> 56)) << 2);
    store<u32>(range, load<u32>(range) + 8);
  }
  let next = <u32>to;
  for (let range = counts; range < counts + (RANGES << 2); range += 4) {
    const bytes = load<u32>(range);
    store<u32>(range, next);
    next += bytes;
  }
  for (; list < end; list += 8) {
    const hash = load<u64>(list);
    const range = counts + ((<usize>((hash * C1) >> 56)) << 2);
    const at = load<u32>(range);
    store<u32>(range, at + 8);
    store<u64>(<usize>at, hash);
  }
}

/**
 * `addToSet` for a piece of a long list, whose table is larger than the caches: the hashes of a range of slots are added together,
 * and the range fits the caches. The table is widened before, because the hashes of a range would crowd its slots in a narrow
 * table. `spare`: room for the piece; `counts`: 1 KB.
 */
export function addLongToSet(state: usize, list: usize, end: usize, spare: usize, counts: usize): bool {
  makeRoomFor(state, <u32>((end - list) >> 3));
  moveByRange(list, end, spare, counts);
  return addToSet(state, spare, spare + end - list);
}

/** Sorts the blocks that the open set touched; returns their number. */
function sortTouched(state: usize): u32 {
  const touched = <usize>load<u32>(state, TOUCHED);
  const open = load<u32>(state, OPEN);
  if (open > FEW_BLOCKS) {
    const marks = <usize>load<u32>(state, MARKS);
    const blocks = (load<u32>(state, NUMBERS) + 127) >> 7;
    let to = touched;
    for (let block: u32 = 0; block < blocks; block++) {
      const at = marks + ((<usize>block) << 4);
      store<u32>(to, block);
      to += (<usize>((load<u64>(at) | load<u64>(at, 8)) !== 0)) << 2;
    }
    return open;
  }
  const end = touched + ((<usize>open) << 2);
  for (let next = touched + 4; next < end; next += 4) {
    const block = load<u32>(next);
    let at = next;
    for (; at > touched && load<u32>(at - 4) > block; at -= 4) store<u32>(at, load<u32>(at - 4));
    store<u32>(at, block);
  }
  return open;
}

/**
 * Ends the open set and begins the next. Appends its blocks and returns the number of its hashes; -1 if `keep` is false, or
 * there is no room for the blocks: then the set is dropped.
 */
export function closeSet(state: usize, keep: bool): i32 {
  const touched = <usize>load<u32>(state, TOUCHED);
  const marks = <usize>load<u32>(state, MARKS);
  const held = load<u32>(state, HELD);
  const open = sortTouched(state);
  const fits = keep && held + open <= load<u32>(state, BLOCKS);
  const keys = <usize>load<u32>(state, KEYS) + ((<usize>held) << 2);
  const bits = <usize>load<u32>(state, BITS) + ((<usize>held) << 4);
  let size: u64 = 0;
  for (let i: usize = 0; i < <usize>open; i++) {
    const block = load<u32>(touched + (i << 2));
    const at = marks + ((<usize>block) << 4);
    if (fits) {
      size += popcnt<u64>(load<u64>(at)) + popcnt<u64>(load<u64>(at, 8));
      store<u32>(keys + (i << 2), block);
      v128.store(bits + (i << 4), v128.load(at));
    }
    v128.store(at, i64x2.splat(0));
  }
  store<u32>(state, 0, OPEN);
  if (!fits) return -1;
  store<u32>(state, held + open, HELD);
  return <i32>size;
}

/**
 * The number of common elements of the sets of blocks [a, aEnd) and [b, bEnd). Which of the two lists advances is random, so
 * the steps are computed without a branch.
 */
function commonOf(keys: usize, bits: usize, a: usize, aEnd: usize, b: usize, bEnd: usize): u32 {
  let common: u64 = 0;
  while (a < aEnd && b < bEnd) {
    const x = load<u32>(keys + (a << 2));
    const y = load<u32>(keys + (b << 2));
    const inA = bits + (a << 4);
    const inB = bits + (b << 4);
    const both =
      popcnt<u64>(load<u64>(inA) & load<u64>(inB)) + popcnt<u64>(load<u64>(inA, 8) & load<u64>(inB, 8));
    common += both & (0 - <u64>(x === y));
    a += <usize>(x <= y);
    b += <usize>(y <= x);
  }
  return <u32>common;
}

/**
 * Counts the common elements of `total` pairs of sets: `a` and `b` hold the numbers of the sets (u32); set s is the blocks
 * [starts[s], starts[s + 1]) (u32). Writes a u32 per pair to `common`.
 */
export function commonSizes(
  state: usize,
  a: usize,
  b: usize,
  total: u32,
  starts: usize,
  common: usize,
): void {
  const keys = <usize>load<u32>(state, KEYS);
  const bits = <usize>load<u32>(state, BITS);
  const bytes = (<usize>total) << 2;
  for (let at: usize = 0; at < bytes; at += 4) {
    const first = starts + ((<usize>load<u32>(a + at)) << 2);
    const second = starts + ((<usize>load<u32>(b + at)) << 2);
    const size = commonOf(
      keys,
      bits,
      <usize>load<u32>(first),
      <usize>load<u32>(first, 4),
      <usize>load<u32>(second),
      <usize>load<u32>(second, 4),
    );
    store<u32>(common + at, size);
  }
}
