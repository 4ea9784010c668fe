/**
 * Selects the words that represent a base: rare words that are no misspellings (Gupta and Singla, "Selecting the Set of Words").
 */

import type { FingerprintTable } from '../../../arrays/hashTable.js';
import { WordFrequencies } from '../words/sharedWords.js';

/**
 * A word that occurs less often may be misspelt, and a word that occurs more often makes fingerprints long (the paper's
 * bounds).
 */
const LEAST_FREQUENCY = 3;
const MOST_FREQUENCY = 25;
/**
 * Most occurrences of a selected word in a small document; higher frequencies give more chance matches (experiment 1:
 * 1.1 % for 0.57 %).
 */
const USUAL_FREQUENCY = 5;

/**
 * Number of words from which on a text is no small document. The small documents of the paper, which keep to the frequencies 3
 * to 5 and have 30 to 50 selected words, are texts of up to 9,606 characters, some 1,600 words; a document of 23,590 characters,
 * some 3,900 words, has its 70 selected words. The bound is between the two.
 */
const SMALL_DOCUMENT = 2500;

/**
 * The selected words of a text: words that occur 3 times, then 4 times, then 5, until there are `wanted`. Where these are
 * fewer, a document of 2,500 words or more continues with words that occur 6, 7 and so on up to 25 times; a smaller one has
 * fewer than `wanted`. Words that occur equally often come in the order of their first occurrence, so the selection of a text
 * is always the same.
 *
 * @param elements the words of the text in order, pairs (low, high)
 * @param stopWords never selected; null: there are none
 * @returns distinct words, pairs (low, high); empty where no word occurs often enough
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
    // Numbers of words are in the order of their first occurrence.
    for (let n = 0; n < words.size && selected.length < 2 * wanted; n++) {
      if (frequencies[n] === frequency) selected.push(words.keys[2 * n]!, words.keys[2 * n + 1]!);
    }
  }
  return Uint32Array.from(selected);
}
