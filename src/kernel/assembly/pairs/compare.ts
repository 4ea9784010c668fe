/**
 * Members of buckets -> pairs with their agreements. mappers/bucketPairs.ts describes which band emits a pair, and
 * reducers/leaderPairs.ts is the reference of `followLeaders`. Numbers of members are u32, a pair is a u64 with its first number in the
 * high half, its agreement a u32.
 */
import { equalSlots, haveCommon, keepBands, tallyOne } from './agreement';

/** Members that are compared with all others before the next ones, so that their rows remain in the L1 cache. */
const NEAR: u32 = 64;

/**
 * Writes a mask of `words` u64 per member: the first bits of bands that emit its pairs instead of this one. Those are bands in which
 * its bucket is small, and earlier bands with a middle bucket; for members of large buckets, all bands whose bucket is not large.
 * `larger`, `large`: `states` u32 per member, with a bit per band in which its bucket is not small, or is large.
 */
export function maskBands(
  count: u32,
  larger: usize,
  large: usize,
  states: u32,
  band: u32,
  bands: u32,
  rows: u32,
  isLarge: u32,
  words: u32,
  masks: usize,
): void {
  memory.fill(masks, 0, <usize>count * ((<usize>words) << 3));
  for (let i: u32 = 0; i < count; i++) {
    for (let k: u32 = 0, slot: u32 = 0; k < bands; k++, slot += rows) {
      const at = (<usize>(k >> 5)) << 2;
      const isSmall = ((load<u32>(larger + at) >> (k & 31)) & 1) === 0;
      const isMiddle = ((load<u32>(large + at) >> (k & 31)) & 1) === 0;
      if (!isSmall && (!isMiddle || (isLarge === 0 && k >= band))) continue;
      const word = masks + ((<usize>(slot >> 6)) << 3);
      store<u64>(word, load<u64>(word) | ((<u64>1) << (<u64>(slot & 63))));
    }
    larger += (<usize>states) << 2;
    large += (<usize>states) << 2;
    masks += (<usize>words) << 3;
  }
}

/**
 * Compares members [i0, i1) with later members in [j0, j1). Writes the pairs at the cutoff that this band emits, returns their number,
 * and counts the other ones by agreement. `own`: the mask of this band.
 */
export function compareMembers16(
  numbers: usize,
  signatures: usize,
  width: u32,
  hashes: u32,
  rows: u32,
  masks: usize,
  own: usize,
  i0: u32,
  i1: u32,
  j0: u32,
  j1: u32,
  cutoff: u32,
  tally: usize,
  bits: usize,
  pairs: usize,
  agreements: usize,
): u32 {
  const words = (hashes + 63) >> 6;
  const maskBytes = (<usize>words) << 3;
  let made: usize = 0;
  for (let from = i0; from < i1; from += NEAR) {
    const to = min<u32>(i1, from + NEAR);
    for (let j = max<u32>(j0, from + 1); j < j1; j++) {
      const y = signatures + <usize>j * <usize>width;
      const b = <u64>load<u32>(numbers + ((<usize>j) << 2));
      for (let i = from, end = min<u32>(to, j); i < end; i++) {
        const equal = equalSlots(signatures + <usize>i * <usize>width, y, hashes, bits);
        keepBands(bits, words, rows);
        if (!haveCommon(bits, own, words) || haveCommon(bits, masks + <usize>i * maskBytes, words)) continue;
        if (equal < cutoff) {
          tallyOne(tally, equal);
          continue;
        }
        store<u64>(pairs + (made << 3), ((<u64>load<u32>(numbers + ((<usize>i) << 2))) << 32) | b);
        store<u32>(agreements + (made << 2), equal);
        made++;
      }
    }
  }
  return <u32>made;
}

/**
 * Processes the next members [from, to) of one large bucket, by number. Writes their pairs with leaders that no other bucket emits, at
 * most `mostFollowed` each, and returns their number. `leaders`: rows of leaders; `state`: number of leaders, unmatched members, then
 * the number of each leader; `candidates`: one u32 per leader.
 */
