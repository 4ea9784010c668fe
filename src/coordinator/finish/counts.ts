/**
 * The counts and numbers of a run for manifest and report. Documents are counted one by one; the other numbers come
 * from the stages.
 */

import { CountedMedian } from '../../arrays/median.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import type { Inputs } from '../../readers/list/inputs.js';
import {
  type DocumentCounts,
  LISTED_BITS,
  LISTED_FLAGS,
  type ManifestCounts,
  MEDIANS_OF_DOCUMENTS,
  type Medians,
  type ReportedNumbers,
  SUMS_OF_DOCUMENTS,
} from '../../result/facts.js';
import type { ManifestFacts, ReadAs } from '../../result/manifest.js';
import { sketchFamilyOf } from '../../sketch/family.js';
import type { ResultParams } from '../../sketch/params.js';
import { UNICODE_VERSION } from '../../text/unicode/codePoints.js';
import type { DecidedRun } from '../decide.js';
import type { NumberedDocuments } from '../number.js';
import type { PipelineResult } from '../pipeline.js';
import { type SkipList, skipListOf } from '../skips.js';
import type { WrittenTables } from '../write.js';
import { FormatCounts } from './formatCounts.js';
import { AmountTable, documentsByFile, FileSources, sourceRows } from './sources.js';

/** The reason of a dropped document, as a row of the table of reasons; KEPT is not in the table. */
const IDENTICAL = 0;
const SAME_TOKENS = 1;
const NEAR = 2;
const KEPT = 3;

/** Counts over single documents. */
interface CountedDocuments {
  readonly counts: DocumentCounts &
    Pick<ManifestCounts, 'read' | 'kept' | 'dropped' | 'kept_bytes' | 'dropped_bytes'>;
  readonly numbers: ReportedNumbers;
  /** Null: documents came from memory. */
  readonly readAs: ReadAs | null;
}

/** @param files null if documents came from memory */
export function countedDocuments(
  params: ResultParams,
  { sketched: { documents }, numbered, decided }: Pick<PipelineResult, 'sketched' | 'numbered' | 'decided'>,
  files: FileTable | null,
): CountedDocuments {
  const { facts, starts, firstLines } = documents;
  const hasTexts = params.sets === undefined;
  const formats = files && new FormatCounts(files);
  // The lines of a set can be in several files.
  const sources = files && hasTexts ? new FileSources(files, documentsByFile(files.length, facts)) : null;
  const amounts = (rows: number): AmountTable => new AmountTable(rows, hasTexts);
  const [kept, dropped, reasons] = [
    amounts(sources?.length ?? 1),
    amounts(sources?.length ?? 1),
    amounts(KEPT),
  ];
  const medians = MEDIANS_OF_DOCUMENTS.map((row) => ({ ...row, counted: new CountedMedian() }));
  const sums = SUMS_OF_DOCUMENTS.map((row) => ({ ...row, count: 0 }));
  const flagged = LISTED_FLAGS.map((row) => ({ ...row, count: 0 }));
  const reasonOf = reasonsOf(numbered, decided);
  const { numberOf } = numbered;
  let read = 0;
  let [lastFile, lastRecord] = [-1, Number.NaN];
  const document = { flags: 0, occurrences: 0, tokens: 0, textBytes: 0 };
  for (const [batch, columns] of facts.entries()) {
    const line = firstLines[batch]!;
    for (let i = 0, row = starts[batch]!; i < columns.flags.length; i++, row++) {
      const [file, record, flags] = [columns.file[i]!, columns.record[i]! + line, columns.flags[i]!];
      document.flags = flags;
      document.occurrences = columns.occurrences[i]!;
      document.tokens = columns.tokens[i]!;
      document.textBytes = columns.textBytes?.[i] ?? 0;
      for (const sum of sums) sum.count += document[sum.column];
      if ((flags & LISTED_BITS) !== 0)
        for (const counter of flagged) if ((flags & counter.flag) !== 0) counter.count++;
      // Reference documents do not count as read or kept, even if skipped.tsv lists them.
      if (files?.isReference(file) === true) continue;
      read++;
      const source = sources?.ofFile[file] ?? 0;
      const reason = reasonOf[numberOf === null ? row : numberOf[row]!]!;
      (reason === KEPT ? kept : dropped).add(source, document);
      if (reason !== KEPT) reasons.add(reason, document);
      // Units count as their document.
      if (hasTexts && (file !== lastFile || record !== lastRecord)) formats?.documents(file, flags);
      lastFile = file;
      lastRecord = record;
      for (const { column, counted } of medians) counted.add(document[column]);
    }
  }
  if (!hasTexts) formats?.sets(read);
  const [ofKept, ofDropped] = [kept.sum(), dropped.sum()];
  const counts = [...sums, ...flagged].map(({ name, count }) => [name, count]);
  return {
    counts: {
      ...(Object.fromEntries(counts) as DocumentCounts),
      ...{ read, kept: ofKept.documents, dropped: ofDropped.documents },
      ...(ofKept.bytes !== undefined && { kept_bytes: ofKept.bytes }),
      ...(ofDropped.bytes !== undefined && { dropped_bytes: ofDropped.bytes }),
    },
    numbers: {
      ...{ kept: ofKept, dropped: ofDropped },
      reasons: {
        identical: reasons.of(IDENTICAL),
        same_tokens: reasons.of(SAME_TOKENS),
        near: reasons.of(NEAR),
      },
      ...(sources === null ? { sources: [], other_sources: 0 } : sourceRows(kept, dropped, sources)),
      thresholds: decided.thresholds,
      ...(Object.fromEntries(medians.map(({ name, counted }) => [name, counted.value])) as Medians),
    },
    readAs: formats?.asReported(documents.leftOutRecords) ?? null,
  };
}

