/** Stages 2 and 3: makes the candidate pairs by signatures, and verifies them, in rounds over hot buckets. */

import { clusters } from '../../../reducers/clusters.js';
import type { Precedence } from '../../../reducers/dropList.js';
import { atOnce } from '../../arrays/stepwise.js';
import type { Run } from '../context.js';
import type { Corpus } from '../sketch/corpus.js';
import type { Verifier } from '../verify/verify.js';
import type { ComparedPairs } from './pairing.js';
import { compareSignatures } from './signaturePairs.js';

/** The result where the run looks for identical documents only. */
const NOTHING_COMPARED: ComparedPairs = {
  verified: {
    a: new Uint32Array(0),
    b: new Uint32Array(0),
    count: 0,
    agreement: new Uint16Array(0),
    accepted: new Uint8Array(0),
    exact: null,
  },
  counts: {
    buckets: 0,
    hot_buckets: 0,
    largest_bucket: 0,
    rounds: 0,
    pairs_skipped_at_most: 0,
    kept_uncompared: 0,
  },
  unlisted: null,
  recall: null,
  clustersOf: (classes, near, source) => atOnce(clusters(classes, near, { ...source, estimate: noEstimate })),
};

/** Never called: the similarity of members of an identity class needs no estimate. */
function noEstimate(): never {
  throw new Error('without sketches there are no estimates');
}

/** Pairs the documents by their signatures, and verifies the pairs. */
export async function pairAndVerify(
  run: Run,
  corpus: Corpus,
  verifier: Verifier,
  precedence: Precedence,
): Promise<ComparedPairs> {
  if (run.params.exactDuplicates) return NOTHING_COMPARED;
  return compareSignatures(run, corpus, verifier, precedence);
}
