/** Reads the manifest and statistics of a finished result, and reports missing or damaged parts by name. */

import { join } from 'node:path';
import { MinHashError } from '../errors.js';
import { OPTION_KEYS, OPTIONS, type OptionKey } from '../options/table.js';
import { checkValue, keepText, shownValue } from '../options/values.js';
import type { KeepRule } from '../sketch/params.js';
import { MOST_DOCUMENT, parsePlainJson, readPlainFile } from '../store/plainFile.js';
import { ALL_FACTS } from './facts.js';
import { lackOfResult, MANIFEST_NAME, STATS_NAME } from './fileNames.js';
import { halfReplacedText } from './folder.js';
import { isSourceOrder, type Manifest, type ManifestParameters, type Stats, TOOL } from './manifest.js';
import { isObject, type JsonObject } from './replacement.js';

/** The counts that every run has. */
const COUNTS = ALL_FACTS.filter(([, { median, byCode, sometimes }]) => !(median ?? byCode ?? sometimes));

const isCount = (value: unknown): boolean => Number.isFinite(value) && (value as number) >= 0;

function filesProblem(files: unknown): string | null {
  if (!isObject(files)) return 'files is no object';
  for (const [name, facts] of Object.entries(files)) {
    if (name.startsWith('/') || name.includes('\0') || name.split('/').includes('..'))
      return `${name} lies outside the folder`;
    const sound =
      isObject(facts) && isCount(facts.rows) && isCount(facts.bytes) && typeof facts.sha256 === 'string';
    if (!sound) return `files: ${name} lacks rows, bytes or sha256`;
  }
  return null;
}

const isOptionKey = (name: string): name is OptionKey => OPTION_KEYS.includes(name as OptionKey);

/** Whether null is a value of the option: where its default is null; also for `recall`, which may not apply. */
const mayBeNull = (key: OptionKey): boolean => OPTIONS[key].default === null || key === 'recall';

/** The names of boolean values that belong to no option. */
const ANSWERS: readonly string[] = ['textFieldGiven', 'named'];

/** The first value, at any depth, that the option of its name does not allow. */
function valueProblem(values: JsonObject, place: string): string | null {
  for (const [name, value] of Object.entries(values)) {
    const path = `${place}.${name}`;
    if (isObject(value) && (name === 'sketch' || !isOptionKey(name))) {
      const problem = valueProblem(value, path);
      if (problem !== null) return problem;
      continue;
    }
    if (ANSWERS.includes(name) && typeof value !== 'boolean') return `${path} is neither true nor false`;
    if (!isOptionKey(name)) continue;
    if (value === null && mayBeNull(name)) continue;
    const checked = checkValue(OPTIONS[name].kind, value);
    if (!checked.ok) return `${path} is ${shownValue(value)}: expected ${checked.expected}`;
  }
  return null;
}

/** The parts of parameters that together are the value of one option, as a user would type it. */
function typedParts({ shingle, keep, groups, sets }: JsonObject): Partial<Record<OptionKey, unknown>> {
  const { unit, size, normalize } = shingle as JsonObject;
  const group = groups as JsonObject | null;
  return {
    // Sets are given, not made of tokens.
    ...(sets === undefined && { shingle: `${String(unit)}:${String(size)}` }),
    ...(normalize !== undefined && { normalize }),
    ...(keep !== undefined && { keep: (keep as readonly KeepRule[]).map(keepText) }),
    ...(group?.by === 'path' && { groupBy: `path:${String(group.depth)}` }),
    ...(group?.by === 'field' && { groupField: group.field }),
  };
}

/** The parameters of the sketches of each kind; kinds not named here have `hashes`. */
const SKETCH_VALUES: Readonly<Record<string, readonly string[]>> = {
  sswf: [],
  'mod-m': ['modulus', 'wholeBelow'],
};

/** Parameters that every manifest must have: programs that read the result or its inputs again need them. */
const NEEDED: readonly (keyof ManifestParameters)[] = [
  ...(['threshold', 'verify', 'measure', 'hotBucket', 'cluster', 'unit'] as const),
  ...(['input', 'textField', 'idField', 'textFormat', 'encoding', 'include', 'exclude'] as const),
  ...(['maxDocument', 'minTokens', 'onError', 'sample', 'keep', 'prefer', 'protect', 'groups'] as const),
];

