/**
 * Groups pairs by range of their first number, and sorts them without repetitions. A pair is a u64 with its first number in the high
 * half, and may have an agreement (u32).
 */
import { sortByWord } from '../sketch/radix';

/**
 * Groups pairs by range (their first number, shifted by `shift`). Writes the start of each range and the number of pairs to `starts`,
 * one u32 more than there are ranges. `agreements` 0: there are none.
 */
export function groupByRange(
  pairs: usize,
  agreements: usize,
  count: u32,
  shift: u32,
  ranges: u32,
  starts: usize,
  toPairs: usize,
  toAgreements: usize,
): void {
  memory.fill(starts, 0, (<usize>(ranges + 1)) << 2);
  const end = pairs + ((<usize>count) << 3);
  // Entry r + 1 has the count of range r, later its start; placing moves that to its end, which is the start of range r + 1.
  for (let at = pairs; at < end; at += 8) {
    const place = starts + ((<usize>(load<u32>(at, 4) >> shift)) << 2);
    store<u32>(place, load<u32>(place, 4) + 1, 4);
  }
  let sum: u32 = 0;
  for (let at = starts, last = starts + ((<usize>ranges) << 2); at < last; at += 4) {
    const size = load<u32>(at, 4);
    store<u32>(at, sum, 4);
    sum += size;
  }
  for (let at = pairs; at < end; at += 8) {
    const place = starts + ((<usize>(load<u32>(at, 4) >> shift)) << 2);
    const to = <usize>load<u32>(place, 4);
    store<u32>(place, <u32>to + 1, 4);
    store<u64>(toPairs + (to << 3), load<u64>(at));
    if (agreements !== 0)
      store<u32>(toAgreements + (to << 2), load<u32>(agreements + (((at - pairs) >> 3) << 2)));
  }
}

/** Sorts pairs, drops repetitions, and returns how many remain. `agreements` 0: there are none. */
export function distinctPairs16(
  pairs: usize,
  agreements: usize,
  count: u32,
  spare: usize,
  spareAgreements: usize,
  counts: usize,
): u32 {
  sortByWord(pairs, agreements, count, 0, spare, spareAgreements, counts);
  sortByWord(pairs, agreements, count, 4, spare, spareAgreements, counts);
  let made: usize = 0;
  for (let i: usize = 0; i < <usize>count; i++) {
    const pair = load<u64>(pairs + (i << 3));
    if (made > 0 && load<u64>(pairs + ((made - 1) << 3)) === pair) continue;
    store<u64>(pairs + (made << 3), pair);
    if (agreements !== 0) store<u32>(agreements + (made << 2), load<u32>(agreements + (i << 2)));
    made++;
  }
  return <u32>made;
}

/**
 * Lists the distinct documents of pairs by number, as records at `order`: their place in the list in the low half, their number in the
 * high half. Writes the places of both documents of each pair to `places` (u32), and returns the number of documents.
 */
export function placeDocuments(
  pairs: usize,
  count: u32,
  order: usize,
  spare: usize,
  counts: usize,
  places: usize,
): u32 {
  for (let i: usize = 0; i < <usize>(2 * count); i++) {
    store<u32>(order + (i << 3), <u32>i);
    store<u32>(order + (i << 3), load<u32>(pairs + (i << 2)), 4);
  }
  sortByWord(order, 0, 2 * count, 4, spare, 0, counts);
  let made: usize = 0;
  let last: u32 = 0;
  for (let at = order, end = order + ((<usize>count) << 4); at < end; at += 8) {
    const number = load<u32>(at, 4);
    const i = <usize>load<u32>(at);
    if (made === 0 || number !== last) {
      store<u32>(order + (made << 3), <u32>made);
      store<u32>(order + (made << 3), number, 4);
      last = number;
      made++;
    }
    store<u32>(places + (i << 2), <u32>made - 1);
  }
  return <u32>made;
}

/** Writes the first and the second numbers of pairs as two columns (u32). */
export function splitPairs(pairs: usize, count: u32, a: usize, b: usize): void {
  for (let i: usize = 0; i < <usize>count; i++, pairs += 8) {
    store<u32>(b + (i << 2), load<u32>(pairs));
    store<u32>(a + (i << 2), load<u32>(pairs, 4));
  }
}
