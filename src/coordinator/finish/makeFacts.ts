/**
 * The counts and numbers of a run for the manifest and the report: made from arrays, and from rows in their order.
 */

import { countAccepted } from '../../../reducers/verifiedPairs.js';
import { CODE, type CountsWithoutRow } from '../../blocks/documents.js';
import type { ManifestCounts } from '../../output/facts.js';
import type { ManifestFacts } from '../../output/manifest.js';
import type { ReportedNumbers } from '../../output/wording/reportedNumbers.js';
import type { Inputs } from '../../readers/list/inputs.js';
import { sketchFamilyOf } from '../../sketch/family.js';
import type { ResultParams } from '../../sketch/params.js';
import { COPIES_OF_CHANGED } from '../../tasks/stages/documents/classStages.js';
import { UNICODE_VERSION } from '../../text/unicode/codePoints.js';
import type { ClusterOutcome } from '../cluster/clusterRecipe.js';
import type { JobFactTable, StreamedNumbers } from '../cluster/result/streamedNumbers.js';
import type { PairingCounts } from '../pair/pairing.js';
import { type Corpus, codeCounts, type SkipList } from '../sketch/corpus.js';
import type { Sketched } from '../sketch/sketchCorpus.js';
import { groupCount } from '../verify/crossIdentity.js';
import type { Outcome } from './clusters.js';
import type { DocumentNumbers } from './numbers.js';
import type { Written } from './write.js';

/** The whole manifest but the version. `found`: the number of documents and places, listed ones too. */
export function factsOf(
  params: ResultParams,
  executed: Pick<Executed, 'corpus' | 'outcome' | 'eliminated'>,
  skipped: SkipList,
  found: number,
  inputs: Pick<Inputs, 'links'>,
  { files, listed, contentDigest }: Written,
  { documents, numbers }: { readonly documents: DocumentNumbers; readonly numbers: ReportedNumbers },
): Omit<ManifestFacts, 'version'> {
  return {
    unicode: UNICODE_VERSION,
    parameters: params,
    contentDigest,
    ...sketchFamilyOf(params).promise(),
    ...(executed.outcome.recall !== null && { recall: executed.outcome.recall }),
    counts: {
      ...countsOf(params, executed, documents, {
        skipped,
        found,
        leftOut: codeCounts(inputs.links.codes),
      }),
      candidates_listed: listed,
    },
    numbers,
    files,
  };
}

export function countsOf(
  params: ResultParams,
  { corpus, outcome, eliminated }: Pick<Executed, 'corpus' | 'outcome' | 'eliminated'>,
  documents: DocumentNumbers,
  {
    skipped,
    found,
    leftOut = {},
  }: {
    readonly skipped: SkipList;
    readonly found: number;
    readonly leftOut?: Readonly<Record<string, number>>;
  },
): ManifestCounts {
  const ofDocuments = documents.counts;
  const { counts, pairing, clusters, verified } = outcome;
  const candidates = verified.count + outcome.unlisted;
  return {
    ...ofDocuments,
    documents: found,
    skipped: skipped.counts(),
    left_out: leftOut,
    ids_repeated: corpus.counts.repeatedIds,
    // They have tokens, and no shingle in their sketch.
    unsketched: countLeft(outcome, (d) => outcome.unsketched?.[d] === 1),
    eliminated_shingles: eliminated?.documents.length ?? 0,
    ...boundedPairing(pairing, allPairs(ofDocuments.read - ofDocuments.empty, corpus, outcome), candidates),
    candidate_pairs: candidates,
    verified_pairs: countAccepted(verified),
    ...kindCounts(corpus, outcome),
    clusters: clusters.count,
    clustered_documents: clusters.document.length,
    members_below_threshold: clusters.membersBelow,
    ...counts,
    ...(params.sets === undefined && withoutRowOf(params, corpus.withoutRow)),
  };
}

