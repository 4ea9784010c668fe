/**
 * The hashes of tokens, shingles and content, spelled as their definitions say, in BigInt: what the
 * typed-array code is compared with. It shares with that code the seeded constants and the canonical tokens,
 * no arithmetic.
 */
import { finalise64, type Purpose, seededConstants } from '../../src/arrays/hashing.js';

import type { ShingleParams } from '../../src/text/shingles.js';
import { canonicalTokens } from '../../src/text/tokens.js';

const MASK = 0xffffffffffffffffn;
const C1 = 0x9e3779b97f4a7c15n;
const C2 = 0xc2b2ae3d27d4eb4fn;
const C3 = 0xff51afd7ed558ccdn;

const wrap = (x: bigint): bigint => x & MASK;
const rotl = (x: bigint, by: number): bigint => wrap((x << BigInt(by)) | (x >> BigInt(64 - by)));

function constants(seed: number, purpose: Purpose, count: number, odd: boolean): bigint[] {
  const halves = seededConstants(seed, purpose, count, odd);
  return Array.from(
    { length: count },
    (_, i) => BigInt(halves[2 * i]!) | (BigInt(halves[2 * i + 1]!) << 32n),
  );
}

/** Bytes as little-endian u64, the last one padded with zeros. */
function wordsOf(bytes: Uint8Array): bigint[] {
  const words: bigint[] = [];
  for (let i = 0; i < bytes.length; i += 8) {
    let word = 0n;
    for (let j = 0; j < 8 && i + j < bytes.length; j++) word |= BigInt(bytes[i + j]!) << BigInt(8 * j);
    words.push(word);
  }
  return words;
}

export function tokenHash(bytes: Uint8Array, seed: number, withLength: boolean): bigint {
  const [s0, s1] = constants(seed, 'word', 2, false) as [bigint, bigint];
  const words = wordsOf(bytes);
  const length = BigInt(bytes.length);
  let h = wrap((words[0]! ^ s0) * C1);
  for (const word of words.slice(1, -1)) {
    h = wrap((rotl(h, 27) ^ word) * C2);
    h ^= h >> 32n;
  }
  if (words.length > 1) {
    const last = rotl(wrap((words.at(-1)! ^ s1) * C2), 29);
    h ^= wrap(last + (words.length > 2 ? length : 0n));
  }
  if (withLength && words.length <= 2) h = wrap(h + length);
  h ^= h >> 32n;
  h = wrap(h * C3);
  return h ^ (h >> 29n);
}

/** Polynomial shingles of token hashes; `starts` says which tokens may start one. */
function tokenShingles(
  hashes: bigint[],
  params: ShingleParams,
  starts: (token: bigint) => boolean,
): bigint[] {
  const [base] = constants(params.seed, 'shingle', 1, true) as [bigint];
  const polynomial = (items: bigint[]): bigint => items.reduce((h, item) => wrap(h * base + item), 0n);
  const out: bigint[] = [];
  for (let i = 0; i + params.size <= hashes.length; i++) {
    if (starts(hashes[i]!)) out.push(finalise64(polynomial(hashes.slice(i, i + params.size))));
  }
  if (out.length === 0 && hashes.length > 0) out.push(finalise64(polynomial(hashes) + BigInt(hashes.length)));
  return out;
}

function characterShingles(characters: number[], params: ShingleParams): bigint[] {
  const [s, s1] = constants(params.seed, 'character', 2, false) as [bigint, bigint];
  const finished = (x: bigint): bigint => {
    let h = wrap(x + s1);
    h ^= h >> 32n;
    h = wrap(h * C3);
    return h ^ (h >> 32n);
  };
  const cyclic = (items: bigint[]): bigint => items.reduce((h, item) => rotl(h, 1) ^ item, 0n);
  const values = characters.map((c) => finalise64(wrap(BigInt(c + 1) * C1) ^ s));
  if (values.length < params.size) {
    return values.length === 0 ? [] : [finished(cyclic(values) + BigInt(values.length) * C2)];
  }
  const out: bigint[] = [];
  for (let i = 0; i + params.size <= values.length; i++) {
    out.push(finished(cyclic(values.slice(i, i + params.size))));
  }
  return out;
}

function labelled(hashes: bigint[], seed: number): bigint[] {
  const [odd] = constants(seed, 'occurrence', 1, true) as [bigint];
  const seen = new Map<bigint, bigint>();
  return hashes.map((h) => {
    const n = (seen.get(h) ?? 0n) + 1n;
    seen.set(h, n);
    return n === 1n ? h : finalise64(h + n * odd);
  });
}

function contentKey(items: bigint[], units: number, seed: number): bigint[] {
  const [start1, start2, p1, p2] = constants(seed, 'content', 4, true) as [bigint, bigint, bigint, bigint];
  let k1 = start1;
  let k2 = start2;
  for (const item of items) {
    k1 = wrap((k1 ^ item) * p1);
    k1 ^= k1 >> 32n;
    k2 = wrap((k2 + rotl(item, 32)) * p2);
    k2 ^= k2 >> 32n;
  }
  const y = wrap(k2 + BigInt(units));
  const a = finalise64((k1 ^ BigInt(units)) + y);
  return [a, finalise64(y ^ a)];
}

export interface Shingled {
  readonly tokens: number;
  readonly hashes: bigint[];
  readonly contentKey: bigint[];
}

/** All that a shingle stream says of a document, by definition. */
export function shinglesByBigInt(bytes: Uint8Array, params: ShingleParams): Shingled {
  const { unit, seed } = params;
  const tokens = canonicalTokens(bytes, params);
  const encoded = tokens.map((token) => new TextEncoder().encode(token));
  let hashes: bigint[];
  let key: bigint[];
  if (unit === 'chars' || unit === 'bytes') {
    const text = unit === 'bytes' ? bytes : new TextEncoder().encode(tokens.join(''));
    const characters = unit === 'bytes' ? Array.from(bytes) : tokens.map((token) => token.codePointAt(0)!);
    hashes = characterShingles(characters, params);
    key = contentKey(wordsOf(text), text.length, seed);
  } else {
    const items = encoded.map((token) => tokenHash(token, seed, unit === 'lines'));
    const stops = params.stopWords.map((word) => tokenHash(new TextEncoder().encode(word), seed, false));
    hashes = tokenShingles(items, params, (token) => unit !== 'stopwords' || stops.includes(token));
    key = contentKey(items, items.length, seed);
  }
  return { tokens: tokens.length, hashes: params.bag ? labelled(hashes, seed) : hashes, contentKey: key };
}
