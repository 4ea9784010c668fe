// Characters or bytes -> shingle hashes: the cyclic polynomial of src/sketch/characterShingles.ts.

import { C1, C2, lightMix, textFmix64 } from './textMixing';
import { CHARACTER_0, CHARACTER_1, CHARACTERS, ROLLING, SIZE } from './textState';
import { CODE_POINT, decodeValid, LENGTH_SHIFT } from './textUtf8';

function characterValue(state: usize, character: u32): u64 {
  return textFmix64(((<u64>character + 1) * C1) ^ load<u64>(state, CHARACTER_0));
}

/** Fills the table of the values of the code points below 256. */
export function textCharacterTable(state: usize): void {
  for (let i: u32 = 0; i < 256; i++) {
    store<u64>(state + CHARACTERS + ((<usize>i) << 3), characterValue(state, i));
  }
}

/** Writes T of every byte of [from, end) to `to`; returns how many. */
export function textByteValues(state: usize, from: usize, end: usize, to: usize): u32 {
  const table = state + CHARACTERS;
  for (let at = from; at < end; at++, to += 8)
    store<u64>(to, load<u64>(table + ((<usize>load<u8>(at)) << 3)));
  return <u32>(end - from);
}

/** Writes T of every code point of the valid UTF-8 in [from, end) to `to`; returns how many. */
export function textCharacterValues(state: usize, from: usize, end: usize, to: usize): u32 {
  const out = to;
  const table = state + CHARACTERS;
  for (; from < end; to += 8) {
    const byte = <u32>load<u8>(from);
    if (byte < 0x80) {
      store<u64>(to, load<u64>(table + ((<usize>byte) << 3)));
      from++;
      continue;
    }
    const decoded = decodeValid(from);
    store<u64>(to, characterValue(state, decoded & CODE_POINT));
    from += decoded >> LENGTH_SHIFT;
  }
  return <u32>((to - out) >> 3);
}

/**
 * Takes `count` values at `values`, before which the `SIZE` values before them lie, and writes a shingle to `out` at
 * each one but the first `skip`.
 */
export function textRollCharacters(state: usize, values: usize, count: u32, skip: u32, out: usize): void {
  const size = load<u32>(state, SIZE);
  const add = load<u64>(state, CHARACTER_1);
  const window = (<usize>size) << 3;
  let h = load<u64>(state, ROLLING);
  let at = values;
  for (const end = values + ((<usize>skip) << 3); at < end; at += 8) {
    h = rotl<u64>(h, 1) ^ load<u64>(at) ^ rotl<u64>(load<u64>(at - window), <u64>size);
  }
  for (const end = values + ((<usize>count) << 3); at < end; at += 8, out += 8) {
    h = rotl<u64>(h, 1) ^ load<u64>(at) ^ rotl<u64>(load<u64>(at - window), <u64>size);
    store<u64>(out, lightMix(h + add));
  }
  store<u64>(state, h, ROLLING);
}

/** Writes the shingle of a document of `count` characters, fewer than SIZE. */
export function textAllCharacters(state: usize, count: u32, out: usize): void {
  store<u64>(out, lightMix(load<u64>(state, ROLLING) + load<u64>(state, CHARACTER_1) + <u64>count * C2));
}
