/**
 * 64-bit integer arithmetic in pairs of 32-bit halves, the mixers, and the constants that follow from a seed.
 *
 * A hash is two int32 halves (`lo`, `hi`); in arrays it is two consecutive entries of a Uint32Array, low half first. This is the
 * byte order of a little-endian u64, so the kernel reads and writes the same bytes. JavaScript lacks a 64-bit integer product and
 * BigInt is a hundred times slower, so products are computed from halves.
 */

/** High 32 bits of the 64-bit product of two uint32 (given as int32 or uint32). Returns an int32. */
function multiplyHigh32(a: number, b: number): number {
  const al = a & 0xffff;
  const ah = a >>> 16;
  const bl = b & 0xffff;
  const bh = b >>> 16;
  const low = Math.imul(al, bl) >>> 0;
  const middle = Math.imul(ah, bl) >>> 0;
  const cross = (Math.imul(al, bh) >>> 0) + (low >>> 16) + (middle & 0xffff);
  // `cross` is at most (2^16-1)^2 + 2(2^16-1) = 2^32-1, so it does not overflow.
  return (Math.imul(ah, bh) + (middle >>> 16) + (cross >>> 16)) | 0;
}

/** High half of `a * b mod 2^64`; the low half is `Math.imul(alo, blo)`. Returns an int32. */
export function multiplyHigh64(alo: number, ahi: number, blo: number, bhi: number): number {
  return (multiplyHigh32(alo, blo) + Math.imul(alo, bhi) + Math.imul(ahi, blo)) | 0;
}

/** Carry (0 or 1) of the 32-bit sum `a + b`, given the wrapped sum. */
export function carryOf(sum: number, a: number): number {
  return sum >>> 0 < a >>> 0 ? 1 : 0;
}

/** A bin of `bins` for a hash's high half: floor(high * bins / 2^32). `bins` <= 2^21. */
export function binOf(high: number, bins: number): number {
  return Math.floor(((high >>> 0) * bins) / 4294967296);
}

const MASK = 0xffffffffffffffffn;

/** MurmurHash3's 64-bit finaliser on a BigInt: for set-up only. fmix64(0) = 0. */
export function finalise64(value: bigint): bigint {
  let h = value & MASK;
  h ^= h >> 33n;
  h = (h * 0xff51afd7ed558ccdn) & MASK;
  h ^= h >> 33n;
  h = (h * 0xc4ceb9fe1a85ec53n) & MASK;
  return h ^ (h >> 33n);
}

/**
 * The purposes of constants. Each purpose has its own stream, so a new purpose never changes the constants
 * of another.
 */
export type Purpose =
  | 'word'
  | 'character'
  | 'shingle'
  | 'content'
  | 'occurrence'
  | 'row-chunk'
  | 'fss'
  | 'classic'
  | 'sample'
  | 'set'
  | 'text';

const PURPOSES: Record<Purpose, bigint> = {
  word: 1n,
  character: 2n,
  shingle: 3n,
  content: 4n,
  occurrence: 5n,
  'row-chunk': 6n,
  fss: 7n,
  classic: 8n,
  sample: 11n,
  // The gap to the other numbers is arbitrary.
  set: 20n,
  text: 21n,
};

/**
 * `count` constants of 64 bits for a seed and a purpose, as pairs (low, high): splitmix64 from a start that mixes both.
 * With `odd`, every constant is odd (a multiplier modulo 2^64 must be, or it loses bits).
 */
export function seededConstants(seed: number, purpose: Purpose, count: number, odd = false): Uint32Array {
  const out = new Uint32Array(2 * count);
  let state = finalise64(
    finalise64(BigInt(seed) + 0x9e3779b97f4a7c15n) + PURPOSES[purpose] * 0xd1342543de82ef95n,
  );
  for (let i = 0; i < count; i++) {
    state = (state + 0x9e3779b97f4a7c15n) & MASK;
    let value = finalise64(state);
    if (odd) value |= 1n;
    out[2 * i] = Number(value & 0xffffffffn);
    out[2 * i + 1] = Number(value >> 32n);
  }
  return out;
}

/** Golden ratio, xxHash prime and MurmurHash3 constant, low and high halves. */
export const C1_LOW = 0x7f4a7c15;
export const C1_HIGH = 0x9e3779b9 | 0;
export const C2_LOW = 0x27d4eb4f;
export const C2_HIGH = 0xc2b2ae3d | 0;
export const C3_LOW = 0xed558ccd | 0;
export const C3_HIGH = 0xff51afd7 | 0;
const C4_LOW = 0x1a85ec53;
const C4_HIGH = 0xc4ceb9fe | 0;

/**
 * MurmurHash3's fmix64: `h ^= h>>33; h *= C3; h ^= h>>33; h *= C4; h ^= h>>33` with C4 = 0xc4ceb9fe1a85ec53.
 * Writes the hash of (low, high) to `out[at], out[at+1]`, because a JavaScript function cannot return two
 * halves without an object.
 */
export function writeFmix64(out: Uint32Array, at: number, low: number, high: number): void {
  low ^= high >>> 1;
  high = multiplyHigh64(low, high, C3_LOW, C3_HIGH);
  low = Math.imul(low, C3_LOW) ^ (high >>> 1);
  high = multiplyHigh64(low, high, C4_LOW, C4_HIGH);
  low = Math.imul(low, C4_LOW) ^ (high >>> 1);
  out[at] = low;
  out[at + 1] = high;
}

/** The lighter finaliser of the cyclic polynomial: `h ^= h>>32; h *= C3; h ^= h>>32`. */
export function writeLightMix(out: Uint32Array, at: number, low: number, high: number): void {
  low ^= high;
  high = multiplyHigh64(low, high, C3_LOW, C3_HIGH);
  out[at] = Math.imul(low, C3_LOW) ^ high;
  out[at + 1] = high;
}

/**
 * The high half of MurmurHash3's 64-bit finaliser: 32 well-mixed bits that depend on all 64 bits of (low,
 * high), as an int32; mixedHigh(0, 0) = 0. The final xor-shift by 33 of fmix64 changes the low half only, so
 * the high half is ready after the second product.
 */
export function mixedHigh(low: number, high: number): number {
  low ^= high >>> 1;
  // 0xff51afd7ed558ccd
  const firstHigh = multiplyHigh64(low, high, 0xed558ccd, 0xff51afd7);
  const firstLow = Math.imul(low, 0xed558ccd) ^ (firstHigh >>> 1);
  // 0xc4ceb9fe1a85ec53
  return multiplyHigh64(firstLow, firstHigh, 0x1a85ec53, 0xc4ceb9fe);
}
