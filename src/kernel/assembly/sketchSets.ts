// Common elements of sorted lists of 64-bit hashes; src/sketch/similarity.ts is the reference.

/** -1 in each lane whose hash of `x` is one of the four in y0, y1. */
function found(x: v128, y0: v128, y1: v128): v128 {
  return v128.or(
    v128.or(i64x2.eq(x, y0), i64x2.eq(x, v128.shuffle<i64>(y0, y0, 1, 0))),
    v128.or(i64x2.eq(x, y1), i64x2.eq(x, v128.shuffle<i64>(y1, y1, 1, 0))),
  );
}

/**
 * Common elements of the sorted distinct lists [a, aEnd) and [b, bEnd), until one of them is used up. Writes
 * how many hashes of each were used to `used` (two u32): lists longer than the room for them come in pieces.
 *
 * Four hashes of each are compared all with all; then the four with the smaller last hash are done with.
 * Which these are is computed rather than branched on: it is a coin toss. Every equal pair meets exactly
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
  let common = <u32>(0 - i64x2.extract_lane(counts, 0) - i64x2.extract_lane(counts, 1));
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
