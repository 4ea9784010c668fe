/**
 * manifest.json: what was compared, how, and what came of it. The same run anywhere gives the same bytes.
 *
 * Must never learn a path as typed, a time, a machine, threads, shards, tasks, blocks or the engine:
 * those are in stats.json. Pure; reading it from disk is readManifest.ts.
 */

import { createHash } from 'node:crypto';
import type { Fault } from '../errors.js';
import type { LeftOut, RootPlace } from '../readers/list/inputs.js';
import type { ResultParams } from '../sketch/params.js';
import type { SampleRuleFacts } from '../sketch/samples/sampleRule.js';
import type { WrittenFile } from '../store/files.js';
import type { ShingleParams } from '../text/shingles.js';
import { roundedToMillionths } from './tables/escaping.js';

export const TOOL = 'mr-minhash';

/** The list of stop words, told by its words as a sorted set: order and repetition do not matter. */
interface StopWordFacts {
  readonly count: number;
  /** SHA-256 of the words, each followed by LF. */
  readonly sha256: string;
}

/**
 * The result parameters under their library names; the stop words are told, not listed (null where unused).
 */
export type ManifestParameters = Omit<ResultParams, 'shingle'> & {
  readonly shingle: Omit<ShingleParams, 'stopWords'> & { readonly stopWords: StopWordFacts | null };
};

interface SCurvePoint {
  readonly similarity: number;
  readonly probability: number;
}

/** What the banding promises. Probabilities have six decimals. */
export interface SCurveFacts {
  readonly table: readonly SCurvePoint[];
  /** That a pair at the threshold becomes a candidate. */
  readonly probability_at_threshold: number;
  /** Signature mode: that its agreement reaches the threshold too; else null. */
  readonly agreement_share: number | null;
}

/**
 * Of all pairs at or above the threshold the share that this run found: an estimate from a sample of the pairs that hot
 * buckets skipped, with bounds for 95 of 100 samples.
 */
export interface RecallFacts {
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
}

/**
 * Every count of a run. Rows of files are among them, so that the counts can be checked against the files.
 */
export interface ManifestCounts {
  /** Documents and places found: `read` and all skipped. */
  readonly documents: number;
  /** Documents compared: those with a document number. */
  readonly read: number;
  /** By error code; codes that did not occur are left out. */
  readonly skipped: Readonly<Record<string, number>>;
  /** Symbolic links, by code of the error table; codes that did not occur are left out. They are no documents. */
  readonly left_out: Readonly<Record<string, number>>;
  /** Of those read: called by their place, because the id that their record names is that of another. */
  readonly ids_repeated: number;
  /** Of those read: their id is not UTF-8, and stands with U+FFFD in the files. Of TSV, which has escapes, 0. */
  readonly ids_replaced: number;
  /** Of those read: without a token. */
  readonly empty: number;
  /** Of those read: with invalid sequences replaced or runs of marks cut. */
  readonly repaired: number;
  /** Of those read: with tokens, but without a shingle in their sketch; found by identity alone. */
  readonly unsketched: number;
  /** Shingles in too many documents to be in a sketch. */
  readonly eliminated_shingles: number;
  readonly shingle_occurrences: number;
  /** Classes of two or more documents with the same tokens, and their members, the first of each counted too. */
  readonly identity_classes: number;
  readonly identical_documents: number;
  /** Buckets with at least two documents, over all bands; of samples fingerprints with as many. */
  readonly buckets: number;
  /** Of samples: fingerprints that too many documents rely on, which were paired linearly. */
  readonly hot_buckets: number;
  /** Of samples: documents of the most frequent fingerprint. */
  readonly largest_bucket: number;
  /** Rounds of pairing: 1 without hot buckets. */
  readonly rounds: number;
  /** An upper bound: buckets overlap. */
  readonly pairs_skipped_at_most: number;
  readonly kept_uncompared: number;
  readonly candidate_pairs: number;
  /** Accepted near pairs. */
  readonly verified_pairs: number;
  /** Rows of pairs of the same text, byte for byte; of sets: of equal sets. */
  readonly identical_pairs: number;
  /** Rows of pairs of the same tokens in other bytes, and those of two documents that look like code or numbers. */
  readonly same_tokens_pairs: number;
  readonly same_tokens_pairs_of_code: number;
  readonly clusters: number;
  /** Documents in clusters of two or more. */
  readonly clustered_documents: number;
  /** Greedy clusters founded without being held against every representative with the same fingerprints. */
  readonly clusters_uncompared: number;
  /** Of those documents: less like their representative than the threshold. */
  readonly members_below_threshold: number;
  readonly kept: number;
  readonly dropped: number;
  /** Bytes of their texts: unpacked, out of their JSON, in UTF-8. Sets have none. */
  readonly kept_bytes?: number;
  readonly dropped_bytes?: number;
}

