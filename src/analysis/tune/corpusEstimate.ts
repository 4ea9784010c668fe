/**
 * Estimates from a sample the effect of settings on a corpus: its pairs and the candidate pairs of each setting, with
 * bounds, memory and time. The caller passes the clock.
 */

import { memoryEstimate } from '../../coordinator/planning/estimate.js';
import { refuseNoFiles, refuseUnread } from '../../coordinator/sketch/nothingRead.js';
import { unknownTextFields } from '../../coordinator/start/missingFields.js';
import { checkObject, kindOf, MinHashError, type Problem } from '../../errors.js';
import { checkOptions, type Resolved, type RunOptions } from '../../options/check.js';
import { listInputs } from '../../readers/list/inputs.js';
import type { BandingParams } from '../../sketch/params.js';
import { agreementOf, candidateShares, signatureAccepts } from '../../sketch/probability.js';
import { kernelHere } from '../../tasks/kernelModule.js';
import { type CorpusSample, sampleCorpus } from './corpusSample.js';

/** An estimate with bounds that hold in about 95 of 100 samples; all >= 0. */
export interface Extrapolation {
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
}

/** In 5 of 100 cases a normal variable is this many standard deviations from its mean. */
const NORMAL = 1.96;

/**
 * Mean size (Poisson) that a group of similar documents needs in the sample to leave two or more there in 95
 * of 100 samples, so that one of its pairs is in the sample: (1 + m) e^-m = .05.
 */
const SEEN_GROUP = 4.744;

/** The drawn units, with their documents and sizes; `whole`: these are all units. */
interface DrawnUnits {
  readonly whole: boolean;
  readonly units: number;
  readonly documentsIn: readonly number[];
  readonly sizes: readonly number[];
  /** Total size of all units. */
  readonly allSizes: number;
}

/**
 * The number of documents in all units: the ratio of documents to size in the drawn units, times the total size,
 * with the variance of the ratio estimator (Cochran, Sampling Techniques, 6.4).
 */
export function documentsOf({ whole, units, documentsIn, sizes, allSizes }: DrawnUnits): Extrapolation {
  const drawn = documentsIn.length;
  const documentCount = documentsIn.reduce((sum, count) => sum + count, 0);
  if (whole) return { value: documentCount, lower: documentCount, upper: documentCount };
  const size = sizes.reduce((sum, each) => sum + each, 0);
  const ratio = size > 0 ? documentCount / size : 0;
  const squares = documentsIn.reduce((sum, count, i) => sum + (count - ratio * sizes[i]!) ** 2, 0);
  // With one drawn unit the spread is unknown: the estimate may be off by its own value.
  const variance = drawn > 1 ? squares / (drawn - 1) : documentCount * documentCount;
  const error = units * Math.sqrt((variance / Math.max(1, drawn)) * Math.max(0, 1 - drawn / units));
  const value = Math.max(documentCount, ratio * allSizes);
  return { value, lower: Math.max(documentCount, value - NORMAL * error), upper: value + NORMAL * error };
}

/**
 * The number of pairs among `documents` documents, from a sum over the pairs of a sample of `sampled`.
 *
 * The bounds are score bounds as for a Poisson number with the variance of the jackknife, so that a sample
 * without pairs still has an upper bound (3.8 sampled pairs). The uncertainty of the number of documents
 * counts twice, since pairs grow with its square. A sample of everything has no uncertainty. With fewer than
 * two sampled documents the bounds are 0 and all pairs.
 */
export function pairsOf(
  { sum, variance }: PairSum,
  sampled: number,
  documents: Extrapolation,
): Extrapolation {
  const pairs = (n: number): number => (n * (n - 1)) / 2;
  const allPairs = Math.max(0, pairs(documents.value));
  if (sampled < 2) return { value: 0, lower: 0, upper: allPairs };
  const scale = Math.max(1, allPairs / pairs(sampled));
  const open = Math.max(0, 1 - sampled / Math.max(sampled, documents.value));
  const ofDocuments = (documents.upper - documents.lower) / (2 * NORMAL) / Math.max(1, documents.value);
  const spread = open * variance + (2 * sum * ofDocuments) ** 2;
  const centre = sum + (open * NORMAL * NORMAL) / 2;
  const reach = NORMAL * Math.sqrt(spread + (open * NORMAL) ** 2 / 4);
  return {
    value: scale * sum,
    // The pairs in the sample exist.
    lower: Math.max(sum, scale * (centre - reach)),
    upper: Math.max(sum, Math.min(allPairs, scale * (centre + reach))),
  };
}

