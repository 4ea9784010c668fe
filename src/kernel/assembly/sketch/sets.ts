/** Common elements of sorted lists of 64-bit hashes; src/sketch/similarity.ts is the reference. */

/** -1 in each lane whose hash of `x` is one of the four in y0, y1. */
function found(x: v128, y0: v128, y1: v128): v128 {
  return v128.or(
    v128.or(i64x2.eq(x, y0), i64x2.eq(x, v128.shuffle<i64>(y0, y0, 1, 0))),
    v128.or(i64x2.eq(x, y1), i64x2.eq(x, v128.shuffle<i64>(y1, y1, 1, 0))),
  );
}

/** Elements of [a, aEnd) that are in [b, bEnd), one by one: for the rest after full blocks. */
function commonOfRest(a: usize, aEnd: usize, b: usize, bEnd: usize, used: usize): u32 {
  const aStart = a;
  const bStart = b;
  let common: u32 = 0;
  while (a < aEnd && b < bEnd) {
    const x = load<u64>(a);
    const y = load<u64>(b);
    common += u32(x === y);
    a += (<usize>(x <= y)) << 3;
    b += (<usize>(y <= x)) << 3;
  }
  store<u32>(used, <u32>((a - aStart) >> 3));
  store<u32>(used, <u32>((b - bStart) >> 3), 4);
  return common;
}

/**
 * Common elements of the sorted distinct lists [a, aEnd) and [b, bEnd), up to the end of one of them. Writes
 * the number of hashes used of each to `used` (two u32): lists longer than their buffer come in pieces.
 *
 * Four hashes of each are compared all with all; then the four with the smaller last hash are done with.
 * Which these are is random, so it is computed rather than branched on. Every equal pair is compared exactly
 * once.
 */
export function intersectionSize(a: usize, aEnd: usize, b: usize, bEnd: usize, used: usize): u32 {
  const aStart = a;
  const bStart = b;
  let counts = i64x2.splat(0);
  while (a + 32 <= aEnd && b + 32 <= bEnd) {
    const y0 = v128.load(b);
    const y1 = v128.load(b, 16);
    counts = i64x2.add(counts, i64x2.add(found(v128.load(a), y0, y1), found(v128.load(a, 16), y0, y1)));
    const aLast = load<u64>(a, 24);
    const bLast = load<u64>(b, 24);
    a += (<usize>(aLast <= bLast)) << 5;
    b += (<usize>(bLast <= aLast)) << 5;
  }
  const inBlocks = <u32>(0 - i64x2.extract_lane(counts, 0) - i64x2.extract_lane(counts, 1));
  const common = inBlocks + commonOfRest(a, aEnd, b, bEnd, used);
  store<u32>(used, load<u32>(used) + <u32>((a - aStart) >> 3));
  store<u32>(used, load<u32>(used, 4) + <u32>((b - bStart) >> 3), 4);
  return common;
}

/** The position of the first hash of the sorted [from, end) that is not less than `least`. */
function placeOf(from: usize, end: usize, least: u64): usize {
  for (let count = (end - from) >> 3; count > 0; ) {
    const half = count >> 1;
    const middle = from + (half << 3);
    const less = load<u64>(middle) < least;
    from = less ? middle + 8 : from;
    count = less ? count - half - 1 : half;
  }
  return from;
}

/**
 * Common elements of two sorted distinct lists. Both are cut at the middle of the first, and the two halves
 * are compared in one loop: each iteration depends on the addresses of the one before, so two interleaved
 * chains take a third less time than one.
 */
function commonSize(a: usize, aEnd: usize, b: usize, bEnd: usize, used: usize): u32 {
  if (aEnd - a < 128) return intersectionSize(a, aEnd, b, bEnd, used);
  const aCut = a + (((aEnd - a) >> 4) << 3);
  const bCut = placeOf(b, bEnd, load<u64>(aCut));
  let c = aCut;
  let d = bCut;
  let counts = i64x2.splat(0);
  while (a + 32 <= aCut && b + 32 <= bCut && c + 32 <= aEnd && d + 32 <= bEnd) {
    const y0 = v128.load(b);
    const y1 = v128.load(b, 16);
    counts = i64x2.add(counts, i64x2.add(found(v128.load(a), y0, y1), found(v128.load(a, 16), y0, y1)));
    const z0 = v128.load(d);
    const z1 = v128.load(d, 16);
    counts = i64x2.add(counts, i64x2.add(found(v128.load(c), z0, z1), found(v128.load(c, 16), z0, z1)));
    const aLast = load<u64>(a, 24);
    const bLast = load<u64>(b, 24);
    const cLast = load<u64>(c, 24);
    const dLast = load<u64>(d, 24);
    a += (<usize>(aLast <= bLast)) << 5;
    b += (<usize>(bLast <= aLast)) << 5;
    c += (<usize>(cLast <= dLast)) << 5;
    d += (<usize>(dLast <= cLast)) << 5;
  }
  const inBlocks = <u32>(0 - i64x2.extract_lane(counts, 0) - i64x2.extract_lane(counts, 1));
  return inBlocks + intersectionSize(a, aCut, b, bCut, used) + intersectionSize(c, aEnd, d, bEnd, used);
}

/**
 * Common elements of `total` pairs of sets: `a` and `b` hold a number of a set each (u32), set s is the hashes
 * from address bounds[2s] to bounds[2s + 1] (u32). Writes a u32 a pair to `common`; `used`: two u32 of scratch.
 */
export function commonSizes(a: usize, b: usize, total: u32, bounds: usize, common: usize, used: usize): void {
  const bytes = (<usize>total) << 2;
  for (let at: usize = 0; at < bytes; at += 4) {
    const first = bounds + ((<usize>load<u32>(a + at)) << 3);
    const second = bounds + ((<usize>load<u32>(b + at)) << 3);
    const size = commonSize(
      <usize>load<u32>(first),
      <usize>load<u32>(first, 4),
      <usize>load<u32>(second),
      <usize>load<u32>(second, 4),
      used,
    );
    store<u32>(common + at, size);
  }
}
