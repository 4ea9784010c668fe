/**
 * Compares two texts by one method: resemblance, containment, or a copy-detection system from the literature. Reads no
 * file.
 */

import { grown } from '../../arrays/growable.js';
import { FingerprintTable } from '../../arrays/hashTable.js';
import { kindOf } from '../../errors.js';
import { conflictsIn } from '../../options/conflicts.js';
import {
  METHOD_CONFLICTS,
  METHOD_OPTION_NAMES,
  METHOD_OPTIONS,
  type MethodOption,
  methodSettings,
} from '../../options/queryOptions.js';
import type { Given } from '../../options/runOptions.js';
import { shownValue, usableValues } from '../../options/values.js';
import { SHINGLE_COLUMN } from '../../text/rolling.js';
import type { ShingleParams } from '../../text/shingles.js';
import { bytesOfText, type ShingleOptions, type Text } from '../measures.js';
import { createElementStream, elementsOf, wordRule } from '../methods/elementStreams.js';
import {
  type CorpusFacts,
  METHOD_NAMES,
  type Method,
  type MethodName,
  type MethodParams,
} from '../methods/method.js';
import { methodNamed } from '../methods/table.js';
import { checkedOptions, type GivenValues, OF_SHINGLES, shinglesOf } from './functionOptions.js';

/** A method, and its settings; defaults as on the command line. */
export interface CompareByOptions extends ShingleOptions, Given<typeof METHOD_OPTIONS> {
  /** The methods to compare by; docs/passages.md has their names and measures. */
  readonly method: MethodName;
  /**
   * The corpus whose words are counted, for methods that weigh words: texts, or their counts. Default: the two texts;
   * `i-match` then leaves out no word.
   */
  readonly corpus?: Iterable<Text> | CorpusFacts;
}

/** The values of a method for two texts. */
export interface MethodComparison {
  readonly method: MethodName;
  /**
   * The values by measure, in the order of the method, which ranks by the first. They are finite, and all 0 if the
   * texts share nothing that the method compares, such as empty texts. In names of measures `base` is a, and `document`
   * is b.
   */
  readonly values: Readonly<Record<string, number>>;
  /** The default least first value of an answer: b is an answer to a from this value on; above 0. */
  readonly threshold: number;
  /** The corpus in which the words were counted; `nowhere`: the method weighs no words. */
  readonly weighed: 'nowhere' | 'the two texts' | 'the corpus';
}

/**
 * Compares a text `a`, the base, with a text `b`, a document, by one method. Memory: 8 bytes per element of either
 * text, and about 30 per distinct word of a corpus.
 *
 * @throws MinHashError OPTION_INVALID with all invalid options; DOCUMENT_INVALID for a value that is not a text
 */
