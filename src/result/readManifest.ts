/** Reads the manifest and statistics of a finished result, and reports missing or invalid parts by name. */

import { join } from 'node:path';
import { MinHashError } from '../errors.js';
import { OPTION_KEYS, OPTIONS, type OptionKey } from '../options/table.js';
import { checkValue, keepText, shownValue } from '../options/values.js';
import type { KeepRule } from '../sketch/params.js';
import {
  isObject,
  type JsonObject,
  MOST_DOCUMENT,
  parsePlainJson,
  readPlainFile,
} from '../store/plainFile.js';
import { ALL_FACTS, type Fact } from './facts.js';
import { lackOfResult, MANIFEST_NAME, STATS_NAME } from './fileNames.js';
import { isSourceOrder, type Manifest, type ManifestParameters, type Stats, TOOL } from './manifest.js';

/**
 * The shape of a JSON value: one of the kinds in a text, a list of one shape, or an object by the names of its parts. Parts with `?`
 * are optional, those with `~` may be null; `*` is any name.
 */
type Shape = string | readonly [Shape] | { readonly [name: string]: Shape };

const isCount = (value: unknown): boolean => Number.isFinite(value) && (value as number) >= 0;

const KINDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  number: isCount,
  text: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  object: isObject,
  anything: (value) => value !== undefined,
};

/** What is wrong with a value, with its path, or null. */
function problemOf(value: unknown, shape: Shape, path = ''): string | null {
  if (typeof shape === 'string')
    return shape.split(' or ').some((kind) => KINDS[kind]!(value)) ? null : `${path}: expected ${shape}`;
  const isList = Array.isArray(shape);
  if (isList ? !Array.isArray(value) : !isObject(value))
    return `${path}: expected ${isList ? 'a list' : 'an object'}`;
  const properties: Readonly<Record<string, unknown>> = { ...(value as object) };
  const parts = Object.entries(shape as Readonly<Record<string, Shape>>).flatMap(([key, own]) => {
    const name = key.replace(/[?~]/g, '');
    const value = properties[name];
    if ((key.includes('?') && value === undefined) || (key.includes('~') && value === null)) return [];
    return (isList || name === '*' ? Object.keys(properties) : [name]).map((part) => [part, own] as const);
  });
  for (const [name, own] of parts) {
    const problem = problemOf(properties[name], own, path === '' ? name : `${path}.${name}`);
    if (problem !== null) return problem;
  }
  return null;
}

const AMOUNT = { documents: 'number', tokens: 'number', 'bytes?': 'number' };

/** By name, the numbers of a kind. */
const numbersOf = (isIt: (fact: Fact) => unknown, shape: string, mark = '') =>
  Object.fromEntries(ALL_FACTS.filter(([, fact]) => isIt(fact)).map(([name]) => [name + mark, shape]));

const MANIFEST: Shape = {
  version: 'text',
  unicode: 'text',
  content_digest: 'text',
  counts: {
    ...numbersOf(
      ({ median, value, byCode, sometimes }) => !(median ?? value ?? byCode ?? sometimes),
      'number',
    ),
    '*': 'number or object',
    skipped: { '*': 'number' },
    left_out: { '*': 'number' },
  },
  s_curve: { table: ['object'], probability_at_threshold: 'number', agreement_share: 'number or null' },
  files: { '*': { rows: 'number', bytes: 'number', sha256: 'text' } },
  numbers: {
    ...{ kept: AMOUNT, dropped: AMOUNT },
    reasons: { identical: AMOUNT, same_tokens: AMOUNT, near: AMOUNT },
    sources: [{ source: 'text or null', kept: AMOUNT, dropped: AMOUNT }],
    other_sources: 'number',
    thresholds: [{ threshold: 'number', dropped: 'number' }],
    ...numbersOf(({ median }) => median, 'number or null', '?'),
  },
};

const READ_AS: Shape = {
  formats: [{ format: 'text' }],
  passed_over: 'object',
};

/** The statistics that commands print or use. */
const STATS: Shape = {
  inputs: { paths: ['text'], 'against?': ['text'], directory: 'text', 'files?': 'text' },
  input_notes: ['text'],
  'unverified_sources?': ['text'],
  elapsed_milliseconds: 'number',
  places: [{ path: 'text', prefix: 'text', kind: 'text' }],
  stages: [{ stage: 'text', tasks: 'number', milliseconds: 'number' }],
  lacked_values: [{ field: 'text', decides: 'text', documents: 'number' }],
};

/** What is wrong with a file of ours that has a shape, or null. */
function fileProblem(value: unknown, shape: Shape): string | null {
  if (!isObject(value)) return 'not a JSON object';
  return value.tool === TOOL ? problemOf(value, shape) : `tool is not ${TOOL}`;
}

const isOptionKey = (name: string): name is OptionKey => OPTION_KEYS.includes(name as OptionKey);

/** Whether null is a value of the option: if its default is null; also for `recall`, which may not apply. */
const mayBeNull = (key: OptionKey): boolean => OPTIONS[key].default === null || key === 'recall';

