/**
 * manifest.json: what was compared, how, and the outcome. The same run gives the same bytes on any machine.
 *
 * A path as typed, a time, a machine, threads, shards, tasks, blocks and the engine never appear here: those
 * are in stats.json. readManifest.ts reads it from disk.
 */

import { createHash } from 'node:crypto';
import type { PassedOver } from '../blocks/documents.js';
import type { Fault } from '../errors.js';
import type { InputFormat } from '../readers/list/fileList.js';
import type { LeftOut, RootPlace } from '../readers/list/inputs.js';
import type { ResultParams } from '../sketch/params.js';
import type { SampleRuleFacts } from '../sketch/samples/sampleRule.js';
import type { WrittenFile } from '../store/files.js';
import type { ShingleParams } from '../text/shingles.js';
import { roundedToMillionths } from './tables/escaping.js';
import { numberBalances, type ReportedNumbers } from './wording/reportedNumbers.js';

export const TOOL = 'mr-minhash';

/** The list of stop words, described as a sorted set: order and repetition do not matter. */
interface StopWordFacts {
  readonly count: number;
  /** SHA-256 of the words, each followed by LF. */
  readonly sha256: string;
}

/** The result parameters under their library names; the stop words by count and hash (null where unused). */
export type ManifestParameters = Omit<ResultParams, 'shingle'> & {
  readonly shingle: Omit<ShingleParams, 'stopWords'> & { readonly stopWords: StopWordFacts | null };
};

/** Several PATHs as what the places of their documents begin with, in their order; of very many their number and hash. */
export type SourceOrder =
  | readonly string[]
  | {
      readonly count: number;
      /** SHA-256 of the prefixes, each followed by LF. */
      readonly sha256: string;
    };

interface SCurvePoint {
  readonly similarity: number;
  readonly probability: number;
}

/** The guarantees of the banding. Probabilities have six decimals. */
export interface SCurveFacts {
  readonly table: readonly SCurvePoint[];
  /** Probability that a pair at the threshold becomes a candidate. */
  readonly probability_at_threshold: number;
  /** Signature mode: probability that its signature similarity also reaches the threshold; else null. */
  readonly agreement_share: number | null;
}

/**
 * The share of all pairs at or above the threshold that this run found: an estimate from a sample of the
 * pairs that hot buckets skipped, with bounds for 95 of 100 samples.
 */
export interface RecallFacts {
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
}

/**
 * All counts of a run. They include the rows of files, so that the counts can be checked against the files.
 */
