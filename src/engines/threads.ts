/**
 * The engine of worker threads: a Piscina pool of fixed size.
 *
 * It adds to Piscina: every worker is checked before its first task; if a worker cannot be replaced, all requests fail instead of
 * waiting forever; and the pool is destroyed only when no task runs or the run is abandoned (Piscina's `close` gives up after half a
 * minute).
 */
import { setTimeout as later } from 'node:timers/promises';
import { Piscina } from 'piscina';
import { MinHashError } from '../errors.js';
import { WORKER_FILE } from '../store/packageFiles.js';
import type { Store } from '../store/store.js';
import type { Task } from '../tasks/task.js';
import type { Engine } from './engine.js';
import { errorOf, failureOf } from './failure.js';
import { type Attempt, createEngine, requestOf, type TaskRunner } from './lifecycle.js';
import type { Answer, EngineOptions, Failure, LastWords, Request, WorkerSetup } from './protocol.js';

export interface ThreadsOptions extends EngineOptions<string> {
  /** Worker threads, at least 1. */
  readonly threads: number;
  /** Maximum JavaScript heap of each worker in MB, without buffers and WebAssembly memory; default: that of the platform. */
  readonly heapMegabytes?: number;
  /** The part of the heap for young objects; default: that of the platform, 48 MB. */
  readonly youngMegabytes?: number;
  /** The URL of another worker file, for tests. */
  readonly workerFile?: string;
}

/**
 * An engine of `threads` workers, every one of which has loaded the tasks.
 *
 * SharedArrayBuffers among the inputs are shared, ArrayBuffers are copied. Outputs are transferred.
 *
 * @throws MinHashError WORKER_UNUSABLE when the worker file or the module of tasks cannot be loaded
 */
export async function createThreadsEngine(options: ThreadsOptions): Promise<Engine> {
  const { threads, store } = options;
  if (!Number.isInteger(threads) || threads < 1) throw new RangeError(`threads: ${threads}`);
  return createEngine(await WorkerPool.open(options), store);
}

type Pool = Piscina<Request, Answer>;

/** Maximum wait for threads to end: a thread in a system call ends when the call returns. */
const LONGEST_END = 5000;

/** Interval of checks after a pool was destroyed, for ten seconds. */
const LOOK_EVERY = 50;
const LOOKS = 200;

type PoolOptions = Omit<ThreadsOptions, 'store'>;

function createPool(options: PoolOptions): Pool {
  const { threads, heapMegabytes, youngMegabytes } = options;
  const ready = new Set<number>();
  const pool: Pool = new Piscina<Request, Answer>({
    filename: options.workerFile ?? WORKER_FILE,
    minThreads: threads,
    maxThreads: threads,
    idleTimeout: Number.POSITIVE_INFINITY,
    concurrentTasksPerWorker: 1,
    atomics: 'sync',
    recordTiming: false,
    // By default the pool assigns tasks to workers that are still loading, and does not replace a worker that dies of such a task;
    // and a task without a free worker is moved to the end of the queue.
    loadBalancer: (_, workers) =>
      workers.find((worker) => worker.currentUsage === 0 && ready.has(worker.id)) ?? null,
    stricterFIFO: true,
    workerData: {
      tasks: options.tasks ?? null,
      setup: JSON.stringify(options.setup),
      entries: options.workerData ?? {},
    } satisfies WorkerSetup,
    resourceLimits: {
      ...(heapMegabytes === undefined ? {} : { maxOldGenerationSizeMb: heapMegabytes }),
      ...(youngMegabytes === undefined ? {} : { maxYoungGenerationSizeMb: youngMegabytes }),
    },
  });
  pool.on('workerCreate', ({ id }: { readonly id: number }) => ready.add(id));
  pool.on('workerDestroy', ({ id }: { readonly id: number }) => ready.delete(id));
  return pool;
}

class WorkerPool implements TaskRunner {
  readonly parallelism: number;
  private readonly pool: Pool;
  private readonly options: PoolOptions;
  /** Last messages of workers, by the number of the request. */
  private readonly lastWords = new Map<number, Failure>();
  private requests = 0;
  private broken: unknown;
  /** Null after the engine was freed, because the pool is checked for some seconds and would keep all blocks in memory. */
  private store: Store | null;

