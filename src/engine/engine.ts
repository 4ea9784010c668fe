/**
 * Where tasks run. A stage is a list of independent tasks; blocks meet only through their names, so the same task runs
 * on this thread, on a worker thread or on another machine.
 *
 * Floor 3: types only.
 */
import type { Json } from '../blocks/json.js';
import type { Keep, Store } from '../storage/store.js';

export type { Json, Keep };

/** One Map or Reduce task. Everything here is JSON; data travel as blocks. */
export interface Task {
  /** Key of the table of stages in src/engine/task.ts. */
  readonly stage: string;
  /** What the task is about, for messages: "file.jsonl bytes 0..4194304", "band 3". */
  readonly label: string;
  readonly params: Json;
  /** Blocks the task reads. */
  readonly inputs: readonly string[];
  /** How the store keeps the blocks that the task writes, by the first part of their names; default `memory`. */
  readonly keep?: Readonly<Record<string, Keep>>;
}

export interface TaskResult {
  readonly task: Task;
  /** Small facts for the coordinator: counts, times. JSON. */
  readonly report: Json;
  /** Names of the blocks the task wrote; they are in the store when the result arrives. */
  readonly outputs: readonly string[];
}

/** Named blocks. */
export type BlockStore = Store;

export interface Engine {
  readonly name: string;
  /** How many tasks can run at the same time; at least 1. */
  readonly parallelism: number;
  readonly store: BlockStore;
  /**
   * Runs one task and resolves when its outputs are in the store. A task that throws, dies with its worker or hangs is
   * run once more, on another worker; one whose stage throws a MinHashError is not, that is an answer.
   *
   * @throws MinHashError TASK_FAILED (it threw; cause kept) or WORKER_LOST (it died or hung), each naming stage and
   *   label; WORKER_UNUSABLE, or what the stage threw
   */
  run(task: Task): Promise<TaskResult>;
  /**
   * Runs one task once and keeps nothing of it: resolves with null when it succeeds, else with the place that its stage
   * had named last (0: none). For finding out what makes a task fail.
   *
   * @throws MinHashError WORKER_UNUSABLE, INTERRUPTED, or what the stage threw
   */
  probe(task: Task): Promise<number | null>;
  /** Waits for running tasks, then frees threads. Safe to call twice. */
  close(): Promise<void>;
  /** Stops at once: running tasks are given up. */
  destroy(): Promise<void>;
}
