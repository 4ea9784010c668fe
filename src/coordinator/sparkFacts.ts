/** The counts and numbers of a run on Spark, from sums computed in SQL (src/engines/spark/resultQueries.ts). */

import { CountedMedian } from '../arrays/median.js';
import { ContentDigest } from '../blocks/contentDigest.js';
import { REASONS_LEFT_OUT } from '../blocks/documents.js';
import type { numberQueries } from '../engines/spark/resultQueries.js';
import type { WrittenTable } from '../engines/spark/resultTables.js';
import type { SqlExecutor, SqlValue } from '../engines/spark/runSteps.js';
import { LISTED_CODES, MinHashError, SKIP_CODES } from '../errors.js';
import type { Inputs } from '../readers/list/inputs.js';
import type { ManifestCounts, ReportedNumbers } from '../result/facts.js';
import type { ManifestFacts, ReadAs } from '../result/manifest.js';
import { writeAgreements } from '../result/tables/tables.js';
import { counted } from '../result/wording/amounts.js';
import { sketchFamilyOf } from '../sketch/family.js';
import type { ResultParams } from '../sketch/params.js';
import { UNICODE_VERSION } from '../text/unicode/codePoints.js';
import { FormatCounts } from './finish/formatCounts.js';
import { AmountTable, FileSources, sourceRows } from './finish/sources.js';
import { skipListOf } from './skips.js';

/** The tables of a result, by their names. */
export type SparkTables = Readonly<
  Record<'pairs' | 'candidates' | 'clusters' | 'duplicates' | 'skipped', WrittenTable>
>;

const REASONS = ['identical', 'same_tokens', 'near'] as const;

/** Facts for the manifest that the tables do not have. */
export interface SparkFacts {
  readonly facts: Omit<ManifestFacts, 'version' | 'sources'>;
  readonly readAs: ReadAs;
  readonly textBytes: number;
  readonly hasNamedIds: boolean;
}

/** Skipped locations by code, after the first reading: shows whether anything was read. */
export async function skippedByCode(executor: SqlExecutor, sql: string): Promise<Record<string, number>> {
  const rows = await executor.values(sql);
  return Object.fromEntries(rows.map(([code, count]) => [LISTED_CODES[Number(code)]!, Number(count)]));
}

/**
 * @param cap largest bucket whose members are all paired; null: nothing is paired
 * @param membersBelow documents of clusters whose similarity to the first one is below the threshold
 */
