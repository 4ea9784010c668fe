/**
 * A task that reads and fails: the record it fails of, and the same task without it.
 *
 *      task fails twice at one record -> the record is unprocessable, and the task runs without it (code UNPROCESSABLE)
 *      it fails at another one        -> that one is unprocessable, too, up to MOST_LOST of them
 *      it fails elsewhere             -> it is no record's fault, and the run fails
 *
 * The heartbeat of the task names the record (src/readers/sinks/placedSinks.ts counts them). The column block stays what it was,
 * with a skip in the place of the record: boundaries and numbers of everything else are those of a run in which the
 * record was skipped for any other reason.
 */

import { FailedTask } from '../../engines/failure.js';
import type { KindName, ParamsOf } from '../../tasks/table.js';
import type { ReadingTask } from '../../tasks/workplace.js';
import type { Done, Planned, Run } from '../context.js';

/** Of one column block. When more fail it is hardly their own fault, and every one costs two workers. */
const MOST_LOST = 32;

/** A task that reads records. */
interface PlannedReading<K extends KindName> extends Planned<K> {
  readonly params: ParamsOf<K> & Pick<ReadingTask, 'unprocessable'>;
}

/**
 * Runs a task that reads a source. Records that it fails of are left out.
 *
 * @throws MinHashError TASK_FAILED or WORKER_LOST where that is no single record's fault, or of too many
 */
export async function runReading<K extends KindName>(run: Run, task: PlannedReading<K>): Promise<Done<K>> {
  const unprocessable: number[] = [];
  for (let next = task; ; ) {
    try {
      return await run.task(next);
    } catch (error) {
      const place = error instanceof FailedTask ? error.place : 0;
      if (place === 0 || unprocessable.includes(place) || unprocessable.length === MOST_LOST) throw error;
      unprocessable.push(place);
      next = withoutPlaces(task, unprocessable);
    }
  }
}

/** Nothing is written over: the worker of an attempt that failed may not have ended yet when the next one begins. */
function withoutPlaces<K extends KindName>(
  task: PlannedReading<K>,
  unprocessable: readonly number[],
): PlannedReading<K> {
  const { params } = task;
  const spared = 'spent' in params ? { spent: [] } : {};
  return { ...task, params: { ...params, ...spared, unprocessable: [...unprocessable] } };
}
