/**
 * Bucket keys of one band -> buckets -> pairs in the order of (a, b).
 *
 *      record   u64   top bits of the key | FIRST | entry
 *      link     u64   small bucket: pairs with members after this one | position of its record
 *                     hot bucket:   HOT                    | position of its first record
 *
 * Entry i is the i-th document of an ascending list: of those that may share a bucket, which are few.
 */
import { sortByWord } from '../sketch/radix';
import { C1 } from '../text/mixing';

/** In the low word of a record: it is the first of its bucket. */
const FIRST: u32 = 0x80000000;
const ENTRY: u32 = 0x7fffffff;
const HOT: u32 = 0xffffffff;

/** Up to this many records of a mixed run are sorted by insertion. */
const FEW: usize = 32;

/** With more entries than this, 24 bits of the key separate too few of them: one in thirty-two would share a run. */
const MANY: u32 = 1 << 20;

/** A number of `bits` bits that follows from a key, whatever bits of it differ. */
function flagOf(key: u64, bits: u64): usize {
  return <usize>(((key ^ (key >> 32)) * C1) >> (64 - bits));
}

/**
 * Moves the documents whose keys others may have, too, to the front, in their order, with the places of their keys; returns their
 * number. Two flags for every number of `bits` bits tell which occur, and which occur again. `hasPlaces` 0: entry i has key i, and
 * the places of those that remain are written all the same. The others share no bucket, and are most: they need no sorting.
 */
export function repeatedEntries(
  keys: usize,
  places: usize,
  hasPlaces: u32,
  documents: usize,
  count: u32,
  flags: usize,
  bits: u32,
): u32 {
  memory.fill(flags, 0, (<usize>1) << (bits - 2));
  for (let entry: usize = 0; entry < <usize>count; entry++) {
    const place = hasPlaces !== 0 ? <usize>load<u32>(places + (entry << 2)) : entry;
    const flag = flagOf(load<u64>(keys + (place << 3)), <u64>bits);
    const shift = <u32>((flag & 3) << 1);
    const four = <u32>load<u8>(flags + (flag >> 2));
    store<u8>(flags + (flag >> 2), four | ((1 | (((four >> shift) & 1) << 1)) << shift));
  }
  let kept: usize = 0;
  for (let entry: usize = 0; entry < <usize>count; entry++) {
    const place = hasPlaces !== 0 ? <usize>load<u32>(places + (entry << 2)) : entry;
    const flag = flagOf(load<u64>(keys + (place << 3)), <u64>bits);
    store<u32>(places + (kept << 2), <u32>place);
    store<u32>(documents + (kept << 2), load<u32>(documents + (entry << 2)));
    kept += <usize>((load<u8>(flags + (flag >> 2)) >> <u8>(((flag & 3) << 1) + 1)) & 1);
  }
  return <u32>kept;
}

function keyOf(record: usize, keys: usize, places: usize): u64 {
  const place = <usize>load<u32>(places + ((<usize>(load<u32>(record) & ENTRY)) << 2));
  return load<u64>(keys + (place << 3));
}

/** Writes a record for each entry. `shift` 8 keeps 24 bits of the key: one pass less, and for few entries hardly any keys tie in them. */
function packRecords(keys: usize, places: usize, count: u32, records: usize, shift: u32): void {
  for (let entry: usize = 0; entry < <usize>count; entry++) {
    const place = <usize>load<u32>(places + (entry << 2));
    const high = load<u32>(keys + (place << 3), 4) >> shift;
    store<u64>(records + (entry << 3), ((<u64>high) << 32) | <u64>entry);
  }
}

function markFirst(record: usize): void {
  store<u32>(record, load<u32>(record) | FIRST);
}

/** Sorts the records of a few entries by their keys; stable. */
function insertionSort(from: usize, end: usize, keys: usize, places: usize): void {
  for (let next = from + 8; next < end; next += 8) {
    const record = load<u64>(next);
    const key = keyOf(next, keys, places);
    let at = next;
    for (; at > from && keyOf(at - 8, keys, places) > key; at -= 8) store<u64>(at, load<u64>(at - 8));
    store<u64>(at, record);
  }
}

