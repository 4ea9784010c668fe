/**
 * Token hashes -> shingle hashes and the content hash, in one loop of three independent chains.
 *
 * src/text/rolling.ts and contentKey.ts have the formulas. Zeros precede the first token of a document,
 * so a window that is not full yet needs no special case.
 */
import { isInSet } from '../sketch/hashSet';
import { textFmix64 } from './mixing';
import {
  ALL,
  BASE,
  CHAIN_1,
  CHAIN_2,
  CONTENT_KEY,
  FACTOR_1,
  FACTOR_2,
  KEY_BYTES,
  POWER,
  ROLLING,
  SET,
  SET_MASK,
  SIZE,
  UNITS,
} from './state';

/**
 * Rolls over `count` token hashes at `tokens`, which follow the `SIZE` hashes before them in memory, and writes a shingle to `out`
 * for each token after the first `skip`.
 */
export function textRollTokens(state: usize, tokens: usize, count: u32, skip: u32, out: usize): void {
  const base = load<u64>(state, BASE);
  const power = load<u64>(state, POWER);
  const p1 = load<u64>(state, FACTOR_1);
  const p2 = load<u64>(state, FACTOR_2);
  const window = (<usize>load<u32>(state, SIZE)) << 3;
  let h = load<u64>(state, ROLLING);
  let k1 = load<u64>(state, CHAIN_1);
  let k2 = load<u64>(state, CHAIN_2);
  let at = tokens;
  for (let part = 0; part < 2; part++) {
    const end = tokens + ((<usize>(part === 0 ? skip : count)) << 3);
    for (; at < end; at += 8) {
      const token = load<u64>(at);
      k1 = (k1 ^ token) * p1;
      k1 ^= k1 >> 32;
      k2 = (k2 + rotl<u64>(token, 32)) * p2;
      k2 ^= k2 >> 32;
      // Only the first product depends on the step before.
      h = h * base + (token - load<u64>(at - window) * power);
      // In the first part `out` does not move, so each shingle is overwritten.
      store<u64>(out, textFmix64(h));
      out += (<usize>part) << 3;
    }
  }
  store<u64>(state, h, ROLLING);
  store<u64>(state, k1, CHAIN_1);
  store<u64>(state, k2, CHAIN_2);
  store<u64>(state, load<u64>(state, UNITS) + <u64>count, UNITS);
}

/** As textRollTokens, but writes only shingles that start with a token of the set; returns their number. */
export function textRollStopWords(state: usize, tokens: usize, count: u32, skip: u32, out: usize): u32 {
  // The rolling loop writes a shingle for every token; later ones overwrite those that do not count.
  const base = load<u64>(state, BASE);
  let all = load<u64>(state, ALL);
  for (let i: u32 = 0; i < count; i++) all = all * base + load<u64>(tokens + ((<usize>i) << 3));
  store<u64>(state, all, ALL);
  textRollTokens(state, tokens, count, skip, out);
  const window = (<usize>load<u32>(state, SIZE)) << 3;
  const set = <usize>load<u32>(state, SET);
  const mask = load<u32>(state, SET_MASK);
  let to = out;
  let from = out;
  for (let i = skip; i < count; i++, from += 8) {
    store<u64>(to, load<u64>(from));
    if (isInSet(set, mask, load<u64>(tokens + ((<usize>(i + 1)) << 3) - window))) to += 8;
  }
  return <u32>((to - out) >> 3);
}

/** Writes the single shingle of a document: all its tokens, whose polynomial is at `polynomial`. */
export function textAllTokens(state: usize, polynomial: usize, out: usize): void {
  store<u64>(out, textFmix64(load<u64>(state + polynomial) + load<u64>(state, UNITS)));
}

/** The first chain of a content hash over bytes after eight more bytes. */
function keyChain1(chain: u64, word: u64, factor: u64): u64 {
  chain = (chain ^ word) * factor;
  return chain ^ (chain >> 32);
}

function keyChain2(chain: u64, word: u64, factor: u64): u64 {
  chain = (chain + rotl<u64>(word, 32)) * factor;
  return chain ^ (chain >> 32);
}

/** Adds the next eight bytes to a content hash over bytes. */
function keyStep(state: usize, word: u64): void {
  store<u64>(state, keyChain1(load<u64>(state, CHAIN_1), word, load<u64>(state, FACTOR_1)), CHAIN_1);
  store<u64>(state, keyChain2(load<u64>(state, CHAIN_2), word, load<u64>(state, FACTOR_2)), CHAIN_2);
}

/** Adds whole words of eight bytes of [from, end) to the content hash; returns where the rest begins. */
function keyWords(state: usize, from: usize, end: usize): usize {
  const p1 = load<u64>(state, FACTOR_1);
  const p2 = load<u64>(state, FACTOR_2);
  let k1 = load<u64>(state, CHAIN_1);
  let k2 = load<u64>(state, CHAIN_2);
  for (; end - from >= 8; from += 8) {
    const word = load<u64>(from);
    k1 = keyChain1(k1, word, p1);
    k2 = keyChain2(k2, word, p2);
  }
  store<u64>(state, k1, CHAIN_1);
  store<u64>(state, k2, CHAIN_2);
  return from;
}

/** Adds the bytes [from, end) to the content hash. */
export function textKeyBytes(state: usize, from: usize, end: usize): void {
  const units = load<u64>(state, UNITS);
  let filled = units & 7;
  let word = load<u64>(state, KEY_BYTES);
  store<u64>(state, units + (end - from), UNITS);
  if (filled !== 0) {
    for (; filled < 8 && from < end; filled++, from++) word |= (<u64>load<u8>(from)) << (8 * filled);
    if (filled < 8) {
      store<u64>(state, word, KEY_BYTES);
      return;
    }
    keyStep(state, word);
  }
  from = keyWords(state, from, end);
  word = 0;
  for (let i: u64 = 0; from < end; i++, from++) word |= (<u64>load<u8>(from)) << (8 * i);
  store<u64>(state, word, KEY_BYTES);
}

/** Ends the content hash; `bytes` is 1 if it was computed over bytes. */
export function textFinishKey(state: usize, bytes: u32): void {
  const units = load<u64>(state, UNITS);
  if (bytes !== 0 && (units & 7) !== 0) keyStep(state, load<u64>(state, KEY_BYTES));
  const x = load<u64>(state, CHAIN_1) ^ units;
  const y = load<u64>(state, CHAIN_2) + units;
  const a = textFmix64(x + y);
  store<u64>(state, a, CONTENT_KEY);
  store<u64>(state, textFmix64(y ^ a), CONTENT_KEY + 8);
}
