/**
 * Ranking by the words of a base: the identity measure, inner product, normalized inner product and cosine (Hoad,
 * Zobel: Methods for Identifying Versioned and Plagiarised Documents, Journal of the American Society for Information
 * Science and Technology 54, 2003; the weights are those of Witten, Moffat, Bell: Managing Gigabytes, 2nd edition,
 * section 4.4).
 *
 * With f(t, d) the number of times that the word t is in the document d, f(t) the number of documents, of the N of the
 * corpus, that have t, |d| the number of words of d, q the base, and sums over the words that both have:
 *
 *      w(t, q) = ln(1 + N / f(t)) (1 + ln f(t, q))        w(t, d) = 1 + ln f(t, d)        W(x)^2 = the sum of w(t, x)^2
 *
 *      inner product              sum of w(t, q) w(t, d)
 *      normalised inner product   sum of w(t, q) w(t, d) / |d|
 *      cosine                     sum of w(t, q) w(t, d) / (W(q) W(d))
 *      identity                   sum of (N / f(t)) / (1 + |f(t, q) - f(t, d)|), divided by 1 + ln(1 + ||q| - |d||)
 *
 * The identity measure has variants in the paper; this is the fifth, in which the rarity of a word counts most: it
 * ranks by rare words that both texts have equally often, in texts of similar length. These methods leave out no words,
 * because common words have little weight. Only the words of the base need to be counted in the corpus: the weight of a
 * document's word, and thus W(d), follows from its frequency in the document alone. A word that was not counted has
 * f(t) = 1, and N is at least f(t).
 *
 * Cosine is the cosine of two texts with different weights: at most 1, and less than 1 even for a text with itself. The
 * other values have no bound that holds for all bases: they rank the answers for one base. The paper does not define
 * the least value of an answer. The default thresholds require any shared word, and for cosine 0.5: licenses that share
 * nothing else reach 0.2 to 0.4. An empty text matches nothing.
 */

import { wordRule } from '../elementStreams.js';
import type { CorpusFacts, Method, MethodName } from '../method.js';
import { type FrequencyMeasure, SharedWords } from './sharedWords.js';

/** A threshold that any common word reaches. */
const ANY = 1e-9;

/** N / f(t), from 1. */
function rarity(corpus: CorpusFacts, low: number, high: number): number {
  return Math.max(1, corpus.documents / Math.max(1, corpus.documentsWith(low, high)));
}

const inDocumentWeight = (frequency: number): number => 1 + Math.log(frequency);

type Finish = FrequencyMeasure['values'];

/** The measure that sums products of weights; `values` computes the value from the sum. */
const productOfWeights =
  (values: Finish) =>
  (corpus: CorpusFacts): FrequencyMeasure => ({
    weight: (low, high) => Math.log(1 + rarity(corpus, low, high)),
    shared: (inBase, inDocument, weight) => weight * inDocumentWeight(inBase) * inDocumentWeight(inDocument),
    square: (frequency) => inDocumentWeight(frequency) ** 2,
    baseSquare: (frequency, weight) => (weight * inDocumentWeight(frequency)) ** 2,
    values,
  });

const identical = (corpus: CorpusFacts): FrequencyMeasure => ({
  weight: (low, high) => rarity(corpus, low, high),
  shared: (inBase, inDocument, weight) => weight / (1 + Math.abs(inBase - inDocument)),
  square: () => 0,
  values(sum, base, document, into) {
    into[0] = sum / (1 + Math.log(1 + Math.abs(base.words - document.words)));
  },
});

/** The facts without a corpus: every word has the same weight. */
const NO_CORPUS: CorpusFacts = { documents: 1, documentsWith: () => 1 };

function rankingMethod(
  name: MethodName,
  measure: string,
  threshold: number,
  measureOf: (corpus: CorpusFacts) => FrequencyMeasure,
): Method {
  return {
    name,
    measures: [measure],
    threshold,
    ...(threshold === ANY ? { isUnbounded: true } : {}),
    weighing: 'words of bases',
    elements: ({ shingle }) => wordRule(shingle),
    prepare: (bases, _, corpus) => new SharedWords(bases, null, measureOf(corpus ?? NO_CORPUS), 1),
  };
}

/** Finds versions of a text: of similar length, with similar word frequencies. */
export const identity = rankingMethod('identity', 'identity', ANY, identical);

/** Finds texts about the same topic; long documents come first. */
export const innerProduct = rankingMethod(
  'inner-product',
  'inner_product',
  ANY,
  productOfWeights((sum, _base, _document, into) => {
    into[0] = sum;
  }),
);

/** The inner product divided by the number of words of the document; short documents come first. */
export const normalisedInnerProduct = rankingMethod(
  'normalised-inner-product',
  'normalised_inner_product',
  ANY,
  productOfWeights((sum, _base, document, into) => {
    into[0] = sum / document.words;
  }),
);

/** Finds texts about the same topic, of any lengths. */
export const cosine = rankingMethod(
  'cosine',
  'cosine',
  0.5,
  productOfWeights((sum, base, document, into) => {
    // Rounding may exceed the largest cosine, 1.
    into[0] = Math.min(1, sum / Math.sqrt(base.squares * document.squares));
  }),
);
