/**
 * The engine of worker threads.
 *
 * This module sends tasks to workers; the pool starts, ends and replaces workers.
 */

import { WORKER_FILE } from '../store/packageFiles.js';
import type { Engine } from './engine.js';
import { createEngine, requestOf } from './lifecycle.js';
import type { EngineOptions } from './protocol.js';
import { createPulse, placeOf } from './pulse.js';
import { WorkerPool } from './workerPool.js';

/** Milliseconds: a worker on a busy machine may take long to start, however short the task timeout is. */
const START_TIMEOUT = 60_000;

export interface ThreadsOptions extends EngineOptions<string> {
  /** Worker threads, at least 1. */
  readonly threads: number;
  /**
   * Milliseconds without progress (Workplace.progress) after which a running task counts as hung and its worker is ended; 0 (the
   * default): never.
   */
  readonly taskTimeout?: number;
  /** The same for a worker that may still be starting; default: START_TIMEOUT, but never less than `taskTimeout`. */
  readonly startTimeout?: number;
  /** Bound of each worker's JavaScript heap in MB (buffers and WebAssembly memory are not in it); else the platform's. */
  readonly heapMegabytes?: number;
  /** The part of it for young objects; else the platform's, 48 MB. */
  readonly youngMegabytes?: number;
  /** The URL of another worker file than ours. Only tests use it. */
  readonly workerFile?: string;
}

/**
 * An engine of `threads` workers, every one of which has loaded the tasks.
 *
 * SharedArrayBuffers among the inputs are shared, ArrayBuffers are copied: a task whose worker died is sent again from the store.
 * Outputs are moved.
 *
 * @throws MinHashError WORKER_UNUSABLE when the worker file or the module of tasks cannot be loaded
 */
export async function createThreadsEngine(options: ThreadsOptions): Promise<Engine> {
  const { threads, store, taskTimeout = 0, startTimeout = START_TIMEOUT } = options;
  const { heapMegabytes, youngMegabytes } = options;
  if (!Number.isInteger(threads) || threads < 1) throw new RangeError(`threads: ${threads}`);
  const pool = await WorkerPool.open({
    threads,
    taskTimeout,
    startTimeout,
    workerFile: options.workerFile ?? WORKER_FILE,
    setup: {
      tasks: options.tasks ?? null,
      setup: JSON.stringify(options.setup),
      entries: options.workerData ?? {},
    },
    ...(heapMegabytes === undefined ? {} : { heapMegabytes }),
    ...(youngMegabytes === undefined ? {} : { youngMegabytes }),
  });
  return createEngine(
    {
      parallelism: threads,
      async attempt(task) {
        const pulse = createPulse();
        const reply = await pool.ask(() => requestOf(task, store, pulse));
        const place = placeOf(pulse);
        if (reply.answer !== null) return { answer: reply.answer, cause: undefined, place };
        return { answer: null, death: reply.death, cause: reply.cause, place };
      },
      free: () => pool.free(),
    },
    store,
  );
}
