/**
 * A run that is to be taken up and is finished: its report, made from its result.
 *
 * Floor 4.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MinHashError } from '../errors.js';
import type { Execution } from '../options.js';
import { type Report, reportOf } from '../report.js';
import type { ResultParams } from '../sketch/params.js';
import { UNICODE_VERSION } from '../sketch/unicode/codePoints.js';
import { manifestParameters } from '../storage/results/manifest.js';
import { completeFinish } from '../storage/results/outputFolder.js';
import { readManifest, readStats } from '../storage/results/readManifest.js';
import { VERSION } from '../version.js';
import { identityFaults } from './resume.js';

/**
 * The report of the finished result in the output folder. Its inputs are not looked at, since what they were is no part
 * of a result. Where the process ended just before it had removed its work, that is done now.
 *
 * @throws MinHashError RESUME_MISMATCH where it is of other parameters or of another version, RESULT_MISSING,
 *   OUTPUT_LOCKED, WRITE_FAILED
 */
export function finishedReport({ out, keepWork }: Execution, params: ResultParams): Report {
  const manifest = readManifest(out);
  const { version, unicode, parameters, counts, s_curve: sCurve } = manifest;
  const now = { version: VERSION, unicode: UNICODE_VERSION, parameters: manifestParameters(params) };
  const faults = identityFaults({ version, unicode, parameters }, now);
  if (faults.length > 0) throw new MinHashError(faults);
  const gone = Object.keys(manifest.files).filter((file) => !existsSync(join(out, file)));
  if (gone.length > 0) {
    const more = gone.length > 1 ? ` and ${gone.length - 1} more` : '';
    throw new MinHashError({ code: 'RESULT_DAMAGED', detail: `${join(out, gone[0]!)}${more}: no such file` });
  }
  const stats = readStats(out);
  completeFinish(out, keepWork);
  return reportOf({
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
}