/** Sorts records by one word of their keys (`word` 0 the low, 32 the high one); stable. */
function sortByKeyWord(
  from: usize,
  end: usize,
  keys: usize,
  places: usize,
  word: u64,
  spare: usize,
  counts: usize,
): void {
  for (let at = from; at < end; at += 8) store<u32>(at, <u32>(keyOf(at, keys, places) >> word), 4);
  sortByWord(from, 0, <u32>((end - from) >> 3), 4, spare, 0, counts);
}

/** Marks the first records of the buckets in a run of equal top bits; if its keys differ, the run is first sorted by whole keys. */
function splitRun(from: usize, end: usize, keys: usize, places: usize, spare: usize, counts: usize): void {
  const first = keyOf(from, keys, places);
  let mixed = false;
  for (let at = from + 8; at < end; at += 8) mixed = mixed || keyOf(at, keys, places) !== first;
  if (mixed) {
    if (end - from <= FEW << 3) {
      insertionSort(from, end, keys, places);
    } else {
      sortByKeyWord(from, end, keys, places, 0, spare, counts);
      sortByKeyWord(from, end, keys, places, 32, spare, counts);
    }
    for (let at = end - 8; at > from; at -= 8) {
      if (keyOf(at, keys, places) !== keyOf(at - 8, keys, places)) markFirst(at);
    }
  }
  markFirst(from);
}

/**
 * Sorts the entries into buckets: records in the order of top bits, the first of each bucket marked, entries
 * ascending within a bucket. The sort uses at most 32 bits of the key and compares the others only where
 * those tie: half the bytes to move.
 */
export function sortBuckets(
  keys: usize,
  places: usize,
  count: u32,
  records: usize,
  spare: usize,
  counts: usize,
): void {
  packRecords(keys, places, count, records, count <= MANY ? 8 : 0);
  sortByWord(records, 0, count, 4, spare, 0, counts);
  const end = records + ((<usize>count) << 3);
  for (let from = records, to = records; from < end; from = to) {
    const top = load<u32>(from, 4);
    for (to = from + 8; to < end && load<u32>(to, 4) === top; to += 8) {}
    if (to - from === 8) markFirst(from);
    else splitRun(from, to, keys, places, spare, counts);
  }
}

function groupOf(record: usize, groups: usize): u32 {
  return load<u32>(groups + ((<usize>(load<u32>(record) & ENTRY)) << 2));
}

/** Whether the members of a bucket are of two groups or more. */
function isMixed(from: usize, to: usize, groups: usize): bool {
  const group = groupOf(from, groups);
  for (let at = from + 8; at < to; at += 8) if (groupOf(at, groups) !== group) return true;
  return false;
}

/** How many members after the one at `at` are of another group. */
function othersAfter(at: usize, to: usize, groups: usize): u32 {
  const group = groupOf(at, groups);
  let others: u32 = 0;
  for (let next = at + 8; next < to; next += 8) others += u32(groupOf(next, groups) !== group);
  return others;
}

/**
 * Writes a link for each entry, 0 where its bucket has no later member that it makes a pair with. Writes to `sizes` the number of
 * buckets of two or more, the size of the largest bucket, the number of hot buckets and of their members (u32), and the number of
 * pairs of the other buckets (u64).
 *
 * `groups`: by entry its group (u32); only members of two groups are a pair, and a bucket of a single group does not count. 0: every
 * entry is a group of its own.
 */