/** The first value that the option of its name does not allow. The table of options checks it as a typed one. */
function valueProblem(values: JsonObject, parent: string): string | null {
  for (const [name, value] of Object.entries(values)) {
    if (!isOptionKey(name) || value === undefined || (value === null && mayBeNull(name))) continue;
    const checked = checkValue(OPTIONS[name].kind, value);
    if (!checked.ok) return `${parent}.${name} is ${shownValue(value)}: expected ${checked.expected}`;
  }
  return null;
}

/** Parameters that every manifest must have: programs that read the result or its inputs again need them. */
const NEEDED: readonly (keyof ManifestParameters)[] = [
  ...(['threshold', 'verify', 'measure', 'hotBucket', 'cluster', 'unit'] as const),
  ...([
    'input',
    'textField',
    'idField',
    'textFormat',
    'encoding',
    'maxDocument',
    'minTokens',
    'onError',
  ] as const),
];

const PARAMETERS: Shape = {
  ...Object.fromEntries(NEEDED.map((name) => [name, 'anything'])),
  shingle: { bag: 'boolean', seed: 'number', 'stopWords?~': { count: 'number' } },
  sketch: { hashes: 'number' },
  'sets?': { named: 'boolean' },
  banding: 'object',
  'groups~': { by: 'text', only: 'boolean', 'include?': ['text'] },
  keep: 'object',
  include: ['text'],
  exclude: ['text'],
  'ignore?': ['text'],
  'records?': 'text',
  'textFieldGiven?': 'boolean',
};

/** What is wrong with the parameters, or null. */
function parametersProblem(parameters: unknown): string | null {
  const problem = problemOf(parameters, PARAMETERS, 'parameters');
  if (problem !== null) return problem;
  const { shingle, keep, groups, banding, sketch, sets, ...rest } = parameters as JsonObject &
    Readonly<Record<'shingle' | 'banding' | 'sketch', JsonObject>> & {
      readonly groups: JsonObject | null;
      readonly sets?: JsonObject;
    };
  if (groups !== null && groups.by !== 'against') return 'parameters.groups.by is unknown';
  const { unit, size, normalize, bag, seed } = shingle;
  // Elements of sets are input, not made of tokens; without signatures there are no bands and rows.
  const typedShingle = sets === undefined ? `${String(unit)}:${String(size)}` : undefined;
  const isUnsketched = rest.exactDuplicates === true || rest.measure === 'containment';
  return (
    agreeProblem(rest, Number(sketch.hashes)) ??
    valueProblem(
      { bag, seed, shingle: typedShingle, normalize, keep: keepText(keep as KeepRule) },
      'parameters',
    ) ??
    valueProblem(rest, 'parameters') ??
    valueProblem({ include: groups?.include }, 'parameters.groups') ??
    valueProblem(sets ?? {}, 'parameters.sets') ??
    valueProblem(sketch, 'parameters.sketch') ??
    valueProblem(isUnsketched ? {} : { bands: 0, rows: 0, ...banding }, 'parameters.banding')
  );
}

/** What is wrong with an m-of-n rule, or null: its threshold must be the share of the slots that must match. */
function agreeProblem({ agree = null, threshold }: JsonObject, hashes: number): string | null {
  if (agree === null) return null;
  const isValid = Number.isInteger(agree) && threshold === (agree as number) / hashes;
  return isValid ? null : 'parameters.agree is not the threshold times the slots';
}

/** Why a JSON value is not a manifest of ours, or null. */
export function manifestProblem(value: unknown): string | null {
  const problem = fileProblem(value, MANIFEST);
  if (problem !== null) return problem;
  const { sources, parameters, files } = value as JsonObject;
  const outside = Object.keys(files as object).find(
    (name) => name.startsWith('/') || name.includes('\0') || name.split('/').includes('..'),
  );
  if (outside !== undefined) return `files: ${outside} is outside the folder`;
  return isSourceOrder(sources) ? parametersProblem(parameters) : 'sources: expected a list of PATHs';
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
 * @throws MinHashError RESULT_MISSING if there is no such folder, no _SUCCESS or no manifest, or if the manifest is not one of ours
 */
export function readManifest(dir: string): Manifest {
  const lack = lackOfResult(dir);
  if (lack !== null) throw missing(lack);
  const value = readJson(dir, MANIFEST_NAME);
  const problem = manifestProblem(value);
  if (problem !== null) throw missing(`${dir}: ${MANIFEST_NAME}: ${problem}`);
  return value as Manifest;
}

/** The statistics of the result in `dir`. @throws MinHashError RESULT_MISSING */
export function readStats(dir: string): Stats {
  const value = readJson(dir, STATS_NAME);
  const problem = fileProblem(value, STATS);
  const isPlace = ({ kind }: Stats['places'][number]) => ['stdin', 'folder', 'file'].includes(kind);
  if (problem !== null || !(value as Stats).places.every(isPlace))
    throw missing(`${dir}: ${STATS_NAME} is not one of ours`);
  const stats = value as Stats;
  return { ...stats, read_as: problemOf(stats.read_as, READ_AS) === null ? stats.read_as : null };
}
