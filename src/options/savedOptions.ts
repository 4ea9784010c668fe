/**
 * The options of a run as they are noted in its output folder, and the options of a run that is taken up from there.
 *
 * Floor 4. Knows where they stand, not what a run does with them.
 */
import { join, resolve } from 'node:path';
import { MinHashError } from '../errors.js';
import { checkOptions, type OptionFault, type Resolved } from '../options.js';
import { readStats } from '../storage/results/readManifest.js';
import { WORK_NAME } from '../storage/results/resultNames.js';
import { RUN_NAME, readState } from '../storage/results/runState.js';
import { isPath } from './kinds.js';
import type { RunOptions } from './runOptions.js';
import { OPTIONS } from './table.js';

/** Said anew each time, or known from where the note stands. */
const NOT_NOTED: readonly (keyof RunOptions)[] = [
  'out',
  'force',
  'resume',
  'dryRun',
  'json',
  'quiet',
  'verbose',
];

/** The options to note: paths are absolute, since the run may be taken up from another directory. */
export function notedOptions(options: RunOptions): RunOptions {
  const kept = Object.entries(options).filter(([key]) => !NOT_NOTED.includes(key as keyof RunOptions));
  const { paths, stopWords } = options;
  return {
    ...(Object.fromEntries(kept) as RunOptions),
    ...(paths === undefined ? {} : { paths: paths.map((path) => (path === '-' ? path : resolve(path))) }),
    ...(typeof stopWords === 'string' ? { stopWords: resolve(stopWords) } : {}),
  };
}

/** Options in full, checked; see checkOptions. */
export interface FullOptions {
  readonly options: RunOptions;
  readonly resolved: Resolved;
  readonly faults: readonly OptionFault[];
}

/**
 * Checks options; those of a run that is to be taken up, without PATH, are those noted in its folder, with the given
 * ones over them.
 */
export function checkRunOptions(given: RunOptions): FullOptions {
  if (given.resume !== true || (given.paths !== undefined && given.paths.length > 0)) {
    return { options: given, ...checkOptions(given) };
  }
  const out = isPath(given.out) ? given.out : String(OPTIONS.out.default);
  const noted = optionsIn(out);
  const options = { ...noted, ...without(given, 'paths') };
  const { resolved, faults } = checkOptions(options);
  if (noted !== null) return { options, resolved, faults };
  const detail = `--resume: ${whyNone(out)}; give the PATHs again`;
  return {
    options,
    resolved,
    faults: faults.map((fault) => (fault.code === 'NO_INPUT' ? { ...fault, detail } : fault)),
  };
}

/** Why there are no options in an output folder, as the middle of a sentence. */
function whyNone(out: string): string {
  const path = join(out, WORK_NAME, RUN_NAME);
  const state = readState(path);
  if (state === null || !('expected' in state)) return `${out} notes none`;
  return `${path} is damaged (offset ${state.offset}: expected ${state.expected}, found ${state.found})`;
}

/** The options noted in an output folder: of its unfinished run, or of its finished result; else null. */
function optionsIn(out: string): RunOptions | null {
  const state = readState(join(out, WORK_NAME, RUN_NAME));
  if (state !== null && 'options' in state) return state.options as RunOptions;
  try {
    return (readStats(out).options as RunOptions | undefined) ?? null;
  } catch (error) {
    if (error instanceof MinHashError && error.code === 'RESULT_MISSING') return null;
    throw error;
  }
}

function without(options: RunOptions, key: keyof RunOptions): RunOptions {
  return Object.fromEntries(Object.entries(options).filter(([name]) => name !== key)) as RunOptions;
}
