/**
 * The first 64 bits of SHA-256 (FIPS 180-4) of many short byte strings. Written out, because the platform's
 * hash makes objects for every string, which costs several times as much as hashing one block.
 */

const ROUNDS = 64;
const BLOCK = 64;

/** The fractional parts of cube roots and square roots of the first primes, as the standard says. */
const { K, H } = constants();

function constants(): { K: Int32Array; H: Int32Array } {
  const K = new Int32Array(ROUNDS);
  const H = new Int32Array(8);
  for (let n = 2, found = 0; found < ROUNDS; n++) {
    let prime = true;
    for (let d = 2; d * d <= n; d++) prime = prime && n % d !== 0;
    if (!prime) continue;
    K[found] = rootFraction(n, 3);
    if (found < 8) H[found] = rootFraction(n, 2);
    found++;
  }
  return { K, H };
}

/** 32 bits of the fraction of a root in integer arithmetic: floor(n^(1/degree) * 2^32). */
function rootFraction(n: number, degree: 2 | 3): number {
  const wanted = BigInt(n) << BigInt(32 * degree);
  let root = 0n;
  for (let bit = 1n << 37n; bit > 0n; bit >>= 1n) {
    const tried = root | bit;
    if (tried ** BigInt(degree) <= wanted) root = tried;
  }
  return Number(BigInt.asIntN(32, root));
}

/** Bytes, padding and length of a string as whole blocks of big-endian words; `words` is enlarged as needed. */
function paddedWords(bytes: Uint8Array, from: number, to: number, words: Int32Array): Int32Array {
  const length = to - from;
  const count = Math.ceil((length + 9) / BLOCK) * 16;
  const out = words.length < count ? new Int32Array(2 * count) : words.fill(0, 0, count);
  for (let i = 0; i < length; i++) out[i >>> 2] = out[i >>> 2]! | (bytes[from + i]! << (24 - 8 * (i & 3)));
  out[length >>> 2] = out[length >>> 2]! | (0x80 << (24 - 8 * (length & 3)));
  out[count - 2] = Math.floor(length / 2 ** 29);
  out[count - 1] = length << 3;
  return out;
}

/**
 * Compresses one block, the 16 words of `words` from `at` on, into the state; `schedule`: room for 64 words.
 */
function compress(state: Int32Array, words: Int32Array, at: number, schedule: Int32Array): void {
  for (let t = 0; t < 16; t++) schedule[t] = words[at + t]!;
  for (let t = 16; t < ROUNDS; t++) {
    const x = schedule[t - 15]!;
    const y = schedule[t - 2]!;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    schedule[t] = (schedule[t - 16]! + s0 + schedule[t - 7]! + s1) | 0;
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let t = 0; t < ROUNDS; t++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const one = (h + s1 + ((e & f) ^ (~e & g)) + K[t]! + schedule[t]!) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  state[0] = state[0]! + a;
  state[1] = state[1]! + b;
  state[2] = state[2]! + c;
  state[3] = state[3]! + d;
  state[4] = state[4]! + e;
  state[5] = state[5]! + f;
  state[6] = state[6]! + g;
  state[7] = state[7]! + h;
}

/**
 * The first 8 bytes of SHA-256 of strings as two big-endian uint32 each: string i is
 * `bytes[offsets[strings[i]] .. offsets[strings[i] + 1])`. Linear in the bytes.
 */
export function sha256Heads(
  strings: Uint32Array,
  offsets: Uint32Array | Float64Array,
  bytes: Uint8Array,
): Uint32Array {
  const heads = new Uint32Array(2 * strings.length);
  const state = new Int32Array(8);
  const schedule = new Int32Array(ROUNDS);
  let words = new Int32Array(16);
  for (let i = 0; i < strings.length; i++) {
    const from = offsets[strings[i]!]!;
    const to = offsets[strings[i]! + 1]!;
    words = paddedWords(bytes, from, to, words) as typeof words;
    state.set(H);
    for (let at = 0; at < to - from + 9; at += BLOCK) compress(state, words, at / 4, schedule);
    heads[2 * i] = state[0]!;
    heads[2 * i + 1] = state[1]!;
  }
  return heads;
}