export interface FileFacts {
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
}

export interface Manifest {
  readonly tool: typeof TOOL;
  readonly version: string;
  /** Version of the Unicode tables. */
  readonly unicode: string;
  readonly parameters: ManifestParameters;
  /** See digest.ts. */
  readonly content_digest: string;
  readonly s_curve: SCurveFacts;
  /** Where samples are compared. */
  readonly sample_rule?: SampleRuleFacts;
  /** Where hot buckets skipped pairs. */
  readonly recall_estimate?: RecallFacts;
  readonly counts: ManifestCounts;
  /** By name relative to the folder; not stats.json, manifest.json and _SUCCESS. */
  readonly files: Readonly<Record<string, FileFacts>>;
}

export interface ManifestFacts {
  readonly version: string;
  readonly unicode: string;
  readonly parameters: ResultParams;
  readonly contentDigest: string;
  readonly sCurve: readonly SCurvePoint[];
  /** Of a candidate at the threshold. */
  readonly probabilityAtThreshold: number;
  /** P(agreement >= threshold) at the threshold; used in signature mode only. */
  readonly agreementShare: number;
  readonly sampleRule?: SampleRuleFacts;
  readonly recall?: RecallFacts;
  readonly counts: ManifestCounts;
  readonly files: readonly WrittenFile[];
}

/** The count and hash of a list of stop words. */
export function stopWordFacts(words: readonly string[]): StopWordFacts {
  // Default sort: by UTF-16 code unit, the same everywhere.
  const distinct = [...new Set(words)].sort();
  const hash = createHash('sha256');
  for (const word of distinct) hash.update(`${word}\n`, 'utf8');
  return { count: distinct.length, sha256: hash.digest('hex') };
}

/**
 * The S-curve as the manifest and the summary tell it. Rounded, because the language leaves the last digit of
 * a power to each engine.
 */
function sCurveFactsOf(
  facts: Pick<ManifestFacts, 'parameters' | 'sCurve' | 'probabilityAtThreshold' | 'agreementShare'>,
): SCurveFacts {
  return {
    table: facts.sCurve.map(({ similarity, probability }) => ({
      similarity: roundedToMillionths(similarity),
      probability: roundedToMillionths(probability),
    })),
    probability_at_threshold: roundedToMillionths(facts.probabilityAtThreshold),
    agreement_share:
      facts.parameters.verify === 'signature' ? roundedToMillionths(facts.agreementShare) : null,
  };
}

function roundedRule(rule: SampleRuleFacts): SampleRuleFacts {
  const small = rule.small.map(({ shingles, at_threshold, wholly }) => ({
    shingles,
    at_threshold: roundedToMillionths(at_threshold),
    wholly: roundedToMillionths(wholly),
  }));
  return { ...rule, small };
}

function roundedRecall({ value, lower, upper }: RecallFacts): RecallFacts {
  return {
    value: roundedToMillionths(value),
    lower: roundedToMillionths(lower),
    upper: roundedToMillionths(upper),
  };
}

