/**
 * What a run found, as the numbers of the manifest and the report.
 *
 * Floor 4.
 */
import { countAccepted } from '../../reducers/verifiedPairs.js';
import { CODE, REPAIRED } from '../blocks/documents.js';
import type { ResultParams } from '../sketch/params.js';
import { UNICODE_VERSION } from '../sketch/unicode/codePoints.js';
import { kindRows } from '../storage/results/identityRuns.js';
import type { ManifestCounts, ManifestFacts } from '../storage/results/manifest.js';
import type { Corpus } from './corpus.js';
import type { Executed } from './execute.js';
import { promiseOf } from './promise.js';
import type { SkipList } from './skipped.js';
import type { Written } from './writing.js';

/** Everything the manifest says but the version. `found`: documents and places met, listed ones too. */
export function factsOf(
  params: ResultParams,
  executed: Pick<Executed, 'corpus' | 'outcome' | 'eliminated'>,
  skipped: SkipList,
  found: number,
  { files, contentDigest }: Written,
): Omit<ManifestFacts, 'version'> {
  return {
    unicode: UNICODE_VERSION,
    parameters: params,
    contentDigest,
    ...promiseOf(params),
    counts: countsOf(params, executed, skipped, found),
    files,
  };
}

export function countsOf(
  params: ResultParams,
  { corpus, outcome, eliminated }: Pick<Executed, 'corpus' | 'outcome' | 'eliminated'>,
  skipped: SkipList,
  found: number,
): ManifestCounts {
  const { read, repaired, shingleOccurrences } = countsLeft(corpus, outcome.withdrawn);
  const { counts, clusters, drop, verified } = outcome;
  return {
    documents: found,
    read,
    skipped: skipped.counts(),
    empty: corpus.counts.empty,
    repaired,
    unsketched: unsketchedLeft(outcome),
    eliminated_shingles: eliminated?.documents.length ?? 0,
    shingle_occurrences: shingleOccurrences,
    identity_classes: counts.identityClasses,
    identical_documents: counts.identicalDocuments + counts.identityClasses,
    buckets: counts.buckets,
    hot_buckets: counts.hotBuckets,
    largest_bucket: counts.largestBucket,
    rounds: counts.rounds,
    pairs_skipped_at_most: counts.pairsSkippedAtMost,
    kept_uncompared: counts.keptUncompared,
    ...(counts.documentsEliminated !== undefined && { eliminated_documents: counts.documentsEliminated }),
    candidate_pairs: verified.count,
    verified_pairs: countAccepted(verified),
    ...kindCounts(params, corpus, outcome),
    clusters: clusters.count,
    clustered_documents: clusters.document.length,
    clusters_uncompared: counts.clustersUncompared,
    members_below_threshold: clusters.membersBelow,
    kept: keptOf(outcome),
    dropped: drop.document.length,
  };
}

/** Rows of the pairs of classes, by kind. */
function kindCounts(
  { expandIdentical }: ResultParams,
  corpus: Corpus,
  { classes }: Executed['outcome'],
): Pick<ManifestCounts, 'identical_pairs' | 'same_tokens_pairs' | 'same_tokens_pairs_of_code'> {
  const isCode = (d: number): boolean =>
    (corpus.tables[corpus.blockOf[d]!]!.columns.flags[corpus.columnOf[d]!]! & CODE) !== 0;
  const { identical, sameTokens } = kindRows(classes.members, expandIdentical);
  return {
    identical_pairs: identical,
    same_tokens_pairs: sameTokens,
    same_tokens_pairs_of_code:
      sameTokens === 0 ? 0 : kindRows(classes.members, expandIdentical, isCode).sameTokens,
  };
}

/** Documents that the drop list leaves and that are still there: counted, not computed, so that it can be held against the rest. */
function keptOf({ drop, withdrawn }: Executed['outcome']): number {
  let kept = 0;
  for (let d = 0; d < withdrawn.length; d++) if (drop.kept[d] === 1 && withdrawn[d] === 0) kept++;
  return kept;
}

/** Documents that are still there and have no shingle in their sketch. */
function unsketchedLeft({ unsketched, withdrawn }: Executed['outcome']): number {
  let count = 0;
  for (let d = 0; d < withdrawn.length; d++) if (unsketched?.[d] === 1 && withdrawn[d] === 0) count++;
  return count;
}

/** Counts over the documents that are still there. One without tokens is in no pair, so never withdrawn. */
function countsLeft(
  corpus: Corpus,
  withdrawn: Uint8Array,
): { read: number; repaired: number; shingleOccurrences: number } {
  const left = { ...corpus.counts, read: corpus.documents };
  for (let d = 0; d < corpus.documents; d++) {
    if (withdrawn[d] === 0) continue;
    const { flags, occurrences } = corpus.tables[corpus.blockOf[d]!]!.columns;
    left.read--;
    if (flags![corpus.columnOf[d]!]! & REPAIRED) left.repaired--;
    left.shingleOccurrences -= occurrences![corpus.columnOf[d]!]!;
  }
  return left;
}
