/**
 * The engine of worker threads.
 *
 * Floor 3. Knows what becomes of the blocks of a task whose worker died; what becomes of the worker is the pool's part.
 */
import type { BlockBuffer } from '../blocks/block.js';
import { type BlockPlace, isPlace } from '../storage/blockPlace.js';
import type { BlockStore, Engine, Task } from './engine.js';
import { createEngine, inputsOf, type Place } from './lifecycle.js';
import type { EngineOptions, TaskRequest } from './protocol.js';
import { createPulse, placeOf } from './pulse.js';
import { WorkerPool } from './workerPool.js';

export interface ThreadsOptions extends EngineOptions<string, BlockStore> {
  /** Worker threads, at least 1. */
  readonly threads: number;
  /**
   * Milliseconds in which a task that is at work says nothing (TaskContext.progress) before it counts as hung and its
   * worker is ended; 0 (the default): never.
   */
  readonly taskTimeout?: number;
  /** Bound of each worker's JavaScript heap in MB (buffers and WebAssembly memory are not in it); else the platform's. */
  readonly heapMegabytes?: number;
  /** Another worker file than ours: a URL. Only tests have a reason. */
  readonly workerFile?: string;
}

/**
 * An engine of `threads` workers, every one of which has loaded the stages.
 *
 * SharedArrayBuffers among the inputs are shared. An ArrayBuffer that the task consumes is moved to the worker, any
 * other one is copied. Consumed inputs leave the store when their task is done. A moved input goes down with its
 * worker: the retry asks the store again (a store on disk has it still), and where the store has nothing but the moved
 * buffer there is no retry. So a task should consume only what a run can afford to lose.
 *
 * @throws MinHashError WORKER_UNUSABLE when the worker file or the module of stages cannot be loaded
 */
export async function createThreadsEngine(options: ThreadsOptions): Promise<Engine> {
  const { threads, store, taskTimeout = 0, heapMegabytes } = options;
  if (!Number.isInteger(threads) || threads < 1) throw new RangeError(`threads: ${threads}`);
  const pool = await WorkerPool.open({
    threads,
    taskTimeout,
    workerFile: options.workerFile ?? new URL('./worker.js', import.meta.url).href,
    setup: {
      stages: options.stages,
      setup: JSON.stringify(options.setup),
      entries: options.workerData ?? {},
    },
    ...(heapMegabytes === undefined ? {} : { heapMegabytes }),
  });
  return createEngine(createPlace(pool, threads, store), store);
}

function createPlace(pool: WorkerPool, threads: number, store: BlockStore): Place {
  return {
    name: 'threads',
    parallelism: threads,
    async attempt(task) {
      const pulse = createPulse();
      let moved: readonly string[] = [];
      const reply = await pool.ask(() => {
        const inputs = inputsOf(store, task);
        moved = movedNames(task, inputs);
        const transfer = moved.map((name) => inputs[task.inputs.indexOf(name)] as ArrayBuffer);
        return {
          task: { task: JSON.stringify(task), inputs, pulse },
          transfer: [...new Set(transfer)],
        };
      });
      const place = placeOf(pulse);
      if (reply.answer?.ok === true) return { answer: reply.answer, cause: undefined, place };
      const [lost] = forgetMoved(store, moved);
      const final = lost !== undefined;
      if (reply.answer !== null) return { answer: reply.answer, cause: undefined, place, final };
      const death = final ? `${reply.death}, and with it ${lost}` : reply.death;
      return { answer: null, death, cause: reply.cause, place, final };
    },
    free: () => pool.free(),
  };
}

/** Inputs that go to the worker for good. There is nothing to move in an empty buffer. */
function movedNames(task: Task, inputs: TaskRequest['inputs']): string[] {
  return (task.consumes ?? []).filter((name) => {
    const buffer = inputs[task.inputs.indexOf(name)];
    return buffer instanceof ArrayBuffer && buffer.byteLength > 0;
  });
}

/**
 * After a failure: the moved inputs of which the store has nothing left but a detached buffer (length 0; they had more).
 * The store forgets them.
 */
function forgetMoved(store: BlockStore, moved: readonly string[]): string[] {
  const isEmpty = (block: BlockBuffer | BlockPlace): boolean => !isPlace(block) && block.byteLength === 0;
  const lost = moved.filter((name) => isEmpty(store.locate(name)));
  for (const name of lost) store.delete(name);
  return lost;
}