export function compareBy(a: Text, b: Text, options: CompareByOptions): MethodComparison {
  const { corpus, ...given } = { ...(options as CompareByOptions | null | undefined) };
  const values = checkedOptions(
    isObject(options) ? given : options,
    [...OF_SHINGLES, 'method', ...METHOD_OPTION_NAMES],
    [...settingProblems(given), ...corpusProblems(corpus)],
  );
  const method = methodNamed(values.method!);
  const params = methodParams(values);
  const [base, document] = [a, b].map((text) => elementsOf(bytesOfText(text), method.elements(params)));
  const { facts, weighed } = weighing(method, [a, b], params, corpus);
  const measured = new Float64Array(method.measures.length);
  const matcher = method.prepare([base!], params, facts, 0);
  matcher.begin();
  for (let i = 0; i < document!.length; i += 2 * SHINGLE_COLUMN) {
    const piece = document!.subarray(i, i + 2 * SHINGLE_COLUMN);
    matcher.take(piece, piece.length / 2);
  }
  matcher.end((_, row) => measured.set(row.subarray(0, measured.length)));
  return {
    method: method.name,
    values: Object.fromEntries(method.measures.map((measure, i) => [measure, measured[i]!])),
    threshold: method.threshold,
    weighed,
  };
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The parameters of all methods, with the defaults of the command line. */
function methodParams(values: GivenValues): MethodParams {
  return { shingle: shinglesOf(values), ...methodSettings(values) };
}

/** The problems of the method and its settings, in addition to values out of range. */
function settingProblems(given: Partial<Record<MethodOption | 'method' | 'normalize', unknown>>): string[] {
  const method = METHOD_NAMES.find((name) => name === given.method);
  if (given.method === undefined) return [`method: expected one of ${METHOD_NAMES.join(', ')}`];
  const settings = usableValues(METHOD_OPTIONS, given, () => {});
  const seen = { given, methods: method === undefined ? [] : [method], settings };
  return conflictsIn(METHOD_CONFLICTS, seen).map(({ detail }) => detail);
}

function isFacts(corpus: object): corpus is CorpusFacts {
  const { documents, documentsWith } = corpus as Partial<CorpusFacts>;
  return Number.isSafeInteger(documents) && documents! >= 0 && typeof documentsWith === 'function';
}

function corpusProblems(corpus: unknown): string[] {
  if (corpus === undefined) return [];
  const isTexts = typeof corpus === 'object' && corpus !== null && Symbol.iterator in corpus;
  if (isTexts && !(corpus instanceof Uint8Array)) return [];
  if (typeof corpus === 'object' && corpus !== null && isFacts(corpus)) return [];
  const got = typeof corpus === 'object' ? kindOf(corpus) : shownValue(corpus);
  return [`corpus ${got}: expected texts, or an object with documents and documentsWith`];
}

/** The corpus facts for a method, and the corpus they are from. */
function weighing(
  { weighing: weighs, name }: Method,
  texts: readonly Text[],
  { shingle }: MethodParams,
  corpus: CompareByOptions['corpus'],
): { readonly facts: CorpusFacts | null; readonly weighed: MethodComparison['weighed'] } {
  if (weighs === 'none') return { facts: null, weighed: 'nowhere' };
  if (corpus !== undefined) {
    return {
      facts: Symbol.iterator in corpus ? wordsOfCorpus(corpus, shingle) : corpus,
      weighed: 'the corpus',
    };
  }
  // In a corpus of two texts i-match would leave out every word, as too common or too rare.
  const facts = name === 'i-match' ? null : wordsOfCorpus(texts, shingle);
  return { facts, weighed: 'the two texts' };
}

function wordsOfCorpus(texts: Iterable<Text>, { seed, normalize }: ShingleParams): CorpusWords {
  const words = new CorpusWords(seed, normalize);
  for (const text of texts) words.add(text);
  return words;
}

/**
 * Counts in how many texts of a corpus each word occurs, one text at a time: the `corpus` of `compareBy` for corpora
 * that do not fit in memory. Takes about 30 bytes per distinct word; an empty text counts as a document.
 */
export class CorpusWords implements CorpusFacts {
  documents = 0;
  readonly #words = new FingerprintTable();
  /** By number of a word: how many documents have it. */
  #counts = new Uint32Array(1024);
  /** By number of a word: the last document that has it. */
  #met = new Uint32Array(1024);
  readonly #stream;

  /**
   * @param seed the seed of the comparison, 0..2^53-1; default 1
   * @param normalize the normalization of the comparison
   * @throws MinHashError OPTION_INVALID
   */
  constructor(seed = 1, normalize?: ShingleOptions['normalize']) {
    const shingle = shinglesOf(checkedOptions({ seed, normalize }, ['seed', 'normalize']));
    this.#stream = createElementStream(wordRule(shingle), (hashes, count) => this.#take(hashes, count));
  }

  /** Adds a document. @throws MinHashError DOCUMENT_INVALID for a value that is not a text */
  add(text: Text): void {
    const bytes = bytesOfText(text);
    this.documents++;
    this.#stream.whole(bytes);
  }

  /** The number of documents with the word of this hash, 0 for an unknown one. */
  documentsWith(low: number, high: number): number {
    const word = this.#words.numberOf(low, high);
    return word < 0 ? 0 : this.#counts[word]!;
  }

  #take(hashes: Uint32Array, count: number): void {
    for (let i = 0; i < 2 * count; i += 2) {
      const word = this.#words.add(hashes[i]!, hashes[i + 1]!);
      if (word === this.#counts.length) {
        this.#counts = grown(this.#counts);
        this.#met = grown(this.#met);
      }
      if (this.#met[word] === this.documents) continue;
      this.#met[word] = this.documents;
      this.#counts[word]!++;
    }
  }
}