/** The same where tables are sorted: from counts over their rows, counts of tasks, and facts of the inputs. */
export function streamedCounts(
  params: ResultParams,
  { counts: ofRows, ofDocuments, protects, groupsOfFiles, referenceDocuments, droppedToGo }: StreamedNumbers,
  { corpus, classes, withdrawn, decided, eliminated, hot, hotBucket, unlisted, steps, drops }: ClusterOutcome,
  facts: JobFactTable,
  skips: {
    readonly skipped: Readonly<Record<string, number>>;
    readonly leftOut: Readonly<Record<string, number>>;
  },
): ManifestCounts {
  const counts = { ...ofRows, ...ofDocuments.counts };
  const { identical_documents, identity_classes, read, empty } = counts;
  const candidates = counts.candidate_pairs + (unlisted?.reduce((sum, count) => sum + count, 0) ?? 0);
  const copies = classes.sums[COPIES_OF_CHANGED] ?? 0;
  const skipped = Object.values(skips.skipped).reduce((sum, count) => sum + count, 0);
  const different = read - empty - (identical_documents - identity_classes);
  const groups = corpus.groups ?? groupsOfFiles;
  const all = groups === null ? pairsOf(different) : pairsOf(read) - groups.pairsWithin;
  const bucketing = facts.has('fingerprints') ? 'fingerprints' : 'bands';
  const pairing = {
    buckets: facts.sum(bucketing, 'buckets'),
    ...(hotBucket !== null && { hot_bucket: hotBucket }),
    hot_buckets: hot?.buckets ?? 0,
    largest_bucket: facts.most(bucketing, 'largest bucket'),
    // A run that compares nothing has no rounds.
    rounds: hot?.rounds ?? (hotBucket === null ? 0 : 1),
    pairs_skipped_at_most: hot?.pairsSkippedAtMost ?? 0,
    kept_uncompared: hot?.keptUncompared ?? 0,
  };
  return {
    ...counts,
    ...(groups !== null && crossIdentity(classes.sums)),
    ...(groups !== null && referenceDocuments === null && { groups: groups.count }),
    ...(referenceDocuments !== null && {
      reference_documents: referenceDocuments,
      reference_matches: drops.sums['reference matches'] ?? 0,
    }),
    documents: corpus.documents - withdrawn.size + corpus.tooShort + skipped,
    ...(params.sets === undefined && withoutRowOf(params, corpus)),
    skipped: skips.skipped,
    left_out: skips.leftOut,
    ...((protects || decided?.isMoved === true) && {
      protected_pairs: steps.sums['protected pairs'] ?? drops.sums['protected pairs'] ?? 0,
    }),
    ...(decided !== null && {
      pairs_told_apart: drops.sums['pairs told apart'] ?? 0,
      decisions_unmet: decided.toGo.size - droppedToGo,
      decisions_unknown: decided.unknown,
    }),
    ...(copies > 0 && { copies_of_changed: copies }),
    ids_repeated: corpus.repeatedIds,
    unsketched: facts.sum(bucketing, 'unsketched') + facts.sum('signatures', 'unsketched'),
    eliminated_shingles: eliminated?.documents.length ?? 0,
    ...boundedPairing(pairing, all, candidates),
    candidate_pairs: candidates,
    clusters_uncompared: 0,
  };
}

/** Documents with the same tokens as one of another group, and their classes. */
function crossIdentity(
  sums: ClusterOutcome['classes']['sums'],
): Pick<ManifestCounts, 'identity_classes' | 'identical_documents'> {
  const classes = sums['identity classes'] ?? 0;
  return { identity_classes: classes, identical_documents: classes + (sums['identical documents'] ?? 0) };
}

function withoutRowOf(
  { unit, minTokens }: ResultParams,
  { tooShort, cut }: CountsWithoutRow,
): Pick<ManifestCounts, 'left_alone' | 'documents_cut'> {
  if (unit === 'document') return minTokens === 0 ? {} : { left_alone: tooShort };
  return { left_alone: tooShort, documents_cut: cut };
}

/** Hot buckets count a pair once for each bucket: they skipped no more than `all` pairs of different documents less those compared. */
function boundedPairing(pairing: PairingCounts, all: number, compared: number): PairingCounts {
  const most = Math.max(0, all - compared);
  return { ...pairing, pairs_skipped_at_most: Math.min(pairing.pairs_skipped_at_most, most) };
}

/** Pairs of different documents, of which `documents` are not empty. */
function allPairs(documents: number, { group }: Corpus, { counts, withdrawn }: Executed['outcome']): number {
  return group === null
    ? pairsOf(documents - counts.identical_documents + counts.identity_classes)
    : pairsOfTwoGroups(group, withdrawn);
}

/** All pairs of so many documents. */
function pairsOf(documents: number): number {
  return (documents * (documents - 1)) / 2;
}

function pairsOfTwoGroups(group: Uint32Array, withdrawn: Uint8Array): number {
  const sizes = new Uint32Array(groupCount(group));
  let [pairs, before] = [0, 0];
  for (let d = 0; d < group.length; d++) if (withdrawn[d] === 0) pairs += before++ - sizes[group[d]!]!++;
  return pairs;
}

/** Rows of the pairs of classes, by kind. */
function kindCounts(
  corpus: Corpus,
  { identical: { count, a, b, isSame } }: Executed['outcome'],
): Pick<ManifestCounts, 'identical_pairs' | 'same_tokens_pairs' | 'same_tokens_pairs_of_code'> {
  const isCode = (d: number): boolean =>
    (corpus.tables[corpus.blockOf[d]!]!.columns.flags[corpus.columnOf[d]!]! & CODE) !== 0;
  let [same, ofCode] = [0, 0];
  for (let i = 0; i < count; i++) {
    if (isSame[i] === 1) same++;
    else if (isCode(a[i]!) && isCode(b[i]!)) ofCode++;
  }
  return { identical_pairs: same, same_tokens_pairs: count - same, same_tokens_pairs_of_code: ofCode };
}

/** How many of some documents are not withdrawn. */
function countLeft({ withdrawn }: Executed['outcome'], isWanted: (document: number) => boolean): number {
  let count = 0;
  for (let d = 0; d < withdrawn.length; d++) if (withdrawn[d] === 0 && isWanted(d)) count++;
  return count;
}

export interface Executed extends Pick<Sketched, 'corpus' | 'eliminated' | 'textBytes' | 'met'> {
  readonly outcome: Outcome;
}
