/**
 * Members of one bucket whose signatures lie in rows -> pairs made in the first band in which they agree; see
 * reducers/largeBuckets.ts.
 */
const SMALL: u32 = 0;
const LARGE: u32 = 1;

/** A pair is made elsewhere, here, or here and shares a capped bucket. */
const ELSEWHERE: u32 = 0;
const HERE: u32 = 1;
const IN_CAPPED: u32 = 2;

/** Members that are compared with all others before the next: their signatures stay in the nearest cache. */
const NEAR: u32 = 32;

/**
 * Which slots of two rows are equal, a bit each from the lowest on, 64 to a word of `bits`; returns how many are. Rows have room
 * for a multiple of 16 slots.
 */
function equalBits(x: usize, y: usize, hashes: u32, bits: usize): u32 {
  let equal: u32 = 0;
  for (let left = <i32>hashes; left > 0; left -= 64, bits += 8) {
    let word: u64 = 0;
    const groups = <u64>min<i32>(64, (left + 15) & ~15);
    for (let at: u64 = 0; at < groups; at += 16, x += 64, y += 64) {
      const low = i16x8.narrow_i32x4_s(
        i32x4.eq(v128.load(x), v128.load(y)),
        i32x4.eq(v128.load(x, 16), v128.load(y, 16)),
      );
      const high = i16x8.narrow_i32x4_s(
        i32x4.eq(v128.load(x, 32), v128.load(y, 32)),
        i32x4.eq(v128.load(x, 48), v128.load(y, 48)),
      );
      word |= (<u64>(<u32>i8x16.bitmask(i8x16.narrow_i16x8_s(low, high)))) << at;
    }
    if (left < 64) word &= ((<u64>1) << (<u64>left)) - 1;
    store<u64>(bits, word);
    equal += <u32>popcnt<u64>(word);
  }
  return equal;
}

/** Whether bits [from, from + count) are all set. A word behind the last is read, and left out. */
function areSet(bits: usize, from: u32, count: u32): bool {
  for (; count > 64; from += 64, count -= 64) if (~wordAt(bits, from) !== 0) return false;
  return ~wordAt(bits, from) << (<u64>(64 - count)) === 0;
}

function wordAt(bits: usize, from: u32): u64 {
  const word = bits + ((<usize>(from >> 6)) << 3);
  const shift = <u64>(from & 63);
  return (load<u64>(word) >> shift) | ((load<u64>(word, 8) << 1) << (63 - shift));
}

function madeHere(bits: usize, states: usize, band: u32, bands: u32, rows: u32): u32 {
  let made: u32 = HERE;
  for (let k: u32 = 0, from: u32 = 0; k < bands; k++, from += rows) {
    if (!areSet(bits, from, rows) || k === band) continue;
    const state = <u32>load<u8>(states + k);
    if (state === SMALL || (state === LARGE && k < band)) return ELSEWHERE;
    if (state !== LARGE) made = IN_CAPPED;
  }
  return made;
}

/**
 * Compares rows [i0, i1) with those of [j0, j1) behind them. Writes what is to be emitted, at most a row for every two, and
 * returns how many; others are counted (u32) by matching slots. `states`: `bands` bytes a row; `bits`: room for a bit
 * a slot in words of 8 bytes, and a word more.
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
  let made: usize = 0;
  for (let from = j0; from < j1; from += NEAR) {
    const to = min<u32>(j1, from + NEAR);
    for (let i = i0; i < i1; i++) {
      const x = signatures + <usize>i * size;
      const stateOf = states + <usize>i * <usize>bands;
      for (let j = max<u32>(from, i + 1); j < to; j++) {
        const y = signatures + <usize>j * size;
        const equal = equalBits(x, y, hashes, bits);
        const where = madeHere(bits, stateOf, band, bands, rows);
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
