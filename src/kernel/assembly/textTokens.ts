// Words parted by blanks -> 64-bit hashes of the words (src/sketch/tokenHash.ts has the formula).
//
// Word edges are found 64 bytes at a time: a mask of the bytes that are no blank, xor the mask one byte on, has a bit
// where a word begins and where it has ended.

import { C1, C2, C3 } from './textMixing';
import { LONG_HASH, LONG_LENGTH, WORD_0, WORD_1 } from './textState';

/** A word in hand that is longer goes into LONG_HASH. */
const LONGEST_KEPT: usize = 1024;

function finish(h: u64): u64 {
  h ^= h >> 32;
  h *= C3;
  return h ^ (h >> 29);
}

/** The first `length` bytes at `at`, 1..8, zeros behind them. */
function head(at: usize, length: u64): u64 {
  return load<u64>(at) & (<u64>-1 >> (64 - 8 * length));
}

function step(h: u64, word: u64): u64 {
  h = (rotl<u64>(h, 27) ^ word) * C2;
  return h ^ (h >> 32);
}

/**
 * Hash of a word of more than 16 bytes. `done` bytes of it are in `h` already, `at` has the `rest` that follow (at
 * least one).
 */
function hashRest(at: usize, rest: u64, h: u64, done: u64, s1: u64): u64 {
  let left = rest;
  for (; left > 8; left -= 8, at += 8) h = step(h, load<u64>(at));
  return finish(h ^ (rotl<u64>((head(at, left) ^ s1) * C2, 29) + done + rest));
}

function hashLong(at: usize, length: u64, s0: u64, s1: u64): u64 {
  return hashRest(at + 8, length - 8, (load<u64>(at) ^ s0) * C1, 8, s1);
}

function hashWord(at: usize, length: u64, s0: u64, s1: u64): u64 {
  if (length <= 8) return finish((head(at, length) ^ s0) * C1);
  if (length > 16) return hashLong(at, length, s0, s1);
  const first = (load<u64>(at) ^ s0) * C1;
  return finish(first ^ rotl<u64>((head(at + 8, length - 8) ^ s1) * C2, 29));
}

function blanks16(v: v128): u64 {
  return <u64>i8x16.bitmask(i8x16.ne(v, i8x16.splat(0x20)));
}

/** A bit for every byte of 64 that is no blank. */
function wordBytes(at: usize): u64 {
  return (
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
 * Writes the hashes of the words in [from, end) to `out`, a word that reaches `end` among them; returns how many.
 * If LONG_LENGTH is not 0, the first word is the rest of a long one.
 */
export function textTokens(state: usize, from: usize, end: usize, out: usize): u32 {
  if (from === end) return 0;
  const s0 = load<u64>(state, WORD_0);
  const s1 = load<u64>(state, WORD_1);
  let to = out;
  if (load<u64>(state, LONG_LENGTH) !== 0) {
    const start = from;
    while (from < end && load<u8>(from) !== 0x20) from++;
    store<u64>(to, hashContinued(state, start, from));
    to += 8;
  }
  let inside: u64 = 0;
  let start: usize = 0;
  for (let at = from; at < end; at += 64) {
    let bytes = wordBytes(at);
    if (end - at < 64) bytes &= ((<u64>1) << (<u64>(end - at))) - 1;
    let edges = bytes ^ ((bytes << 1) | inside);
    if (inside !== 0) {
      // All 64 bytes belong to the word in hand.
      if (edges === 0) continue;
      const stop = at + <usize>ctz(edges);
      edges &= edges - 1;
      store<u64>(to, hashWord(start, stop - start, s0, s1));
      to += 8;
    }
    inside = bytes >> 63;
    while (edges !== 0) {
      start = at + <usize>ctz(edges);
      edges &= edges - 1;
      if (edges === 0) break;
      const stop = at + <usize>ctz(edges);
      edges &= edges - 1;
      store<u64>(to, hashWord(start, stop - start, s0, s1));
      to += 8;
    }
  }
  if (inside !== 0) {
    store<u64>(to, hashWord(start, end - start, s0, s1));
    to += 8;
  }
  return <u32>((to - out) >> 3);
}

/** Where the word begins that [from, end) ends with, and that may go on; `end` if none does. */
export function textWordInHand(from: usize, end: usize): usize {
  while (end > from && load<u8>(end - 1) !== 0x20) end--;
  return end;
}

/**
 * Keeps the word in hand, [at, end), at `front`; returns its end there. Of a long one only the last one to eight bytes
 * stay, the others go into LONG_HASH. To be called when all words before it are hashed.
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
