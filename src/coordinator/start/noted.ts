/**
 * The options of a run as they are noted in its folder, for `--resume` without PATH.
 */

import { join, resolve } from 'node:path';
import { MinHashError } from '../../errors.js';
import type { RunOptions } from '../../options/runOptions.js';
import { NEW_NAME, STATS_NAME, WORK_NAME } from '../../output/fileNames.js';
import { markedOptions, outputStateOf, runFolderOf } from '../../output/folder.js';
import { readStats } from '../../output/readManifest.js';
import { RUN_NAME, readState } from '../../output/runState.js';
import { addressOf, shownPath } from '../../readers/bytes/remote/addresses.js';

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
  const { paths, against, stopWords, write } = options;
  return {
    ...(Object.fromEntries(kept) as RunOptions),
    ...(paths === undefined ? {} : { paths: paths.map((path) => absolutePath(path)) }),
    ...(against === undefined ? {} : { against: against.map((path) => absolutePath(path)) }),
    ...(typeof stopWords === 'string' ? { stopWords: resolve(stopWords) } : {}),
    ...(typeof write === 'string' ? { write: resolve(write) } : {}),
  };
}

/** A PATH for who stands elsewhere, in a folder where it may be kept: `-` as it is, an address as it may be shown. */
export function absolutePath(path: string, folder = ''): string {
  if (path === '-') return path;
  return addressOf(path) === null ? resolve(folder, path) : shownPath(path);
}

/** Why there are no options in an output folder, and what to do. */
export function whyNone(out: string): string {
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
export function optionsIn(out: string): RunOptions | null {
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
