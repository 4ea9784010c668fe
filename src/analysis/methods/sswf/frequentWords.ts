/**
 * Fingerprints of many documents by one selection of words, which makes documents comparable without a base (Gupta and
 * Singla, section 5): documents with equal fingerprints have the same common words in the same order.
 */

import type { Sample } from '../../../sketch/samples/fingerprintSamples.js';
import { ContentKey } from '../../../text/keys/contentKey.js';
import { wordElements } from '../elementStreams.js';
import { CodedWords } from './codedWords.js';

const NOUNS =
  'time year people way day man thing woman life child world school state family student group country problem hand ' +
  'part place case week company number';
const VERBS =
  'say get make go know take see come think look want give use find tell ask work seem feel try leave call need become ' +
  'put';
const ADJECTIVES =
  'good new first last long great little old right big high different small large next early young important public bad ' +
  'able free real best true';

/**
 * Frequent nouns, verbs and adjectives of English, 25 each, in dictionary form. The paper uses lists of a dictionary; this selection
 * was made for this program: words at the top of such lists, without stop words, and without words of two of the three kinds. A
 * single word matters little, since the order of the words decides.
 */
export const COMMON_WORDS: readonly string[] = [NOUNS, VERBS, ADJECTIVES].flatMap((words) =>
  words.split(' '),
);

/** Turns documents into samples of one hash, of their fingerprint: begin, push the words in order, finish. */
export class CommonWordSequences {
  private readonly coded: CodedWords;
  private readonly hash: ContentKey;
  private readonly words: Uint32Array;
  private readonly key = new Uint32Array(4);

  constructor(seed: number) {
    this.words = wordElements(COMMON_WORDS, { seed });
    this.coded = new CodedWords([this.words]);
    this.hash = new ContentKey(seed);
  }

  begin(): void {
    this.coded.begin();
  }

  push(hashes: Uint32Array, count: number): void {
    this.coded.take(hashes, count);
  }

  /** The hash of the fingerprint as a whole sample; an empty sample for a document without a common word. */
  finish(): Sample {
    const codes = this.coded.codesOf(0);
    if (codes.length === 0) return { values: new Uint32Array(0), whole: true, sampled: 0 };
    const { hash, words } = this;
    hash.begin();
    for (const code of codes) hash.takeHashes(words.subarray(2 * code, 2 * code + 2), 1);
    hash.finishHashes(this.key);
    return { values: this.key.slice(0, 2), whole: true, sampled: 1 };
  }
}
