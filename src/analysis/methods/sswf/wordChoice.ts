/**
 * Selects the words that represent a base: rare words that are not misspelled (Gupta and Singla, "Selecting the Set of
 * Words").
 */

import type { FingerprintTable } from '../../../arrays/hashTable.js';
import { WordFrequencies } from '../words/sharedWords.js';

/** A less frequent word may be misspelled, and a more frequent word makes fingerprints long (the paper's bounds). */
const LEAST_FREQUENCY = 3;
const MOST_FREQUENCY = 25;
/**
 * Most occurrences of a selected word in a small document. Higher frequencies give more chance matches (experiment 1:
 * 1.1 % instead of 0.57 %).
 */
const USUAL_FREQUENCY = 5;

/**
 * The least number of words of a document that is not small. The small documents of the paper, which use the
 * frequencies 3 to 5 and have 30 to 50 selected words, have up to 9,606 characters, about 1,600 words; a document of
 * 23,590 characters, about 3,900 words, has its 70 selected words. The bound is between the two.
 */
const SMALL_DOCUMENT = 2500;

/**
 * The selected words of a text: words that occur 3 times, then 4 times, then 5, until there are `wanted`. If these are
 * fewer, a document of 2,500 words or more continues with words that occur 6, 7 and so on up to 25 times; a smaller one
 * has fewer than `wanted`. Words of equal frequency are in the order of first occurrence, so the selection of a text is
 * always the same.
 *
 * @param elements the words of the text in order, pairs (low, high)
 * @param stopWords never selected; null: there are none
 * @returns distinct words, pairs (low, high); empty if no word occurs often enough
 */
export function selectedWords(
  elements: Uint32Array,
  wanted: number,
  stopWords: FingerprintTable | null,
): Uint32Array {
  const counted = new WordFrequencies(stopWords);
  counted.take(elements, elements.length / 2);
  const { words, frequencies } = counted;
  const most = elements.length / 2 < SMALL_DOCUMENT ? USUAL_FREQUENCY : MOST_FREQUENCY;
  const selected: number[] = [];
  for (let frequency = LEAST_FREQUENCY; frequency <= most; frequency++) {
    // Words are numbered in the order of first occurrence.
    for (let n = 0; n < words.size && selected.length < 2 * wanted; n++) {
      if (frequencies[n] === frequency) selected.push(words.keys[2 * n]!, words.keys[2 * n + 1]!);
    }
  }
  return Uint32Array.from(selected);
}