/** The parameters as the manifest tells them. */
export function manifestParameters(parameters: ResultParams): ManifestParameters {
  const { stopWords, ...shingle } = parameters.shingle;
  const used = shingle.unit === 'stopwords';
  if (parameters.sets !== undefined) {
    // Sets are given, not made of tokens.
    const { bag, seed } = shingle;
    return { ...parameters, shingle: { bag, seed } as ManifestParameters['shingle'] };
  }
  return { ...parameters, shingle: { ...shingle, stopWords: used ? stopWordFacts(stopWords) : null } };
}

/** The manifest of a finished run, whatever the order in which its files were written. */
export function manifestOf(facts: ManifestFacts): Manifest {
  const files: Record<string, FileFacts> = {};
  for (const { file, rows, bytes, sha256 } of facts.files) files[file] = { rows, bytes, sha256 };
  return {
    tool: TOOL,
    version: facts.version,
    unicode: facts.unicode,
    parameters: manifestParameters(facts.parameters),
    content_digest: facts.contentDigest,
    s_curve: sCurveFactsOf(facts),
    ...(facts.sampleRule && { sample_rule: roundedRule(facts.sampleRule) }),
    ...(facts.recall && { recall_estimate: roundedRecall(facts.recall) }),
    counts: facts.counts,
    files,
  };
}

/** All accepted pairs, of every kind: the rows of `pairs/`. */
export function acceptedPairs(
  counts: Pick<ManifestCounts, 'verified_pairs' | 'identical_pairs' | 'same_tokens_pairs'>,
): number {
  return counts.verified_pairs + counts.identical_pairs + counts.same_tokens_pairs;
}

/** All skipped documents and places. */
export function skippedTotal(counts: ManifestCounts): number {
  return sumOf(counts.skipped);
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/**
 * What does not balance: documents in against documents out, and counts against the rows of the files. Empty
 * when all is well; otherwise the run has lost or invented something and must fail.
 */
export function countFaults(counts: ManifestCounts, files: readonly WrittenFile[]): Fault[] {
  const rowsOf = (start: string): number =>
    files.reduce((sum, { file, rows }) => (file.startsWith(start) ? sum + rows : sum), 0);
  const skipped = skippedTotal(counts);
  const balances: readonly (readonly [what: string, got: number, expected: number])[] = [
    ['documents found against read and skipped', counts.read + skipped, counts.documents],
    ['documents read against kept and dropped', counts.kept + counts.dropped, counts.read],
    [
      'rows of skipped',
      rowsOf('skipped.'),
      skipped + counts.repaired + counts.empty + sumOf(counts.left_out),
    ],
    ['rows of candidates', rowsOf('candidates/'), counts.candidate_pairs],
    ['rows of pairs', rowsOf('pairs/'), acceptedPairs(counts)],
    ['rows of clusters', rowsOf('clusters/'), counts.clustered_documents],
    ['rows of eliminated', rowsOf('eliminated.'), counts.eliminated_shingles],
    ['rows of duplicates', rowsOf('duplicates.'), counts.dropped],
  ];
  return balances
    .filter(([, got, expected]) => got !== expected)
    .map(([what, got, expected]) => ({
      code: 'COUNTS_UNBALANCED',
      detail: `${what}: expected ${expected}, got ${got}`,
    }));
}

/*
 * Reads the manifest and statistics of a finished result, and believes nothing that has the wrong shape.
 *
 * Does not look at the result files themselves.
 */

/*
 * JSON with one spelling: keys sorted by code unit, indent of two blanks, one LF at the end.
 *
 * For our own small values only (it recurses on their depth). Knows nothing of what they mean.
 */

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).sort(([x], [y]) => (x < y ? -1 : x > y ? 1 : 0));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

/** The canonical text. Keys that look like array indices would be moved by the language: we have none. */
export function canonicalJson(value: object): string {
  return `${JSON.stringify(sorted(value), null, 2)}\n`;
}

