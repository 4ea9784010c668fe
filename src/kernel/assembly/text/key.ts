/**
 * The key of a text: its bytes -> 128 bits, and the number of marks at its beginning. src/text/keys/textKey.ts has
 * the formulas.
 *
 * A struct, at the end of the state of a stream or alone; offsets in bytes, src/kernel/text/wasmStream.ts has
 * the same numbers:
 *
 *       0 chains A_0..A_3 u64    32 chains B_0..B_3 u64    64 bytes taken u64    72 marks u32
 *      80 the current stripe of 64 bytes     144 PARAMETERS: a_0..a_3, b_0..b_3, p1, p2     224 key, 16 bytes
 */
import { textFmix64 } from './mixing';

const CHAINS_B: usize = 32;
const LENGTH: usize = 64;
const MARKS: usize = 72;
const STRIPE: usize = 80;
const PARAMETERS: usize = 144;
const FACTOR_1: usize = 208;
const FACTOR_2: usize = 216;
const KEY: usize = 224;

/** Number of bytes at the beginning of a text whose marks are counted: no lane of 16 exceeds 255. */
const SAMPLE: u64 = 1024;

/** Resets the struct for a new text. */
export function textKeyBegin(key: usize): void {
  for (let at: usize = 0; at < LENGTH; at += 16) v128.store(key + at, v128.load(key + at, PARAMETERS));
  store<u64>(key, 0, LENGTH);
  store<u32>(key, 0, MARKS);
}

function stepA(chain: u64, t: u64, u: u64, factor: u64): u64 {
  return rotl<u64>(((chain ^ t) + rotl<u64>(u, 23)) * factor, 32);
}

function stepB(chain: u64, t: u64, u: u64, factor: u64): u64 {
  return rotl<u64>(((chain ^ u) + rotl<u64>(t, 29)) * factor, 32);
}

/** Adds the whole stripes of [from, end). */
function takeStripes(key: usize, from: usize, end: usize): void {
  const p1 = load<u64>(key, FACTOR_1);
  const p2 = load<u64>(key, FACTOR_2);
  let a0 = load<u64>(key);
  let a1 = load<u64>(key, 8);
  let a2 = load<u64>(key, 16);
  let a3 = load<u64>(key, 24);
  let b0 = load<u64>(key, 32);
  let b1 = load<u64>(key, 40);
  let b2 = load<u64>(key, 48);
  let b3 = load<u64>(key, 56);
  for (; from < end; from += 64) {
    let t = load<u64>(from);
    let u = load<u64>(from, 8);
    a0 = stepA(a0, t, u, p1);
    b0 = stepB(b0, t, u, p2);
    t = load<u64>(from, 16);
    u = load<u64>(from, 24);
    a1 = stepA(a1, t, u, p1);
    b1 = stepB(b1, t, u, p2);
    t = load<u64>(from, 32);
    u = load<u64>(from, 40);
    a2 = stepA(a2, t, u, p1);
    b2 = stepB(b2, t, u, p2);
    t = load<u64>(from, 48);
    u = load<u64>(from, 56);
    a3 = stepA(a3, t, u, p1);
    b3 = stepB(b3, t, u, p2);
  }
  store<u64>(key, a0);
  store<u64>(key, a1, 8);
  store<u64>(key, a2, 16);
  store<u64>(key, a3, 24);
  store<u64>(key, b0, 32);
  store<u64>(key, b1, 40);
  store<u64>(key, b2, 48);
  store<u64>(key, b3, 56);
}

/** Counts the ASCII digits and punctuation in [from, end), at most SAMPLE bytes in vectors of 16. */
function countMarks(key: usize, from: usize, end: usize): void {
  let marks = i8x16.splat(0);
  for (; from < end; from += 16) {
    const bytes = v128.load(from);
    // Signed: bytes beyond ASCII are below the blank, and a letter of either case is among the 26 least
    // numbers.
    const visible = i8x16.gt_s(bytes, i8x16.splat(0x20));
    const order = i8x16.add(v128.or(bytes, i8x16.splat(0x20)), i8x16.splat(0x1f));
    const letter = i8x16.lt_s(order, i8x16.splat(-102));
    // True is -1.
    marks = i8x16.sub(marks, v128.andnot(visible, letter));
  }
  const fours = i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(marks));
  const found =
    i32x4.extract_lane(fours, 0) +
    i32x4.extract_lane(fours, 1) +
    i32x4.extract_lane(fours, 2) +
    i32x4.extract_lane(fours, 3);
  store<u32>(key, load<u32>(key, MARKS) + found, MARKS);
}

