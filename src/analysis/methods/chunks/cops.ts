/**
 * COPS: documents that have sentences in common (Brin, Davis, Garcia-Molina: Copy Detection Mechanisms for Digital Documents,
 * SIGMOD 1995).
 *
 * A document is cut into chunks of units; a chunk of a new document that is found among those of a registered one counts, and
 * the share of the chunks found decides. With sentences as units, `cops` has a chunk for every sentence (one unit a chunk, no
 * overlap), `cops-overlapping` one for every `RUN` sentences in a row with step 1 (k units, overlap k - 1). A text with fewer
 * sentences is one chunk.
 *
 * The paper asks how much of a new document is in a registered one. Which of the two the base is, is for the user to say: both
 * directions are given, the larger first. What the paper leaves open: k of overlapping chunks, here 3; and what a sentence is:
 * src/text/tokenizers.ts has the rule, which abbreviations mislead as they do the paper's prototype. A chunk that is repeated
 * counts once, so that no share passes 1. Sentences that many documents have stay in. An empty text has no sentence and
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
    elements: ({ shingle: { seed, normalize } }) => ({ kind: 'sentences', size, ...seeded(seed, normalize) }),
    prepare: (bases, _params, _corpus, least) => new SharedElements(bases, least, SHARES.length, shares),
  };
}

/** Sentences one by one: finds them in any order. */
export const cops = sentenceMethod('cops', 1);

/** Three sentences in a row: common sentences alone are no match, and one changed sentence costs three chunks. */
export const copsOverlapping = sentenceMethod('cops-overlapping', RUN);
