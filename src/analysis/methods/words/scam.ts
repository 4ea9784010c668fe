/**
 * SCAM: documents that have words in common about as often (Shivakumar, Garcia-Molina: SCAM: A Copy Detection Mechanism for
 * Digital Documents, Digital Libraries 1995).
 *
 * The relative frequency model. With F(w, D) how often the word w is in D, the closeness set c(R, S) has the words
 * with epsilon - (F(w, R) / F(w, S) + F(w, S) / F(w, R)) > 0; epsilon is 2.5, so w is in one text less than twice as often as
 * in the other. Then
 *
 *      subset(R, S) = sum over c(R, S) of F(w, R) F(w, S) / sum over all w of F(w, R)^2
 *      similarity   = the larger of subset(R, S) and subset(S, R), 1 where it is above 1
 *
 * The subset measure is asymmetric: a text that is part of another has 1 in it, whatever else is there. By itself it may
 * reach 2 and is not cut. The paper has a weight for each word and leaves it open; here it is 0 for stop words
 * (`params.shingle.stopWords`) and 1 for all others: frequent words would decide by their squares, and they are as frequent in
 * unrelated texts. A text without other words matches nothing, so does the empty one.
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

/** Texts of the same words in any order; texts of one subject have much in common, too. */
export const scam: Method = {
  name: 'scam',
  measures: ['similarity', 'base_subset_of_document', 'document_subset_of_base'],
  threshold: 0.5,
  leavesOutStopWords: true,
  weighing: 'none',
  elements: ({ shingle: { seed, normalize } }) => wordRule(seed, normalize),
  prepare: (bases, params) => new SharedWords(bases, stopWordsOf(params), relativeFrequencies, 3),
};
