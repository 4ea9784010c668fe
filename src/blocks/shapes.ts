/**
 * Shapes of the values that cross between the coordinator and the tasks: JSON, never closures.
 *
 * Floor 1.
 */
import type { ResultParams } from '../sketch/params.js';

/** Once per run, to every worker. */
export interface RunSetup {
  readonly params: ResultParams;
}

/** What a sketching task reports. */
export interface SketchReport {
  readonly documents: number;
  readonly skipped: number;
  readonly lines: number;
  readonly bytes: number;
}

/** What a task that makes tiles reports. */
export interface TilesReport extends SketchReport {
  /** Steps that the tiles were written in. */
  readonly steps: number;
  /** Spent blocks whose buffers are now those of steps. */
  readonly reused: readonly string[];
}
