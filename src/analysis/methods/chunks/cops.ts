/**
 * COPS: documents that have sentences in common (Brin, Davis, Garcia-Molina: Copy Detection Mechanisms for Digital Documents,
 * SIGMOD 1995).
 *
 * A document is cut into chunks of units. A chunk of a new document counts if a registered document has it, and the share of the
 * chunks that count decides. The units are sentences: `cops` has a chunk for every sentence (one unit a chunk, no overlap),
 * `cops-overlapping` a chunk for every `RUN` sentences in a row with step 1 (k units, overlap k - 1). A text with fewer
 * sentences is one chunk.
 *
 * The paper asks how much of a new document is in a registered one. The base may be either of them, so both directions are given,
 * the larger first. The paper leaves open k of overlapping chunks, here 3, and the definition of a sentence:
 * src/text/tokenizers.ts has the rule, which abbreviations mislead as they do the paper's prototype. A repeated chunk counts
 * once, so that no share exceeds 1. Sentences that many documents have are not left out. An empty text has no sentence and
 * matches nothing.
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

/** Compares three sentences in a row: single common sentences do not match, and one changed sentence changes three chunks. */
export const copsOverlapping = sentenceMethod('cops-overlapping', RUN);
