/** The end of a run on an engine that sorts: manifest and statistics finish the result folder, and the report goes to the caller. */
import type { OutputFolder } from '../../output/folder.js';
import type { StageStats } from '../../output/manifest.js';
import type { Report } from '../../output/report.js';
import type { Prepared } from '../start/prepare.js';
import type { StreamedResult } from './streamedResult.js';

/** What the caller knows of a run beside its result. */
export interface StreamedEnd {
  /** Jobs as stages, in their order. */
  readonly stages: readonly StageStats[];
  readonly elapsedMilliseconds: number;
  /** Of the engine, for stats.json. */
  readonly execution: Readonly<Record<string, unknown>>;
}

/** Writes manifest and statistics, and says what the result is. */
export function finishStreamed(
  _output: OutputFolder,
  _prepared: Prepared,
  _result: StreamedResult,
  _end: StreamedEnd,
): Report {
  throw new Error('not built');
}
