/**
 * The engine of worker threads, on a Piscina pool of fixed size.
 *
 * Floor 3. What the pool leaves open is closed here: workers are asked whether they can work before the first task
 * comes, a pool that lost a worker for good fails every run instead of letting it wait, a task whose worker died gets
 * one more, and the pool is only ever destroyed when nothing runs (its own close gives up after half a minute).
 */
import { Piscina } from 'piscina';
import { MinHashError } from '../errors.js';
import type { BlockStore, Engine, Task } from './engine.js';
import { errorOf, failureOf } from './failure.js';
import { createEngine, inputsOf, type Place, workerLost } from './lifecycle.js';
import type { Answer, EngineOptions, Failure, Request, TaskRequest, WorkerSetup } from './protocol.js';

export interface ThreadsOptions extends EngineOptions<string, BlockStore> {
  /** Worker threads, at least 1. */
  readonly threads: number;
  /** Bound of each worker's JavaScript heap in MB (buffers and WebAssembly memory are not in it); else the platform's. */
  readonly heapMegabytes?: number;
  /** Another worker file than ours: a URL. Only tests have a reason. */
  readonly workerFile?: string;
}

type Pool = Piscina<Request, Answer>;

/** A task dies with its worker at most this often. */
const ATTEMPTS = 2;

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
  const { threads, store } = options;
  if (!Number.isInteger(threads) || threads < 1) throw new RangeError(`threads: ${threads}`);
  const pool: Pool = createPool(options);
  const place = createPlace(pool, threads, store);
  await pingAll(pool, threads);
  return createEngine(place, store);
}

function createPool(options: ThreadsOptions): Pool {
  const setup: WorkerSetup = {
    stages: options.stages,
    setup: JSON.stringify(options.setup),
    entries: options.workerData ?? {},
  };
  const ready = new Set<number>();
  const pool: Pool = new Piscina<Request, Answer>({
    filename: options.workerFile ?? new URL('./worker.js', import.meta.url).href,
    minThreads: options.threads,
    maxThreads: options.threads,
    idleTimeout: Number.POSITIVE_INFINITY,
    concurrentTasksPerWorker: 1,
    atomics: 'sync',
    recordTiming: false,
    // Left to itself the pool gives tasks to workers that are still loading, and never replaces one that dies of such a
    // task; and a task that finds no worker goes behind the others in the queue.
    loadBalancer: (_, workers) =>
      workers.find((worker) => worker.currentUsage === 0 && ready.has(worker.id)) ?? null,
    stricterFIFO: true,
    workerData: setup,
    ...(options.heapMegabytes === undefined
      ? {}
      : { resourceLimits: { maxOldGenerationSizeMb: options.heapMegabytes } }),
  });
  pool.on('workerCreate', ({ id }: { readonly id: number }) => ready.add(id));
  pool.on('workerDestroy', ({ id }: { readonly id: number }) => ready.delete(id));
  return pool;
}

/** One ping a worker: the pool gives each of them to an idle one, and none comes back before all are given. */
async function pingAll(pool: Pool, threads: number): Promise<void> {
  try {
    const answers = await Promise.all(Array.from({ length: threads }, () => pool.run('ping')));
    for (const answer of answers) if (!answer.ok) throw loadError(answer.failure);
  } catch (cause) {
    await pool.destroy();
    throw cause instanceof MinHashError ? cause : unusable(cause);
  }
}

/** What a worker found when it loaded the stages; the cause is what the module threw. */
function loadError(failure: Failure): Error {
  const error = errorOf(failure);
  return failure.faults === null ? error : new MinHashError(failure.faults, { cause: error.cause ?? error });
}

function unusable(cause: unknown): MinHashError {
  return new MinHashError({ code: 'WORKER_UNUSABLE', detail: failureOf(cause).chain[0]!.message }, { cause });
}

function createPlace(pool: Pool, threads: number, store: BlockStore): Place {
  let broken: unknown;
  let freed = false;

  /** The pool replaces a dead worker at once, unless it died while loading: then it never will, and tasks would wait. */
  function checkPool(cause: unknown): void {
    if (freed || broken !== undefined || pool.threads.length === threads) return;
    broken = cause ?? new Error('a worker could not be replaced');
    void pool.destroy();
  }

  pool.on('error', checkPool);
  // A worker that died just before the pool was destroyed is replaced after it.
  pool.on('workerCreate', () => {
    if (freed) void pool.destroy();
  });

  async function perform(task: Task): Promise<{ answer: Answer }> {
    const request: TaskRequest = { task: JSON.stringify(task), inputs: [] };
    for (let attempt = 1; ; attempt++) {
      if (freed) throw new Error('the engine was freed');
      if (broken !== undefined) throw unusable(broken);
      const inputs = inputsOf(store, task);
      const moved = movedNames(task, inputs);
      const transferList = [
        ...new Set(moved.map((name) => inputs[task.inputs.indexOf(name)] as ArrayBuffer)),
      ];
      try {
        const answer = await pool.run({ ...request, inputs }, { transferList });
        if (!answer.ok) forgetMoved(store, moved);
        return { answer };
      } catch (death) {
        const lost = forgetMoved(store, moved);
        checkPool(death);
        if (broken !== undefined) throw unusable(broken);
        // Refused on this side, before it came to a worker.
        if (death instanceof DOMException) throw death;
        if (freed) continue;
        if (lost.length > 0) throw workerLost(task, `${reasonOf(death)}, and with it ${lost[0]}`, death);
        if (attempt === ATTEMPTS) throw workerLost(task, reasonOf(death), death);
      }
    }
  }

  return {
    name: 'threads',
    parallelism: threads,
    perform,
    free: () => {
      freed = true;
      return pool.destroy();
    },
  };
}

/** Inputs that go to the worker for good. There is nothing to move in an empty buffer. */
function movedNames(task: Task, inputs: readonly (ArrayBuffer | SharedArrayBuffer)[]): string[] {
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
  const lost = moved.filter((name) => store.get(name).byteLength === 0);
  for (const name of lost) store.delete(name);
  return lost;
}

/** What the platform says about a dead worker; an error that could not be copied arrives as an empty object. */
function reasonOf(death: unknown): string {
  if (!(death instanceof Error)) return 'its worker died of an error that cannot be told';
  if ('code' in death && death.code === 'ERR_WORKER_OUT_OF_MEMORY') return 'its worker ran out of memory';
  return `its worker died (${death.message})`;
}
