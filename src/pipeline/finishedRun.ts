/**
 * A run that is to be taken up and is finished: its report, made from its result.
 *
 * Floor 4.
 */
import { join, resolve } from 'node:path';
import { type Fault, MinHashError } from '../errors.js';
import type { Execution } from '../options.js';
import { counted } from '../promiseText.js';
import { type Report, reportOf } from '../report.js';
import type { ResultParams } from '../sketch/params.js';
import { UNICODE_VERSION } from '../sketch/unicode/codePoints.js';
import { binaryOf } from '../storage/ids.js';
import type { InputsRecord } from '../storage/inputsRecord.js';
import { manifestParameters } from '../storage/results/manifest.js';
import { completeFinish } from '../storage/results/outputFolder.js';
import { othersIn } from '../storage/results/outputState.js';
import { readManifest, readStats } from '../storage/results/readManifest.js';
import type { ResultFault } from '../storage/results/resultFaults.js';
import { isOwnName } from '../storage/results/resultNames.js';
import { findRun } from '../storage/results/runState.js';
import type { Stats } from '../storage/results/stats.js';
import { verifyResult } from '../storage/results/verifyResult.js';
import { realPathOf } from '../storage/walk.js';
import { VERSION } from '../version.js';
import { reportedInputs } from './reportedInputs.js';
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
export async function finishedRun(
  { out, paths, keepWork }: Execution,
  params: ResultParams,
  record: () => InputsRecord,
): Promise<FinishedRun> {
  const manifest = readManifest(out);
  const { version, unicode, parameters, counts, s_curve: sCurve } = manifest;
  const now = { version: VERSION, unicode: UNICODE_VERSION, parameters: manifestParameters(params) };
  const faults = identityFaults({ version, unicode, parameters }, now);
  const stats = readStats(out);
  const noted = findRun(out);
  if (noted.kind === 'found') faults.push(...changedInputs(record(), noted.inputs));
  else faults.push(...pathFaults(stats, paths));
  if (faults.length > 0) throw new MinHashError(faults);
  await refuseDamaged(out);
  completeFinish(out, keepWork);
  const others = othersIn(out);
  const report = reportOf({
    version,
    out,
    ...(others.length > 0 && { others }),
    parameters: params,
    counts,
    sCurve,
    files: Object.entries(manifest.files).map(([file, facts]) => ({ file, ...facts })),
    inputs: reportedInputs(paths, params),
    stages: stats.stages,
    elapsedMilliseconds: stats.elapsed_milliseconds,
    resumed: 'finished',
  });
  return { report, inputsCompared: noted.kind === 'found' };
}

/**
 * What `verify` calls damaged is not said to be done. Other people's files in the folder are no damage here: a run leaves
 * them where they are.
 */
async function refuseDamaged(out: string): Promise<void> {
  const { faults } = await verifyResult(out);
  const damages = faults.filter(({ kind, file }) => kind !== 'unknown' || isOwnName(file));
  if (damages.length === 0) return;
  const more = damages.length > 1 ? `, and ${counted(damages.length - 1, 'more fault')}` : '';
  const detail = `${join(out, damageText(damages[0]!))}${more}`;
  throw new MinHashError({ code: 'RESULT_DAMAGED', detail });
}

function damageText({ file, kind, expected, found }: ResultFault): string {
  if (kind === 'missing') return `${file}: no such file`;
  if (kind === 'not_a_file') return `${file}: no regular file`;
  if (kind === 'unknown') return `${file}: not part of the result`;
  if (kind === 'unreadable') return `${file}: ${found}`;
  return `${file}: ${kind === 'sha256' ? 'SHA-256' : kind}: expected ${expected}, found ${found}`;
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
