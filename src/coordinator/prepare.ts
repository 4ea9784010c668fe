/**
 * Everything that is checked before a run works: options, PATHs, output folder, inputs. Nothing is written.
 *
 * All faults are told at once. A run that is resumed takes its options from what was noted.
 */

import { join, resolve } from 'node:path';
import { idText } from '../blocks/ids.js';
import { type ErrorCode, type Fault, LISTED_CODES, MinHashError } from '../errors.js';
import { checkOptions, type Execution, type OptionFault, type Resolved } from '../options/check.js';
import type { RunOptions } from '../options/runOptions.js';
import { OPTIONS } from '../options/table.js';
import { isPath } from '../options/values.js';
import { NEW_NAME, STATS_NAME, WORK_NAME } from '../output/fileNames.js';
import { checkOutput, markedOptions, outputStateOf, runFolderOf } from '../output/folder.js';
import { readStats } from '../output/readManifest.js';
import { RUN_NAME, readState } from '../output/runState.js';
import { missingColumns } from '../readers/columns.js';
import type { FileTable } from '../readers/list/fileTable.js';
import { type Inputs, listInputs } from '../readers/list/inputs.js';
import { binaryOf } from '../readers/list/pathIds.js';
import { resolveRoots } from '../readers/list/roots.js';
import { realPathOf } from '../readers/list/walk.js';
import type { ResultParams } from '../sketch/params.js';
import { budgetOf } from '../store/budget.js';
import { rowChunksOfSets } from './estimate.js';
import { unknownTextField } from './sketch/nothingRead.js';

/** Said anew each time, or known from where the note stands. */
export const NOT_NOTED: readonly (keyof RunOptions)[] = [
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
interface FullOptions {
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
  const detail = `--resume: ${whyNone(out)}`;
  return {
    options,
    resolved,
    faults: faults.map((fault) => (fault.code === 'NO_INPUT' ? { ...fault, detail } : fault)),
  };
}

/** Why there are no options in an output folder, and what to do. */
function whyNone(out: string): string {
  const path = join(runFolderOf(out), WORK_NAME, RUN_NAME);
  const noted = readState(path);
  if (noted !== null && 'expected' in noted) {
    const { offset, expected, found } = noted;
    return `${path} is damaged (offset ${offset}: expected ${expected}, found ${found}); give the PATHs again`;
  }
  const { kind } = outputStateOf(out);
  if (kind === 'absent') return `there is no folder ${out}; give the PATHs, and a run begins there`;
  if (kind === 'empty') return `${out} is empty; give the PATHs, and a run begins there`;
  if (kind === 'unfinished') {
    return `the unfinished run in ${out} notes none any more; give its PATHs and flags again, with --resume`;
  }
  if (kind === 'finished') {
    return `the finished result in ${out} has no ${STATS_NAME} that can be read; give its PATHs and flags again`;
  }
  return `${out} holds no run of mr-minhash`;
}

/** The options noted in an output folder: of its unfinished run, or of its finished result; else null. */
function optionsIn(out: string): RunOptions | null {
  // A run that is to replace a result is the one that is unfinished.
  for (const folder of [join(out, NEW_NAME), out]) {
    const state = readState(join(folder, WORK_NAME, RUN_NAME));
    if (state !== null && 'options' in state) return state.options as RunOptions;
    // Of a run that had not noted its inputs yet. Statistics beside it are of an earlier result.
    const marked = markedOptions(folder);
    if (marked !== null) return marked as RunOptions;
  }
  try {
    return (readStats(out).options as RunOptions | undefined) ?? null;
  } catch (error) {
    if (error instanceof MinHashError && error.code === 'RESULT_MISSING') return null;
    throw error;
  }
}

export function without(options: RunOptions, key: keyof RunOptions): RunOptions {
  return Object.fromEntries(Object.entries(options).filter(([name]) => name !== key)) as RunOptions;
}

/** The options of a run, checked. */
export interface Checked {
  /** As given, or as noted by the run that is taken up. */
  readonly options: RunOptions;
  readonly params: ResultParams;
  readonly execution: Execution;
}

/** Options and inputs of a run, checked. */
export interface Prepared extends Checked {
  readonly inputs: Inputs;
}

/**
 * The faults of PATHs and output folder; no PATH at all is a fault of the options and not told again. To resume what is
 * finished is no fault: nothing is left to do.
 */
export function placeFaults({
  paths,
  out,
  force,
  resume,
}: Pick<Execution, 'paths' | 'out' | 'force' | 'resume'>): Fault[] {
  const output = realPathOf(binaryOf(resolve(out)));
  const faults = paths.length === 0 ? [] : resolveRoots(paths, output).faults;
  const ofOutput = checkOutput(out, { force, resume });
  return [...faults, ...ofOutput.filter(({ code }) => !(resume && code === 'OUTPUT_EXISTS'))];
}

/** @throws MinHashError with every fault of options, PATHs and output folder at once: wrong use */
export function check(given: RunOptions): Checked {
  const { options, resolved, faults } = checkRunOptions(given);
  const { params, execution } = resolved;
  const all: Fault[] = [...faults, ...placeFaults(execution)];
  if (all.length > 0) throw new MinHashError(all);
  return { options, params, execution };
}

/** @throws MinHashError: places change while we look at them, and the listing has the last word */
export function list({ params, execution }: Checked): Inputs {
  const inputs = listInputs({ paths: execution.paths, outFolder: execution.out, params });
  const unknown = [missingColumns(inputs.files, params), unknownTextField(inputs.files, params)];
  const faults = [...inputs.faults, ...unknown.filter((fault) => fault !== null)];
  if (faults.length > 0) throw new MinHashError(faults);
  return inputs;
}

/** Names the links that are left out. */
export function tellLeftOut(
  { links: { places, rows, codes } }: Inputs,
  { onLeftOut }: { onLeftOut?(place: string, code: ErrorCode): void },
): void {
  if (onLeftOut === undefined) return;
  rows.forEach((row, i) => {
    onLeftOut(idText(places, row), LISTED_CODES[codes[i]!]!);
  });
}

/**
 * Checks the options, the PATHs and the output folder, and lists the inputs; nothing is written.
 *
 * @throws MinHashError with every fault at once: wrong use
 */
export function prepare(options: RunOptions): Prepared {
  const checked = check(options);
  return { ...checked, inputs: list(checked) };
}

/**
 * Of documents `auto` is one row chunk: text streams through a worker in pieces, so no block is too large for one. Of sets
 * there are at least as many as keep a tile small.
 */
export function rowChunksOf(params: ResultParams, execution: Execution, files: FileTable): number {
  if (params.sets !== undefined) {
    const { shards, threads, memory } = execution;
    return rowChunksOfSets(files, shards, threads, budgetOf(memory, threads));
  }
  return execution.shards === 'auto' ? 1 : execution.shards;
}