export interface ManifestCounts {
  /** Documents and places found: `read`, `left_alone` and all skipped. */
  readonly documents: number;
  /** Documents compared: those with a document number. */
  readonly read: number;
  /** With fewer tokens than --min-tokens: neither compared nor dropped. Absent: none was looked for. */
  readonly left_alone?: number;
  /** Where units are compared, which all other counts are of: documents that were cut into them, those without a unit too. */
  readonly documents_cut?: number;
  /** By error code; codes that did not occur are absent. */
  readonly skipped: Readonly<Record<string, number>>;
  /**
   * Symbolic links, by code of the error table; codes that did not occur are absent. Links are not documents.
   */
  readonly left_out: Readonly<Record<string, number>>;
  /** Of those read: named by their place, because another record has the same id. */
  readonly ids_repeated: number;
  /** Of those read: their id is not UTF-8, and has U+FFFD in the files. For TSV, which has escapes, 0. */
  readonly ids_replaced: number;
  /** Of those read: without a token. */
  readonly empty: number;
  /** Of those read: with invalid sequences replaced or runs of marks cut. */
  readonly repaired: number;
  /** Of those read: with tokens, but without a shingle in their sketch; only identical ones are found. */
  readonly unsketched: number;
  /** Shingles in too many documents, removed from every sketch. */
  readonly eliminated_shingles: number;
  readonly shingle_occurrences: number;
  /** Groups of two or more documents with the same tokens, and their members, including the first of each. */
  readonly identity_classes: number;
  readonly identical_documents: number;
  /** Buckets with at least two documents, over all bands; for samples fingerprints in as many. */
  readonly buckets: number;
  /** For samples: fingerprints that too many documents rely on, which were paired linearly. */
  readonly hot_buckets: number;
  /** For samples: documents with the most frequent fingerprint. */
  readonly largest_bucket: number;
  /** Rounds of pairing: 1 without hot buckets. */
  readonly rounds: number;
  /** An upper bound: buckets overlap. */
  readonly pairs_skipped_at_most: number;
  readonly kept_uncompared: number;
  readonly candidate_pairs: number;
  /** Accepted near pairs. */
  readonly verified_pairs: number;
  /** Rows of pairs with the same text, byte for byte; for sets: of equal sets. */
  readonly identical_pairs: number;
  /**
   * Rows of pairs with the same tokens in other bytes, and of two documents that look like code or numbers.
   */
  readonly same_tokens_pairs: number;
  readonly same_tokens_pairs_of_code: number;
  readonly clusters: number;
  /** Documents in clusters of two or more. */
  readonly clustered_documents: number;
  /**
   * Greedy clusters founded without a comparison with every representative that has the same fingerprints.
   */
  readonly clusters_uncompared: number;
  /** Documents in clusters whose similarity to their representative is below the threshold. */
  readonly members_below_threshold: number;
  readonly kept: number;
  readonly dropped: number;
  /** Groups of documents, of which only pairs of two are looked for. Absent where there are none, and of a reference. */
  readonly groups?: number;
  /** Documents of --against, with which the others are compared. Absent without a reference. */
  readonly reference_documents?: number;
  /** New documents that are alike one of them, dropped or not. Absent without a reference. */
  readonly reference_matches?: number;
  /** Pairs of documents that both stay although they are alike, because they are protected. Absent where none is protected. */
  readonly protected_pairs?: number;
  /** Bytes of their texts: unpacked, out of their JSON, in UTF-8. Absent for sets. */
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
  /** Where there are several PATHs. */
  readonly sources?: SourceOrder;
  /** The digest of digest.ts. */
  readonly content_digest: string;
  readonly s_curve: SCurveFacts;
  /** Where samples are compared. */
  readonly sample_rule?: SampleRuleFacts;
  /** Where hot buckets skipped pairs. */
  readonly recall_estimate?: RecallFacts;
  readonly counts: ManifestCounts;
  /** Absent in results of earlier versions. */
  readonly numbers?: ReportedNumbers;
  /** By name relative to the folder; not stats.json, manifest.json and _SUCCESS. */
  readonly files: Readonly<Record<string, FileFacts>>;
}

