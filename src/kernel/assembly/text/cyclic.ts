/** Characters or bytes -> shingle hashes: the cyclic polynomial of src/text/rolling.ts. */
import { C1, C2, lightMix, textFmix64 } from './mixing';
import { CHARACTER_0, CHARACTER_1, CHARACTERS, ROLLING, ROTATED, SIZE } from './state';
import { CODE_POINT, decodeValid, LENGTH_SHIFT } from './utf8';

/** The highest bit of every byte. */
const HIGH_BITS: u64 = (0x80808080 << 32) | 0x80808080;

function characterValue(state: usize, character: u32): u64 {
  return textFmix64(((<u64>character + 1) * C1) ^ load<u64>(state, CHARACTER_0));
}

/** Fills the tables of the values of the code points below 256. */
export function textCharacterTable(state: usize): void {
  const size = <u64>load<u32>(state, SIZE);
  for (let i: u32 = 0; i < 256; i++) {
    const at = state + ((<usize>i) << 3);
    const value = characterValue(state, i);
    store<u64>(at, value, CHARACTERS);
    store<u64>(at, rotl<u64>(value, size), ROTATED);
  }
}

/** Writes T of the byte of `bytes` that begins `place` bits above the lowest. */
function writeValue(table: usize, bytes: u64, place: u64, to: usize): void {
  store<u64>(to + <usize>place, load<u64>(table + <usize>(((bytes >> place) & 255) << 3)));
}

/** Writes T of eight bytes: one load for all, and no loop. */
function writeEight(table: usize, bytes: u64, to: usize): void {
  writeValue(table, bytes, 0, to);
  writeValue(table, bytes, 8, to);
  writeValue(table, bytes, 16, to);
  writeValue(table, bytes, 24, to);
  writeValue(table, bytes, 32, to);
  writeValue(table, bytes, 40, to);
  writeValue(table, bytes, 48, to);
  writeValue(table, bytes, 56, to);
}

/** Writes T of every byte of [from, end) to `to`; returns their number. */
export function textByteValues(state: usize, from: usize, end: usize, to: usize): u32 {
  const table = state + CHARACTERS;
  const count = <u32>(end - from);
  // The last group may have fewer than eight bytes: the next call overwrites the surplus.
  for (; from < end; from += 8, to += 64) writeEight(table, load<u64>(from), to);
  return count;
}

/** Writes T of every code point of the valid UTF-8 in [from, end) to `to`; returns their number. */
export function textCharacterValues(state: usize, from: usize, end: usize, to: usize): u32 {
  const out = to;
  const table = state + CHARACTERS;
  while (from < end) {
    const bytes = load<u64>(from);
    const wide = bytes & HIGH_BITS;
    writeEight(table, bytes, to);
    // Only the bytes before the first one beyond ASCII count.
    const ascii = min<usize>(end - from, <usize>(ctz(wide) >> 3));
    from += ascii;
    to += ascii << 3;
    if (wide === 0) continue;
    while (from < end && load<u8>(from) >= 0x80) {
      const decoded = decodeValid(from);
      store<u64>(to, characterValue(state, decoded & CODE_POINT));
      from += decoded >> LENGTH_SHIFT;
      to += 8;
    }
  }
  return <u32>((to - out) >> 3);
}

/** The polynomial after the next character. */
function rolled(h: u64, at: usize, window: usize, size: u64): u64 {
  return rotl<u64>(h, 1) ^ (load<u64>(at) ^ rotl<u64>(load<u64>(at - window), size));
}

/**
 * Rolls over `count` values at `values`, which follow the `SIZE` values before them in memory, and writes a shingle to `out` for
 * each value after the first `skip`.
 */
export function textRollCharacters(state: usize, values: usize, count: u32, skip: u32, out: usize): void {
  const size = <u64>load<u32>(state, SIZE);
  const add = load<u64>(state, CHARACTER_1);
  const window = <usize>(size << 3);
  const end = values + ((<usize>count) << 3);
  let h = load<u64>(state, ROLLING);
  let at = values;
  for (const full = values + ((<usize>skip) << 3); at < full; at += 8) h = rolled(h, at, window, size);
  for (; end - at >= 32; at += 32, out += 32) {
    h = rolled(h, at, window, size);
    store<u64>(out, lightMix(h + add));
    h = rolled(h, at + 8, window, size);
    store<u64>(out, lightMix(h + add), 8);
    h = rolled(h, at + 16, window, size);
    store<u64>(out, lightMix(h + add), 16);
    h = rolled(h, at + 24, window, size);
    store<u64>(out, lightMix(h + add), 24);
  }
  for (; at < end; at += 8, out += 8) {
    h = rolled(h, at, window, size);
    store<u64>(out, lightMix(h + add));
  }
  store<u64>(state, h, ROLLING);
}

/** The polynomial after the next byte: the byte at `at` enters, the byte at `left` leaves. */
function rolledByte(h: u64, state: usize, at: usize, left: usize): u64 {
  const into = load<u64>(state + ((<usize>load<u8>(at)) << 3), CHARACTERS);
  return rotl<u64>(h, 1) ^ (into ^ load<u64>(state + ((<usize>load<u8>(left)) << 3), ROTATED));
}

/**
 * Writes the shingles of a whole document whose characters are the bytes [from, end). The bytes themselves are the window: a
 * table of rotated values removes the byte that leaves, so no list of values is written.
 */
export function textRollBytes(state: usize, from: usize, end: usize, out: usize): void {
  const size = <usize>load<u32>(state, SIZE);
  const add = load<u64>(state, CHARACTER_1);
  let h: u64 = 0;
  let at = from;
  for (const full = min<usize>(end, from + size); at < full; at++) {
    h = rotl<u64>(h, 1) ^ load<u64>(state + ((<usize>load<u8>(at)) << 3), CHARACTERS);
  }
  store<u64>(out, lightMix(h + add));
  out += 8;
  let left = from;
  for (; end - at >= 4; at += 4, left += 4, out += 32) {
    h = rolledByte(h, state, at, left);
    store<u64>(out, lightMix(h + add));
    h = rolledByte(h, state, at + 1, left + 1);
    store<u64>(out, lightMix(h + add), 8);
    h = rolledByte(h, state, at + 2, left + 2);
    store<u64>(out, lightMix(h + add), 16);
    h = rolledByte(h, state, at + 3, left + 3);
    store<u64>(out, lightMix(h + add), 24);
  }
  for (; at < end; at++, left++, out += 8) {
    h = rolledByte(h, state, at, left);
    store<u64>(out, lightMix(h + add));
  }
  store<u64>(state, h, ROLLING);
}

/** Writes the shingle of a document of `count` characters, fewer than SIZE. */
export function textAllCharacters(state: usize, count: u32, out: usize): void {
  store<u64>(out, lightMix(load<u64>(state, ROLLING) + load<u64>(state, CHARACTER_1) + <u64>count * C2));
}
