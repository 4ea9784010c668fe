/** What the tasks of bands read; and what stage 2 hands on, however pairs are found. */

import type { Clusters, SimilaritySource } from '../../../reducers/clusters.js';
import type { IdentityClasses } from '../../../reducers/identityClasses.js';
import type { NearPairs, VerifiedPairs } from '../../../reducers/verifiedPairs.js';
import { encodeBlock } from '../../blocks/block.js';
import { NAMES, ONE } from '../../blocks/names.js';
import type { ManifestCounts } from '../../output/facts.js';
import { signatureParams } from '../../sketch/params.js';
import type { Estimate } from '../../sketch/probability.js';
import type { CandidateTask } from '../../tasks/kinds/pairTasks.js';
import type { Run } from '../context.js';
import { type Corpus, startsOf } from '../sketch/corpus.js';

/** The name of the block of document groups, for tasks that make pairs; empty where the run has no groups. */
export function groupBlocks({ params }: Run): readonly string[] {
  return params.groups === null ? [] : [ONE.groups];
}

/** The parameters of a task of a band, and the names of the blocks it reads. */
export interface BandSource {
  readonly params: Pick<CandidateTask, 'band' | 'documents' | 'blocks' | 'columns'>;
  /** The number of its documents. */
  readonly count: number;
  readonly inputs: readonly string[];
}

/** Sources of the bands of `documents` (first members of identity classes, with tokens, ascending). */
export function corpusBands(run: Run, corpus: Corpus, documents: Uint32Array): readonly BandSource[] {
  const starts = startsOf(corpus.tables);
  const places = placesOf(corpus, starts, documents);
  run.put(ONE.bucketed, encodeBlock('documents', {}, { documents, places }, true));
  const blocks = corpus.tables.length;
  const inputs = [ONE.bucketed, ...corpus.tables.map((_, k) => NAMES.signatures(k))];
  const { bands } = signatureParams(run.params).banding;
  return Array.from({ length: bands }, (_, band) => ({
    params: { band, documents: ONE.bucketed, blocks, columns: starts[blocks]! },
    count: documents.length,
    inputs,
  }));
}

/** By document of `documents`: the position of its column when the column blocks are put behind each other. */
function placesOf({ blockOf, columnOf }: Corpus, starts: Uint32Array, documents: Uint32Array): Uint32Array {
  const places = new Uint32Array(documents.length);
  for (let i = 0; i < documents.length; i++) {
    places[i] = starts[blockOf[documents[i]!]!]! + columnOf[documents[i]!]!;
  }
  return places;
}

/** The counts of the manifest that say how pairs were found. */
export type PairingCounts = Pick<
  ManifestCounts,
  | 'buckets'
  | 'hot_bucket'
  | 'hot_buckets'
  | 'largest_bucket'
  | 'rounds'
  | 'pairs_skipped_at_most'
  | 'kept_uncompared'
>;

/** Clusters; `uncompared`: greedy clusters whose founder was not compared with every representative. */
export interface ClusteredPairs {
  readonly clusters: Clusters;
  readonly uncompared: number;
}

/** All candidate pairs with their evidence, and how they become clusters. */
export interface ComparedPairs {
  readonly verified: VerifiedPairs;
  readonly counts: PairingCounts;
  /** By number of matching slots: how many candidate pairs were counted without being listed; null: none. */
  readonly unlisted: Float64Array | null;
  /** By document, 1: it has tokens, but its sketch has no element; null: this scheme sketches every document with tokens. */
  readonly unsketched: Uint8Array | null;
  /** The share of all near pairs that was found, where hot buckets skipped some; null: the promised share, or more. */
  readonly recall: Estimate | null;
  /** `source` holds similarities by the measure of the run, which need not be the resemblance. */
  clustersOf(
    classes: IdentityClasses,
    near: NearPairs,
    source: Omit<SimilaritySource, 'estimate'>,
  ): Promise<ClusteredPairs> | ClusteredPairs;
}

/** The documents that are compared: first members of identity classes that have a sketch, ascending. */
export function comparedDocuments(
  corpus: Corpus,
  classes: IdentityClasses,
  unsketched: Uint8Array | null,
): Uint32Array {
  let count = 0;
  const documents = new Uint32Array(corpus.documents);
  for (let d = 0; d < corpus.documents; d++) {
    if (corpus.empty[d] === 1 || classes.first[d] !== d || unsketched?.[d] === 1) continue;
    documents[count++] = d;
  }
  return documents.subarray(0, count);
}
