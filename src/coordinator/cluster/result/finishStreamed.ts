/** The end of a run on an engine that sorts: writes manifest and statistics, and makes the report. */
import { type OutputFolder, othersIn } from '../../../output/folder.js';
import { manifestOf, promiseIn, type StageStats, sourceOrder, statsOf } from '../../../output/manifest.js';
import { type Report, reportOf } from '../../../output/report.js';
import { shownPath } from '../../../readers/bytes/remote/addresses.js';
import { textOf } from '../../../readers/list/pathIds.js';
import { VERSION } from '../../../store/packageFiles.js';
import { sourcesOf } from '../../finish/precedence.js';
import { leftOutOf } from '../../sketch/nothingRead.js';
import { lackedValuesOf } from '../../start/askedFields.js';
import { notedOptions } from '../../start/noted.js';
import type { Prepared } from '../../start/prepare.js';
import type { StreamedResult } from './streamedResult.js';

/** Facts of a run beside its result. */
export interface StreamedEnd {
  /** Jobs as stages, in their order. */
  readonly stages: readonly StageStats[];
  readonly elapsedMilliseconds: number;
  /** Facts of the engine for stats.json: JSON values. */
  readonly engine: Readonly<Record<string, unknown>>;
  /** The states of the files when they were read (src/readers/inputsRecord.ts); absent: this machine cannot look them up. */
  readonly files?: string;
  /** Jobs that earlier attempts had finished; absent: the run was not resumed. */
  readonly resumedJobs?: Report['resumedJobs'];
  /** Text fields, of several, that no first record has; absent: unknown. */
  readonly lackedTextFields?: readonly string[];
}

/**
 * Writes manifest and statistics, which finish the result folder; returns the report.
 *
 * @throws MinHashError WRITE_FAILED, DISK_FULL, OUTPUT_LOCKED
 */
export function finishStreamed(
  output: OutputFolder,
  prepared: Prepared,
  { facts, readAs, textBytes, hasNamedIds, valuesMissing, jobs }: StreamedResult,
  end: StreamedEnd,
): Report {
  const { params, execution, inputs, options } = prepared;
  const { stages, elapsedMilliseconds, resumedJobs, lackedTextFields = [] } = end;
  const sources = sourceOrder(inputs.places);
  const manifest = manifestOf({ ...facts, version: VERSION, sources });
  const { idField } = options;
  const leftOut = leftOutOf(inputs);
  const lackedValues = lackedValuesOf({ valuesMissing }, params);
  const { unmatched } = sourcesOf(params, inputs.files);
  const told = {
    ...{ stages, elapsedMilliseconds },
    ...(lackedValues.length > 0 && { lackedValues }),
    ...(idField !== undefined && !hasNamedIds && { missingIdField: idField }),
    ...(lackedTextFields.length > 0 && { lackedTextFields }),
  };
  const read = { ...told, documents: facts.counts.read, textBytes, leftOut: leftOut ?? null, readAs };
  output.finish(manifest, statsOf({ ...ofProcess(prepared, end, jobs), ...read }));
  const others = othersIn(output.folder);
  return reportOf({
    version: VERSION,
    out: execution.out,
    parameters: params,
    counts: facts.counts,
    ...(facts.numbers && { numbers: facts.numbers }),
    ...promiseIn(manifest),
    ...(unmatched.length > 0 && {
      unmatchedGlobs: { globs: unmatched, place: textOf(inputs.files.id(0)) },
    }),
    files: facts.files,
    inputs: { places: inputs.places },
    ...(others.length > 0 && { others }),
    ...(leftOut !== undefined && { leftOut }),
    ...(readAs !== null && { readAs }),
    ...(resumedJobs !== undefined && { resumedJobs }),
    ...told,
  });
}

function ofProcess(
  { execution, options, inputs }: Prepared,
  { engine, files }: StreamedEnd,
  jobs: StreamedResult['jobs'],
) {
  // The values of settings may be secrets.
  const cluster = execution.cluster && { ...execution.cluster, conf: Object.keys(execution.cluster.conf) };
  const plain = { ...execution, cluster, paths: undefined, against: undefined };
  return {
    version: VERSION,
    execution: { ...plain, ...engine, jobs: jobCounts(jobs) },
    options: { ...notedOptions(options) },
    inputs: execution.paths.map(shownPath),
    directory: process.cwd(),
    ...(files !== undefined && { files }),
    places: inputs.places,
    peakMemoryBytes: process.resourceUsage().maxRSS * 1024,
    balances: [],
  };
}

/** By name of a job: the counts of its tasks. */
function jobCounts(jobs: StreamedResult['jobs']): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    [...jobs].map(([job, { tasks, sums, most }]) => [job, { tasks, ...sums, ...most }]),
  );
}
