/**
 * A run that is to be taken up and is finished: its report, made from its result.
 *
 * Floor 4.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Fault, MinHashError } from '../errors.js';
import type { Execution } from '../options.js';
import { type Report, reportOf } from '../report.js';
import type { ResultParams } from '../sketch/params.js';
import { UNICODE_VERSION } from '../sketch/unicode/codePoints.js';
import { binaryOf } from '../storage/ids.js';
import type { InputsRecord } from '../storage/inputsRecord.js';
import { manifestParameters } from '../storage/results/manifest.js';
import { completeFinish } from '../storage/results/outputFolder.js';
import { readManifest, readStats } from '../storage/results/readManifest.js';
import { findRun } from '../storage/results/runState.js';
import type { Stats } from '../storage/results/stats.js';
import { realPathOf } from '../storage/walk.js';
import { VERSION } from '../version.js';
import { changedInputs, identityFaults, mismatch } from './resume.js';

/** What `--resume` found of a finished result. */
export interface FinishedRun {
  readonly report: Report;
  /** Its inputs were held against what is noted of them, which only a result with its work still has; else its PATHs alone. */
  readonly inputsCompared: boolean;
}

/**
 * The report of the finished result in the output folder, where it is of the run that is asked for. Where the process
 * ended just before it had removed its work, that is done now.
 *
 * @param record the files that are there now; asked for where they can be compared
 * @throws MinHashError RESUME_MISMATCH naming every difference, RESULT_MISSING, RESULT_DAMAGED, OUTPUT_LOCKED, WRITE_FAILED
 */
export function finishedRun(
  { out, paths, keepWork }: Execution,
  params: ResultParams,
  record: () => InputsRecord,
): FinishedRun {
  const manifest = readManifest(out);
  const { version, unicode, parameters, counts, s_curve: sCurve } = manifest;
  const now = { version: VERSION, unicode: UNICODE_VERSION, parameters: manifestParameters(params) };
  const faults = identityFaults({ version, unicode, parameters }, now);
  const stats = readStats(out);
  const noted = findRun(out);
  if (noted.kind === 'found') faults.push(...changedInputs(record(), noted.inputs));
  else faults.push(...pathFaults(stats, paths));
  if (faults.length > 0) throw new MinHashError(faults);
  const gone = Object.keys(manifest.files).filter((file) => !existsSync(join(out, file)));
  if (gone.length > 0) {
    const more = gone.length > 1 ? ` and ${gone.length - 1} more` : '';
    throw new MinHashError({ code: 'RESULT_DAMAGED', detail: `${join(out, gone[0]!)}${more}: no such file` });
  }
  completeFinish(out, keepWork);
  const report = reportOf({
    version,
    out,
    parameters: params,
    counts,
    sCurve,
    files: Object.entries(manifest.files).map(([file, facts]) => ({ file, ...facts })),
    stages: stats.stages,
    elapsedMilliseconds: stats.elapsed_milliseconds,
    resumed: 'finished',
  });
  return { report, inputsCompared: noted.kind === 'found' };
}

/** PATHs that only one of the two runs has; their order says nothing. */
function pathFaults({ inputs }: Stats, paths: readonly string[]): Fault[] {
  const before = new Map(inputs.paths.map((path) => placeOf(resolve(inputs.directory, path), path)));
  const now = new Map(paths.map((path) => placeOf(resolve(path), path)));
  const only = (some: typeof now, others: typeof now): string[] =>
    [...some].filter(([place]) => !others.has(place)).map(([, path]) => path);
  return [
    ...only(before, now).map((path) => mismatch(`PATH ${path} was given then and is not now`)),
    ...only(now, before).map((path) => mismatch(`PATH ${path} was not given then`)),
  ];
}

/** What a PATH leads to, links resolved, and how it is told. */
function placeOf(absolute: string, path: string): [place: string, told: string] {
  return path === '-' ? ['-', path] : [realPathOf(binaryOf(absolute)) ?? absolute, absolute];
}
