/**
 * The counts and numbers of a run for the manifest and the report.
 */

import { CODE } from '../../blocks/documents.js';
import type { Inputs } from '../../readers/list/inputs.js';
import type { ManifestCounts } from '../../result/facts.js';
import type { ManifestFacts } from '../../result/manifest.js';
import type { DropsAtThreshold } from '../../result/wording/reportedNumbers.js';
import { sketchFamilyOf } from '../../sketch/family.js';
import type { ResultParams } from '../../sketch/params.js';
import { UNICODE_VERSION } from '../../text/unicode/codePoints.js';
import type { PipelineResult } from '../pipeline.js';
import { codeCounts, type SkipList } from '../skips.js';
import type { WrittenTables } from '../write.js';
import type { DocumentNumbers } from './numbers.js';

/** The whole manifest but the version. `found`: the number of documents and places, listed ones too. */
export function factsOf(
  params: ResultParams,
  result: PipelineResult,
  skipped: SkipList,
  found: number,
  inputs: Pick<Inputs, 'links'>,
  { files, candidatesListed, contentDigest }: WrittenTables,
  documents: DocumentNumbers,
): Omit<ManifestFacts, 'version'> {
  const thresholds: readonly DropsAtThreshold[] = result.decided.thresholds;
  const leftOut = codeCounts(inputs.links.codes);
  return {
    unicode: UNICODE_VERSION,
    parameters: params,
    contentDigest,
    ...sketchFamilyOf(params).promise(),
    counts: {
      ...countsOf(params, result, documents, { skipped, found, leftOut }),
      candidates_listed: candidatesListed,
    },
    numbers: documents.numbers(thresholds),
    files,
  };
}

export function countsOf(
  params: ResultParams,
  result: PipelineResult,
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
  const { sketched, numbered, decided, found: pairs } = result;
  const { members, offsets } = numbered.groups;
  const below = pairs?.tally.reduce((sum, count) => sum + count, 0) ?? 0;
  return {
    ...documents.counts,
    documents: found,
    skipped: skipped.counts(),
    left_out: leftOut,
    ids_repeated: sketched.documents.repeatedIds,
    identical_documents: members.length,
    identity_classes: offsets.length - 1,
    ...(pairs !== null && { hot_bucket: pairs.cap }),
    hot_buckets: pairs?.largeBuckets ?? 0,
    hot_members: pairs?.largeMembers ?? 0,
    hot_unmatched: pairs?.unmatched ?? 0,
    candidate_pairs: decided.candidates.count + below,
    verified_pairs: decided.near,
    ...kindCounts(result),
    clusters: decided.clusters.count,
    clustered_documents: decided.clusters.document.length,
    members_below_threshold: decided.membersBelow,
    ...(decided.referenceMatches !== null && {
      reference_documents: numbered.references,
      reference_matches: decided.referenceMatches,
    }),
    ...(params.measure === 'containment' && { reference_short: shortReferences(params, result) }),
    ...(params.sets === undefined && withoutRowOf(params, sketched.documents.totals)),
  };
}

/** Documents of the reference with fewer tokens than a shingle, and at least one. */
function shortReferences(
  { shingle }: ResultParams,
  { sketched: { documents }, numbered: { references } }: PipelineResult,
): number {
  let short = 0;
  // Batches of the reference come first.
  for (const [batch, { tokens }] of documents.facts.entries()) {
    if (documents.starts[batch]! >= references) break;
    for (const count of tokens) if (count > 0 && count < shingle.size) short++;
  }
  return short;
}

function withoutRowOf(
  { unit, minTokens }: ResultParams,
  { tooShort, cut }: { readonly tooShort: number; readonly cut: number },
): Pick<ManifestCounts, 'left_alone' | 'documents_cut'> {
  if (unit === 'document') return minTokens === 0 ? {} : { left_alone: tooShort };
  return { left_alone: tooShort, documents_cut: cut };
}

/** Pairs of duplicate groups, by kind. */
function kindCounts({
  sketched: { documents },
  numbered: { rowOf },
  decided,
}: PipelineResult): Pick<
  ManifestCounts,
  'identical_pairs' | 'same_tokens_pairs' | 'same_tokens_pairs_of_code'
> {
  const isCode = (number: number): boolean => (documents.flagsOf(rowOf?.[number] ?? number) & CODE) !== 0;
  const { count, a, b, isSame } = decided.identical;
  let [same, ofCode] = [0, 0];
  for (let i = 0; i < count; i++) {
    if (isSame[i] === 1) same++;
    else if (isCode(a[i]!) && isCode(b[i]!)) ofCode++;
  }
  return { identical_pairs: same, same_tokens_pairs: count - same, same_tokens_pairs_of_code: ofCode };
}
