/**
 * Counts matching slots of the signatures of many pairs.
 *
 * Signatures lie in rows; `rows` has by document the number of its row, from 1 on (0: none yet).
 */

function rowFor(document: u32, rows: usize, fresh: usize, given: u32): u32 {
  const at = rows + ((<usize>document) << 2);
  if (load<u32>(at) !== 0) return given;
  store<u32>(fresh + ((<usize>given) << 2), document);
  store<u32>(at, given + 1);
  return given + 1;
}

/**
 * Assigns rows to the documents of pairs [from, count) without one, starting with row `given`, while at least
 * two of `capacity` may be free; returns the pair where it stopped. `fresh`: by row from 0 the document in it;
 * `state`: receives the number of rows taken.
 */
export function giveRows(
  a: usize,
  b: usize,
  from: u32,
  count: u32,
  rows: usize,
  fresh: usize,
  given: u32,
  capacity: u32,
  state: usize,
): u32 {
  let pair = from;
  for (; pair < count && given + 2 <= capacity; pair++) {
    given = rowFor(load<u32>(a + ((<usize>pair) << 2)), rows, fresh, given);
    given = rowFor(load<u32>(b + ((<usize>pair) << 2)), rows, fresh, given);
  }
  store<u32>(state, given);
  return pair;
}

/** Releases all rows: their documents have none afterwards. */
export function takeRows(fresh: usize, given: u32, rows: usize): void {
  for (const end = fresh + ((<usize>given) << 2); fresh < end; fresh += 4) {
    store<u32>(rows + ((<usize>load<u32>(fresh)) << 2), 0);
  }
}

export function equalSlots(a: usize, b: usize, hashes: usize): u32 {
  let even = i32x4.splat(0);
  let odd = i32x4.splat(0);
  const end = a + ((hashes & ~7) << 2);
  for (; a < end; a += 32, b += 32) {
    even = i32x4.sub(even, i32x4.eq(v128.load(a), v128.load(b)));
    odd = i32x4.sub(odd, i32x4.eq(v128.load(a, 16), v128.load(b, 16)));
  }
  even = i32x4.add(even, odd);
  let equal =
    i32x4.extract_lane(even, 0) +
    i32x4.extract_lane(even, 1) +
    i32x4.extract_lane(even, 2) +
    i32x4.extract_lane(even, 3);
  for (const last = end + ((hashes & 7) << 2); a < last; a += 4, b += 4) {
    equal += <i32>(load<u32>(a) === load<u32>(b));
  }
  return <u32>equal;
}

/**
 * Matching slots (u16) of pairs [from, to), and whether they are at least `least` (u8). `stride`: slots per
 * row.
 */
export function agreements(
  a: usize,
  b: usize,
  from: u32,
  to: u32,
  rows: usize,
  signatures: usize,
  stride: u32,
  hashes: u32,
  least: u32,
  agreement: usize,
  accepted: usize,
): void {
  const width = (<usize>stride) << 2;
  for (let i = <usize>from; i < <usize>to; i++) {
    const rowA = <usize>load<u32>(rows + ((<usize>load<u32>(a + (i << 2))) << 2)) - 1;
    const rowB = <usize>load<u32>(rows + ((<usize>load<u32>(b + (i << 2))) << 2)) - 1;
    const equal = equalSlots(signatures + rowA * width, signatures + rowB * width, <usize>hashes);
    store<u16>(agreement + (i << 1), <u16>equal);
    store<u8>(accepted + i, <u8>(equal >= least));
  }
}
