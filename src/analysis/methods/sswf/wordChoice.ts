/**
 * Which words of a base stand for it: rare ones that are no slips (Gupta and Singla, "Selecting the Set of Words").
 */

import { FingerprintTable, type TokenSet } from '../../../arrays/hashTable.js';

/** A word that occurs less often may be misspelt, and one that occurs more often makes fingerprints long (the paper's bounds). */
const LEAST_FREQUENCY = 3;
const MOST_FREQUENCY = 25;
/** Up to here the words of any base are taken; higher frequencies give more matches by chance (experiment 1: 1.1 % for 0.57 %). */
const USUAL_FREQUENCY = 5;

/**
 * Words of a text from which on it is no small document. The small ones of the paper, which keep to the frequencies 3 to 5
 * and have 30 to 50 words, are texts of up to 9,606 characters, some 1,600 words; one of 23,590 characters, some 3,900
 * words, has its 70. The bound is between the two.
 */
const SMALL_DOCUMENT = 2500;

/**
 * The words that are selected of a text: those that occur 3 times, then 4 times, then 5, until there are `wanted`. Where
 * these are fewer, a document of 2,500 words or more goes on to 6, 7 and so on up to 25 times, and a smaller one has what
 * it has. Of words that occur equally often the one that occurs first is first, so the same text always has the same.
 *
 * @param elements the words of the text in order, pairs (low, high)
 * @param stopWords never selected
 * @returns distinct words, pairs (low, high); none where no word occurs often enough
 */
export function selectedWords(elements: Uint32Array, wanted: number, stopWords: TokenSet): Uint32Array {
  const words = new FingerprintTable();
  const frequencies: number[] = [];
  for (let i = 0; i < elements.length; i += 2) {
    const [low, high] = [elements[i]!, elements[i + 1]!];
    if (stopWords.has(low | 0, high | 0)) continue;
    const n = words.add(low, high);
    frequencies[n] = (frequencies[n] ?? 0) + 1;
  }
  const most = elements.length / 2 < SMALL_DOCUMENT ? USUAL_FREQUENCY : MOST_FREQUENCY;
  const selected: number[] = [];
  for (let frequency = LEAST_FREQUENCY; frequency <= most; frequency++) {
    // Numbers of words are in the order of their first occurrence.
    for (let n = 0; n < words.size && selected.length < 2 * wanted; n++) {
      if (frequencies[n] === frequency) selected.push(words.keys[2 * n]!, words.keys[2 * n + 1]!);
    }
  }
  return Uint32Array.from(selected);
}