/** The same as UTF-8 bytes. */
export function canonicalJsonBytes(value: object): Uint8Array {
  return Buffer.from(canonicalJson(value), 'utf8');
}

/*
 * stats.json: what a run cost and where its inputs are. Differs from run to run by design.
 *
 * Everything that manifest.json must not know goes here. Pure: times and sizes are handed in.
 */

export interface StageStats {
  readonly stage: string;
  readonly tasks: number;
  readonly milliseconds: number;
}

/** What a run that was taken up found done. */
export interface ResumedStats {
  /** Column blocks that were not read and sketched again, of how many. */
  readonly columnBlocks: number;
  readonly columnBlocksInAll: number;
  /** Pairs that were not verified again. */
  readonly verifiedPairs: number;
  /** Stretches of files in `.work` that were damaged, and therefore not believed. */
  readonly damaged: number;
}

/** What a stage took in of a kind, and what became of it. */
interface BalanceStats {
  readonly stage: string;
  readonly what: string;
  readonly taken: number;
  readonly given: Readonly<Record<string, number>>;
}

interface StatsFacts {
  readonly version: string;
  /** Execution parameters by name: JSON values. */
  readonly execution: Readonly<Record<string, unknown>>;
  /** The options that the run was given; paths are absolute. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** What was taken over from earlier attempts; absent: this was the first. */
  readonly resumed?: ResumedStats | undefined;
  /** PATHs as typed. */
  readonly inputs: readonly string[];
  /** Where relative PATHs start. */
  readonly directory: string;
  /** What places begin with, by PATH; absent: none is known. */
  readonly places?: readonly RootPlace[];
  readonly stages: readonly StageStats[];
  readonly elapsedMilliseconds: number;
  /** Documents and bytes of text that were read. */
  readonly documents: number;
  readonly textBytes: number;
  readonly peakMemoryBytes: number;
  /** What each stage took in and gave out. */
  readonly balances: readonly BalanceStats[];
  /** What lies below the PATHs and is not read; null or absent where no place was walked. */
  readonly leftOut?: LeftOut | null;
}

export interface Stats {
  readonly tool: typeof TOOL;
  readonly version: string;
  readonly execution: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>>;
  readonly resumed: ResumedStats | null;
  readonly inputs: { readonly paths: readonly string[]; readonly directory: string };
  /** What the column `place` begins with, and the PATH, as typed, that this stands for. */
  readonly places: readonly RootPlace[];
  readonly stages: readonly StageStats[];
  readonly elapsed_milliseconds: number;
  readonly throughput: {
    readonly documents: number;
    readonly text_bytes: number;
    /** null where no time passed. */
    readonly documents_per_second: number | null;
    readonly megabytes_per_second: number | null;
  };
  readonly memory: { readonly peak_bytes: number };
  readonly balances: readonly BalanceStats[];
  readonly left_out: LeftOut | null;
}

/** The statistics of a run; rates are rounded to two decimals, a megabyte is 10^6 bytes. */
export function statsOf(facts: StatsFacts): Stats {
  const seconds = facts.elapsedMilliseconds / 1000;
  const rate = (amount: number): number | null =>
    seconds > 0 ? Math.round((100 * amount) / seconds) / 100 : null;
  return {
    tool: TOOL,
    version: facts.version,
    execution: facts.execution,
    options: facts.options ?? {},
    resumed: facts.resumed ?? null,
    inputs: { paths: facts.inputs, directory: facts.directory },
    places: facts.places ?? [],
    stages: facts.stages,
    elapsed_milliseconds: facts.elapsedMilliseconds,
    throughput: {
      documents: facts.documents,
      text_bytes: facts.textBytes,
      documents_per_second: rate(facts.documents),
      megabytes_per_second: rate(facts.textBytes / 1e6),
    },
    memory: { peak_bytes: facts.peakMemoryBytes },
    balances: facts.balances,
    left_out: facts.leftOut ?? null,
  };
}
