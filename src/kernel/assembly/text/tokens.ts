/**
 * Words separated by blanks -> 64-bit hashes of the words (src/text/tokenHash.ts has the formula).
 *
 * The first loop finds word edges 64 bytes at a time: a mask of the bytes that are not blank, xor the mask shifted by
 * one byte, has a bit where a word begins and where it has ended. It writes the two edges of each word
 * at the position of its future hash. The second loop hashes all words. The loops have no branches that depend on
 * word lengths (except for very long words), because a mispredicted branch costs as much as hashing two words.
 */
import { C1, C2, C3 } from './mixing';
import { LONG_HASH, LONG_LENGTH, WORD_0, WORD_1 } from './state';

/** Longer unfinished words are hashed into LONG_HASH. */
const LONGEST_KEPT: usize = 1024;

function finish(h: u64): u64 {
  h ^= h >> 32;
  h *= C3;
  return h ^ (h >> 29);
}

/** The first `length` bytes at `at`, 1..8, padded with zeros. */
function head(at: usize, length: u64): u64 {
  return load<u64>(at) & (<u64>-1 >> (64 - 8 * length));
}

function step(h: u64, word: u64): u64 {
  h = (rotl<u64>(h, 27) ^ word) * C2;
  return h ^ (h >> 32);
}

/**
 * Hash of a word of more than 16 bytes. `h` already covers `done` bytes of it; the `rest` (at least one)
 * follow at `at`.
 */
function hashRest(at: usize, rest: u64, h: u64, done: u64, s1: u64): u64 {
  let left = rest;
  for (; left > 8; left -= 8, at += 8) h = step(h, load<u64>(at));
  return finish(h ^ (rotl<u64>((head(at, left) ^ s1) * C2, 29) + done + rest));
}

function hashLong(at: usize, length: u64, s0: u64, s1: u64): u64 {
  return hashRest(at + 8, length - 8, (load<u64>(at) ^ s0) * C1, 8, s1);
}

/**
 * The two words of up to 16 bytes, not yet finished. Up to 8 and up to 16 bytes the formulas differ by a second word: it is
 * always computed, and masked if there is none.
 */
function short(at: usize, length: u64, s0: u64, s1: u64): u64 {
  // All bits if there are more than 8 bytes.
  const two = 0 - u64(length > 8);
  // The bits of the last byte of the last word and those below; the shift is taken modulo 64.
  const kept = <u64>-1 >> (0 - 8 * length);
  const first = ((load<u64>(at) & (kept | two)) ^ s0) * C1;
  const second = rotl<u64>(((load<u64>(at, 8) & kept) ^ s1) * C2, 29);
  return first ^ (second & two);
}

/** Hash of the word [at, end). */
function hashWord(at: usize, end: usize, s0: u64, s1: u64): u64 {
  const length = <u64>(end - at);
  return length > 16 ? hashLong(at, length, s0, s1) : finish(short(at, length, s0, s1));
}

/** Hash of the line [at, end), of at least one byte: lines may hold NUL, so the length of a short one is added. */
export function hashOfLine(at: usize, end: usize, s0: u64, s1: u64): u64 {
  const length = <u64>(end - at);
  return length > 16 ? hashLong(at, length, s0, s1) : finish(short(at, length, s0, s1) + length);
}

function blanks16(v: v128): u64 {
  return <u64>i8x16.bitmask(i8x16.eq(v, i8x16.splat(0x20)));
}

/** One bit for each of 64 bytes, 1 if it is not a blank. */
function wordBytes(at: usize): u64 {
  return ~(
    blanks16(v128.load(at)) |
    (blanks16(v128.load(at, 16)) << 16) |
    (blanks16(v128.load(at, 32)) << 32) |
    (blanks16(v128.load(at, 48)) << 48)
  );
}

/** Hash of the rest of the word that LONG_HASH began, at [at, end). */
function hashContinued(state: usize, at: usize, end: usize): u64 {
  const done = load<u64>(state, LONG_LENGTH);
  store<u64>(state, 0, LONG_LENGTH);
  return hashRest(at, end - at, load<u64>(state, LONG_HASH), done, load<u64>(state, WORD_1));
}

/**
 * Writes the positions of the lowest eight bits of `edges`, as addresses from `at` on. If there are fewer bits, the rest is undefined.
 */
function writeEdges(edges: u64, at: usize, to: usize): u64 {
  for (let i: usize = 0; i < 32; i += 4) {
    store<u32>(to + i, at + <usize>ctz(edges));
    edges &= edges - 1;
  }
  return edges;
}

/** Writes the addresses where each word in [from, end) begins and ends, 4 bytes each, to `to`; returns the end of the output. */
function wordEdges(from: usize, end: usize, to: usize): usize {
  let inside: u64 = 0;
  for (let at = from; at < end; at += 64) {
    let bytes = wordBytes(at);
    if (end - at < 64) bytes &= ((<u64>1) << (<u64>(end - at))) - 1;
    let edges = bytes ^ ((bytes << 1) | inside);
    inside = bytes >> 63;
    const next = to + ((<usize>popcnt(edges)) << 2);
    edges = writeEdges(writeEdges(writeEdges(edges, at, to), at, to + 32), at, to + 64);
    for (to += 96; edges !== 0; to += 32) edges = writeEdges(edges, at, to);
    to = next;
  }
  if (inside !== 0) {
    store<u32>(to, end);
    to += 4;
  }
  return to;
}

/**
 * Writes the hashes of the words in [from, end) to `out`, including a word that reaches `end`; returns their
 * number. If LONG_LENGTH is not 0, the first word continues a long one.
 */
export function textTokens(state: usize, from: usize, end: usize, out: usize): u32 {
  if (from === end) return 0;
  let at = out;
  if (load<u64>(state, LONG_LENGTH) !== 0) {
    const start = from;
    while (from < end && load<u8>(from) !== 0x20) from++;
    store<u64>(at, hashContinued(state, start, from));
    at += 8;
  }
  const s0 = load<u64>(state, WORD_0);
  const s1 = load<u64>(state, WORD_1);
  const to = wordEdges(from, end, at);
  for (; at < to; at += 8) store<u64>(at, hashWord(<usize>load<u32>(at), <usize>load<u32>(at, 4), s0, s1));
  return <u32>((to - out) >> 3);
}

/** The start of the word that ends [from, end) and may continue; `end` if there is none. */
export function textWordInHand(from: usize, end: usize): usize {
  while (end > from && load<u8>(end - 1) !== 0x20) end--;
  return end;
}

/**
 * Copies the unfinished word [at, end) to `front`; returns its end there. Only the last one to eight bytes of a long word are copied,
 * the others are hashed into LONG_HASH. Must be called after all earlier words are hashed.
 */
export function textKeepWord(state: usize, at: usize, end: usize, front: usize): usize {
  if (end - at > LONGEST_KEPT) {
    let done = load<u64>(state, LONG_LENGTH);
    let h = load<u64>(state, LONG_HASH);
    for (; end - at > 8; at += 8, done += 8) {
      const word = load<u64>(at);
      h = done === 0 ? (word ^ load<u64>(state, WORD_0)) * C1 : step(h, word);
    }
    store<u64>(state, done, LONG_LENGTH);
    store<u64>(state, h, LONG_HASH);
  }
  memory.copy(front, at, end - at);
  return front + (end - at);
}