export function followLeaders(
  numbers: usize,
  from: u32,
  to: u32,
  signatures: usize,
  width: u32,
  hashes: u32,
  rows: u32,
  masks: usize,
  cutoff: u32,
  near: u32,
  references: u32,
  onlyAgainst: u32,
  mostLeaders: u32,
  mostFollowed: u32,
  leaders: usize,
  state: usize,
  candidates: usize,
  bits: usize,
  pairs: usize,
  agreements: usize,
): u32 {
  const words = (hashes + 63) >> 6;
  let count = load<u32>(state);
  let made: usize = 0;
  for (let i = from; i < to; i++) {
    const x = signatures + <usize>i * <usize>width;
    const number = load<u32>(numbers + ((<usize>i) << 2));
    let best: u32 = 0;
    let reached: u32 = 0;
    for (let k: u32 = 0; k < count; k++) {
      const equal = equalSlots(leaders + <usize>k * <usize>width, x, hashes, bits);
      best = max<u32>(best, equal);
      if (equal < cutoff) continue;
      // Ascending order gives the highest agreements first; ties go to the smaller leader.
      store<u32>(candidates + ((<usize>reached) << 2), ((0xffff - equal) << 16) | k);
      reached++;
    }
    if (number < references) reached = 0;
    for (let p: u32 = 0, end = min<u32>(reached, mostFollowed); p < end; p++) {
      let least = candidates + ((<usize>p) << 2);
      const first = least;
      for (let q = first + 4, last = candidates + ((<usize>reached) << 2); q < last; q += 4)
        if (load<u32>(q) < load<u32>(least)) least = q;
      const candidate = load<u32>(least);
      store<u32>(least, load<u32>(first));
      const k = <usize>(candidate & 0xffff);
      equalSlots(leaders + k * <usize>width, x, hashes, bits);
      keepBands(bits, words, rows);
      if (haveCommon(bits, masks + <usize>i * ((<usize>words) << 3), words)) continue;
      store<u64>(pairs + (made << 3), ((<u64>load<u32>(state + 8 + (k << 2))) << 32) | <u64>number);
      store<u32>(agreements + (made << 2), 0xffff - (candidate >> 16));
      made++;
    }
    if (best >= near) continue;
    if (count === mostLeaders) store<u32>(state, load<u32>(state, 4) + 1, 4);
    else if (onlyAgainst === 0 || number < references) {
      memory.copy(leaders + <usize>count * <usize>width, x, <usize>width);
      store<u32>(state + 8 + ((<usize>count) << 2), number);
      count++;
    }
  }
  store<u32>(state, count);
  return <u32>made;
}

/**
 * Compares listed pairs; `places` has the rows of both documents of each pair (u32). Keeps pairs at the cutoff, in order, writes their agreements and returns their
 * number. Counts the others by agreement, except pairs that agree in no band, which are collisions of keys. `starts`: the mask of all
 * bands.
 */
export function agreePairs(
  pairs: usize,
  count: u32,
  places: usize,
  signatures: usize,
  width: u32,
  hashes: u32,
  rows: u32,
  starts: usize,
  cutoff: u32,
  tally: usize,
  bits: usize,
  kept: usize,
  agreements: usize,
): u32 {
  const words = (hashes + 63) >> 6;
  let made: usize = 0;
  for (let i: usize = 0; i < <usize>count; i++, places += 8) {
    const x = signatures + <usize>load<u32>(places) * <usize>width;
    const y = signatures + <usize>load<u32>(places, 4) * <usize>width;
    const equal = equalSlots(x, y, hashes, bits);
    keepBands(bits, words, rows);
    if (!haveCommon(bits, starts, words)) continue;
    if (equal < cutoff) {
      tallyOne(tally, equal);
      continue;
    }
    store<u64>(kept + (made << 3), load<u64>(pairs + (i << 3)));
    store<u32>(agreements + (made << 2), equal);
    made++;
  }
  return <u32>made;
}
