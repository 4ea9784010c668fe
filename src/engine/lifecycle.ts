/**
 * An engine around a place where tasks are performed: takes inputs out of the store, puts outputs into it, and keeps the
 * promises about closing and giving up, once for every kind of place.
 *
 * Floor 3: knows the store and the protocol, not what the place is.
 */
import type { BlockBuffer } from '../blocks/block.js';
import { MinHashError } from '../errors.js';
import type { BlockStore, Engine, Json, Task, TaskResult } from './engine.js';
import { failureOf, taskError, taskName } from './failure.js';
import { runInOrder } from './ordered.js';
import type { Answer } from './protocol.js';

/** Where tasks are performed. */
export interface Place {
  readonly name: string;
  readonly parallelism: number;
  /**
   * Performs a task; any number may be asked for at the same time. `thrown` is what the stage threw where that is known.
   *
   * @throws MinHashError when the place itself fails; any other error is a defect and ends as TASK_FAILED
   */
  perform(task: Task): Promise<{ readonly answer: Answer; readonly thrown?: unknown }>;
  /** Frees threads at once and begins no further task. */
  free(): Promise<void>;
}

/** The inputs of a task, in the order of `task.inputs`. Throws what the store throws. */
export function inputsOf(store: BlockStore, task: Task): BlockBuffer[] {
  return task.inputs.map((name) => store.get(name));
}

/** While a worker performs one task, its next one is already on the way. */
const TASKS_PER_PLACE = 2;

export function createEngine(place: Place, store: BlockStore): Engine {
  /** One entry a run that has not ended: how to give it up, and its end. */
  const pending = new Map<(reason: MinHashError) => void, Promise<unknown>>();
  let refusal: MinHashError | null = null;
  let ending: Promise<void> | null = null;
  let freeing: Promise<void> | null = null;

  async function perform(task: Task): Promise<TaskResult> {
    try {
      const { answer, thrown } = await place.perform(task);
      if (!answer.ok) throw taskError(task, answer.failure, thrown);
      return accept(task, answer);
    } catch (error) {
      throw error instanceof MinHashError ? error : taskError(task, failureOf(error), error);
    }
  }

  function accept(task: Task, answer: Answer & { ok: true }): TaskResult {
    // Outputs of a run that was given up are nobody's.
    if (refusal?.code !== 'INTERRUPTED') {
      for (let i = 0; i < answer.names.length; i++) store.put(answer.names[i]!, answer.buffers[i]!);
      for (const name of task.consumes ?? []) store.delete(name);
    }
    return { task, report: JSON.parse(answer.report) as Json, outputs: answer.names };
  }

  function run(task: Task): Promise<TaskResult> {
    if (refusal !== null) return Promise.reject(refusal);
    let giveUp: (reason: MinHashError) => void = () => undefined;
    const given = new Promise<TaskResult>((resolve, reject) => {
      giveUp = reject;
      perform(task).then(resolve, reject);
    });
    const forget = (): void => {
      pending.delete(giveUp);
    };
    pending.set(giveUp, given.then(forget, forget));
    return given;
  }

  function free(): Promise<void> {
    freeing ??= place.free();
    return freeing;
  }

  async function close(): Promise<void> {
    refusal ??= new MinHashError({
      code: 'TASK_FAILED',
      detail: 'the engine was closed before the task began',
    });
    await Promise.all(pending.values());
    await free();
  }

  return {
    name: place.name,
    parallelism: place.parallelism,
    store,
    run,
    runAll: (tasks) => runInOrder(run, TASKS_PER_PLACE * place.parallelism, tasks),
    close: () => {
      ending ??= close();
      return ending;
    },
    destroy: () => {
      if (freeing === null) refusal = new MinHashError({ code: 'INTERRUPTED', detail: '' });
      for (const giveUp of pending.keys()) giveUp(refusal!);
      return free();
    },
  };
}

/** WORKER_LOST for a task, with the reason of the last death. */
export function workerLost(task: Task, reason: string, cause: unknown): MinHashError {
  return new MinHashError({ code: 'WORKER_LOST', detail: `${taskName(task)}: ${reason}` }, { cause });
}
