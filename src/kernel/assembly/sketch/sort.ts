/**
 * Sorts 64-bit hashes, alone or each with a payload word; src/arrays/sort.ts is the reference. A stable sort
 * by the whole key has one result, so the method may differ.
 */
import { RADIX_COUNTS, sortByWord } from './radix';

/** Up to this many keys insertion beats clearing and summing tables of counts. */
const FEW: u32 = 32;

/** Maximum number of top bits by which `spread` separates: its counts fit into the L1 cache. */
const SPREAD_BITS: u32 = 13;

/**
 * Up to this many hashes (two per top digit) one pass leaves so little disorder that insertion finishes the
 * sort.
 */
const SPREAD: u32 = 2 << SPREAD_BITS;

/**
 * With more hashes than this in one top digit, hashes are not evenly spread and insertion would be quadratic.
 */
const CROWD: u32 = 64;

/** Bytes of the count tables that every sort of this file needs. */
export function sortCountsBytes(): usize {
  return max<usize>(RADIX_COUNTS, (<usize>4) << SPREAD_BITS);
}

/** Sorts [keys, end) by insertion. */
function insertionSort(keys: usize, end: usize): void {
  for (let next = keys + 8; next < end; next += 8) {
    const key = load<u64>(next);
    let at = next;
    for (; at > keys; at -= 8) {
      const before = load<u64>(at - 8);
      if (before <= key) break;
      store<u64>(at, before);
    }
    store<u64>(at, key);
  }
}

/** Sorts [keys, end), each with its payload word, by insertion; stable. */
function insertionSortRecords(keys: usize, end: usize, payload: usize): void {
  for (let next = keys + 8; next < end; next += 8) {
    const key = load<u64>(next);
    const carried = load<u32>(payload + ((next - keys) >> 1));
    let at = next;
    for (; at > keys; at -= 8) {
      const before = load<u64>(at - 8);
      if (before <= key) break;
      store<u64>(at, before);
      const word = payload + ((at - keys) >> 1);
      store<u32>(word, load<u32>(word - 4));
    }
    store<u64>(at, key);
    store<u32>(payload + ((at - keys) >> 1), carried);
  }
}

/** Sorts each run of equal high words by the low word; `payload` 0: keys alone. */
function sortRuns(
  keys: usize,
  payload: usize,
  total: u32,
  spare: usize,
  sparePayload: usize,
  counts: usize,
): void {
  const end = keys + ((<usize>total) << 3);
  for (let from = keys, to = keys; from < end; from = to) {
    const high = load<u32>(from, 4);
    let sorted = true;
    for (to = from + 8; to < end && load<u32>(to, 4) === high; to += 8) {
      if (load<u32>(to) < load<u32>(to - 8)) sorted = false;
    }
    // Most runs are a single key, or the equal keys of one bucket.
    if (sorted) continue;
    const words: usize = payload === 0 ? <usize>0 : payload + ((from - keys) >> 1);
    const size = <u32>((to - from) >> 3);
    if (size > CROWD) sortByWord(from, words, size, 0, spare, sparePayload, counts);
    else if (payload === 0) insertionSort(from, to);
    else insertionSortRecords(from, to, words);
  }
}

/**
 * Moves each hash near its position in `spare`, by as many top bits as give one digit per hash. Returns false
 * and moves nothing if a digit is crowded: numbers that are not hashes, or an adversary's hashes.
 */
function spread(hashes: usize, total: u32, spare: usize, counts: usize): bool {
  const bits = min<u32>(32 - clz<u32>(total - 1), SPREAD_BITS);
  const shift = <u64>(64 - bits);
  const width = (<usize>4) << bits;
  const end = hashes + ((<usize>total) << 3);
  memory.fill(counts, 0, width);
  for (let at = hashes; at < end; at += 8) {
    const digit = counts + ((<usize>(load<u64>(at) >> shift)) << 2);
    store<u32>(digit, load<u32>(digit) + 1);
  }
  let place: u32 = 0;
  let most: u32 = 0;
  for (let at = counts, countsEnd = counts + width; at < countsEnd; at += 4) {
    const size = load<u32>(at);
    most = max<u32>(most, size);
    store<u32>(at, place);
    place += size;
  }
  if (most > CROWD) return false;
  for (let at = hashes; at < end; at += 8) {
    const hash = load<u64>(at);
    const digit = counts + ((<usize>(hash >> shift)) << 2);
    const to = load<u32>(digit);
    store<u32>(digit, to + 1);
    store<u64>(spare + ((<usize>to) << 3), hash);
  }
  return true;
}

/**
 * Copies the sorted [from, end) to `to` (which may be `from`) without repetitions; returns how many remain.
 */
function dropRepetitions(from: usize, end: usize, to: usize): u32 {
  if (from === end) return 0;
  let last = load<u64>(from);
  store<u64>(to, last);
  let at = to + 8;
  for (from += 8; from < end; from += 8) {
    const hash = load<u64>(from);
    store<u64>(at, hash);
    at += (<usize>(hash !== last)) << 3;
    last = hash;
  }
  return <u32>((at - to) >> 3);
}

/**
 * Sorts `total` hashes in place as unsigned numbers and drops repetitions; returns how many remain. `spare`:
 * room for as many hashes.
 */
export function sortUnique(hashes: usize, total: u32, spare: usize, counts: usize): u32 {
  const bytes = (<usize>total) << 3;
  if (total <= FEW) {
    insertionSort(hashes, hashes + bytes);
  } else if (total <= SPREAD && spread(hashes, total, spare, counts)) {
    insertionSort(spare, spare + bytes);
    return dropRepetitions(spare, spare + bytes, hashes);
  } else {
    sortByWord(hashes, 0, total, 4, spare, 0, counts);
    sortRuns(hashes, 0, total, spare, 0, counts);
  }
  return dropRepetitions(hashes, hashes + bytes, hashes);
}

/**
 * Sorts `total` keys in place and stably, each with its payload word. `spare`, `sparePayload`: room for as
 * many.
 */
export function sortByKey64(
  keys: usize,
  payload: usize,
  total: u32,
  spare: usize,
  sparePayload: usize,
  counts: usize,
): void {
  if (total <= FEW) {
    insertionSortRecords(keys, keys + ((<usize>total) << 3), payload);
    return;
  }
  sortByWord(keys, payload, total, 4, spare, sparePayload, counts);
  sortRuns(keys, payload, total, spare, sparePayload, counts);
}
