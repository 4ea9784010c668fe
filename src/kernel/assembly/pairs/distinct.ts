/** Concatenated lists of pairs -> distinct pairs in the order of (a, b). */

import { sortByWord } from '../sketch/radix';

/** Packs the pairs into records; whether these need sorting: false where they ascend without repetition. */
function packPairs(a: usize, b: usize, count: u32, records: usize): bool {
  let disorder = false;
  let last: u64 = 0;
  for (let i: usize = 0; i < <usize>count; i++) {
    const pair = ((<u64>load<u32>(a + (i << 2))) << 32) | <u64>load<u32>(b + (i << 2));
    disorder = disorder || pair <= last;
    last = pair;
    store<u64>(records + (i << 3), pair);
  }
  return disorder;
}

/**
 * Sorts `count` pairs in place and drops repetitions; returns how many remain. `records`, `spare`: room for a
 * u64 a pair; `counts`: 4 KB. a < b, so no pair is (0, 0).
 */
export function sortPairs(a: usize, b: usize, count: u32, records: usize, spare: usize, counts: usize): u32 {
  if (!packPairs(a, b, count, records)) return count;
  sortByWord(records, 0, count, 0, spare, 0, counts);
  sortByWord(records, 0, count, 4, spare, 0, counts);
  let kept: usize = 0;
  let last: u64 = 0;
  for (let i: usize = 0; i < <usize>count; i++) {
    const pair = load<u64>(records + (i << 3));
    kept -= <usize>(pair === last);
    store<u32>(a + (kept << 2), <u32>(pair >> 32));
    store<u32>(b + (kept << 2), <u32>pair);
    kept++;
    last = pair;
  }
  return <u32>kept;
}

/** Removes the pairs that are in `known`, in place; both lists ascend by (a, b). Returns how many remain. */
export function dropKnown(a: usize, b: usize, count: u32, knownA: usize, knownB: usize, known: u32): u32 {
  let kept: usize = 0;
  let k: usize = 0;
  const end = (<usize>known) << 2;
  for (let i: usize = 0; i < <usize>count; i++) {
    const x = load<u32>(a + (i << 2));
    const y = load<u32>(b + (i << 2));
    while (k < end && load<u32>(knownA + k) < x) k += 4;
    while (k < end && load<u32>(knownA + k) === x && load<u32>(knownB + k) < y) k += 4;
    const found = k < end && load<u32>(knownA + k) === x && load<u32>(knownB + k) === y;
    store<u32>(a + (kept << 2), x);
    store<u32>(b + (kept << 2), y);
    kept += <usize>!found;
  }
  return <u32>kept;
}
