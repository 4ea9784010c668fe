/**
 * An engine around a runner of tasks: takes inputs from the store, puts outputs into it, and implements `close` and
 * `destroy` for every kind of runner.
 *
 * Independent of the kind of runner.
 */

import type { Json } from '../blocks/block.js';
import { MinHashError } from '../errors.js';
import type { Store } from '../store/store.js';
import type { Task } from '../tasks/task.js';
import type { Engine, TaskResult } from './engine.js';
import { failureOf, taskError, taskName } from './failure.js';
import type { Answer, TaskRequest } from './protocol.js';

/** How a task ended. */
export interface Attempt {
  /** Null: the worker died. */
  readonly answer: Answer | null;
  /** The reason why the worker died, as the end of a sentence. */
  readonly death?: string;
  /** What the task threw, or the platform's error for the worker's death, if any. */
  readonly cause: unknown;
}

/** Performs tasks: on this thread, or on worker threads. */
export interface TaskRunner {
  readonly parallelism: number;
  /**
   * Performs a task. Called for up to `parallelism` tasks at a time. The scratch of a failed task is discarded.
   *
   * @throws MinHashError if the runner itself fails; any other error is a bug and becomes TASK_FAILED
   */
  attempt(task: Task): Promise<Attempt>;
  /** Ends the threads at once and starts no further task. */
  free(): Promise<void>;
}

/** The request for a task. Throws what the store throws. */
export function requestOf(task: Task, store: Store): TaskRequest {
  const inputs = task.inputs.map((name) => store.get(name));
  return { task: JSON.stringify(task), inputs };
}

type Success = Answer & { readonly ok: true };

/** The error for a task that failed. */
function attemptError(task: Task, { answer, death, cause }: Attempt): MinHashError {
  if (answer !== null && !answer.ok) return taskError(task, answer.failure, cause);
  return new MinHashError({ code: 'WORKER_LOST', detail: `${taskName(task)}: ${death}` }, { cause });
}

/** Limits the number of concurrent calls; first come, first served. */
class CallLimit {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(most: number) {
    this.free = most;
  }

  /** Runs `work` when its turn comes. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.free++;
      else next();
    }
  }
}

export function createEngine(runner: TaskRunner, store: Store): Engine {
  // Queues of pools do not preserve the order of requests.
  const limit = new CallLimit(runner.parallelism);
  /** One entry per running task: the function that abandons it, and its promise. */
  const pending = new Map<(reason: MinHashError) => void, Promise<unknown>>();
  let refusal: MinHashError | null = null;
  let ending: Promise<void> | null = null;
  let freeing: Promise<void> | null = null;

  async function perform(task: Task): Promise<TaskResult> {
    const outcome = await limit.take(() => runner.attempt(task));
    if (outcome.answer?.ok === true) return accept(task, outcome.answer);
    throw attemptError(task, outcome);
  }

  function accept(task: Task, answer: Success): TaskResult {
    const report = JSON.parse(answer.report) as Json;
    // The outputs of an abandoned task are dropped.
    if (refusal?.code !== 'INTERRUPTED') {
      for (let i = 0; i < answer.names.length; i++) {
        const name = answer.names[i]!;
        store.put(name, answer.buffers[i]!);
      }
    }
    return { task, report, outputs: answer.names };
  }

  /** Performs a task that `destroy` can abandon. */
  function run(task: Task): Promise<TaskResult> {
    if (refusal !== null) return Promise.reject(refusal);
    let giveUp: (reason: MinHashError) => void = () => undefined;
    const result = new Promise<TaskResult>((resolve, reject) => {
      giveUp = reject;
      perform(task).then(resolve, (error) => {
        reject(error instanceof MinHashError ? error : taskError(task, failureOf(error), error));
      });
    });
    const forget = (): void => {
      pending.delete(giveUp);
    };
    pending.set(giveUp, result.then(forget, forget));
    return result;
  }

  function free(): Promise<void> {
    freeing ??= runner.free();
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
    parallelism: runner.parallelism,
    store,
    run,
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
