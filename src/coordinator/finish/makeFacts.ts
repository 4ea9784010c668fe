/**
 * The counts and numbers of a run for the manifest and the report.
 */

import { countAccepted } from '../../../reducers/verifiedPairs.js';
import { CODE, type CountsWithoutRow } from '../../blocks/documents.js';
import type { ManifestCounts } from '../../output/facts.js';
import type { ManifestFacts } from '../../output/manifest.js';
import type { ReportedNumbers } from '../../output/wording/reportedNumbers.js';
import type { Inputs } from '../../readers/list/inputs.js';
import { sketchFamilyOf } from '../../sketch/family.js';
import type { ResultParams } from '../../sketch/params.js';
import { UNICODE_VERSION } from '../../text/unicode/codePoints.js';
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
  executed: Pick<Executed, 'corpus' | 'outcome'>,
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
  { corpus, outcome }: Pick<Executed, 'corpus' | 'outcome'>,
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

export interface Executed extends Pick<Sketched, 'corpus' | 'textBytes' | 'met'> {
  readonly outcome: Outcome;
}
