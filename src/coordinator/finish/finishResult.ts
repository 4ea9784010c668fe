/** The end of a run: its manifest and statistics finish the result folder, and its report is returned to the caller. */

import { join } from 'node:path';
import { MinHashError } from '../../errors.js';
import { shownPath, withoutSecrets } from '../../readers/list/addresses.js';
import { MANIFEST_NAME, PART_FOLDERS, STATS_NAME, SUCCESS_NAME } from '../../result/fileNames.js';
import type { NewFolder } from '../../result/folder.js';
import {
  canonicalJsonBytes,
  countProblems,
  type ManifestFacts,
  manifestOf,
  type ReadAs,
  sourceOrder,
  statsOf,
} from '../../result/manifest.js';
import type { Report, ReportFacts } from '../../result/report.js';
import { reportOf } from '../../result/warnings.js';
import { NODE_FILES } from '../../store/fileSystem.js';
import { guardWrite, writeFileAtomic } from '../../store/files.js';
import { VERSION } from '../../store/packageFiles.js';
import type { MissingLookup } from '../documentList.js';
import { leftOutOf } from '../sketch/nothingRead.js';
import { lackedValuesOf } from '../start/missingFields.js';
import type { Prepared } from '../start/prepare.js';

/** Results that are not in the tables. */
export interface FoundResult {
  readonly facts: Omit<ManifestFacts, 'version' | 'sources'>;
  readonly readAs: ReadAs | null;
  readonly textBytes: number;
  /** Whether some record has an id. */
  readonly hasNamedIds: boolean;
  readonly valuesMissing: MissingLookup;
}

/** Stages, time and settings of the run. */
export interface RunEnd extends Pick<ReportFacts, 'stages' | 'elapsedMilliseconds'> {
  /** The execution in stats.json, without its parameters: JSON values. */
  readonly execution: Readonly<Record<string, unknown>>;
  /**
   * The states of the files when they were read (src/readers/inputsRecord.ts); absent: this machine cannot look them
   * up.
   */
  readonly files?: string;
  /** Warnings about the inputs (start/inputNotes.ts); absent: none. */
  readonly inputNotes?: readonly string[];
  /** Paths of damaged compressed files, by code; absent: not known. */
  readonly damagedFiles?: Readonly<Record<string, string>>;
  /** Of an index without sets. */
  readonly unverifiedSources?: readonly string[];
}

/**
 * Writes manifest and statistics, which finish the result folder; returns the report.
 *
 * @throws MinHashError with a problem for each count of the manifest that contradicts the others (an internal error);
 * WRITE_FAILED, DISK_FULL, OUTPUT_LOCKED
 */
export async function finishResult(
  output: NewFolder,
  { params, execution, inputs, options }: Prepared,
  { facts, readAs, textBytes, hasNamedIds, valuesMissing }: FoundResult,
  {
    execution: ran,
    files,
    inputNotes = [],
    damagedFiles,
    unverifiedSources = [],
    stages,
    elapsedMilliseconds,
  }: RunEnd,
): Promise<Report> {
  const unbalanced = countProblems(facts.counts, facts.files, facts.numbers);
  if (unbalanced.length > 0) throw new MinHashError(unbalanced);
  const manifest = manifestOf({ ...facts, version: VERSION, sources: sourceOrder(inputs.places) });
  // An index is listed as one of its files, so the report has the PATHs as typed.
  const { idField, against = [] } = options;
  const leftOut = leftOutOf(inputs);
  const missingIdField = idField !== undefined && !hasNamedIds ? idField : null;
  const lackedValues = lackedValuesOf({ valuesMissing }, params);
  const stats = statsOf({
    version: VERSION,
    execution: { ...execution, paths: undefined, against: undefined, ...ran },
    inputs: {
      paths: execution.paths.map(shownPath),
      ...(execution.against.length > 0 && { against: execution.against.map(shownPath) }),
      directory: process.cwd(),
      ...(files !== undefined && { files }),
    },
    places: inputs.places,
    stages,
    elapsed_milliseconds: elapsedMilliseconds,
    ...{ documents: facts.counts.read, textBytes },
    peakMemoryBytes: process.resourceUsage().maxRSS * 1024,
    left_out: leftOut ?? null,
    read_as: readAs,
    missing_id_field: missingIdField,
    input_notes: inputNotes,
    ...(unverifiedSources.length > 0 && { unverified_sources: unverifiedSources }),
    lacked_values: lackedValues,
  });
  writeFileAtomic(output.path, MANIFEST_NAME, [canonicalJsonBytes(manifest)]);
  writeFileAtomic(output.path, STATS_NAME, [canonicalJsonBytes(stats)]);
  writeFileAtomic(output.path, SUCCESS_NAME, []);
  for (const folder of PART_FOLDERS)
    guardWrite(folder, () => NODE_FILES.syncFolder(join(output.path, folder)));
  output.finish();
  return reportOf({
    ...{ version: VERSION, stages, elapsedMilliseconds },
    out: execution.out,
    parameters: withoutSecrets(params),
    ...{ counts: facts.counts, numbers: facts.numbers, sCurve: manifest.s_curve, files: facts.files },
    inputs: { places: inputs.places, against: against.map(shownPath) },
    ...(leftOut !== undefined && { leftOut }),
    ...(readAs !== null && { readAs }),
    ...(missingIdField !== null && { missingIdField }),
    ...(inputNotes.length > 0 && { inputNotes }),
    ...(damagedFiles !== undefined && { damagedFiles }),
    ...(unverifiedSources.length > 0 && { unverifiedSources }),
    ...(lackedValues.length > 0 && { lackedValues }),
  });
}
