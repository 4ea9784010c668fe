/**
 * manifest.json: what was compared, how, and the outcome. The same run gives the same bytes on any machine.
 *
 * Paths as typed, times, the machine, threads, shards, tasks, blocks and the engine are only in stats.json. readManifest.ts reads
 * both files.
 */

import { createHash } from 'node:crypto';
import type { ReasonLeftOut } from '../blocks/documents.js';
import type { Problem } from '../errors.js';
import { withoutSecrets } from '../readers/list/addresses.js';
import type { LeftOut, RootPlace } from '../readers/list/inputs.js';
import type { InputFormat } from '../sketch/formatNames.js';
import type { ResultParams } from '../sketch/params.js';
import type { WrittenFile } from '../store/files.js';
import type { ShingleParams } from '../text/shingles.js';
import {
  ALL_FACTS,
  type Amount,
  listedRows,
  type ManifestCounts,
  type ReportedNumbers,
  sumOf,
} from './facts.js';
import { roundedToMillionths } from './tables/escaping.js';

export const TOOL = 'mr-minhash';

/** A list that is too long for a manifest. */
interface ListFacts {
  readonly count: number;
  /** SHA-256 of the entries, each followed by LF. */
  readonly sha256: string;
}

/** The result parameters under their library names; the stop words by count and hash (null if unused). */
export type ManifestParameters = Omit<ResultParams, 'shingle'> & {
  readonly shingle: Omit<ShingleParams, 'stopWords'> & { readonly stopWords: ListFacts | null };
};

/** The prefixes of the locations of several PATHs, in order; their number and hash if there are more than `NAMED_SOURCES`. */
export type SourceOrder = readonly string[] | ListFacts;

/** Whether a JSON value is a `SourceOrder`, or absent. */
export function isSourceOrder(value: unknown): value is SourceOrder | undefined {
  if (value === undefined) return true;
  if (Array.isArray(value)) return value.every((prefix) => typeof prefix === 'string');
  return typeof value === 'object' && value !== null && 'count' in value && 'sha256' in value;
}

/** Pairs of this similarity become candidates with this probability. */
export interface SCurvePoint {
  readonly similarity: number;
  readonly probability: number;
}

/** The guarantees of the banding. Probabilities have six decimals. */
export interface SCurveFacts {
  readonly table: readonly SCurvePoint[];
  /** Probability that a pair at the threshold becomes a candidate. */
  readonly probability_at_threshold: number;
  /** With --verify signature: the probability that the estimated similarity of such a pair reaches the threshold; otherwise null. */
  readonly agreement_share: number | null;
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
  /** Only with several PATHs. */
  readonly sources?: SourceOrder;
  /** The digest of all compared documents (src/blocks/contentDigest.ts). */
  readonly content_digest: string;
  readonly s_curve: SCurveFacts;
  readonly counts: ManifestCounts;
  readonly numbers: ReportedNumbers;
  /** By name relative to the folder, without stats.json, manifest.json and _SUCCESS. */
  readonly files: Readonly<Record<string, FileFacts>>;
}

export interface ManifestFacts {
  readonly version: string;
  readonly unicode: string;
  readonly parameters: ResultParams;
  readonly sources?: SourceOrder | undefined;
  readonly contentDigest: string;
  readonly sCurve: readonly SCurvePoint[];
  /** Probability that a pair at the threshold becomes a candidate. */
  readonly probabilityAtThreshold: number;
  /** P(estimated similarity >= threshold) at the threshold; used with --verify signature only. */
  readonly agreementShare: number;
  readonly counts: ManifestCounts;
  readonly numbers: ReportedNumbers;
  readonly files: readonly WrittenFile[];
}

function listFacts(entries: readonly string[]): ListFacts {
  const hash = createHash('sha256');
  for (const entry of entries) hash.update(`${entry}\n`, 'utf8');
  return { count: entries.length, sha256: hash.digest('hex') };
}

/** The count and hash of a list of stop words as a sorted set: order and repetitions do not count. */
export function stopWordFacts(words: readonly string[]): ListFacts {
  // Default sort: by UTF-16 code unit, the same everywhere.
  return listFacts([...new Set(words)].sort());
}

/** The most PATHs that are listed one by one. */
const NAMED_SOURCES = 1000;

