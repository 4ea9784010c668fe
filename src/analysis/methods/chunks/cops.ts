/**
 * COPS: documents that share sentences (Brin, Davis, Garcia-Molina: Copy Detection Mechanisms for Digital Documents,
 * SIGMOD 1995).
 *
 * A document is cut into chunks of units. A chunk of a new document counts if a registered document has it, and the
 * share of the chunks that count decides. The units are sentences: `cops` has a chunk per sentence (one unit per chunk,
 * no overlap), `cops-overlapping` a chunk for every `RUN` consecutive sentences with step 1 (k units, overlap k - 1). A
 * text with fewer sentences is one chunk.
 *
 * The paper measures how much of a new document is in a registered one. The base may be either of them, so both
 * directions are computed, the larger first. The paper does not define k of overlapping chunks, here 3, nor a sentence:
 * src/text/tokenizers.ts has the rule, which fails at abbreviations as the paper's prototype does. A repeated chunk
 * counts once, so that no share exceeds 1. Sentences of many documents are not left out. An empty text has no sentence
 * and matches nothing.
 */

import { seeded } from '../elementStreams.js';
import type { Method, MethodName } from '../method.js';
import { SHARES, SharedElements, shares } from './sharedElements.js';

/** Sentences in an overlapping chunk. */
const RUN = 3;

function sentenceMethod(name: MethodName, size: number): Method {
  return {
    name,
    measures: SHARES,
    threshold: 0.1,
    weighing: 'none',
    elements: ({ shingle }) => ({ kind: 'sentences', size, ...seeded(shingle) }),
    prepare: (bases, _params, _corpus, least) => new SharedElements(bases, least, SHARES.length, shares),
  };
}

/** Compares single sentences, in any order. */
export const cops = sentenceMethod('cops', 1);

/**
 * Compares three consecutive sentences: single common sentences do not match, and one changed sentence changes three
 * chunks.
 */
export const copsOverlapping = sentenceMethod('cops-overlapping', RUN);
