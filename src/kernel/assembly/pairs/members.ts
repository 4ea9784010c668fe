/**
 * Members of one bucket whose signatures lie in rows -> pairs made in the first band in which they agree; see
 * reducers/largeBuckets.ts.
 */
import { equalSlots } from './agreement';

const SMALL: u32 = 0;
const LARGE: u32 = 1;

/** A pair is made elsewhere, here, or here and shares a capped bucket. */
const ELSEWHERE: u32 = 0;
const HERE: u32 = 1;
const IN_CAPPED: u32 = 2;

/** Members that are compared with all others before the next: their signatures stay in the nearest cache. */
const NEAR: u32 = 32;

function madeHere(x: usize, y: usize, states: usize, band: u32, bands: u32, width: usize): u32 {
  let made: u32 = HERE;
  for (let k: u32 = 0; k < bands; k++, x += width, y += width) {
    if (load<u32>(x) !== load<u32>(y) || k === band) continue;
    let at: usize = 4;
    while (at < width && load<u32>(x + at) === load<u32>(y + at)) at += 4;
    if (at < width) continue;
    const state = <u32>load<u8>(states + k);
    if (state === SMALL || (state === LARGE && k < band)) return ELSEWHERE;
    if (state !== LARGE) made = IN_CAPPED;
  }
  return made;
}

/**
 * Compares rows [i0, i1) with those of [j0, j1) behind them. Writes what is to be emitted, at most a row for every two, and
 * returns how many; others are counted (u32) by matching slots. `states`: `bands` bytes a row.
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
): u32 {
  const size = (<usize>stride) << 2;
  const width = (<usize>rows) << 2;
  let made: usize = 0;
  for (let from = j0; from < j1; from += NEAR) {
    const to = min<u32>(j1, from + NEAR);
    for (let i = i0; i < i1; i++) {
      const x = signatures + <usize>i * size;
      const stateOf = states + <usize>i * <usize>bands;
      for (let j = max<u32>(from, i + 1); j < to; j++) {
        const y = signatures + <usize>j * size;
        const where = madeHere(x, y, stateOf, band, bands, width);
        if (where === ELSEWHERE) continue;
        const equal = equalSlots(x, y, <usize>hashes);
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