/** Adds whole stripes of a text, after `taken` bytes. */
function takeText(key: usize, from: usize, end: usize, taken: u64): void {
  if (taken < SAMPLE) countMarks(key, from, min<usize>(end, from + <usize>(SAMPLE - taken)));
  takeStripes(key, from, end);
}

/** Adds the bytes [from, end) of the text; reads up to 64 bytes behind them and ignores these. */
export function textKeyPush(key: usize, from: usize, end: usize): void {
  let taken = load<u64>(key, LENGTH);
  let filled = <usize>(taken & 63);
  store<u64>(key, taken + <u64>(end - from), LENGTH);
  if (filled !== 0) {
    taken -= filled;
    for (; filled < 64 && from < end; filled++, from++) store<u8>(key + filled, load<u8>(from), STRIPE);
    if (filled < 64) return;
    takeText(key, key + STRIPE, key + STRIPE + 64, taken);
    taken += 64;
  }
  const rest = from + ((end - from) & ~63);
  if (rest > from) takeText(key, from, rest, taken);
  if (rest === end) return;
  for (let at: usize = 0; at < 64; at += 16) v128.store(key + at, v128.load(rest + at), STRIPE);
}

/** Zeroes the current stripe from byte `rest` to the next multiple of 16. */
function padStripe(key: usize, rest: usize): void {
  const at = key + (rest & ~7);
  const mask = ((<u64>1) << ((<u64>(rest & 7)) << 3)) - 1;
  if ((rest & 15) === 0) return;
  store<u64>(at, load<u64>(at, STRIPE) & mask, STRIPE);
  if ((rest & 8) === 0) store<u64>(at, 0, STRIPE + 8);
}

/** The four chains from `at` on, each mixed by itself and rotated. */
function sumOfChains(at: usize): u64 {
  return (
    textFmix64(load<u64>(at)) +
    rotl<u64>(textFmix64(load<u64>(at, 8)), 16) +
    rotl<u64>(textFmix64(load<u64>(at, 16)), 32) +
    rotl<u64>(textFmix64(load<u64>(at, 24)), 48)
  );
}

/** Ends the text: the struct holds its key and its marks. */
export function textKeyEnd(key: usize): void {
  const p1 = load<u64>(key, FACTOR_1);
  const p2 = load<u64>(key, FACTOR_2);
  const length = load<u64>(key, LENGTH);
  const rest = <usize>(length & 63);
  if (rest > 0) {
    padStripe(key, rest);
    const stripe = key + STRIPE;
    const steps = (rest + 15) >> 4;
    for (let i: usize = 0; i < steps; i++) {
      const t = load<u64>(stripe + (i << 4));
      const u = load<u64>(stripe + (i << 4), 8);
      const chain = key + (i << 3);
      store<u64>(chain, stepA(load<u64>(chain), t, u, p1));
      store<u64>(chain, stepB(load<u64>(chain, CHAINS_B), t, u, p2), CHAINS_B);
    }
    if (length < SAMPLE) countMarks(key, stripe, stripe + (steps << 4));
  }
  const x = sumOfChains(key) ^ length;
  const y = sumOfChains(key + CHAINS_B);
  const a = textFmix64(x + y);
  store<u64>(key, a, KEY);
  store<u64>(key, textFmix64(y ^ a), KEY + 8);
}

/** The address of the finished key of a struct. */
export function textKeyAt(key: usize): usize {
  return key + KEY;
}

/** Whether the text of a struct looks like code, as src/text/keys/textKey.ts says. */
export function textLooksLikeCode(key: usize): bool {
  return 10 * <u64>load<u32>(key, MARKS) > min<u64>(load<u64>(key, LENGTH), SAMPLE);
}