/**
 * The size of a group of similar documents of which the sample contains a pair in 95 of 100 cases; at most
 * `documents`.
 */
export function seenGroup(sampled: number, documents: number): number {
  if (sampled >= documents) return 2;
  return Math.min(documents, Math.ceil((SEEN_GROUP * documents) / Math.max(1, sampled)));
}

/** For every document of a sample, its pairs counted by number of matching slots. */
export interface PairCounts {
  /** Number of documents; each is in documents - 1 pairs. */
  readonly documents: number;
  readonly hashes: number;
  /**
   * `hashes + 2` counts per document: pairs with 0..hashes matching slots, then pairs with the same content.
   */
  readonly counts: Uint32Array;
}

/** A sum over the pairs of a sample and the variance of that sum over samples. */
interface PairSum {
  readonly sum: number;
  readonly variance: number;
}

/** Compares all pairs: documents^2 / 2 comparisons. */
function pairCounts(sample: CorpusSample): PairCounts {
  const { signatures, contentKeys, hashes } = sample;
  const documents = signatures.length / hashes;
  const width = hashes + 2;
  const counts = new Uint32Array(documents * width);
  for (let i = 0; i < documents; i++) {
    for (let j = i + 1; j < documents; j++) {
      const column = sameKey(contentKeys, 4 * i, 4 * j)
        ? hashes + 1
        : agreementOf(signatures, i * hashes, signatures, j * hashes, hashes);
      counts[i * width + column]!++;
      counts[j * width + column]!++;
    }
  }
  return { documents, hashes, counts };
}

function sameKey(keys: Uint32Array, a: number, b: number): boolean {
  return (
    keys[a] === keys[b] &&
    keys[a + 1] === keys[b + 1] &&
    keys[a + 2] === keys[b + 2] &&
    keys[a + 3] === keys[b + 3]
  );
}

/**
 * The sum over all pairs of `weights[column]` (hashes + 2 of them, as the counts), with the variance by the
 * jackknife: leaving one document out removes all its pairs, so pairs that share a document do not count as
 * independent (the variance is up to twice too large where pairs share none). Fewer than three documents:
 * variance 0.
 */
export function pairSum({ documents, hashes, counts }: PairCounts, weights: Float64Array): PairSum {
  const width = hashes + 2;
  let total = 0;
  const sums = new Float64Array(documents);
  for (let i = 0; i < documents; i++) {
    let sum = 0;
    for (let column = 0; column < width; column++) sum += counts[i * width + column]! * weights[column]!;
    sums[i] = sum;
    total += sum / 2;
  }
  if (documents < 3) return { sum: total, variance: 0 };
  // Leave-one-out sums, scaled to the full number of pairs.
  const scale = documents / (documents - 2);
  const mean = scale * (total - (2 * total) / documents);
  let squares = 0;
  for (let i = 0; i < documents; i++) squares += (scale * (total - sums[i]!) - mean) ** 2;
  return { sum: total, variance: ((documents - 1) / documents) * squares };
}

/** A corpus, and the settings to evaluate on it. */
export interface CorpusQuestion {
  /**
   * PATHs, and how they are read and compared, as for `run`. Standard input is refused: it cannot be sampled.
   */
  readonly options: RunOptions;
  /** Each with bands x rows <= 1024; at least one. */
  readonly settings: readonly BandingParams[];
  /** Number of documents to sketch, 2..10,000; default 2000. All pairs of them are compared. */
  readonly sample?: number;
  /** Milliseconds from any start. Without it the times are null. */
  readonly clock?: () => number;
}

/** Pairs of at least this signature similarity, identical documents included. */
export interface PairsAtLeast {
  readonly similarity: number;
  /** Number in the sample. */
  readonly seen: number;
  readonly pairs: Extrapolation;
}

/** The effect of a setting. Pairs of identical documents are not counted: they need no bucket. */
export interface SettingOnCorpus extends BandingParams {
  readonly candidates: Extrapolation;
  /**
   * `found`: candidate pairs whose signature similarity is the threshold or more; `missed`: pairs of that similarity
   * that never become candidates.
   */
  readonly found: Extrapolation;
  readonly missed: Extrapolation;
  /** An estimate of memory, without candidate pairs and without shingle sets. */
  readonly memoryBytes: number;
}

