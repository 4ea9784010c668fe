/**
 * A task that fails while it reads: which record made it fail, and the same task without that record.
 *
 *      task fails twice at one record -> the record is unprocessable, and the task runs without it (code UNPROCESSABLE)
 *      it fails at another one        -> that one is unprocessable, too, up to MOST_LOST of them
 *      it fails elsewhere             -> no record is at fault, and the run fails
 *      rows, taken many at once       -> the task runs with one by one
 *
 * The heartbeat of the task names the record (src/readers/sinks/placedSinks.ts counts them). The column block keeps its boundaries
 * and has a skip in the place of the record: all else is numbered as in a run that
 * skipped the record for any other reason.
 */

import { FailedTask } from '../../engines/failure.js';
import type { KindName, ParamsOf, ReportOf } from '../../tasks/table.js';
import type { ReadingTask } from '../../tasks/workplace.js';
import type { Planned, Run } from '../context.js';

/** Records of one column block. More than these hardly fail by their own fault, and each costs two workers. */
const MOST_LOST = 32;

interface PlannedReading<K extends KindName> extends Planned<K> {
  readonly params: ParamsOf<K> & Pick<ReadingTask, 'unprocessable'>;
}

/**
 * Runs a task that reads a source, without the records that make it fail.
 *
 * @throws MinHashError TASK_FAILED or WORKER_LOST where no single record is at fault, or more than MOST_LOST are
 */
export async function runReading<K extends KindName>(
  run: Run,
  task: PlannedReading<K>,
): Promise<ReportOf<K>> {
  const unprocessable: number[] = [];
  for (let next = task; ; ) {
    try {
      return await run.task(next);
    } catch (error) {
      const place = error instanceof FailedTask ? error.place : 0;
      if (error instanceof FailedTask && next.kind === 'rows' && next.params.unprocessable === undefined) {
        next = withoutPlaces(task, unprocessable);
        continue;
      }
      if (place === 0 || unprocessable.includes(place) || unprocessable.length === MOST_LOST) throw error;
      unprocessable.push(place);
      next = withoutPlaces(task, unprocessable);
    }
  }
}

/** Each attempt writes to names of its own: the worker of a failed attempt may still be running when the next one begins. */
function withoutPlaces<K extends KindName>(
  task: PlannedReading<K>,
  unprocessable: readonly number[],
): PlannedReading<K> {
  const { params } = task;
  const spared = 'spent' in params ? { spent: [] } : {};
  return { ...task, params: { ...params, ...spared, unprocessable: [...unprocessable] } };
}
