/**
 * One stable radix sort by 32 bits of a 64-bit key, with or without a payload word per key.
 *
 * Bytes rather than eleven bits: the processor can buffer 256 write positions, but not 2048, and the fourth
 * pass costs less than that (measured from a million keys on).
 */

const DIGITS: usize = 256;
/** Bytes of one digit's table of counts. */
const TABLE: usize = DIGITS << 2;
/** Bytes of the counts of a sort: four digits. */
export const RADIX_COUNTS: usize = 4 * TABLE;

function count(table: usize, digit: u32): void {
  const at = table + ((<usize>digit) << 2);
  store<u32>(at, load<u32>(at) + 1);
}

/** Counts the four bytes of the word at `word` (0 low, 4 high) of each key. */
function countDigits(keys: usize, end: usize, word: usize, counts: usize): void {
  memory.fill(counts, 0, RADIX_COUNTS);
  for (let at = keys + word; at < end; at += 8) {
    const value = load<u32>(at);
    count(counts, value & 255);
    count(counts + TABLE, (value >> 8) & 255);
    count(counts + 2 * TABLE, (value >> 16) & 255);
    count(counts + 3 * TABLE, value >> 24);
  }
}

/**
 * Turns the counts of a digit into first positions; false if all `total` keys have the same digit and
 * nothing has to move.
 */
function placeDigits(table: usize, total: u32): bool {
  let place: u32 = 0;
  for (const end = table + TABLE; table < end; table += 4) {
    const size = load<u32>(table);
    if (size === total) return false;
    store<u32>(table, place);
    place += size;
  }
  return true;
}

function takePlace(table: usize, key: u64, shift: u64): usize {
  const at = table + ((<usize>((key >> shift) & 255)) << 2);
  const place = load<u32>(at);
  store<u32>(at, place + 1);
  return <usize>place;
}

function moveKeys(keys: usize, end: usize, to: usize, table: usize, shift: u64): void {
  for (; keys < end; keys += 8) {
    const key = load<u64>(keys);
    store<u64>(to + (takePlace(table, key, shift) << 3), key);
  }
}

function moveRecords(
  keys: usize,
  end: usize,
  payload: usize,
  to: usize,
  toPayload: usize,
  table: usize,
  shift: u64,
): void {
  for (; keys < end; keys += 8, payload += 4) {
    const key = load<u64>(keys);
    const place = takePlace(table, key, shift);
    store<u64>(to + (place << 3), key);
    store<u32>(toPayload + (place << 2), load<u32>(payload));
  }
}

/**
 * Sorts `total` keys by one word (`word` 0 the low, 4 the high one), stably, in place; equal words keep their
 * order. `payload` and `sparePayload` 0: keys alone.
 */
export function sortByWord(
  keys: usize,
  payload: usize,
  total: u32,
  word: usize,
  spare: usize,
  sparePayload: usize,
  counts: usize,
): void {
  const bytes = (<usize>total) << 3;
  countDigits(keys, keys + bytes, word, counts);
  let from = keys;
  let to = spare;
  let fromPayload = payload;
  let toPayload = sparePayload;
  for (let digit: usize = 0; digit < 4; digit++) {
    const table = counts + digit * TABLE;
    if (!placeDigits(table, total)) continue;
    const shift = <u64>((word + digit) << 3);
    if (payload === 0) moveKeys(from, from + bytes, to, table, shift);
    else moveRecords(from, from + bytes, fromPayload, to, toPayload, table, shift);
    const used = from;
    from = to;
    to = used;
    const usedPayload = fromPayload;
    fromPayload = toPayload;
    toPayload = usedPayload;
  }
  if (from === keys) return;
  memory.copy(keys, from, bytes);
  if (payload !== 0) memory.copy(payload, fromPayload, (<usize>total) << 2);
}
