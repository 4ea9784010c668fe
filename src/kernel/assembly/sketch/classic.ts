/** N minhash functions high + a_k * low mod 2^32, sixteen slots at a time; src/sketch/schemes/classic.ts gives the reasons. */

/** Bytes of hashes per pass over the slots: 16 KB, so that all passes after the first read from the L1 cache. */
const BATCH: usize = 2048 << 3;

/**
 * Lowers sixteen slots. Four vectors of minima and four of multipliers stay in registers with the hash: with
 * eight and eight the engine spills registers, which takes half as long again.
 */
function lowerSixteen(signature: usize, multipliers: usize, hashes: usize, end: usize): void {
  const a0 = v128.load(multipliers);
  const a1 = v128.load(multipliers, 16);
  const a2 = v128.load(multipliers, 32);
  const a3 = v128.load(multipliers, 48);
  let m0 = v128.load(signature);
  let m1 = v128.load(signature, 16);
  let m2 = v128.load(signature, 32);
  let m3 = v128.load(signature, 48);
  for (; hashes < end; hashes += 8) {
    const low = v128.load32_splat(hashes);
    const high = v128.load32_splat(hashes, 4);
    m0 = i32x4.min_u(m0, i32x4.add(i32x4.mul(a0, low), high));
    m1 = i32x4.min_u(m1, i32x4.add(i32x4.mul(a1, low), high));
    m2 = i32x4.min_u(m2, i32x4.add(i32x4.mul(a2, low), high));
    m3 = i32x4.min_u(m3, i32x4.add(i32x4.mul(a3, low), high));
  }
  v128.store(signature, m0);
  v128.store(signature, m1, 16);
  v128.store(signature, m2, 32);
  v128.store(signature, m3, 48);
}

/**
 * Lowers `stride` slots (a multiple of 16) by `count` hashes; `multipliers`: one u32 per slot. Padding slots
 * are computed like others and are not used.
 */
export function classicUpdate(
  signature: usize,
  stride: u32,
  hashes: usize,
  count: u32,
  multipliers: usize,
): void {
  const end = hashes + ((<usize>count) << 3);
  const width = (<usize>stride) << 2;
  for (let from = hashes; from < end; from += BATCH) {
    const to = min<usize>(from + BATCH, end);
    for (let at: usize = 0; at < width; at += 64) lowerSixteen(signature + at, multipliers + at, from, to);
  }
}
