/**
 * Keys of a band -> records -> buckets. A record is a u64: the 32-bit key in the high half, the number of the document in the low half.
 *
 * Most keys occur once. A filter with two bits per flag (a hash of the key) excludes most of them, so that few records are sorted.
 */
import { sortByWord } from '../sketch/radix';

/** Keys are counted and selected by their highest bits. */
const BIN_SHIFT: u32 = 20;
/** Larger buckets are sorted by radix sort. */
const INSERTED: usize = 32 << 3;

function flagOf(key: u32, bits: u32): usize {
  return <usize>((key * 0x9e3779b1) >> (32 - bits));
}

/** Whether document i of a batch is compared: `part` has one bit per document. */
function takesPart(part: usize, i: usize): bool {
  return ((load<u8>(part + (i >> 3)) >> <u8>(i & 7)) & 1) !== 0;
}

/** Whether a key may occur more than once. */
function isRepeated(key: u32, flags: usize, bits: u32): bool {
  const flag = flagOf(key, bits);
  return ((load<u8>(flags + (flag >> 2)) >> <u8>((flag & 3) << 1)) & 2) !== 0;
}

/** Adds keys to the filter: the first bit of a flag is set if it has a key, the second if it has several. */
export function markKeys(keys: usize, count: u32, part: usize, flags: usize, bits: u32): void {
  for (let i: usize = 0; i < <usize>count; i++) {
    if (!takesPart(part, i)) continue;
    const flag = flagOf(load<u32>(keys + (i << 2)), bits);
    const shift = <u32>((flag & 3) << 1);
    const four = <u32>load<u8>(flags + (flag >> 2));
    store<u8>(flags + (flag >> 2), four | ((1 | (((four >> shift) & 1) << 1)) << shift));
  }
}

/** Counts the keys that may be repeated, by bin (u32). */
export function countKeys(keys: usize, count: u32, part: usize, flags: usize, bits: u32, bins: usize): void {
  for (let i: usize = 0; i < <usize>count; i++) {
    const key = load<u32>(keys + (i << 2));
    if (!isRepeated(key, flags, bits) || !takesPart(part, i)) continue;
    const bin = bins + ((<usize>(key >> BIN_SHIFT)) << 2);
    store<u32>(bin, load<u32>(bin) + 1);
  }
}

/**
 * Writes the records of keys that may be repeated in bins [from, to), up to `most`; returns their number, or `most` + 1 if there are more.
 * `numbers`: the numbers of the documents; 0: they ascend from `first`.
 */
export function takeKeys(
  keys: usize,
  count: u32,
  part: usize,
  flags: usize,
  bits: u32,
  from: u32,
  to: u32,
  numbers: usize,
  first: u32,
  most: u32,
  records: usize,
): u32 {
  let at = records;
  const end = records + ((<usize>most) << 3);
  for (let i: usize = 0; i < <usize>count; i++) {
    const key = load<u32>(keys + (i << 2));
    if (!isRepeated(key, flags, bits) || !takesPart(part, i)) continue;
    const bin = key >> BIN_SHIFT;
    if (bin < from || bin >= to) continue;
    if (at === end) return most + 1;
    const number = numbers === 0 ? first + <u32>i : load<u32>(numbers + (i << 2));
    store<u64>(at, ((<u64>key) << 32) | <u64>number);
    at += 8;
  }
  return <u32>((at - records) >> 3);
}

/** Sorts `count` u64 by their high halves, stably. */
export function sortRecords(records: usize, count: u32, spare: usize, counts: usize): void {
  sortByWord(records, 0, count, 4, spare, 0, counts);
}

/** Sorts the records of one bucket by number. */
function sortBucket(from: usize, to: usize, spare: usize, counts: usize): void {
  if (to - from > INSERTED) {
    sortByWord(from, 0, <u32>((to - from) >> 3), 0, spare, 0, counts);
    return;
  }
  for (let at = from + 8; at < to; at += 8) {
    const record = load<u64>(at);
    let place = at;
    for (; place > from && load<u64>(place - 8) > record; place -= 8) store<u64>(place, load<u64>(place - 8));
    store<u64>(place, record);
  }
}

