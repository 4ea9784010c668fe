/**
 * manifest.json: what was compared, how, and what came of it. The same run anywhere gives the same bytes.
 *
 * Floor 2. Must never learn a path as typed, a time, a machine, threads, shards, tasks, blocks or the engine:
 * those are in stats.json. Pure; reading it from disk is readManifest.ts.
 */
import { createHash } from 'node:crypto';
import type { Fault } from '../../errors.js';
import type { ResultParams, ShingleParams } from '../../sketch/params.js';
import type { WrittenFile } from './atomicFile.js';
import { roundedToMillionths } from './millionths.js';

export const TOOL = 'mr-minhash';

/** The list of stop words, told by its words as a sorted set: order and repetition do not matter. */
export interface StopWordFacts {
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

export interface SCurvePoint {
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

/** The rule by which samples of fingerprints make candidates. Probabilities have six decimals. */
export interface SampleRuleFacts {
  /** Fingerprints that the S-curve is told for: all of MIN_s, or a document's 100 of MOD_m. */
  readonly fingerprints: number;
  /** How many of them a candidate pair shares at least. */
  readonly least_shared: number;
  /** Of MOD_m: sets of fewer distinct shingles are kept whole; else null. */
  readonly whole_below: number | null;
  /**
   * Where containment is measured: that a document of so few distinct shingles is found in one that is not kept whole,
   * when the share at the threshold of it is there, and when it is there wholly.
   */
  readonly small: readonly {
    readonly shingles: number;
    readonly at_threshold: number;
    readonly wholly: number;
  }[];
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
  /** Classes of two or more identical documents, and their members, the first of each counted too. */
  readonly identity_classes: number;
  readonly identical_documents: number;
  /** Buckets with at least two documents, over all bands; of samples fingerprints with as many. */
  readonly buckets: number;
  /** Of samples: eliminated fingerprints. */
  readonly hot_buckets: number;
  /** Of samples: documents of the most frequent fingerprint. */
  readonly largest_bucket: number;
  /** Rounds of pairing: 1 without hot buckets. */
  readonly rounds: number;
  /** An upper bound: bands overlap. */
  readonly pairs_skipped_at_most: number;
  readonly kept_uncompared: number;
  /** Of samples alone: documents of which every fingerprint was eliminated. */
  readonly eliminated_documents?: number;
  readonly candidate_pairs: number;
  /** Accepted near pairs. */
  readonly verified_pairs: number;
  /** Rows of identity pairs. */
  readonly identical_pairs: number;
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
  /** See contentDigest.ts. */
  readonly content_digest: string;
  readonly s_curve: SCurveFacts;
  /** Where samples are compared. */
  readonly sample_rule?: SampleRuleFacts;
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
export function sCurveFactsOf(
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
    counts: facts.counts,
    files,
  };
}

/** All skipped documents and places. */
export function skippedTotal(counts: ManifestCounts): number {
  return Object.values(counts.skipped).reduce((sum, count) => sum + count, 0);
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
    ['rows of skipped', rowsOf('skipped.'), skipped],
    ['rows of candidates', rowsOf('candidates/'), counts.candidate_pairs],
    ['rows of pairs', rowsOf('pairs/'), counts.verified_pairs + counts.identical_pairs],
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