/** The estimates. */
export interface CorpusEstimate {
  readonly files: number;
  /** Files and other locations that would be skipped. */
  readonly skippedPlaces: number;
  readonly threshold: number;
  readonly hashes: number;
  readonly threads: number;
  readonly sample: {
    /** Documents sketched; `empty` of them have no token, and are in no pair. */
    readonly documents: number;
    readonly empty: number;
    readonly skipped: number;
    /** Files of records without the text field, which were read as texts. */
    readonly asText: number;
    readonly bytes: number;
    /** Whether the whole corpus was read. */
    readonly whole: boolean;
    /** Number of files that can only be read from their beginning: their first records represent them. */
    readonly streams: number;
    /** Whether the rest of a large file was only counted, so that its first documents represent it. */
    readonly cut: boolean;
  };
  readonly documents: Extrapolation;
  /** Mean number of shingles, repeated ones counted; 0 if there is no document. */
  readonly shinglesPerDocument: number;
  readonly textBytes: number;
  readonly identicalPairs: Extrapolation;
  readonly pairsAtLeast: readonly PairsAtLeast[];
  readonly settings: readonly SettingOnCorpus[];
  /**
   * A group of this many similar documents has a pair in the sample in 95 of 100 cases; smaller ones may not.
   */
  readonly seenGroup: number;
  /** Bytes of all shingle sets; `--verify exact` holds those of documents in candidate pairs. */
  readonly setBytesAtMost: number;
  /**
   * Milliseconds to read and sketch everything once, at the rate of the sample; null without a clock.
   * `--verify exact` re-reads the documents of candidate pairs, at most all.
   */
  readonly readMilliseconds: number | null;
}

const USUAL_SAMPLE = 2000;
const MOST_SAMPLE = 10_000;
const PLACES: readonly number[] = [0.5, 0.6, 0.7, 0.8, 0.9];

/** The problems of a question, except those of its options for `run`. */
function questionProblems(
  { settings, sample: wanted = USUAL_SAMPLE }: CorpusQuestion,
  { params, execution }: Resolved,
): Problem[] {
  const details: string[] = [];
  if (settings.length === 0) details.push('settings []: expected at least one, { bands, rows }');
  if (!Number.isInteger(wanted) || wanted < 2 || wanted > MOST_SAMPLE)
    details.push(`sample ${wanted}: expected an integer from 2 to ${MOST_SAMPLE}`);
  if (execution.paths.includes('-'))
    details.push('PATH -: expected files and directories, standard input cannot be sampled');
  if (params.sets !== undefined) details.push('--input sets: expected documents, sets are not sampled');
  return details.map((detail) => ({ code: 'OPTION_INVALID', detail }));
}

/**
 * Estimates from a sample the effect of settings on a corpus. The result, except the time, follows from the corpus, the
 * options and the seed.
 *
 * @throws MinHashError OPTION_INVALID (also without a setting), NO_INPUT, PATH_MISSING, TEXT_FIELD_UNKNOWN, with all
 * errors at once; NOTHING_READ, TEXT_FIELD_MISSING if the corpus has no document
 */
export async function estimateCorpus(question: CorpusQuestion): Promise<CorpusEstimate> {
  checkObject('question', question);
  const { settings, sample: wanted = USUAL_SAMPLE, clock } = question;
  checkObject('options', question.options);
  if (!Array.isArray(settings))
    throw new MinHashError({
      code: 'OPTION_INVALID',
      detail: `settings: expected a list, got ${kindOf(settings)}`,
    });
  const [first] = settings;
  const slots = Math.max(1, ...settings.map(({ bands, rows }) => bands * rows));
  const hashes = Math.max(slots, question.options.hashes ?? 128);
  const { resolved, problems } = checkOptions({
    ...question.options,
    hashes,
    ...(first && { bands: first.bands, rows: first.rows }),
  });
  const { params, execution } = resolved;
  const allProblems = [...problems, ...questionProblems(question, resolved)];
  const paths = execution.paths.filter((path) => path !== '-');
  const inputs = await listInputs({ paths, outFolder: null, params });
  const isReported =
    paths.length < execution.paths.length || problems.some(({ option }) => option === 'paths');
  allProblems.push(...inputs.problems.filter(({ code }) => !(isReported && code === 'NO_INPUT')));
  allProblems.push(...unknownTextFields(inputs.files, params));
  if (allProblems.length > 0) throw new MinHashError(allProblems);
  refuseNoFiles({ params, inputs });
  const kernel = await kernelHere();
  const sample = await sampleCorpus(inputs.files, params, wanted, kernel, clock ?? (() => 0));
  if (sample.sketched === 0) refuseUnread({ params, inputs }, sample.skips);
  const { threshold } = params;
  const { threads } = execution;
  const facts = {
    files: inputs.files.length,
    skippedPlaces: inputs.skipped.length,
    threshold,
    hashes,
    threads,
  };
  return judged(sample, settings, facts, clock !== undefined);
}