/** What is wrong with the parameters, or null. The table of options checks their values as it checks typed ones. */
function parametersProblem(parameters: unknown): string | null {
  if (!isObject(parameters)) return 'parameters is no object';
  const { shingle, sketch, banding, groups = null, keep = [], sets = {} } = parameters;
  // Samples have no bands.
  const parts = { shingle, sketch, sets, banding: banding ?? {}, groups: groups ?? {} };
  const other = Object.entries(parts).find(([, part]) => !isObject(part));
  if (other !== undefined) return `parameters.${other[0]} is no object`;
  if (!Array.isArray(keep) || !keep.every(isObject)) return 'parameters.keep is no list of rules';
  const whole = NEEDED.find((name) => parameters[name] === undefined);
  if (whole !== undefined) return `parameters.${whole} is not there`;
  const { sketch: kind, ...sketched } = sketch as JsonObject;
  const values = SKETCH_VALUES[String(kind)] ?? ['hashes'];
  const { wholeBelow = 0 } = sketched;
  const lacking = values.find((name) => sketched[name] === undefined);
  if (lacking !== undefined || !isCount(wholeBelow))
    return `parameters.sketch.${lacking ?? 'wholeBelow'} is no number`;
  if (groups !== null && !['against', 'path', 'field'].includes(String((groups as JsonObject).by)))
    return 'parameters.groups.by is unknown';
  const { bag, seed, stopWords } = shingle as JsonObject;
  if (isObject(stopWords) ? !isCount(stopWords.count) : (stopWords ?? null) !== null)
    return 'parameters.shingle.stopWords has no count';
  const { decisions } = parameters;
  if (decisions !== undefined && !(isObject(decisions) && isCount(decisions.count)))
    return 'parameters.decisions has no count';
  const { shingle: _, keep: __, groups: ___, banding: ____, decisions: _____, ...rest } = parameters;
  // Where only identical documents are looked for, there are neither bands nor rows.
  const bands =
    parameters.exactDuplicates === true || banding === null
      ? {}
      : { bands: 0, rows: 0, ...(banding as object) };
  return (
    agreeProblem(parameters) ??
    valueProblem({ bag, seed, ...typedParts(parameters) }, 'parameters') ??
    valueProblem({ ...rest, banding: bands, sketch: kind === 'sswf' ? {} : sketch }, 'parameters')
  );
}

/** What is wrong with an m-of-n rule, or null: its threshold must be the share of the slots that must match. */
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

function numbersProblem(numbers: unknown): string | null {
  if (!isObject(numbers) || !isAmount(numbers.kept) || !isAmount(numbers.dropped))
    return 'numbers.kept or numbers.dropped lacks documents or tokens';
  const { reasons, sources, other_sources: others, thresholds } = numbers;
  const names = ['identical', 'same_tokens', 'near'];
  if (!isObject(reasons) || !names.every((name) => isAmount(reasons[name])))
    return 'numbers.reasons lacks one of three';
  if (!Array.isArray(sources) || !sources.every(isSource) || !isCount(others))
    return 'numbers.sources is no list of sources';
  if (!Array.isArray(thresholds) || !thresholds.every(isDropsAt))
    return 'numbers.thresholds is no list of thresholds';
  const wrong = ALL_FACTS.find(([name, { median }]) => median && !isCount(numbers[name] ?? 0));
  return wrong === undefined ? null : `numbers.${wrong[0]} is no number`;
}

