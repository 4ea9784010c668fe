/**
 * Sorts 64-bit keys in typed arrays: by the digits of the high word, then equal high words by the low word.
 *
 * Keys are pairs (low, high) ordered as unsigned 64-bit numbers, with or without a payload word per key.
 * Words are read as numbers, never as 8-byte views, so the order does not depend on the byte order of the
 * machine.
 */

/** Digits of 11, 11 and 10 bits: three passes over 32 bits, with counts that fit into the L1 cache. */
const DIGIT = 2048;
const PASSES = 3;

/**
 * Runs of up to this many records are sorted by insertion: cheaper than clearing and summing three tables of
 * counts.
 */
const SHORT = 128;

/**
 * Up to this many records (eight per top digit) one pass leaves so little disorder that insertion finishes
 * the sort.
 */
const SPREAD = 8 * DIGIT;

/**
 * The records being sorted (`payload` null: keys alone), spare arrays of the same length, and the digit
 * counts.
 */
interface Records {
  keys: Uint32Array;
  payload: Uint32Array | null;
  spareKeys: Uint32Array;
  sparePayload: Uint32Array | null;
  readonly counts: Uint32Array;
}

/** Sorts records [from, to) by the whole key, by insertion. Linear if they are sorted already. */
function insertionSort(keys: Uint32Array, payload: Uint32Array | null, from: number, to: number): void {
  for (let i = from + 1; i < to; i++) {
    const low = keys[2 * i]!;
    const high = keys[2 * i + 1]!;
    const carried = payload === null ? 0 : payload[i]!;
    let j = i;
    while (j > from) {
      const before = keys[2 * j - 1]!;
      if (before < high || (before === high && keys[2 * j - 2]! <= low)) break;
      keys[2 * j] = keys[2 * j - 2]!;
      keys[2 * j + 1] = before;
      if (payload !== null) payload[j] = payload[j - 1]!;
      j--;
    }
    keys[2 * j] = low;
    keys[2 * j + 1] = high;
    if (payload !== null) payload[j] = carried;
  }
}

/** Counts the three digits of the word (0 low, 1 high) over records [from, to). */
function countDigits(records: Records, from: number, to: number, word: number): void {
  const { keys, counts } = records;
  counts.fill(0);
  for (let i = 2 * from + word; i < 2 * to; i += 2) {
    const value = keys[i]!;
    counts[value & 2047]!++;
    counts[DIGIT + ((value >>> 11) & 2047)]!++;
    counts[2 * DIGIT + (value >>> 22)]!++;
  }
}

/**
 * Turns the counts of one digit into start positions; false if all records have the same digit and need not move.
 */
function placeDigits(counts: Uint32Array, base: number, from: number, total: number): boolean {
  let place = from;
  for (let digit = base; digit < base + DIGIT; digit++) {
    const size = counts[digit]!;
    if (size === total) return false;
    counts[digit] = place;
    place += size;
  }
  return true;
}

/** Moves records [from, to) to their positions in the spare arrays, keeping the order of equal digits. */
function moveByDigit(
  records: Records,
  from: number,
  to: number,
  word: number,
  base: number,
  shift: number,
): void {
  const { keys, payload, spareKeys, sparePayload, counts } = records;
  for (let i = from; i < to; i++) {
    const digit = base + ((keys[2 * i + word]! >>> shift) & 2047);
    const place = counts[digit]!;
    counts[digit] = place + 1;
    spareKeys[2 * place] = keys[2 * i]!;
    spareKeys[2 * place + 1] = keys[2 * i + 1]!;
    if (payload !== null) sparePayload![place] = payload[i]!;
  }
}

function exchange(records: Records): void {
  const { keys, payload } = records;
  records.keys = records.spareKeys;
  records.payload = records.sparePayload;
  records.spareKeys = keys;
  records.sparePayload = payload;
}

/** Stable sort of records [from, to) by one word, lowest digit first. The result is in the original arrays. */
function sortByWord(records: Records, from: number, to: number, word: number): void {
  countDigits(records, from, to, word);
  let moved = 0;
  for (let pass = 0; pass < PASSES; pass++) {
    if (!placeDigits(records.counts, pass * DIGIT, from, to - from)) continue;
    moveByDigit(records, from, to, word, pass * DIGIT, 11 * pass);
    exchange(records);
    moved++;
  }
  if (moved % 2 === 0) return;
  exchange(records);
  records.keys.set(records.spareKeys.subarray(2 * from, 2 * to), 2 * from);
  records.payload?.set(records.sparePayload!.subarray(from, to), from);
}

