/**
 * A list of stop words as a set of token hashes in kernel memory.
 *
 * Floor 1. Words are canonicalised and hashed by the reference: it is set-up.
 */
import { CanonicalText } from '../sketch/canonicalText.js';
import type { ShingleParams } from '../sketch/params.js';
import { WordTokens } from '../sketch/wordTokens.js';
import type { KernelMemory } from './wasmMemory.js';
import type { KernelSet } from './wasmTextState.js';

/** Hashes of the words of a list, canonicalised like the text. */
function hashesOf(words: readonly string[], seed: number): number[] {
  const hashes: number[] = [];
  const tokens = new WordTokens(seed, (column, count) => {
    hashes.push(...column.subarray(0, 2 * count));
  });
  const text = new CanonicalText((bytes, count) => tokens.push(bytes, count));
  text.push(new TextEncoder().encode(words.join('\n')));
  text.end();
  tokens.end();
  return hashes;
}

/** Puts the set of the stop words into kernel memory; a place is four words: hash, taken, unused. */
export function installStopWords(
  memory: KernelMemory,
  { stopWords, seed }: Pick<ShingleParams, 'stopWords' | 'seed'>,
): KernelSet {
  const hashes = hashesOf(stopWords, seed);
  let places = 16;
  while (places < 2 * hashes.length) places *= 2;
  const address = memory.allocate(16 * places);
  const mask = places - 1;
  const table = memory.words.subarray(address / 4, address / 4 + 4 * places);
  for (let i = 0; i < hashes.length; i += 2) {
    let place = hashes[i]! & mask;
    while (
      table[4 * place + 2] !== 0 &&
      (table[4 * place] !== hashes[i] || table[4 * place + 1] !== hashes[i + 1])
    ) {
      place = (place + 1) & mask;
    }
    table.set([hashes[i]!, hashes[i + 1]!, 1], 4 * place);
  }
  return { address, mask };
}
