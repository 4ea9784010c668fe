/**
 * Members of one bucket, whose signatures lie in rows -> pairs, each made in one of the bands in which its documents agree; see
 * reducers/largeBuckets.ts.
 */
const SMALL: u32 = 0;
const LARGE: u32 = 1;

/** Where a pair is made: in another bucket, in this one, or in this one while it shares a capped bucket. */
const ELSEWHERE: u32 = 0;
const HERE: u32 = 1;
const IN_CAPPED: u32 = 2;

/** Number of members that are compared with all others before the next ones: their signatures stay in the nearest cache. */
const NEAR: u32 = 32;

/** A bit for each of 16 slots, from the lowest on: 1 where the slots are equal. */
function equalSlots(x: usize, y: usize): u64 {
  const low = i16x8.narrow_i32x4_s(
    i32x4.eq(v128.load(x), v128.load(y)),
    i32x4.eq(v128.load(x, 16), v128.load(y, 16)),
  );
  const high = i16x8.narrow_i32x4_s(
    i32x4.eq(v128.load(x, 32), v128.load(y, 32)),
    i32x4.eq(v128.load(x, 48), v128.load(y, 48)),
  );
  return <u64>(<u32>i8x16.bitmask(i8x16.narrow_i16x8_s(low, high)));
}

/**
 * Writes to `bits` a bit for each slot of two rows, from the lowest on, 64 to a word: 1 where the slots are equal; returns the
 * number of equal slots. Rows have room for a multiple of 16 slots.
 */
function equalBits(x: usize, y: usize, hashes: u32, bits: usize): u32 {
  let equal: u32 = 0;
  for (let left = <i32>hashes; left > 0; left -= 64, bits += 8) {
    let word: u64 = 0;
    const groups = <u64>min<i32>(64, (left + 15) & ~15);
    for (let at: u64 = 0; at < groups; at += 16, x += 64, y += 64) word |= equalSlots(x, y) << at;
    if (left < 64) word &= ((<u64>1) << (<u64>left)) - 1;
    store<u64>(bits, word);
    equal += <u32>popcnt<u64>(word);
  }
  return equal;
}

/** Number of first slots that `isMadeEarly` compares. */
const EARLY: u32 = 32;

/**
 * Whether the first slots alone show that a pair is made elsewhere. Documents that agree in one band mostly agree in an early one,
 * too, so a quarter of the slots decides most pairs of later bands. `elsewhere`: the first word of the mask of `putMasks`.
 */
function isMadeEarly(x: usize, y: usize, rows: u32, elsewhere: u64): bool {
  let word = equalSlots(x, y) | (equalSlots(x + 64, y + 64) << 16);
  for (let length: u32 = 1; length < rows; ) {
    const by = min<u32>(length, rows - length);
    word &= word >> <u64>by;
    length += by;
  }
  return (word & elsewhere) !== 0;
}

/**
 * Clears every bit in `words` words that does not begin a run of `rows` set bits: the first bit of a band stays where the whole
 * band agrees. As many words behind them, and one more, are zero.
 */
function keepRuns(bits: usize, words: u32, rows: u32): void {
  for (let length: u32 = 1; length < rows; ) {
    const by = min<u32>(length, rows - length);
    const shift = <u64>(by & 63);
    let next = bits + ((<usize>(by >> 6)) << 3);
    for (let at = bits, end = bits + ((<usize>words) << 3); at < end; at += 8, next += 8) {
      store<u64>(
        at,
        load<u64>(at) & ((load<u64>(next) >> shift) | ((load<u64>(next, 8) << 1) << (63 - shift))),
      );
    }
    length += by;
  }
}

/**
 * Writes two masks of `words` words from the states of a row's buckets. They have the first bits of bands: the first mask of bands
 * whose bucket makes a pair instead of this one, the second mask of bands whose bucket is capped.
 */
function putMasks(masks: usize, words: u32, states: usize, band: u32, bands: u32, rows: u32): void {
  const capped = masks + ((<usize>words) << 3);
  memory.fill(masks, 0, (<usize>words) << 4);
  for (let k: u32 = 0, slot: u32 = 0; k < bands; k++, slot += rows) {
    if (k === band) continue;
    const state = <u32>load<u8>(states + k);
    if (state === LARGE && k > band) continue;
    const at = (state === SMALL || state === LARGE ? masks : capped) + ((<usize>(slot >> 6)) << 3);
    store<u64>(at, load<u64>(at) | ((<u64>1) << (<u64>(slot & 63))));
  }
}

/** Where a pair is made: ELSEWHERE, HERE or IN_CAPPED. `bits`: from `keepRuns`. */
function madeHere(bits: usize, masks: usize, words: u32): u32 {
  const size = (<usize>words) << 3;
  let elsewhere: u64 = 0;
  let capped: u64 = 0;
  for (let at: usize = 0; at < size; at += 8) {
    const word = load<u64>(bits + at);
    elsewhere |= word & load<u64>(masks + at);
    capped |= word & load<u64>(masks + size + at);
  }
  return elsewhere !== 0 ? ELSEWHERE : capped !== 0 ? IN_CAPPED : HERE;
}

/**
 * Compares rows [i0, i1) with those of [j0, j1) behind them. Writes the pairs to emit, at most one for every two rows, and
 * returns their number; counts (u32) the other pairs that are made here by matching slots. `states`: `bands` bytes a row.
 * `bits`: with W the words of 64 bits that have a bit per slot, 2 W + 1 zero words, and behind them 2 W for each row of [i0, i1).
 */
export function compareMembers(
  signatures: usize,
  stride: u32,
  hashes: u32,
  states: usize,
  documents: usize,
  band: u32,
  bands: u32,
  rows: u32,
  i0: u32,
  i1: u32,
  j0: u32,
  j1: u32,
  least: u32,
  counts: usize,
  a: usize,
  b: usize,
  agreement: usize,
  bits: usize,
): u32 {
  const size = (<usize>stride) << 2;
  const words = (hashes + 63) >> 6;
  const masks = bits + ((<usize>(2 * words + 1)) << 3);
  const ofRow = (<usize>words) << 4;
  for (let i = i0, at = masks; i < i1; i++, at += ofRow)
    putMasks(at, words, states + <usize>i * <usize>bands, band, bands, rows);
  let made: usize = 0;
  for (let from = j0; from < j1; from += NEAR) {
    const to = min<u32>(j1, from + NEAR);
    for (let i = i0, own = masks; i < i1; i++, own += ofRow) {
      const x = signatures + <usize>i * size;
      const early: u64 = hashes < EARLY || rows > EARLY ? 0 : load<u64>(own) & 0xffffffff;
      for (let j = max<u32>(from, i + 1); j < to; j++) {
        const y = signatures + <usize>j * size;
        if (early !== 0 && isMadeEarly(x, y, rows, early)) continue;
        const equal = equalBits(x, y, hashes, bits);
        keepRuns(bits, words, rows);
        const where = madeHere(bits, own, words);
        if (where === ELSEWHERE) continue;
        if (equal < least && where !== IN_CAPPED) {
          const count = counts + ((<usize>equal) << 2);
          store<u32>(count, load<u32>(count) + 1);
          continue;
        }
        store<u32>(a + (made << 2), load<u32>(documents + ((<usize>i) << 2)));
        store<u32>(b + (made << 2), load<u32>(documents + ((<usize>j) << 2)));
        store<u16>(agreement + (made << 1), <u16>equal);
        made++;
      }
    }
  }
  return <u32>made;
}
