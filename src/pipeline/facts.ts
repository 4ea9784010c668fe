/**
 * What a run found, as the numbers of the manifest and the report.
 *
 * Floor 4.
 */
import { countAccepted } from '../../reducers/verifiedPairs.js';
import { REPAIRED } from '../blocks/documents.js';
import type { ResultParams } from '../sketch/params.js';
import { UNICODE_VERSION } from '../sketch/unicode/codePoints.js';
import { countNotUtf8 } from '../storage/results/escaping.js';
import { identityRowCount, identityRuns } from '../storage/results/identityRuns.js';
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
    ids_repeated: corpus.counts.repeatedIds,
    ids_replaced: params.format === 'tsv' ? 0 : countNotUtf8(corpus.ids),
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
    identical_pairs: identityRowCount(identityRuns(outcome.classes.members, params.expandIdentical)),
    clusters: clusters.count,
    clustered_documents: clusters.document.length,
    clusters_uncompared: counts.clustersUncompared,
    members_below_threshold: clusters.membersBelow,
    kept: keptOf(outcome),
    dropped: drop.document.length,
    ...(params.sets === undefined && bytesOf(corpus, outcome)),
  };
}

/** Bytes of the texts that the drop list leaves, and of those that it names. */
function bytesOf(
  { blockOf, columnOf, tables }: Corpus,
  { drop, withdrawn }: Executed['outcome'],
): Pick<ManifestCounts, 'kept_bytes' | 'dropped_bytes'> {
  const bytes = { kept_bytes: 0, dropped_bytes: 0 };
  for (let d = 0; d < withdrawn.length; d++) {
    if (withdrawn[d] === 1) continue;
    const own = tables[blockOf[d]!]!.columns.textBytes![columnOf[d]!]!;
    if (drop.kept[d] === 1) bytes.kept_bytes += own;
    else bytes.dropped_bytes += own;
  }
  return bytes;
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
  const { repaired, shingleOccurrences } = corpus.counts;
  const left = { read: corpus.documents, repaired, shingleOccurrences };
  for (let d = 0; d < corpus.documents; d++) {
    if (withdrawn[d] === 0) continue;
    const { flags, occurrences } = corpus.tables[corpus.blockOf[d]!]!.columns;
    left.read--;
    if (flags![corpus.columnOf[d]!]! & REPAIRED) left.repaired--;
    left.shingleOccurrences -= occurrences![corpus.columnOf[d]!]!;
  }
  return left;
}
