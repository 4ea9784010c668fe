/**
 * SCAM: documents that share words with similar frequencies (Shivakumar, Garcia-Molina: SCAM: A Copy Detection
 * Mechanism for Digital Documents, Digital Libraries 1995).
 *
 * The relative frequency model. With F(w, D) the number of times that the word w is in D, the closeness set c(R, S) has
 * the words with epsilon - (F(w, R) / F(w, S) + F(w, S) / F(w, R)) > 0; epsilon is 2.5, so w is in one text less than
 * twice as often as in the other. Then
 *
 *      subset(R, S) = sum over c(R, S) of F(w, R) F(w, S) / sum over all w of F(w, R)^2
 *      similarity   = the larger of subset(R, S) and subset(S, R), 1 if it is above 1
 *
 * The subset measure is asymmetric: for a text that is part of another it is 1, for any other content of the other text. It may
 * reach 2 and is not limited to 1; only the similarity is. The paper does not define the weights of words. Here stop
 * words (`params.shingle.stopWords`) have weight 0 and all others 1, because squares of frequent words would dominate,
 * and these are as frequent in unrelated texts. A text of stop words only, such as the empty text, matches nothing.
 */

import { wordRule } from '../elementStreams.js';
import type { Method } from '../method.js';
import { type FrequencyMeasure, SharedWords, stopWordsOf } from './sharedWords.js';

const EPSILON = 2.5;

const relativeFrequencies: FrequencyMeasure = {
  weight: () => 1,
  shared: (inBase, inDocument) =>
    EPSILON - (inBase / inDocument + inDocument / inBase) > 0 ? inBase * inDocument : 0,
  square: (frequency) => frequency * frequency,
  values(sum, base, document, into) {
    into[1] = sum / base.squares;
    into[2] = sum / document.squares;
    into[0] = Math.min(1, Math.max(into[1], into[2]));
  },
};

/** Finds texts of the same words in any order. Texts about the same topic reach high values too. */
export const scam: Method = {
  name: 'scam',
  measures: ['similarity', 'base_subset_of_document', 'document_subset_of_base'],
  threshold: 0.5,
  leavesOutStopWords: true,
  weighing: 'none',
  elements: ({ shingle }) => wordRule(shingle),
  prepare: (bases, params) => new SharedWords(bases, stopWordsOf(params), relativeFrequencies, 3),
};