export interface ManifestFacts {
  readonly version: string;
  readonly unicode: string;
  readonly parameters: ResultParams;
  readonly sources?: SourceOrder | undefined;
  readonly contentDigest: string;
  readonly sCurve: readonly SCurvePoint[];
  /** Of becoming a candidate at the threshold. */
  readonly probabilityAtThreshold: number;
  /** P(signature similarity >= threshold) at the threshold; used in signature mode only. */
  readonly agreementShare: number;
  readonly sampleRule?: SampleRuleFacts;
  readonly recall?: RecallFacts;
  readonly counts: ManifestCounts;
  readonly numbers?: ReportedNumbers;
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

/** More PATHs than these are not named one by one. */
const NAMED_SOURCES = 1000;

/** The order of several PATHs as what their places begin with; null: there are not several. */
export function orderOfPaths(places: readonly RootPlace[]): readonly string[] | null {
  if (places.length < 2) return null;
  return places.map(({ prefix, kind }) => (kind === 'folder' ? `${prefix}/` : prefix));
}

/**
 * The order of PATHs as a manifest has it, for it decides what is kept; undefined where it decides nothing: of one PATH, and of
 * lines of sets, which may stand anywhere.
 */
export function sourceOrder(
  places: readonly RootPlace[],
  { sets }: Pick<ResultParams, 'sets'>,
): SourceOrder | undefined {
  const order = orderOfPaths(places);
  if (order === null || sets !== undefined) return undefined;
  if (order.length <= NAMED_SOURCES) return order;
  const hash = createHash('sha256');
  for (const prefix of order) hash.update(`${prefix}\n`, 'utf8');
  return { count: order.length, sha256: hash.digest('hex') };
}

/**
 * The S-curve as in the manifest and the summary. Rounded, because engines differ in the last digit of a
 * power.
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

/** The parameters in the form of the manifest. */
export function manifestParameters(parameters: ResultParams): ManifestParameters {
  const { stopWords, ...shingle } = parameters.shingle;
  const used = shingle.unit === 'stopwords';
  if (parameters.sets !== undefined) {
    // Sets are input, not made of tokens.
    const { bag, seed } = shingle;
    return { ...parameters, shingle: { bag, seed } as ManifestParameters['shingle'] };
  }
  return { ...parameters, shingle: { ...shingle, stopWords: used ? stopWordFacts(stopWords) : null } };
}

/** The manifest of a finished run, independent of the order in which its files were written. */
export function manifestOf(facts: ManifestFacts): Manifest {
  const files: Record<string, FileFacts> = {};
  for (const { file, rows, bytes, sha256 } of facts.files) files[file] = { rows, bytes, sha256 };
  return {
    tool: TOOL,
    version: facts.version,
    unicode: facts.unicode,
    parameters: manifestParameters(facts.parameters),
    ...(facts.sources && { sources: facts.sources }),
    content_digest: facts.contentDigest,
    s_curve: sCurveFactsOf(facts),
    ...(facts.sampleRule && { sample_rule: roundedRule(facts.sampleRule) }),
    ...(facts.recall && { recall_estimate: roundedRecall(facts.recall) }),
    counts: facts.counts,
    ...(facts.numbers && { numbers: facts.numbers }),
    files,
  };
}

/** All accepted pairs, of every kind: the rows of `pairs/`. */
export function acceptedPairs(
  counts: Pick<ManifestCounts, 'verified_pairs' | 'identical_pairs' | 'same_tokens_pairs'>,
): number {
  return counts.verified_pairs + counts.identical_pairs + counts.same_tokens_pairs;
}

/** Number of skipped documents and places. */
export function skippedTotal(counts: ManifestCounts): number {
  return sumOf(counts.skipped);
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/**
 * The counts that do not balance: documents in against documents out, and counts against the rows of the
 * files. Empty if all balance; otherwise the run lost or invented data and must fail.
 */
export function countFaults(
  counts: ManifestCounts,
  files: readonly WrittenFile[],
  numbers?: ReportedNumbers,
): Fault[] {
  const rowsOf = (start: string): number =>
    files.reduce((sum, { file, rows }) => (file.startsWith(start) ? sum + rows : sum), 0);
  const skipped = skippedTotal(counts);
  const balances: readonly (readonly [what: string, got: number, expected: number])[] = [
    ['documents found', counts.read + (counts.left_alone ?? 0) + skipped, counts.documents],
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
    ...(numbers === undefined ? [] : numberBalances(counts, numbers)),
  ];
  return balances
    .filter(([, got, expected]) => got !== expected)
    .map(([what, got, expected]) => ({
      code: 'COUNTS_UNBALANCED',
      detail: `${what}: expected ${expected}, got ${got}`,
    }));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).sort(([x], [y]) => (x < y ? -1 : x > y ? 1 : 0));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

/**
 * The canonical text: keys sorted by code unit, indent of two blanks, one LF at the end. For small values of
 * our own (it recurses on their depth), without keys that look like array indices, which the language would
 * reorder.
 */
export function canonicalJson(value: object): string {
  return `${JSON.stringify(sorted(value), null, 2)}\n`;
}

/** The same as UTF-8 bytes. */
export function canonicalJsonBytes(value: object): Uint8Array {
  return Buffer.from(canonicalJson(value), 'utf8');
}

export interface StageStats {
  readonly stage: string;
  readonly tasks: number;
  readonly milliseconds: number;
}

/** The outcome of earlier attempts in a resumed run. */
export interface ResumedStats {
  /** Document batches that were not read and sketched again, of how many. */
  readonly columnBlocks: number;
  readonly columnBlocksInAll: number;
  /** Pairs that were not verified again. */
  readonly verifiedPairs: number;
  /** Damaged stretches of files in `.work`, which were ignored. */
  readonly damaged: number;
}

/** The records of one kind that a stage received, and their outcome. */
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
  /** The options of the run; paths are absolute. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** The data restored from earlier attempts; absent: this was the first. */
  readonly resumed?: ResumedStats | undefined;
  /** PATHs as typed. */
  readonly inputs: readonly string[];
  /** The same of --against; absent or empty: there is no reference. */
  readonly against?: readonly string[];
  /** The folder that relative PATHs start from. */
  readonly directory: string;
  /** What the files were when they were read (src/readers/inputsRecord.ts). */
  readonly files?: string;
  /** Prefixes of places, by PATH; absent: none is known. */
  readonly places?: readonly RootPlace[];
  readonly stages: readonly StageStats[];
  readonly elapsedMilliseconds: number;
  /** Documents and bytes of text that were read. */
  readonly documents: number;
  readonly textBytes: number;
  readonly peakMemoryBytes: number;
  /** The records that each stage received and emitted. */
  readonly balances: readonly BalanceStats[];
  /** Entries below the PATHs that are not read; null or absent if no place was walked. */
  readonly leftOut?: LeftOut | null;
  /** What was read as what; null or absent if no file was read. */
  readonly readAs?: ReadAs | null;
  /** The field of `--id-field`, where it was given and no record has it. */
  readonly missingIdField?: string;
  /** Of several names of `--text-field` those that no first record has. Absent: none. */
  readonly lackedTextFields?: readonly string[];
  /** Fields of --keep and --group-field that some documents lack. Absent: none. */
  readonly lackedValues?: readonly LackedValues[];
}

/** How many documents lack a field that others have. JSON. */
export interface LackedValues {
  readonly field: string;
  /** Which copies stay, or the groups of documents. */
  readonly decides: 'keep' | 'groups';
  /** At least 1. */
  readonly documents: number;
}

/** What documents are told as in a summary: the format of their files, or where they came from. */
export type ReadFormat = InputFormat | 'stdin' | 'sql';

/** What was read as what. JSON. */
export interface ReadAs {
  /** In the order of the formats; `html`: pages, by name or first bytes, that were read as what is seen of them. */
  readonly formats: readonly {
    readonly format: ReadFormat;
    /** Documents that are still there, and files that they come from. */
    readonly documents: number;
    readonly files: number;
  }[];
  /** Records of archives that are no documents, by why; those without are not named. */
  readonly passed_over: Readonly<Partial<Record<PassedOver, number>>>;
}

export interface Stats {
  readonly tool: typeof TOOL;
  readonly version: string;
  readonly execution: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>>;
  readonly resumed: ResumedStats | null;
  readonly inputs: {
    readonly paths: readonly string[];
    /** PATHs of --against; absent: there were none. */
    readonly against?: readonly string[];
    readonly directory: string;
    /** What the files were when they were read (src/readers/inputsRecord.ts); absent in a result of an earlier version. */
    readonly files?: string;
  };
  /** The prefix of the column `place`, and the PATH, as typed, that it abbreviates. */
  readonly places: readonly RootPlace[];
  readonly stages: readonly StageStats[];
  readonly elapsed_milliseconds: number;
  readonly throughput: {
    readonly documents: number;
    readonly text_bytes: number;
    /** null if no time passed. */
    readonly documents_per_second: number | null;
    readonly megabytes_per_second: number | null;
  };
  readonly memory: { readonly peak_bytes: number };
  readonly balances: readonly BalanceStats[];
  readonly left_out: LeftOut | null;
  /** What was read as what: it follows from the inputs, as the manifest does, but says nothing of what the result is. */
  readonly read_as: ReadAs | null;
  /** The field of `--id-field`, where it was given and no record has it, so that ids are places; else null. */
  readonly missing_id_field: string | null;
  /** Of several names of `--text-field` those that none of the first records of the inputs has. */
  readonly lacked_text_fields: readonly string[];
  /** Fields of `--keep` and `--group-field` that some documents lack. */
  readonly lacked_values: readonly LackedValues[];
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
    inputs: {
      paths: facts.inputs,
      ...(facts.against !== undefined && facts.against.length > 0 && { against: facts.against }),
      directory: facts.directory,
      ...(facts.files !== undefined && { files: facts.files }),
    },
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
    read_as: facts.readAs ?? null,
    missing_id_field: facts.missingIdField ?? null,
    lacked_text_fields: facts.lackedTextFields ?? [],
    lacked_values: facts.lackedValues ?? [],
  };
}