/** The prefixes of the locations of several PATHs, in order; null for one PATH or none. */
export function orderOfPaths(places: readonly RootPlace[]): readonly string[] | null {
  if (places.length < 2) return null;
  return places.map(({ prefix, kind }) => (kind === 'folder' ? `${prefix}/` : prefix));
}

/** The order of PATHs for a manifest, because documents are in this order; undefined for one PATH. */
export function sourceOrder(places: readonly RootPlace[]): SourceOrder | undefined {
  const order = orderOfPaths(places);
  if (order === null) return undefined;
  return order.length <= NAMED_SOURCES ? order : listFacts(order);
}

/** The S-curve of the manifest and the summary. Rounded, because engines differ in the last digit of a power. */
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

function manifestParameters(parameters: ResultParams): ManifestParameters {
  const { stopWords, ...shingle } = parameters.shingle;
  const shown = withoutSecrets(parameters);
  const used = shingle.unit === 'stopwords';
  if (parameters.sets !== undefined) {
    // Elements of sets are input, not made of tokens.
    const { bag, seed } = shingle;
    return { ...shown, shingle: { bag, seed } as ManifestParameters['shingle'] };
  }
  return { ...shown, shingle: { ...shingle, stopWords: used ? stopWordFacts(stopWords) : null } };
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
    counts: facts.counts,
    numbers: facts.numbers,
    files,
  };
}

/** All accepted pairs, of every kind: the rows of `pairs/`. */
export function acceptedPairs(
  counts: Pick<ManifestCounts, 'verified_pairs' | 'identical_pairs' | 'same_tokens_pairs'>,
): number {
  return counts.verified_pairs + counts.identical_pairs + counts.same_tokens_pairs;
}

/**
 * The counts that do not balance: documents in against documents out, and counts against the rows of the
 * files. Empty if all balance; otherwise the run lost or invented data and must fail.
 */
export function countProblems(
  counts: ManifestCounts,
  files: readonly WrittenFile[],
  numbers: ReportedNumbers,
): Problem[] {
  const rowsOf = (start: string): number =>
    files.reduce((sum, { file, rows }) => (file.startsWith(start) ? sum + rows : sum), 0);
  const skipped = sumOf(counts.skipped);
  const values: Readonly<Record<string, unknown>> = counts;
  const balances: readonly (readonly [what: string, got: number, expected: number])[] = [
    ['documents found', counts.read + (counts.left_alone ?? 0) + skipped, counts.documents],
    ['documents read against kept and dropped', counts.kept + counts.dropped, counts.read],
    ['rows of skipped', rowsOf('skipped.'), skipped + listedRows(counts) + sumOf(counts.left_out)],
    ['rows of pairs', rowsOf('pairs/'), acceptedPairs(counts)],
    ...ALL_FACTS.flatMap(([name, { rows }]) =>
      rows === undefined || values[name] === undefined
        ? []
        : [[`rows of ${rows.slice(0, -1)}`, rowsOf(rows), Number(values[name])] as const],
    ),
    ...numberBalances(counts, numbers),
  ];
  return balances
    .filter(([, got, expected]) => got !== expected)
    .map(([what, got, expected]) => ({
      code: 'COUNTS_UNBALANCED',
      detail: `${what}: expected ${expected}, got ${got}`,
    }));
}

/** Checks that the numbers agree with the counts, and parts with their sums. */
function numberBalances(
  counts: ManifestCounts,
  { kept, dropped, reasons, sources, thresholds }: ReportedNumbers,
): (readonly [what: string, got: number, expected: number])[] {
  const balances: (readonly [string, number, number])[] = [
    ['numbers of kept documents', kept.documents, counts.kept],
    ['numbers of dropped documents', dropped.documents, counts.dropped],
  ];
  if (counts.kept_bytes !== undefined && counts.dropped_bytes !== undefined) {
    balances.push(['numbers of kept bytes', kept.bytes ?? 0, counts.kept_bytes]);
    balances.push(['numbers of dropped bytes', dropped.bytes ?? 0, counts.dropped_bytes]);
  }
  const add = (what: string, parts: readonly Amount[], total: Amount): void => {
    for (const unit of ['documents', 'bytes', 'tokens'] as const) {
      const sum = parts.reduce((amount, part) => amount + (part[unit] ?? 0), 0);
      balances.push([`numbers of ${unit} ${what}`, sum, total[unit] ?? 0]);
    }
  };
  add('dropped, by reason', Object.values(reasons), dropped);
  if (sources.length > 0) {
    add(
      'kept, by source',
      sources.map((source) => source.kept),
      kept,
    );
    add(
      'dropped, by source',
      sources.map((source) => source.dropped),
      dropped,
    );
  }
  const own = thresholds.at(-1);
  if (own !== undefined) balances.push(['dropped at the threshold', own.dropped, counts.dropped]);
  return balances;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).sort(([x], [y]) => (x < y ? -1 : x > y ? 1 : 0));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