/** By document number: the reason for dropping it, or KEPT. */
function reasonsOf(
  { documents, groups: { firstOf, members, texts } }: NumberedDocuments,
  { drop }: DecidedRun,
): Uint8Array {
  const reasons = new Uint8Array(documents).fill(KEPT);
  const textOf = new Map<number, number>();
  for (const [i, member] of members.entries()) textOf.set(member, texts[i]!);
  for (let i = 0; i < drop.document.length; i++) {
    const [document, kept] = [drop.document[i]!, drop.kept[i]!];
    if (firstOf[document] !== firstOf[kept]) reasons[document] = NEAR;
    else reasons[document] = textOf.get(document) === textOf.get(kept) ? IDENTICAL : SAME_TOKENS;
  }
  return reasons;
}

/** The whole manifest except the version. `found`: the number of documents and locations, including listed ones. */
export function factsOf(
  params: ResultParams,
  result: PipelineResult,
  skipped: SkipList,
  found: number,
  inputs: Pick<Inputs, 'links'>,
  { files, candidatesListed, contentDigest }: WrittenTables,
  documents: CountedDocuments,
): Omit<ManifestFacts, 'version'> {
  const leftOut = skipListOf(inputs.links).counts();
  return {
    unicode: UNICODE_VERSION,
    parameters: params,
    contentDigest,
    ...sketchFamilyOf(params).promise(),
    counts: {
      ...countsOf(params, result, documents, { skipped, found, leftOut }),
      candidates_listed: candidatesListed,
    },
    numbers: documents.numbers,
    files,
  };
}

export function countsOf(
  params: ResultParams,
  result: PipelineResult,
  documents: CountedDocuments,
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
  const { sketched, numbered, decided, unread, pairs } = result;
  const { members, offsets } = numbered.groups;
  const below = pairs?.tally.reduce((sum, count) => sum + count, 0) ?? 0;
  return {
    ...documents.counts,
    documents: found - numbered.references,
    skipped: skipped.counts(),
    left_out: leftOut,
    ids_repeated: sketched.documents.repeatedIds(),
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
    ...(params.groups?.by === 'against' && {
      reference_documents: numbered.references - numbered.leftOut + unread,
      reference_matches: decided.referenceMatches ?? 0,
    }),
    ...(params.measure === 'containment' && { reference_short: shortReferences(params, result) }),
    ...(params.sets === undefined && withoutRowOf(params, sketched.documents.withoutRow)),
  };
}

/** Reference documents with at least one token, and fewer than a shingle. */
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
  decided: { identical },
}: PipelineResult): Pick<
  ManifestCounts,
  'identical_pairs' | 'same_tokens_pairs' | 'same_tokens_other_punctuation'
> {
  let same = 0;
  for (const isSame of identical.isSame) same += isSame;
  return {
    identical_pairs: same,
    same_tokens_pairs: identical.count - same,
    same_tokens_other_punctuation: identical.differing,
  };
}