/** Sorts each run of equal high words by the low word. */
function sortRuns(records: Records, count: number): void {
  const { keys } = records;
  for (let from = 0, to = 0; from < count; from = to) {
    const high = keys[2 * from + 1]!;
    let sorted = true;
    for (to = from + 1; to < count && keys[2 * to + 1] === high; to++) {
      if (keys[2 * to]! < keys[2 * to - 2]!) sorted = false;
    }
    // Most runs are a single key, or the equal keys of one bucket.
    if (sorted) continue;
    if (to - from <= SHORT) insertionSort(keys, records.payload, from, to);
    else sortByWord(records, from, to, 0);
  }
}

/**
 * Sorts a few thousand hashes in two passes: each record is moved near its position by its top digit, then
 * insertion sort. Returns false without moving records if one digit has many of them: keys that are not hashes (document numbers),
 * or many equal keys.
 */
function sortSpread(keys: Uint32Array, payload: Uint32Array | null, count: number): boolean {
  const places = new Uint32Array(DIGIT);
  for (let i = 1; i < 2 * count; i += 2) places[keys[i]! >>> 21]!++;
  for (let digit = 0, place = 0; digit < DIGIT; digit++) {
    const size = places[digit]!;
    if (size > SHORT) return false;
    places[digit] = place;
    place += size;
  }
  const fromKeys = keys.slice(0, 2 * count);
  const fromPayload = payload === null ? null : payload.slice(0, count);
  for (let i = 0; i < count; i++) {
    const high = fromKeys[2 * i + 1]!;
    const place = places[high >>> 21]!++;
    keys[2 * place] = fromKeys[2 * i]!;
    keys[2 * place + 1] = high;
    if (payload !== null) payload[place] = fromPayload![i]!;
  }
  insertionSort(keys, payload, 0, count);
  return true;
}

function sortRecords(keys: Uint32Array, payload: Uint32Array | null, count: number): void {
  if (count <= SHORT) {
    insertionSort(keys, payload, 0, count);
    return;
  }
  if (count <= SPREAD && sortSpread(keys, payload, count)) return;
  const records: Records = {
    keys,
    payload,
    spareKeys: new Uint32Array(2 * count),
    sparePayload: payload === null ? null : new Uint32Array(count),
    counts: new Uint32Array(PASSES * DIGIT),
  };
  sortByWord(records, 0, count, 1);
  sortRuns(records, count);
}

/**
 * Sorts the first `count` 64-bit keys (pairs low, high) as unsigned numbers, in place and stably, each with
 * its payload word. Takes linear time and 12 bytes of extra memory per key.
 */
export function sortByKey64(keys: Uint32Array, payload: Uint32Array, count: number): void {
  sortRecords(keys, payload, count);
}

/**
 * Sorts the first `count` 64-bit hashes in place as unsigned numbers and drops repetitions; returns how many
 * remain.
 */
export function sortUnique64(hashes: Uint32Array, count: number): number {
  sortRecords(hashes, null, count);
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const low = hashes[2 * i]!;
    const high = hashes[2 * i + 1]!;
    if (kept > 0 && hashes[2 * kept - 2] === low && hashes[2 * kept - 1] === high) continue;
    hashes[2 * kept] = low;
    hashes[2 * kept + 1] = high;
    kept++;
  }
  return kept;
}

/** Sorts 64-bit numbers in place and drops repetitions; returns how many remain: a kernel's `sortUnique`, or sortUnique64. */
export type SortUnique = (numbers: Uint32Array, count: number) => number;

/** Sets of 64-bit hashes, concatenated. */
export interface SortedSets {
  /** By set: its hashes. */
  readonly counts: Uint32Array;
  /** Two words each, ascending and distinct within a set. */
  readonly hashes: Uint32Array;
}

/**
 * Sorts each list of hashes, and drops repetitions.
 *
 * @param hashes two words each; overwritten
 * @param starts by list: its first hash
 */
export function sortedSets(
  hashes: Uint32Array,
  starts: ArrayLike<number>,
  lengths: ArrayLike<number>,
  sort: SortUnique,
): SortedSets {
  const counts = new Uint32Array(lengths.length);
  let to = 0;
  for (let i = 0; i < counts.length; i++) {
    const from = 2 * starts[i]!;
    const list = hashes.subarray(from, from + 2 * lengths[i]!);
    const distinct = sort(list, lengths[i]!);
    counts[i] = distinct;
    if (from !== to) hashes.copyWithin(to, from, from + 2 * distinct);
    to += 2 * distinct;
  }
  return { counts, hashes: hashes.subarray(0, to) };
}
