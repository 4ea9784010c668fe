/**
 * Finds the bases that share words with a document, and measures each pair by the frequencies of the shared words.
 */

import { concatenated, grown } from '../../../arrays/growable.js';
import { FingerprintTable } from '../../../arrays/hashTable.js';
import { rowsByKey } from '../../../arrays/rowsByKey.js';
import { wordElements } from '../elementStreams.js';
import type { Matcher, MatchSink, MethodParams } from '../method.js';

/** Sums over the words of a text. */
export interface WordTotals {
  /** Number of words, repeated ones counted every time. */
  readonly words: number;
  /** The sum of the measure's `square` over its distinct words. */
  readonly squares: number;
}

/** A sum over the words that two texts share, and the values computed from it. */
export interface FrequencyMeasure {
  /** The weight of a word of a base; called once for each. */
  weight(low: number, high: number): number;
  /** The term of a shared word in the sum; frequencies are at least 1. */
  shared(inBase: number, inDocument: number, weight: number): number;
  /** The term of a word of a text in its `squares`. */
  square(frequency: number): number;
  /** The term of a word of a base in its `squares`; absent: as `square`. */
  baseSquare?(frequency: number, weight: number): number;
  /** Writes the values; `sum` is above 0. */
  values(sum: number, base: WordTotals, document: WordTotals, into: Float64Array): void;
}

/** Counts the words of one text after the other; reuses its memory for the next text. */
export class WordFrequencies {
  readonly words = new FingerprintTable();
  /** By number of a word: how often the text has it. */
  frequencies = new Uint32Array(1024);
  total = 0;
  private readonly left: FingerprintTable | null;

  /** @param left words to leave out */
  constructor(left: FingerprintTable | null) {
    this.left = left;
  }

  begin(): void {
    this.words.clear();
    this.total = 0;
  }

  take(hashes: Uint32Array, count: number): void {
    const { words, left } = this;
    for (let i = 0; i < 2 * count; i += 2) {
      const low = hashes[i]!;
      const high = hashes[i + 1]!;
      if (left?.has(low, high)) continue;
      const before = words.size;
      const word = words.add(low, high);
      if (word < before) this.frequencies[word]!++;
      else this.first(word);
      this.total++;
    }
  }

  private first(word: number): void {
    this.frequencies = grown(this.frequencies, word + 1);
    this.frequencies[word] = 1;
  }
}

/** The stop words of the parameters, as a set that frequencies skip; null: no word is skipped. */
export function stopWordsOf({ shingle }: MethodParams): FingerprintTable | null {
  if (shingle.stopWords.length === 0) return null;
  return FingerprintTable.of(wordElements(shingle.stopWords, shingle));
}

/**
 * Compares the word frequencies of documents with those of bases; elements are single words. Memory: about 40 bytes per
 * distinct word of each base, and 20 per distinct word of the longest document.
 */
export class SharedWords implements Matcher {
  /** Bases whose words are all left out, such as empty ones. */
  readonly barren: readonly number[];
  private readonly measure: FrequencyMeasure;
  private readonly document: WordFrequencies;
  private readonly vocabulary = new FingerprintTable();
  private readonly weights: Float64Array;
  /**
   * Word n is in the bases owners[offsets[n] .. offsets[n + 1]), with its number of occurrences there in `frequencies`.
   */
  private readonly offsets: Uint32Array;
  private readonly owners: Uint32Array;
  private readonly frequencies: Uint32Array;
  private readonly facts: readonly WordTotals[];
  /** By base: the sum for the current document. */
  private readonly sums: Float64Array;
  private readonly row: Float64Array;

  /**
   * @param left words to leave out of all texts
   * @param values the number of values that the measure writes
   */
  constructor(
    bases: readonly Uint32Array[],
    left: FingerprintTable | null,
    measure: FrequencyMeasure,
    values: number,
  ) {
    this.measure = measure;
    this.document = new WordFrequencies(left);
    const { vocabulary } = this;
    const counted = bases.map((elements) => this.counted(elements));
    const words = concatenated(counted.map(({ numbers }) => numbers));
    const frequencies = concatenated(counted.map((own) => own.frequencies));
    const owners = concatenated(counted.map(({ numbers }, base) => numbers.map(() => base)));
    const { starts, rows } = rowsByKey(vocabulary.size, (give) => words.forEach(give));
    this.offsets = starts;
    this.owners = rows.map((row) => owners[row]!);
    this.frequencies = rows.map((row) => frequencies[row]!);
    const { keys } = vocabulary;
    this.weights = Float64Array.from({ length: vocabulary.size }, (_, n) =>
      measure.weight(keys[2 * n]!, keys[2 * n + 1]!),
    );
    this.facts = counted.map(({ numbers, frequencies, words }) => {
      let squares = 0;
      numbers.forEach((word, i) => {
        const frequency = frequencies[i]!;
        squares += measure.baseSquare?.(frequency, this.weights[word]!) ?? measure.square(frequency);
      });
      return { words, squares };
    });
    this.barren = this.facts.flatMap(({ words }, base) => (words === 0 ? [base] : []));
    this.sums = new Float64Array(bases.length);
    this.row = new Float64Array(values);
  }

  begin(): void {
    this.document.begin();
  }

  take(hashes: Uint32Array, count: number): void {
    this.document.take(hashes, count);
  }

  end(sink: MatchSink): void {
    const { measure, sums, row, facts } = this;
    if (!this.addShared()) return;
    const { words, frequencies, total } = this.document;
    let squares = 0;
    for (let n = 0; n < words.size; n++) squares += measure.square(frequencies[n]!);
    for (let base = 0; base < sums.length; base++) {
      const sum = sums[base]!;
      if (sum === 0) continue;
      sums[base] = 0;
      measure.values(sum, facts[base]!, { words: total, squares }, row);
      sink(base, row);
    }
  }

  /** Adds the words of the document that bases have to `sums`; returns false if there is no such word. */
  private addShared(): boolean {
    const { vocabulary, offsets, owners, sums, weights, measure } = this;
    const { words, frequencies } = this.document;
    let isAny = false;
    for (let n = 0; n < words.size; n++) {
      const word = vocabulary.numberOf(words.keys[2 * n]!, words.keys[2 * n + 1]!);
      if (word < 0) continue;
      isAny = true;
      for (let i = offsets[word]!; i < offsets[word + 1]!; i++) {
        sums[owners[i]!]! += measure.shared(this.frequencies[i]!, frequencies[n]!, weights[word]!);
      }
    }
    return isAny;
  }

  /** Adds the words of a base to the vocabulary; returns their numbers there and their frequencies. */
  private counted(elements: Uint32Array) {
    const { document, vocabulary } = this;
    document.begin();
    document.take(elements, elements.length / 2);
    const { keys, size } = document.words;
    const numbers = Uint32Array.from({ length: size }, (_, n) =>
      vocabulary.add(keys[2 * n]!, keys[2 * n + 1]!),
    );
    return { numbers, frequencies: document.frequencies.slice(0, size), words: document.total };
  }
}
