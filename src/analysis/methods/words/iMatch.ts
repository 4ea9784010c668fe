/**
 * I-Match: documents with the same set of significant words (Chowdhury, Frieder, Grossman, McCabe: Collection
 * Statistics for Fast Duplicate Document Detection, ACM Transactions on Information Systems 20, 2002).
 *
 * The distinct words of a document, without those that are too common or too rare in the corpus, are sorted and hashed
 * together; two documents are duplicates if these hashes are equal. Order, repetition of words, and skipped words
 * make no difference. The value is 1 for duplicates; other documents are not answers.
 *
 * The rarity of a word is its normalized inverse document frequency, ln(N / f) / ln N for a word in f of N documents: 0
 * for a word in all documents, 1 for a word in one. The paper tries several bounds and recommends none for every
 * collection; here words from 0.1 to 0.9 are kept. A word that was not counted is as rare as a word in one document; in
 * a corpus of one document no word is skipped. The hash is this library's own of 128 bits instead of SHA-1, over the
 * hashes of the words in ascending order. Without facts of a corpus no word is skipped. A document without remaining
 * words, such as the empty one, matches nothing.
 */

import { FingerprintTable } from '../../../arrays/hashTable.js';
import { sortUnique64 } from '../../../arrays/sort.js';
import { ContentKey } from '../../../text/keys/contentKey.js';
import { wordRule } from '../elementStreams.js';
import type { CorpusFacts, Matcher, MatchSink, Method } from '../method.js';

/** Bounds of the normalised inverse document frequency, both included. */
const COMMON = 0.1;
const RARE = 0.9;

/** The hash of the remaining words. */
class TellingWords {
  /** The hash of the document, 128 bits; valid from `finish` to the next `finish`. */
  readonly key = new Uint32Array(4);
  private readonly corpus: CorpusFacts | null;
  private readonly content: ContentKey;
  private readonly words = new FingerprintTable();

  constructor(corpus: CorpusFacts | null, seed: number) {
    this.corpus = corpus;
    this.content = new ContentKey(seed);
  }

  begin(): void {
    this.words.clear();
  }

  take(hashes: Uint32Array, count: number): void {
    for (let i = 0; i < 2 * count; i += 2) this.words.add(hashes[i]!, hashes[i + 1]!);
  }

  /** Hashes the remaining ones of the added words; returns false if no word remains. */
  finish(): boolean {
    const { keys, size } = this.words;
    const staying = new Uint32Array(2 * size);
    let count = 0;
    for (let i = 0; i < 2 * size; i += 2) {
      if (!this.stays(keys[i]!, keys[i + 1]!)) continue;
      staying[2 * count] = keys[i]!;
      staying[2 * count + 1] = keys[i + 1]!;
      count++;
    }
    sortUnique64(staying, count);
    this.content.begin();
    this.content.takeHashes(staying, count);
    this.content.finishHashes(this.key);
    return count > 0;
  }

  private stays(low: number, high: number): boolean {
    const { corpus } = this;
    if (corpus === null || corpus.documents <= 1) return true;
    const frequency = Math.max(1, corpus.documentsWith(low, high));
    const rarity = Math.log(corpus.documents / frequency) / Math.log(corpus.documents);
    return rarity >= COMMON && rarity <= RARE;
  }
}

class SameWords implements Matcher {
  readonly barren: readonly number[];
  private readonly telling: TellingWords;
  /** The first halves of the hashes of the bases. */
  private readonly table = new FingerprintTable();
  /** By base: its hash, four words. */
  private readonly keys: Uint32Array;
  private readonly hasKey: Uint8Array;
  private readonly row = Float64Array.of(1);

  constructor(bases: readonly Uint32Array[], corpus: CorpusFacts | null, seed: number) {
    this.telling = new TellingWords(corpus, seed);
    this.keys = new Uint32Array(4 * bases.length);
    this.hasKey = new Uint8Array(bases.length);
    bases.forEach((elements, base) => {
      const { telling } = this;
      telling.begin();
      telling.take(elements, elements.length / 2);
      if (!telling.finish()) return;
      this.hasKey[base] = 1;
      this.keys.set(telling.key, 4 * base);
      this.table.add(telling.key[0]!, telling.key[1]!);
    });
    this.barren = bases.flatMap((_, base) => (this.hasKey[base] === 0 ? [base] : []));
  }

  begin(): void {
    this.telling.begin();
  }

  take(hashes: Uint32Array, count: number): void {
    this.telling.take(hashes, count);
  }

  end(sink: MatchSink): void {
    const { telling, keys, hasKey, row } = this;
    if (!telling.finish()) return;
    const { key } = telling;
    if (this.table.numberOf(key[0]!, key[1]!) < 0) return;
    for (let base = 0; base < hasKey.length; base++) {
      if (hasKey[base] === 1 && key.every((word, i) => keys[4 * base + i] === word)) sink(base, row);
    }
  }
}

/** Finds duplicates with the words in any order. A document that differs in one of the remaining words is not found. */
export const iMatch: Method = {
  name: 'i-match',
  measures: ['same_words'],
  threshold: 1,
  weighing: 'all words',
  elements: ({ shingle }) => wordRule(shingle),
  prepare: (bases, { shingle: { seed } }, corpus) => new SameWords(bases, corpus, seed),
};
