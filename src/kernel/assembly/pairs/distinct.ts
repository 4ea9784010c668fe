/** Concatenated lists of pairs -> distinct pairs in the order of (a, b). */

/** Most bits of a digit: the nearest cache has room for that many write positions. */
const DIGIT_BITS: u32 = 10;

/**
 * Packs the pairs into records. Returns the bits in which the records differ; 0 where they ascend without
 * repetition.
 */
function packPairs(a: usize, b: usize, count: u32, records: usize): u64 {
  let disorder = false;
  let last: u64 = 0;
  let some: u64 = 0;
  let every: u64 = -1;
  for (let i: usize = 0; i < <usize>count; i++) {
    const pair = ((<u64>load<u32>(a + (i << 2))) << 32) | <u64>load<u32>(b + (i << 2));
    disorder = disorder || pair <= last;
    last = pair;
    some |= pair;
    every &= pair;
    store<u64>(records + (i << 3), pair);
  }
  // Two equal pairs differ in no bit: they are sorted, but one must be removed.
  return disorder ? (some ^ every) | 1 : 0;
}

/** Moves records by the digit of `bits` bits at `shift`, keeping the order of equal digits. */
function moveByDigit(from: usize, to: usize, count: u32, shift: u64, bits: u64, counts: usize): void {
  const mask = ((<u64>1) << bits) - 1;
  const width = (<usize>4) << (<usize>bits);
  const end = from + ((<usize>count) << 3);
  memory.fill(counts, 0, width);
  for (let at = from; at < end; at += 8) {
    const digit = counts + ((<usize>((load<u64>(at) >> shift) & mask)) << 2);
    store<u32>(digit, load<u32>(digit) + 1);
  }
  let place = <u32>to;
  for (let digit = counts; digit < counts + width; digit += 4) {
    const size = load<u32>(digit);
    store<u32>(digit, place);
    place += size << 3;
  }
  for (; from < end; from += 8) {
    const record = load<u64>(from);
    const digit = counts + ((<usize>((record >> shift) & mask)) << 2);
    const at = load<u32>(digit);
    store<u32>(digit, at + 8);
    store<u64>(<usize>at, record);
  }
}

/**
 * Sorts `count` pairs in place and drops repetitions; returns how many remain. `records`, `spare`: room for a
 * u64 a pair; `counts`: 4 KB. a < b, so no pair is (0, 0).
 *
 * The sort uses only the bits that differ: for a those within a range, for b those of all document numbers.
 */
export function sortPairs(a: usize, b: usize, count: u32, records: usize, spare: usize, counts: usize): u32 {
  const differing = packPairs(a, b, count, records);
  if (differing === 0) return count;
  for (let word: u32 = 0; word < 2; word++) {
    const differs = <u32>(differing >> ((<u64>word) << 5));
    const bits: u32 = 32 - clz<u32>(differs);
    const passes = (bits + DIGIT_BITS - 1) / DIGIT_BITS;
    for (let pass: u32 = 0; pass < passes; pass++) {
      const from = (bits * pass) / passes;
      const to = (bits * (pass + 1)) / passes;
      moveByDigit(records, spare, count, <u64>((word << 5) + from), <u64>(to - from), counts);
      const used = records;
      records = spare;
      spare = used;
    }
  }
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