export async function sparkFacts(
  executor: SqlExecutor,
  queries: ReturnType<typeof numberQueries>,
  {
    params,
    inputs,
    thresholds,
    root,
  }: {
    readonly params: ResultParams;
    readonly inputs: Inputs;
    readonly thresholds: readonly number[];
    readonly root: string;
  },
  tables: SparkTables,
  { cap, membersBelow }: { readonly cap: number | null; readonly membersBelow: number },
): Promise<SparkFacts> {
  const numbersOf = async (sql: string): Promise<number[][]> =>
    (await executor.values(sql)).map((row) => row.map(Number));
  const byFile = await executor.values(queries.byFile);
  const counts = Object.fromEntries(
    (await executor.values(queries.counts)).map(([name, value]) => [name, Number(value)]),
  );
  const digest = new ContentDigest();
  const leftOut = REASONS_LEFT_OUT.map(() => 0);
  for (const [content, reasons] of await executor.values(queries.batches)) {
    digest.addText(content!);
    for (const [why, records] of reasons!.split(',').entries()) leftOut[why]! += Number(records);
  }
  const formats = new FormatCounts(inputs.files);
  for (const [file, flags, documents] of await numbersOf(queries.formats))
    formats.documents(file!, flags!, documents!);
  const sums = documentSums(byFile, inputs);
  const listedCodes = await skippedByCode(executor, queries.skips);
  const { CHANGED: changed = 0 } = listedCodes;
  if (changed > 0) throw new MinHashError({ code: 'INPUT_LOST', detail: counted(changed, 'input') });
  const ofListing = inputs.skipped.map(({ code }) => code);
  const skipped: Record<string, number> = {};
  for (const code of ofListing) skipped[code] = (skipped[code] ?? 0) + 1;
  for (const [code, count] of Object.entries(listedCodes))
    if ((SKIP_CODES as readonly string[]).includes(code)) skipped[code] = (skipped[code] ?? 0) + count;
  const skips = Object.values(skipped).reduce((sum, count) => sum + count, 0);

  const { units } = sketchFamilyOf(params);
  const byAgreement = new Float64Array(units + 1);
  for (const [agreement, count] of await numbersOf(queries.agreements)) byAgreement[agreement!]! += count!;
  const { kept, dropped, reasons, sources } = sums;
  const droppedInAll = dropped.sum();
  const keptInAll = kept.sum();
  const facts: ManifestCounts = {
    documents: sums.read + skips,
    read: sums.read,
    skipped,
    left_out: skipListOf(inputs.links).counts(),
    empty: sums.empty,
    ignored: 0,
    repaired: sums.repaired,
    records_as_text: sums.asText,
    ids_repeated: counts.repeated_ids!,
    identical_documents: counts.copies! + counts.groups!,
    identity_classes: counts.groups!,
    identical_pairs: counts.identical!,
    same_tokens_pairs: counts.same_tokens!,
    same_tokens_other_punctuation: counts.other_punctuation!,
    candidate_pairs: byAgreement.reduce((sum, count) => sum + count, 0),
    candidates_listed: tables.candidates.rows,
    verified_pairs: counts.near!,
    ...(counts.references !== undefined && {
      reference_documents: counts.references,
      reference_matches: counts.reference_matches!,
    }),
    clusters: counts.clusters!,
    clustered_documents: counts.clustered!,
    members_below_threshold: membersBelow,
    kept: keptInAll.documents,
    dropped: droppedInAll.documents,
    kept_bytes: keptInAll.bytes ?? 0,
    dropped_bytes: droppedInAll.bytes ?? 0,
    shingle_occurrences: sums.occurrences,
    ...(cap !== null && { hot_bucket: cap }),
    hot_buckets: counts.large ?? 0,
    hot_members: counts.large_members ?? 0,
    hot_unmatched: counts.unmatched ?? 0,
  };
  const ofThresholds = await numbersOf(queries.thresholds);
  const droppedAt = (k: number): number => ofThresholds.reduce((sum, row) => sum + row[k]!, 0);
  const isVerified = params.verify !== 'none' && !params.exactDuplicates;
  const numbers: ReportedNumbers = {
    kept: keptInAll,
    dropped: droppedInAll,
    reasons: { identical: reasons.of(0), same_tokens: reasons.of(1), near: reasons.of(2) },
    ...sourceRows(kept, dropped, sources),
    thresholds: isVerified
      ? thresholds.map((threshold, k) => ({ threshold, dropped: droppedAt(k) })).reverse()
      : [],
    median_shingles: medianOf(await numbersOf(queries.shingles)),
    median_tokens: medianOf(await numbersOf(queries.tokens)),
  };
  const { pairs, candidates, clusters, duplicates, skipped: listed } = tables;
  const written = [
    ...candidates.files,
    writeAgreements(root, byAgreement),
    ...[pairs, clusters, duplicates, listed].flatMap(({ files }) => files),
  ];
  return {
    facts: {
      unicode: UNICODE_VERSION,
      parameters: params,
      contentDigest: digest.text(),
      ...sketchFamilyOf(params).promise(),
      counts: facts,
      numbers,
      files: written,
    },
    readAs: formats.asReported(leftOut),
    textBytes: sums.bytes,
    hasNamedIds: counts.with_ids! > 0,
  };
}

/** Sums of documents by source and reason. */
function documentSums(byFile: readonly SqlValue[][], { files }: Inputs) {
  const ofFile = new Uint32Array(files.length);
  for (const [file, , documents] of byFile) ofFile[Number(file)]! += Number(documents);
  const sources = new FileSources(files, ofFile);
  const [kept, dropped] = [new AmountTable(sources.length, true), new AmountTable(sources.length, true)];
  const reasons = new AmountTable(REASONS.length, true);
  const sums = { read: 0, bytes: 0, occurrences: 0, empty: 0, repaired: 0, asText: 0 };
  for (const [file, reason, ...values] of byFile) {
    const [documents = 0, bytes = 0, tokens = 0, occurrences = 0, ...flagged] = values.map(Number);
    sums.bytes += bytes;
    sums.occurrences += occurrences;
    sums.empty += flagged[0]!;
    sums.repaired += flagged[1]!;
    sums.asText += flagged[2]!;
    // Reference documents do not count as read or kept.
    if (files.isReference(Number(file))) continue;
    sums.read += documents;
    const amount = { textBytes: bytes, tokens };
    const source = sources.ofFile[Number(file)]!;
    if (reason === 'kept') kept.add(source, amount, documents);
    else {
      dropped.add(source, amount, documents);
      reasons.add((REASONS as readonly (string | null)[]).indexOf(reason!), amount, documents);
    }
  }
  return { ...sums, kept, dropped, reasons, sources };
}

/** The lower median of values, each with its number of documents. */
function medianOf(counts: readonly number[][]): number | null {
  const median = new CountedMedian();
  for (const [value, count] of counts) median.add(value!, count!);
  return median.value;
}