export function linkBuckets(
  records: usize,
  count: u32,
  hotBucket: u32,
  groups: usize,
  links: usize,
  sizes: usize,
): void {
  const end = records + ((<usize>count) << 3);
  let buckets: u32 = 0;
  let largest: u32 = 0;
  let hotBuckets: u32 = 0;
  let hotMembers: u32 = 0;
  let pairs: u64 = 0;
  memory.fill(links, 0, (<usize>count) << 3);
  for (let from = records, to = records; from < end; from = to) {
    for (to = from + 8; to < end && (load<u32>(to) & FIRST) === 0; to += 8) {}
    const size = <u32>((to - from) >> 3);
    if (size === 1 || (groups !== 0 && !isMixed(from, to, groups))) {
      largest = max<u32>(largest, 1);
      continue;
    }
    const hot = size > hotBucket;
    const position = <u32>((from - records) >> 3);
    largest = max<u32>(largest, size);
    buckets++;
    if (hot) {
      hotBuckets++;
      hotMembers += size;
    }
    for (let rank: u32 = 0; rank < size; rank++) {
      const at = from + ((<usize>rank) << 3);
      const link = links + ((<usize>(load<u32>(at) & ENTRY)) << 3);
      store<u32>(link, hot ? position : position + rank);
      if (hot) {
        store<u32>(link, HOT, 4);
        continue;
      }
      const later = groups === 0 ? size - 1 - rank : othersAfter(at, to, groups);
      store<u32>(link, later, 4);
      pairs += <u64>later;
    }
  }
  store<u32>(sizes, buckets);
  store<u32>(sizes, largest, 4);
  store<u32>(sizes, hotBuckets, 8);
  store<u32>(sizes, hotMembers, 12);
  store<u64>(sizes, pairs, 16);
}

/** Sets `state` to the position where the pairs of small buckets continue after the first `skipped` pairs. */
export function skipPairs(links: usize, count: u32, skipped: u64, state: usize): void {
  let entry: u32 = 0;
  for (; entry < count; entry++) {
    const later = load<u32>(links + ((<usize>entry) << 3), 4);
    if (later === HOT) continue;
    if (skipped < <u64>later) break;
    skipped -= <u64>later;
  }
  store<u32>(state, entry);
  store<u32>(state, <u32>skipped, 4);
}

/**
 * Writes up to `capacity` pairs of small buckets and returns their number, which is less only at the end. `state`: the next
 * entry and the number of its pairs written so far (u32), from `skipPairs`. `groups`: as for `linkBuckets`.
 */
export function emitPairs(
  records: usize,
  links: usize,
  documents: usize,
  count: u32,
  groups: usize,
  state: usize,
  capacity: u32,
  a: usize,
  b: usize,
): u32 {
  let entry = load<u32>(state);
  let done = load<u32>(state, 4);
  let made: u32 = 0;
  for (; entry < count; entry++) {
    const link = links + ((<usize>entry) << 3);
    const later = load<u32>(link, 4);
    if (later === 0 || later === HOT) continue;
    const take = min<u32>(later - done, capacity - made);
    const document = load<u32>(documents + ((<usize>entry) << 2));
    const own = records + ((<usize>load<u32>(link)) << 3);
    const group: u32 = groups === 0 ? 0 : groupOf(own, groups);
    let at = own + (groups === 0 ? (<usize>done) << 3 : 0);
    let passed: u32 = 0;
    for (const all = made + take; made < all; ) {
      at += 8;
      if (groups !== 0 && (groupOf(at, groups) === group || passed++ < done)) continue;
      const to = (<usize>made) << 2;
      store<u32>(a + to, document);
      store<u32>(b + to, load<u32>(documents + ((<usize>(load<u32>(at) & ENTRY)) << 2)));
      made++;
    }
    done += take;
    if (done < later) break;
    done = 0;
  }
  store<u32>(state, entry);
  store<u32>(state, done, 4);
  return made;
}

/**
 * Writes the members of hot buckets, ascending, and their buckets, numbered in the order of their first
 * members.
 */
export function emitHot(
  records: usize,
  links: usize,
  documents: usize,
  count: u32,
  members: usize,
  buckets: usize,
): void {
  let named: u32 = 0;
  for (let entry: usize = 0; entry < <usize>count; entry++) {
    const link = links + (entry << 3);
    if (load<u32>(link, 4) !== HOT) continue;
    const head = records + ((<usize>load<u32>(link)) << 3);
    // The first member of a bucket comes first. Its record no longer needs the key, and keeps the bucket's number for the others.
    if (<usize>(load<u32>(head) & ENTRY) === entry) store<u32>(head, named++, 4);
    store<u32>(members, load<u32>(documents + (entry << 2)));
    store<u32>(buckets, load<u32>(head, 4));
    members += 4;
    buckets += 4;
  }
}
