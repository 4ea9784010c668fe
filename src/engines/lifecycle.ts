/**
 * An engine around a place where tasks are performed: takes inputs out of the store, puts outputs into it, repeats what
 * failed, and keeps the promises about closing and giving up, once for every kind of place.
 *
 * Knows the store and the protocol, not what the place is.
 */

import type { Json } from '../blocks/block.js';
import { MinHashError } from '../errors.js';
import type { Store } from '../store/store.js';
import type { Task } from '../tasks/task.js';
import { type Engine, keepOf, type TaskResult } from './engine.js';
import { FailedTask, failureOf, taskError, taskName } from './failure.js';
import type { Answer, TaskRequest } from './protocol.js';

/** How one attempt at a task went. */
export interface Attempt {
  /** Null: the worker died of the task, or was given up because the task hung. */
  readonly answer: Answer | null;
  /** What the worker died of, as the end of a sentence. */
  readonly death?: string;
  /** What the task threw, or what the platform says of the death, where that is known. */
  readonly cause: unknown;
  /** The record that the task was at work on, 0 for none. */
  readonly place: number;
}

/** Where tasks are performed. */
export interface Place {
  readonly name: string;
  readonly parallelism: number;
  /**
   * Tries a task once; any number may be asked for at the same time. After a failed attempt nothing of the task's own
   * (its scratch) is left.
   *
   * @throws MinHashError when the place itself fails; any other error is a defect and ends as TASK_FAILED
   */
  attempt(task: Task): Promise<Attempt>;
  /** Frees threads at once and begins no further task. */
  free(): Promise<void>;
}

/** The inputs of a task, in the order of `task.inputs`. Throws what the store throws. */
export function inputsOf(store: Store, task: Task): TaskRequest['inputs'] {
  return task.inputs.map((name) => store.locate(name));
}

/** A task may fail once for a reason that is not its own. */
const ATTEMPTS = 2;

type Success = Answer & { readonly ok: true };

/** What is thrown for a task after its last attempt; `place`: where all of them failed, 0 for different ones. */
function attemptError(task: Task, { answer, death, cause }: Attempt, place: number): MinHashError {
  if (answer !== null && !answer.ok) return taskError(task, answer.failure, cause, place);
  const detail = `${taskName(task)}: ${death}`;
  return new FailedTask({ code: 'WORKER_LOST', detail }, { cause }, place);
}

/** A fault that the task reported on purpose. */
function isFinal({ answer }: Attempt): boolean {
  return answer !== null && !answer.ok && answer.failure.faults !== null;
}

export function createEngine(place: Place, store: Store): Engine {
  /** One entry a run that has not ended: how to give it up, and its end. */
  const pending = new Map<(reason: MinHashError) => void, Promise<unknown>>();
  let refusal: MinHashError | null = null;
  let ending: Promise<void> | null = null;
  let freeing: Promise<void> | null = null;

  async function perform(task: Task): Promise<TaskResult> {
    const places = new Set<number>();
    for (let attempt = 1; ; attempt++) {
      const outcome = await place.attempt(task);
      if (outcome.answer?.ok === true) return accept(task, outcome.answer);
      places.add(outcome.place);
      const isLast = attempt === ATTEMPTS || isFinal(outcome);
      if (isLast) throw attemptError(task, outcome, places.size === 1 ? outcome.place : 0);
    }
  }

  function accept(task: Task, answer: Success): TaskResult {
    const report = JSON.parse(answer.report) as Json;
    // Outputs of a run that was given up are nobody's.
    if (refusal?.code !== 'INTERRUPTED') {
      for (let i = 0; i < answer.names.length; i++) {
        const name = answer.names[i]!;
        store.put(name, answer.buffers[i]!, keepOf(task, name), report, answer.checksums[i]);
      }
    }
    return { task, report, outputs: answer.names };
  }

  /** Performs a task that can be given up while it goes on. */
  function run(task: Task): Promise<TaskResult> {
    if (refusal !== null) return Promise.reject(refusal);
    let giveUp: (reason: MinHashError) => void = () => undefined;
    const given = new Promise<TaskResult>((resolve, reject) => {
      giveUp = reject;
      perform(task).then(resolve, (error) => {
        reject(error instanceof MinHashError ? error : taskError(task, failureOf(error), error));
      });
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