/** The end of the bucket that begins at a record. */
function bucketEnd(from: usize, end: usize): usize {
  const key = load<u32>(from, 4);
  let next = from + 8;
  while (next < end && load<u32>(next, 4) === key) next += 8;
  return next;
}

/** The first of sorted records [from, to) whose number is at least `number`. */
function firstFrom(number: u32, from: usize, to: usize): usize {
  if (number === 0) return from;
  while (from < to && load<u32>(from) < number) from += 8;
  return from;
}

/**
 * Keeps the buckets of sorted records that have a counted pair, with ascending members; returns the number of their records. Adds the
 * number of pairs of buckets of 2^(k-1) + 1 to 2^k members to element k of `pairs` (f64). A pair counts if its second number is at
 * least `references`, and with `onlyAgainst` its first number is below.
 */
export function keepBuckets(
  records: usize,
  count: u32,
  isNumbered: u32,
  references: u32,
  onlyAgainst: u32,
  pairs: usize,
  spare: usize,
  counts: usize,
): u32 {
  let to = records;
  const end = records + ((<usize>count) << 3);
  for (let from = records, next = records; from < end; from = next) {
    next = bucketEnd(from, end);
    if (next - from < 16) continue;
    if (isNumbered !== 0) sortBucket(from, next, spare, counts);
    const size = <f64>((next - from) >> 3);
    const first = <f64>((firstFrom(references, from, next) - from) >> 3);
    const counted =
      onlyAgainst !== 0 ? first * (size - first) : (size * (size - 1) - first * (first - 1)) / 2;
    if (counted === 0) continue;
    const place = pairs + ((<usize>(32 - clz<u32>(<u32>size - 1))) << 3);
    store<f64>(place, load<f64>(place) + counted);
    memory.copy(to, from, next - from);
    to += next - from;
  }
  return <u32>((to - records) >> 3);
}

/**
 * Writes the counted pairs of buckets of at most `largest` members as u64, the first number in the high half; returns their number.
 * Continues at the record in `state` until `most` pairs have no room for another bucket.
 */
export function listPairs(
  records: usize,
  count: u32,
  largest: u32,
  references: u32,
  onlyAgainst: u32,
  most: u32,
  out: usize,
  state: usize,
): u32 {
  let made: usize = 0;
  const end = records + ((<usize>count) << 3);
  let from = records + ((<usize>load<u32>(state)) << 3);
  for (let next = from; from < end; from = next) {
    next = bucketEnd(from, end);
    const size = <u32>((next - from) >> 3);
    if (size > largest) continue;
    if (<u32>made + ((size * (size - 1)) >> 1) > most) break;
    const later = firstFrom(references, from, next);
    const last = onlyAgainst !== 0 ? later : next;
    for (let i = from; i < last; i += 8) {
      const a = (<u64>load<u32>(i)) << 32;
      for (let j = max<usize>(i + 8, later); j < next; j += 8, made++)
        store<u64>(out + (made << 3), a | <u64>load<u32>(j));
    }
  }
  store<u32>(state, <u32>((from - records) >> 3));
  return <u32>made;
}

/**
 * Writes the members (u32) of buckets with more than `largest` members, and where the members of each bucket end; returns the number of
 * buckets.
 */
export function largerBuckets(records: usize, count: u32, largest: u32, members: usize, ends: usize): u32 {
  let buckets: usize = 0;
  let taken: usize = 0;
  const end = records + ((<usize>count) << 3);
  for (let from = records, next = records; from < end; from = next) {
    next = bucketEnd(from, end);
    if (<u32>((next - from) >> 3) <= largest) continue;
    for (; from < next; from += 8, taken++) store<u32>(members + (taken << 2), load<u32>(from));
    store<u32>(ends + (buckets << 2), <u32>taken);
    buckets++;
  }
  return <u32>buckets;
}
