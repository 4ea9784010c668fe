/** The engines that one suite of tests runs on, and the tasks they are given. */

import type { Engine, TaskResult } from '../../src/engines/engine.js';
import { createInlineEngine } from '../../src/engines/inline.js';
import { runInOrder } from '../../src/engines/ordered.js';
import { createThreadsEngine, type ThreadsOptions } from '../../src/engines/threads.js';
import { Store } from '../../src/store/store.js';
import type { Task } from '../../src/tasks/task.js';

export const TASKS_URL = new URL('./testTasks.js', import.meta.url).href;

/** Threads of the engines under test: this thread (0), and several workers. */
export const ENGINES = [0, 2] as const;

export function engineName(threads: number): string {
  return threads === 0 ? 'inline' : `threads ${threads}`;
}

export function openEngine(threads: number, more: Partial<ThreadsOptions> = {}): Promise<Engine> {
  const options = { tasks: TASKS_URL, setup: null, store: new Store(), ...more };
  return threads === 0 ? createInlineEngine(options) : createThreadsEngine({ ...options, threads });
}

/** Runs something on an engine that is closed afterwards, also after an error. */
export async function withEngine(
  threads: number,
  use: (engine: Engine) => Promise<void>,
  more: Partial<ThreadsOptions> = {},
): Promise<void> {
  const engine = await openEngine(threads, more);
  try {
    await use(engine);
  } finally {
    await engine.close();
  }
}

export function task(kind: string, more: Partial<Task> = {}): Task {
  return { kind, label: kind, params: null, inputs: [], ...more };
}

export function add(label: string, inputs: readonly string[], outputs: readonly string[]): Task {
  return { kind: 'add', label, params: { outputs }, inputs };
}

/** Two words of shared memory: how many tasks came here, and whether they may go on. */
export function putGate(store: Store): Int32Array {
  const buffer = new SharedArrayBuffer(8);
  store.put('gate', buffer);
  return new Int32Array(buffer);
}

/** Opens the gate for all who wait there and all who will. */
export function openGate(gate: Int32Array): void {
  Atomics.store(gate, 1, 1);
  Atomics.notify(gate, 1);
}

/** Blocks this thread until `count` tasks are at the gate. */
export function waitForStages(gate: Int32Array, count: number): void {
  for (let seen = Atomics.load(gate, 0); seen < count; seen = Atomics.load(gate, 0))
    Atomics.wait(gate, 0, seen);
}

export function bytesOf(store: Store, name: string): number[] {
  return Array.from(new Uint8Array(store.get(name)));
}

/** Results in the order of the tasks, pulled as the pipeline pulls them: two a worker. */
export function resultsOf(
  engine: Engine,
  tasks: Iterable<Task> | AsyncIterable<Task>,
): AsyncIterable<TaskResult> {
  return runInOrder((task: Task) => engine.run(task), 2 * engine.parallelism, tasks);
}

export async function reportsOf(
  engine: Engine,
  tasks: Iterable<Task> | AsyncIterable<Task>,
): Promise<unknown[]> {
  const reports: unknown[] = [];
  for await (const result of resultsOf(engine, tasks)) reports.push(result.report);
  return reports;
}