/** The estimates from a sample. `facts`: what is known without one. */
function judged(
  sample: CorpusSample,
  settings: readonly BandingParams[],
  facts: Pick<CorpusEstimate, 'files' | 'skippedPlaces' | 'threshold' | 'hashes' | 'threads'>,
  isTimed: boolean,
): CorpusEstimate {
  const { threshold, hashes, threads } = facts;
  const counts = pairCounts(sample);
  const documents = documentsOf(sample);
  const each = 1 / Math.max(1, sample.sketched);
  // Empty documents are in no pair, so pairs are formed among the others.
  const full = scaled(documents, (sample.sketched - sample.empty) * each);
  const pairsWhere: PairsWhere = (weight) => {
    const sum = pairSum(counts, weightsOf(hashes, weight));
    return { seen: sum.sum, pairs: pairsOf(sum, counts.documents, full) };
  };
  const shinglesPerDocument = sample.shingles * each;
  const textBytes = Math.round(documents.value * sample.bytes * each);
  const { sketched, empty, skips, asText, bytes, streams } = sample;
  const skipped = Object.values(skips).reduce((sum, count) => sum + count, 0);
  const { whole } = sample;
  return {
    ...facts,
    sample: { documents: sketched, empty, skipped, asText, bytes, whole, streams, cut: sample.leftOver > 0 },
    documents,
    shinglesPerDocument,
    textBytes,
    identicalPairs: pairsWhere((_, isSame) => (isSame ? 1 : 0)).pairs,
    pairsAtLeast: [...new Set([...PLACES, threshold])]
      .sort((a, b) => a - b)
      .map((similarity) => ({
        similarity,
        ...pairsWhere((equal) => (signatureAccepts(equal, hashes, similarity) ? 1 : 0)),
      })),
    settings: settings.map(({ bands, rows }) => ({
      ...onCorpus(bands, rows, hashes, threshold, pairsWhere),
      memoryBytes: memoryEstimate(Math.round(documents.value), 2 * hashes + 4 * bands, threads),
    })),
    seenGroup: seenGroup(counts.documents, full.value),
    setBytesAtMost: Math.round(8 * shinglesPerDocument * documents.value),
    readMilliseconds: isTimed ? readTime(sample, textBytes, threads) : null,
  };
}

type PairsWhere = (weight: (equal: number, isSame: boolean) => number) => {
  readonly seen: number;
  readonly pairs: Extrapolation;
};

function onCorpus(
  bands: number,
  rows: number,
  hashes: number,
  threshold: number,
  pairsWhere: PairsWhere,
): Omit<SettingOnCorpus, 'memoryBytes'> {
  const shares = candidateShares(hashes, bands, rows);
  const isAlike = (equal: number): number => (signatureAccepts(equal, hashes, threshold) ? 1 : 0);
  return {
    bands,
    rows,
    candidates: pairsWhere((equal, isSame) => (isSame ? 0 : shares[equal]!)).pairs,
    found: pairsWhere((equal, isSame) => (isSame ? 0 : isAlike(equal) * shares[equal]!)).pairs,
    missed: pairsWhere((equal, isSame) => (isSame ? 0 : isAlike(equal) * (1 - shares[equal]!))).pairs,
  };
}

/** A weight for every column of the counts; pairs of the same content match in all slots. */
function weightsOf(hashes: number, weight: (equal: number, isSame: boolean) => number): Float64Array {
  const weights = new Float64Array(hashes + 2);
  for (let equal = 0; equal <= hashes; equal++) weights[equal] = weight(equal, false);
  weights[hashes + 1] = weight(hashes, true);
  return weights;
}

function scaled({ value, lower, upper }: Extrapolation, by: number): Extrapolation {
  return { value: value * by, lower: lower * by, upper: upper * by };
}

function readTime({ timed }: CorpusSample, textBytes: number, threads: number): number | null {
  if (timed.bytes === 0) return null;
  return (timed.milliseconds * textBytes) / timed.bytes / Math.max(1, threads);
}