  /**
   * A pool whose workers have all loaded their tasks.
   *
   * @throws MinHashError WORKER_UNUSABLE when the worker file or the module of tasks cannot be loaded
   */
  static async open(options: ThreadsOptions): Promise<WorkerPool> {
    const pool = new WorkerPool(options);
    try {
      // One ping per worker: the pool assigns each ping to an idle worker, and none returns before all are assigned.
      const pings = Array.from({ length: options.threads }, () => pool.pool.run('ping'));
      for (const answer of await Promise.all(pings)) if (!answer.ok) throw loadError(answer.failure);
    } catch (cause) {
      await pool.free();
      throw cause instanceof MinHashError ? cause : pool.unusable(cause);
    }
    return pool;
  }

  private constructor({ store, ...options }: ThreadsOptions) {
    this.store = store;
    this.options = options;
    this.parallelism = options.threads;
    this.pool = createPool(options);
    this.pool.on('error', (error: unknown) => this.check(error));
    // The pool replaces a worker that died just before the pool was destroyed, and must then be destroyed again.
    this.pool.on('workerCreate', () => {
      if (this.store === null) void this.pool.destroy();
    });
    this.pool.on('message', ({ number, failure }: LastWords) => this.lastWords.set(number, failure));
  }

  /** @throws MinHashError WORKER_UNUSABLE if the pool no longer works; Error after it was freed; errors of the store */
  async attempt(task: Task): Promise<Attempt> {
    const store = this.checkUsable();
    const request = requestOf(task, store);
    const number = this.requests++;
    try {
      const answer = await this.pool.run({ ...request, number });
      return { answer, cause: undefined };
    } catch (death) {
      this.check(death);
      this.checkUsable();
      // The request failed on this side, before any worker got it.
      if (death instanceof DOMException) throw death;
      const failure = this.lastWords.get(number);
      if (failure !== undefined) return { answer: { ok: false, failure }, cause: undefined };
      return { answer: null, death: deathOf(death), cause: death };
    } finally {
      this.lastWords.delete(number);
    }
  }

  /** Ends all threads. */
  async free(): Promise<void> {
    this.store = null;
    const giveUp = new AbortController();
    const longest = later(LONGEST_END, undefined, { signal: giveUp.signal }).catch(() => undefined);
    await Promise.race([this.pool.destroy(), longest]);
    giveUp.abort();
    this.keepEmpty();
  }

  /**
   * The pool replaces workers that end after it was destroyed. A loading worker emits no event, and a worker that never finishes
   * loading would keep the process alive.
   */
  private keepEmpty(): void {
    let left = LOOKS;
    const looks = setInterval(() => {
      if (this.pool.threads.length > 0) void this.pool.destroy();
      if (--left === 0) clearInterval(looks);
    }, LOOK_EVERY);
    looks.unref();
  }

  /** The pool does not replace a worker that died while it was loading, so tasks would wait forever. */
  private check(cause: unknown): void {
    const { broken, store, pool, options } = this;
    if (store === null || broken !== undefined || pool.threads.length === options.threads) return;
    this.broken = cause ?? new Error('a worker could not be replaced');
    void pool.destroy();
  }

  private checkUsable(): Store {
    if (this.store === null) throw new Error('the engine was freed');
    if (this.broken !== undefined) throw this.unusable(this.broken);
    return this.store;
  }

  private unusable(cause: unknown): MinHashError {
    return new MinHashError(
      { code: 'WORKER_UNUSABLE', detail: failureOf(cause).chain[0]!.message },
      { cause },
    );
  }
}

/** Why a worker died; an error that cannot be copied between threads arrives as an empty object. */
function deathOf(death: unknown): string {
  if (!(death instanceof Error)) return 'its worker died of an error that cannot be copied';
  if ('code' in death && death.code === 'ERR_WORKER_OUT_OF_MEMORY') return 'its worker ran out of memory';
  return `its worker died (${death.message})`;
}

/** The error of a worker that could not load the tasks; the cause is what the module threw. */
function loadError(failure: Failure): Error {
  const error = errorOf(failure);
  return failure.problems === null
    ? error
    : new MinHashError(failure.problems, { cause: error.cause ?? error });
}
