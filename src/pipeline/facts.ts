/**
 * What a run found, as the numbers of the manifest and the report.
 *
 * Floor 4.
 */
import { countAccepted } from '../../reducers/verifiedPairs.js';
import { REPAIRED } from '../blocks/documents.js';
import { agreementShare } from '../sketch/agreement.js';
import { probabilityOfCandidate, sCurve } from '../sketch/banding.js';
import type { ResultParams } from '../sketch/params.js';
import { UNICODE_VERSION } from '../sketch/unicode/codePoints.js';
import type { WrittenFile } from '../storage/results/atomicFile.js';
import { contentDigest } from '../storage/results/contentDigest.js';
import { identityRowCount, identityRuns } from '../storage/results/identityRuns.js';
import type { ManifestCounts, ManifestFacts } from '../storage/results/manifest.js';
import type { Corpus } from './corpus.js';
import type { Executed } from './execute.js';
import type { SkipList } from './skipped.js';

/** Everything the manifest says but the version. `found`: documents and places met, listed ones too. */
export function factsOf(
  params: ResultParams,
  executed: Pick<Executed, 'corpus' | 'outcome'>,
  skipped: SkipList,
  found: number,
  files: readonly WrittenFile[],
): Omit<ManifestFacts, 'version'> {
  const { bands, rows } = params.banding;
  return {
    unicode: UNICODE_VERSION,
    parameters: params,
    contentDigest: digestOf(executed.corpus, executed.outcome.withdrawn),
    sCurve: sCurve(bands, rows),
    probabilityAtThreshold: probabilityOfCandidate(params.threshold, bands, rows),
    agreementShare: agreementShare(params.threshold, params.sketch.hashes),
    counts: countsOf(params, executed, skipped, found),
    files,
  };
}

export function countsOf(
  params: ResultParams,
  { corpus, outcome }: Pick<Executed, 'corpus' | 'outcome'>,
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
    shingle_occurrences: shingleOccurrences,
    identity_classes: counts.identityClasses,
    identical_documents: counts.identicalDocuments + counts.identityClasses,
    buckets: counts.buckets,
    hot_buckets: counts.hotBuckets,
    largest_bucket: counts.largestBucket,
    rounds: counts.rounds,
    pairs_skipped_at_most: counts.pairsSkippedAtMost,
    kept_uncompared: counts.keptUncompared,
    candidate_pairs: verified.count,
    verified_pairs: countAccepted(verified),
    identical_pairs: identityRowCount(identityRuns(outcome.classes.members, params.expandIdentical)),
    clusters: clusters.count,
    clustered_documents: clusters.document.length,
    members_below_threshold: clusters.membersBelow,
    kept: keptOf(outcome),
    dropped: drop.document.length,
  };
}

/** Documents that the drop list leaves and that are still there: counted, not computed, so that it can be held against the rest. */
function keptOf({ drop, withdrawn }: Executed['outcome']): number {
  let kept = 0;
  for (let d = 0; d < withdrawn.length; d++) if (drop.kept[d] === 1 && withdrawn[d] === 0) kept++;
  return kept;
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

/** One digest over (id, content key) of the documents that are still there. */
function digestOf(corpus: Corpus, withdrawn: Uint8Array): string {
  if (!withdrawn.includes(1)) return contentDigest(corpus.ids, corpus.contentKeys);
  const { offsets, bytes } = corpus.ids;
  const left: number[] = [];
  for (let d = 0; d < corpus.documents; d++) if (withdrawn[d] === 0) left.push(d);
  const ids = { offsets: new Uint32Array(left.length + 1), bytes: new Uint8Array(bytes.length) };
  const keys = new Uint32Array(4 * left.length);
  left.forEach((d, i) => {
    const id = bytes.subarray(offsets[d]!, offsets[d + 1]!);
    ids.bytes.set(id, ids.offsets[i]!);
    ids.offsets[i + 1] = ids.offsets[i]! + id.length;
    keys.set(corpus.contentKeys.subarray(4 * d, 4 * d + 4), 4 * i);
  });
  return contentDigest(ids, keys);
}
