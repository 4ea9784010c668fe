/** Reads the manifest and statistics of a finished result, and reports missing or damaged parts by name. */

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { MinHashError } from '../errors.js';
import { plainCauseOf, systemCodeOf } from '../store/files.js';
import { MANIFEST_NAME, STATS_NAME, SUCCESS_NAME } from './fileNames.js';
import { halfReplacedText } from './folder.js';
import { type Manifest, type Stats, TOOL } from './manifest.js';
import { isObject, type JsonObject } from './replacement.js';

const COUNTS = [
  'documents',
  'read',
  'ids_repeated',
  'ids_replaced',
  'empty',
  'repaired',
  'unsketched',
  'eliminated_shingles',
  'shingle_occurrences',
  'identity_classes',
  'identical_documents',
  'buckets',
  'hot_buckets',
  'largest_bucket',
  'rounds',
  'pairs_skipped_at_most',
  'kept_uncompared',
  'candidate_pairs',
  'verified_pairs',
  'identical_pairs',
  'same_tokens_pairs',
  'same_tokens_pairs_of_code',
  'clusters',
  'clustered_documents',
  'clusters_uncompared',
  'members_below_threshold',
  'kept',
  'dropped',
] as const;

const isCount = (value: unknown): boolean => typeof value === 'number' && value >= 0;

function filesProblem(files: unknown): string | null {
  if (!isObject(files)) return 'files is no object';
  for (const [name, facts] of Object.entries(files)) {
    if (name.startsWith('/') || name.split('/').includes('..')) return `${name} lies outside the folder`;
    const sound =
      isObject(facts) && isCount(facts.rows) && isCount(facts.bytes) && typeof facts.sha256 === 'string';
    if (!sound) return `files: ${name} lacks rows, bytes or sha256`;
  }
  return null;
}

function parametersProblem(parameters: unknown): string | null {
  if (!isObject(parameters)) return 'parameters is no object';
  if (!['tsv', 'csv', 'jsonl', 'parquet'].includes(String(parameters.format)))
    return 'parameters.format is unknown';
  if (!['exact', 'signature', 'none'].includes(String(parameters.verify)))
    return 'parameters.verify is unknown';
  if (typeof parameters.threshold !== 'number') return 'parameters.threshold is no number';
  const rule = agreeProblem(parameters);
  if (rule !== null) return rule;
  if (!['resemblance', 'containment'].includes(String(parameters.measure)))
    return 'parameters.measure is unknown';
  // Samples have no bands.
  const names = ['shingle', 'sketch', ...(parameters.banding === null ? [] : ['banding'])];
  const objects = names.filter((name) => !isObject(parameters[name]));
  return objects.length > 0 ? `parameters.${objects[0]} is no object` : null;
}

/** The fault of an m-of-n rule: its threshold is the share of the slots that must match. */
function agreeProblem({ agree = null, threshold, sketch }: JsonObject): string | null {
  if (agree === null) return null;
  const hashes = isObject(sketch) ? Number(sketch.hashes) : Number.NaN;
  const sound = Number.isInteger(agree) && threshold === (agree as number) / hashes;
  return sound ? null : 'parameters.agree is not the threshold times the slots';
}

const isAmount = (value: unknown): boolean =>
  isObject(value) &&
  isCount(value.documents) &&
  isCount(value.tokens) &&
  (value.bytes === undefined || isCount(value.bytes));

const isSource = (value: unknown): boolean =>
  isObject(value) &&
  (value.source === null || typeof value.source === 'string') &&
  isAmount(value.kept) &&
  isAmount(value.dropped);

const isDropsAt = (value: unknown): boolean =>
  isObject(value) && isCount(value.threshold) && isCount(value.dropped);

/** What is wrong with the numbers; results of earlier versions have none. */
function numbersProblem(numbers: unknown): string | null {
  if (numbers === undefined) return null;
  if (!isObject(numbers) || !isAmount(numbers.kept) || !isAmount(numbers.dropped))
    return 'numbers.kept or numbers.dropped lacks documents or tokens';
  const { reasons, sources, other_sources: others, thresholds, median_shingles: median } = numbers;
  const tokens = numbers.median_tokens ?? null;
  const names = ['identical', 'same_tokens', 'near'];
  if (!isObject(reasons) || !names.every((name) => isAmount(reasons[name])))
    return 'numbers.reasons lacks one of three';
  if (!Array.isArray(sources) || !sources.every(isSource) || !isCount(others))
    return 'numbers.sources is no list of sources';
  if (!Array.isArray(thresholds) || !thresholds.every(isDropsAt))
    return 'numbers.thresholds is no list of thresholds';
  if (tokens !== null && !isCount(tokens)) return 'numbers.median_tokens is no number';
  return median === null || isCount(median) ? null : 'numbers.median_shingles is no number';
}