/**
 * The canonical text: keys sorted by code unit, indent of two blanks, one LF at the end. For small values of
 * our own, because it recurses, and without keys that look like array indices, which JavaScript reorders.
 */
export function canonicalJson(value: object): string {
  return `${JSON.stringify(sorted(value), null, 2)}\n`;
}

/** `canonicalJson` as UTF-8 bytes. */
export function canonicalJsonBytes(value: object): Uint8Array {
  return Buffer.from(canonicalJson(value), 'utf8');
}

/** How many tasks a stage had, and how long it took. */
export interface StageStats {
  readonly stage: string;
  readonly tasks: number;
  readonly milliseconds: number;
}

/** The number of documents that lack a field which others have. JSON. */
export interface LackedValues {
  readonly field: string;
  /** The purpose of the field: which copies are kept. */
  readonly decides: 'keep';
  /** At least 1. */
  readonly documents: number;
}

/** Where documents come from, for a summary: the format of their files, standard input, or sets. */
export type ReadFormat = InputFormat | 'stdin';

/** The numbers of documents by format, and of records that are not documents. JSON. */
export interface ReadAs {
  /** In the order of the formats; `html` are HTML pages, detected by name or first bytes, whose visible text was read. */
  readonly formats: readonly {
    readonly format: ReadFormat;
    /** Documents of the run, and the files with these documents. */
    readonly documents: number;
    readonly files: number;
    /** Records whose text was an HTML page; absent if there were none, or if the format itself is `html`. */
    readonly pages?: number;
  }[];
  /** Records of archives that are not documents, by reason; reasons that did not occur are absent. */
  readonly passed_over: Readonly<Partial<Record<ReasonLeftOut, number>>>;
}

export interface Stats {
  readonly tool: typeof TOOL;
  readonly version: string;
  /** Execution parameters by name: JSON values. */
  readonly execution: Readonly<Record<string, unknown>>;
  readonly inputs: {
    /** PATHs as typed. */
    readonly paths: readonly string[];
    /** PATHs of --against; absent if there were none. */
    readonly against?: readonly string[];
    /** The folder to which relative PATHs are relative. */
    readonly directory: string;
    /** The state of the files when they were read (src/readers/inputsRecord.ts); absent if it could not be read. */
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
  /** Entries below the PATHs that were not read; null if no folder was searched. */
  readonly left_out: LeftOut | null;
  /** The numbers of documents by format. The manifest does not have them, because they follow from the inputs. */
  readonly read_as: ReadAs | null;
  /** The field of `--id-field`, if it was set and no record has it, so that ids are locations; otherwise null. */
  readonly missing_id_field: string | null;
  /** Warnings about the inputs. */
  readonly input_notes: readonly string[];
  /** Documents of an index without sets that were not verified, by file, as `a.jsonl: 3 documents, gone`. Absent: all were. */
  readonly unverified_sources?: readonly string[];
  /** Fields of `--keep` that some documents lack. */
  readonly lacked_values: readonly LackedValues[];
}

/** The contents of stats.json, without values that follow from them. */
interface StatsFacts extends Omit<Stats, 'tool' | 'throughput' | 'memory'> {
  /** Documents and bytes of text that were read. */
  readonly documents: number;
  readonly textBytes: number;
  readonly peakMemoryBytes: number;
}

/** The statistics of a run; rates are rounded to two decimals, a megabyte is 10^6 bytes. */
export function statsOf({ documents, textBytes, peakMemoryBytes, ...facts }: StatsFacts): Stats {
  const seconds = facts.elapsed_milliseconds / 1000;
  const rate = (amount: number): number | null =>
    seconds > 0 ? Math.round((100 * amount) / seconds) / 100 : null;
  return {
    tool: TOOL,
    ...facts,
    throughput: {
      documents,
      text_bytes: textBytes,
      documents_per_second: rate(documents),
      megabytes_per_second: rate(textBytes / 1e6),
    },
    memory: { peak_bytes: peakMemoryBytes },
  };
}