/** Why a JSON value is not a manifest of ours, or null. */
export function manifestProblem(value: unknown): string | null {
  if (!isObject(value)) return 'not a JSON object';
  if (value.tool !== TOOL) return `tool is not ${TOOL}`;
  const texts = ['version', 'unicode', 'content_digest'].filter((name) => typeof value[name] !== 'string');
  if (texts.length > 0) return `${texts[0]} is no text`;
  const { counts, s_curve: curve } = value;
  if (!isObject(counts) || !isObject(counts.skipped)) return 'counts or counts.skipped is no object';
  const missing = COUNTS.find(([name]) => !isCount(counts[name]));
  if (missing !== undefined) return `counts.${missing[0]} is no number`;
  const strange = Object.keys(counts).find((name) => !isCount(counts[name]) && !isObject(counts[name]));
  if (strange !== undefined) return `counts.${strange} is no number`;
  if (!Object.values(counts.skipped).every(isCount)) return 'counts.skipped has what is no number';
  if (!isObject(counts.left_out) || !Object.values(counts.left_out).every(isCount))
    return 'counts.left_out is no object of numbers';
  if (!isObject(curve) || !Array.isArray(curve.table)) return 's_curve has no table';
  if (!isCount(curve.probability_at_threshold)) return 's_curve.probability_at_threshold is no number';
  if (!isSourceOrder(value.sources)) return 'sources is no list of PATHs';
  if (curve.agreement_share !== null && !isCount(curve.agreement_share)) return 's_curve.agreement_share';
  return parametersProblem(value.parameters) ?? filesProblem(value.files) ?? numbersProblem(value.numbers);
}

function missing(detail: string): MinHashError {
  return new MinHashError({ code: 'RESULT_MISSING', detail });
}

function readJson(dir: string, name: string): unknown {
  const file = readPlainFile(join(dir, name), MOST_DOCUMENT);
  if (file.bytes === null)
    throw missing(file.why === null ? `${dir}: no ${name}` : `${dir}: ${name}: ${file.why}`);
  const value = parsePlainJson(file.bytes);
  if (value === undefined) throw missing(`${dir}: ${name} is not valid JSON`);
  return value;
}

/**
 * The manifest of the finished result in `dir`.
 *
 * @throws MinHashError RESULT_MISSING: no such folder, no _SUCCESS, no manifest, or the manifest is not one of ours
 */
export function readManifest(dir: string): Manifest {
  const lack = lackOfResult(dir);
  if (lack !== null) throw missing(halfReplacedText(dir) ?? lack);
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
    isObject(value.passed_over) &&
    isCount(value.unnamed ?? 0) &&
    (value.as_text === undefined ||
      (isObject(value.as_text) && isText(value.as_text.place) && areTexts(value.as_text.fields)))
  );
}

const isText = (value: unknown): boolean => typeof value === 'string';
const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

/** Whether a value is a list of valid objects. */
const areAll = (value: unknown, isOne: (one: JsonObject) => boolean): boolean =>
  Array.isArray(value) && value.every((one) => isObject(one) && isOne(one));

const isPlace = ({ path, prefix, kind }: JsonObject): boolean =>
  isText(path) && isText(prefix) && ['stdin', 'folder', 'file'].includes(String(kind));

/** Whether a JSON value has the statistics that commands show or use. */
function isStats(value: unknown): value is JsonObject {
  if (!isObject(value) || value.tool !== TOOL || !isObject(value.inputs)) return false;
  const { inputs, places, stages, lacked_text_fields: fields, lacked_values: lacked } = value;
  return (
    areTexts(inputs.paths) &&
    areTexts(inputs.against ?? []) &&
    isText(inputs.directory) &&
    isText(inputs.files ?? '') &&
    areTexts(fields) &&
    isCount(value.elapsed_milliseconds) &&
    areAll(places, isPlace) &&
    areAll(stages, (one) => isText(one.stage) && isCount(one.tasks) && isCount(one.milliseconds)) &&
    areAll(lacked, (one) => isText(one.field) && isText(one.decides) && isCount(one.documents))
  );
}

/** The statistics of the result in `dir`. @throws MinHashError RESULT_MISSING */
export function readStats(dir: string): Stats {
  const value = readJson(dir, STATS_NAME);
  if (!isStats(value)) throw missing(`${dir}: ${STATS_NAME} is not one of ours`);
  const stats: unknown = { ...value, read_as: isReadAs(value.read_as) ? value.read_as : null };
  return stats as Stats;
}