/** Why a JSON value is not a manifest of ours, or null. */
export function manifestProblem(value: unknown): string | null {
  if (!isObject(value)) return 'not a JSON object';
  if (value.tool !== TOOL) return `tool is not ${TOOL}`;
  const texts = ['version', 'unicode', 'content_digest'].filter((name) => typeof value[name] !== 'string');
  if (texts.length > 0) return `${texts[0]} is no text`;
  const { counts, s_curve: curve } = value;
  if (!isObject(counts) || !isObject(counts.skipped)) return 'counts or counts.skipped is no object';
  const missing = COUNTS.filter((name) => !isCount(counts[name]));
  if (missing.length > 0) return `counts.${missing[0]} is no number`;
  if (!Object.values(counts.skipped).every(isCount)) return 'counts.skipped has what is no number';
  if (!isObject(counts.left_out) || !Object.values(counts.left_out).every(isCount))
    return 'counts.left_out is no object of numbers';
  if (!isObject(curve) || !Array.isArray(curve.table)) return 's_curve has no table';
  if (!isCount(curve.probability_at_threshold)) return 's_curve.probability_at_threshold is no number';
  if (curve.agreement_share !== null && !isCount(curve.agreement_share)) return 's_curve.agreement_share';
  return parametersProblem(value.parameters) ?? filesProblem(value.files) ?? numbersProblem(value.numbers);
}

function missing(detail: string, cause?: unknown): MinHashError {
  return new MinHashError({ code: 'RESULT_MISSING', detail }, { cause });
}

function readJson(dir: string, name: string): unknown {
  try {
    const path = join(dir, name);
    // Reading a pipe would wait for a writer forever.
    if (!statSync(path).isFile()) throw missing(`${dir}: ${name} is no regular file`);
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof MinHashError) throw error;
    const code = systemCodeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') throw missing(`${dir}: no ${name}`, error);
    if (code !== null) throw missing(`${dir}: ${name}: ${plainCauseOf(code)}`, error);
    throw missing(`${dir}: ${name} is not valid JSON`, error);
  }
}

/**
 * The manifest of the finished result in `dir`.
 *
 * @throws MinHashError RESULT_MISSING: no such folder, no _SUCCESS, no manifest, or not one of ours
 */
export function readManifest(dir: string): Manifest {
  if (statSync(join(dir, SUCCESS_NAME), { throwIfNoEntry: false }) === undefined) {
    throw missing(halfReplacedText(dir) ?? `${dir}: no ${SUCCESS_NAME}`);
  }
  const value = readJson(dir, MANIFEST_NAME);
  const problem = manifestProblem(value);
  if (problem !== null) throw missing(`${dir}: ${MANIFEST_NAME}: ${problem}`);
  return value as Manifest;
}

function isReadAs(value: unknown): boolean {
  return (
    isObject(value) &&
    Array.isArray(value.formats) &&
    value.formats.every((row) => isObject(row) && typeof row.format === 'string') &&
    isObject(value.passed_over)
  );
}

/** The statistics of the result in `dir`. @throws MinHashError RESULT_MISSING */
export function readStats(dir: string): Stats {
  const value = readJson(dir, STATS_NAME);
  const inputs = isObject(value) ? value.inputs : undefined;
  const isSound =
    isObject(inputs) &&
    Array.isArray(inputs.paths) &&
    inputs.paths.every((path) => typeof path === 'string') &&
    typeof inputs.directory === 'string';
  if (!isObject(value) || value.tool !== TOOL || !isSound) {
    throw missing(`${dir}: ${STATS_NAME} is not one of ours`);
  }
  // A result of an earlier version does not say.
  const stats: unknown = {
    ...{ places: [], lacked_text_fields: [], lacked_values: [] },
    ...value,
    read_as: isReadAs(value.read_as) ? value.read_as : null,
  };
  return stats as Stats;
}
