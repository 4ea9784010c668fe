/**
 * Options of commands that use an index. Options that decide which documents match are fixed when the index is created;
 * later commands take them from the index and reject other values.
 */
import { join } from 'node:path';
import { flagName, type Problem } from '../../errors.js';
import { INDEX_ABOUT } from '../../index/format.js';
import { differences, type PinnedParams, pinnedOf, readIndexManifest } from '../../index/indexManifest.js';
import { checkOptions, type OptionProblem, type Resolved } from '../../options/check.js';
import type { RunOptions } from '../../options/runOptions.js';
import type { OptionKey } from '../../options/table.js';
import { shownValue } from '../../options/values.js';
import { sourceProblems } from './indexSources.js';

/** By option: the fixed parameters that it sets. */
const FIELDS = {
  threshold: ['threshold'],
  agree: ['agree', 'threshold'],
  shingle: ['shingle.unit', 'shingle.size'],
  stopWords: ['shingle.stopWords'],
  bag: ['shingle.bag'],
  normalize: ['shingle.normalize'],
  sketch: ['sketch.sketch'],
  hashes: ['sketch.hashes'],
  seed: ['sketch.seed', 'shingle.seed'],
  bands: ['banding.bands'],
  rows: ['banding.rows'],
  recall: ['banding.bands', 'banding.rows'],
  hotBucket: ['hotBucket'],
  unit: ['unit'],
  minTokens: ['minTokens'],
} as const satisfies Partial<Record<OptionKey, readonly string[]>>;

/** The options that an index fixes. */
export const PINNED_OPTIONS = Object.keys(FIELDS) as (keyof typeof FIELDS)[];

/** Why documents without a file are not added to an index without sets. */
export const NO_SOURCES =
  'an index without sets reads documents again: expected files, added by index add or run --append';

/** The problem of a new portion whose name the index has. */
export function repeatedPortion(portions: readonly { readonly name: string }[], name: unknown): Problem[] {
  if (!portions.some((portion) => portion.name === name)) return [];
  return [{ code: 'INDEX_REFUSED', detail: `--portion ${shownValue(name)}: the index has it already` }];
}

/** The options of a run whose reference is an index. Its description replaces its documents in the list of inputs. */
export function runBesideIndex(
  options: RunOptions,
  against: readonly string[],
  index: string,
): { readonly resolved: Resolved; readonly problems: OptionProblem[] } {
  const { parameters, portions, sets } = readIndexManifest(index);
  const { params, execution, problems: optionProblems } = checkBesideIndex(options, parameters, index);
  const { append, portion } = execution;
  const problems: OptionProblem[] = optionProblems.map((problem) => ({ option: null, ...problem }));
  const say = (option: string, detail: string): unknown =>
    problems.push({ code: 'INDEX_REFUSED', option, detail });
  if (against.length > 1)
    say('against', `--against ${against.join(' ')}: expected one index, or files and directories`);
  if (options.exactDuplicates === true)
    say('exactDuplicates', '--exact-duplicates: expected without an index');
  if (options.ignore !== undefined)
    say('ignore', '--ignore: expected without an index, whose sketches have all shingles');
  if (options.verify !== undefined && options.verify !== 'exact')
    say('verify', `--verify ${options.verify}: expected exact, as an index verifies`);
  if (append && portion === null) say('portion', '--append: expected together with --portion NAME');
  if (!append && portion !== null) say('portion', '--portion: expected together with --append only');
  if (append && !sets) for (const { detail } of sourceProblems(execution.paths)) say('append', detail);
  for (const { detail } of repeatedPortion(portions, portion)) say('portion', detail);
  return { resolved: { params, execution: { ...execution, against: [join(index, INDEX_ABOUT)] } }, problems };
}

/** The parameters of a new index, or the problems of the options. */
export function checkNewIndex(options: RunOptions): {
  readonly parameters: PinnedParams;
  readonly problems: readonly Problem[];
} {
  const { resolved, problems } = checkOptions(options);
  return { parameters: pinnedOf(resolved.params), problems };
}

/**
 * The parameters of a command on an index: the fixed ones, and for the rest those of the caller. A fixed option with
 * another value is a problem.
 */
export function checkBesideIndex(
  options: RunOptions,
  pinned: PinnedParams,
  folder: string,
): Resolved & { readonly problems: readonly Problem[] } {
  const { resolved, problems } = checkOptions(options);
  const params = {
    ...resolved.params,
    ...pinned,
    verify: 'exact' as const,
    measure: 'resemblance' as const,
    exactDuplicates: false,
    recall: null,
  };
  const given = PINNED_OPTIONS.filter((key) => options[key] !== undefined);
  const lines = differences(pinned, pinnedOf(resolved.params));
  const others = given.flatMap((key) =>
    lines
      .filter((line) => FIELDS[key].some((field) => line.startsWith(`${field}:`)))
      .map((line): Problem => ({ code: 'INDEX_MISMATCH', detail: `${folder}: ${flagName(key)}: ${line}` })),
  );
  if (options.measure !== undefined && options.measure !== 'resemblance')
    others.push({
      code: 'INDEX_MISMATCH',
      detail: `${folder}: --measure ${options.measure}: expected resemblance, by which an index finds documents`,
    });
  if (params.sets !== undefined)
    others.push({ code: 'INDEX_MISMATCH', detail: `${folder}: --input sets: expected documents` });
  return { ...resolved, params, problems: [...problems, ...others] };
}
