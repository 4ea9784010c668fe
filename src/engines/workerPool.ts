/**
 * A Piscina pool of fixed size whose every promise settles.
 *
 * Handles requests, answers and time, not tasks and stores. It adds what Piscina lacks: every worker is asked whether it can work
 * before its first task; a worker that is silent for too long is ended and replaced; a pool that lost a worker for good fails
 * every request instead of letting it wait; and the pool is destroyed only when no task runs or the run is abandoned (Piscina's
 * own close gives up after half a minute).
 */
import { setTimeout as later } from 'node:timers/promises';
import { Piscina } from 'piscina';
import { MinHashError } from '../errors.js';
import { errorOf, failureOf } from './failure.js';
import type { Answer, Failure, LastWords, Request, TaskRequest, WorkerSetup } from './protocol.js';
import { createPulse, type Pulse, Watch } from './pulse.js';

/** Lets at most so many calls run at a time, first come, first served. */
export class Turns {
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

interface PoolOptions {
  readonly threads: number;
  readonly workerFile: string;
  readonly setup: WorkerSetup;
  /** Milliseconds without progress after which a worker is given up; 0: never. */
  readonly taskTimeout: number;
  /** The same before the first progress, because the worker may still have to start. */
  readonly startTimeout: number;
  readonly heapMegabytes?: number;
  /** The part of the heap for young objects; default: the platform's. */
  readonly youngMegabytes?: number;
}

/** An answer, or how the worker died that should have answered. */
type Reply =
  | { readonly answer: Answer }
  | { readonly answer: null; readonly death: string; readonly cause: unknown };

type Pool = Piscina<Request, Answer>;

/** A thread that waits for the system cannot be ended before the system answers; the run waits no longer than this. */
const LONGEST_END = 5000;

/** After its end a pool is checked for ten seconds. */
const LOOK_EVERY = 50;
const LOOKS = 200;

function createPool({ threads, workerFile, setup, heapMegabytes, youngMegabytes }: PoolOptions): Pool {
  const ready = new Set<number>();
  const pool: Pool = new Piscina<Request, Answer>({
    filename: workerFile,
    minThreads: threads,
    maxThreads: threads,
    idleTimeout: Number.POSITIVE_INFINITY,
    concurrentTasksPerWorker: 1,
    atomics: 'sync',
    recordTiming: false,
    // By default the pool gives tasks to workers that are still loading, and never replaces a worker that dies of such a task;
    // and a task that finds no worker goes to the end of the queue.
    loadBalancer: (_, workers) =>
      workers.find((worker) => worker.currentUsage === 0 && ready.has(worker.id)) ?? null,
    stricterFIFO: true,
    workerData: setup,
    resourceLimits: {
      ...(heapMegabytes === undefined ? {} : { maxOldGenerationSizeMb: heapMegabytes }),
      ...(youngMegabytes === undefined ? {} : { maxYoungGenerationSizeMb: youngMegabytes }),
    },
  });
  pool.on('workerCreate', ({ id }: { readonly id: number }) => ready.add(id));
  pool.on('workerDestroy', ({ id }: { readonly id: number }) => ready.delete(id));
  return pool;
}

export class WorkerPool {
  private readonly pool: Pool;
  private readonly options: PoolOptions;
  private readonly watch: Watch;
  /** Limits the requests in the pool to its workers: Piscina's own queue does not keep their order. */
  private readonly turns: Turns;
  /** Last messages of workers, by the number of the request. */
  private readonly lastWords = new Map<number, Failure>();
  private requests = 0;
  private broken: unknown;
  private freed = false;

  /**
   * A pool whose workers have all loaded their tasks.
   *
   * @throws MinHashError WORKER_UNUSABLE when the worker file or the module of tasks cannot be loaded
   */
  static async open(options: PoolOptions): Promise<WorkerPool> {
    const pool = new WorkerPool(options);
    try {
      // One ping a worker: the pool gives each ping to an idle worker, and none returns before all are given.
      const pings = Array.from({ length: options.threads }, () => pool.submit('ping', createPulse()));
      for (const answer of await Promise.all(pings)) if (!answer.ok) throw loadError(answer.failure);
    } catch (cause) {
      await pool.free();
      throw cause instanceof MinHashError ? cause : pool.unusable(cause);
    }
    return pool;
  }

  private constructor(options: PoolOptions) {
    this.options = options;
    this.pool = createPool(options);
    this.watch = new Watch(options.taskTimeout, options.startTimeout);
    this.turns = new Turns(options.threads);
    this.pool.on('error', (error: unknown) => this.check(error));
    // The pool replaces a worker that died just before it was destroyed, and must then be destroyed again.
    this.pool.on('workerCreate', () => {
      if (this.freed) void this.pool.destroy();
    });
    this.pool.on('message', ({ number, failure }: LastWords) => this.lastWords.set(number, failure));
  }

  /**
   * Sends a request to a worker as soon as one is free. `request` is called then; its errors are thrown.
   *
   * @throws MinHashError WORKER_UNUSABLE when the pool can no longer work; Error once it was freed
   */
  ask(request: () => TaskRequest): Promise<Reply> {
    return this.turns.take(async () => {
      this.checkUsable();
      const task = request();
      const number = this.requests++;
      try {
        return { answer: await this.submit({ ...task, number }, task.pulse) };
      } catch (death) {
        this.check(death);
        this.checkUsable();
        // The request failed on this side, before any worker got it.
        if (death instanceof DOMException) throw death;
        const failure = this.lastWords.get(number);
        if (failure !== undefined) return { answer: { ok: false, failure } };
        return { answer: null, death: this.deathOf(death), cause: death };
      } finally {
        this.lastWords.delete(number);
      }
    });
  }

  /** Ends all threads. */
  async free(): Promise<void> {
    this.freed = true;
    const giveUp = new AbortController();
    const longest = later(LONGEST_END, undefined, { signal: giveUp.signal }).catch(() => undefined);
    await Promise.race([this.pool.destroy(), longest]);
    giveUp.abort();
    this.keepEmpty();
  }

  /**
   * A worker that was given up may end only now, and the pool replaces it even then; a loading worker raises no event, and one
   * that never finished loading would keep the process alive.
   */
  private keepEmpty(): void {
    let left = LOOKS;
    const looks = setInterval(() => {
      if (this.pool.threads.length > 0) void this.pool.destroy();
      if (--left === 0) clearInterval(looks);
    }, LOOK_EVERY);
    looks.unref();
  }

  private async submit(request: Request, pulse: Pulse): Promise<Answer> {
    const hung = new AbortController();
    let quiet = 0;
    this.watch.begin(pulse, (milliseconds) => {
      quiet = milliseconds;
      hung.abort();
    });
    try {
      return await this.pool.run(request, { signal: hung.signal });
    } catch (error) {
      throw quiet > 0 ? new Hung(quiet) : error;
    } finally {
      this.watch.end(pulse);
    }
  }

  /** The pool replaces a dead worker at once, unless it died while loading: then it never does, and tasks would wait forever. */
  private check(cause: unknown): void {
    const { broken, freed, pool, options } = this;
    if (freed || broken !== undefined || pool.threads.length === options.threads) return;
    this.broken = cause ?? new Error('a worker could not be replaced');
    void pool.destroy();
  }

  private checkUsable(): void {
    if (this.freed) throw new Error('the engine was freed');
    if (this.broken !== undefined) throw this.unusable(this.broken);
  }

  private unusable(cause: unknown): MinHashError {
    const detail = cause instanceof Hung ? this.deathOf(cause) : failureOf(cause).chain[0]!.message;
    return new MinHashError({ code: 'WORKER_UNUSABLE', detail }, { cause });
  }

  /** Why a worker died; an error that cannot be copied between threads arrives as an empty object. */
  private deathOf(death: unknown): string {
    if (!(death instanceof Error)) return 'its worker died of an error that cannot be told';
    if (death instanceof Hung) return death.message;
    if ('code' in death && death.code === 'ERR_WORKER_OUT_OF_MEMORY') return 'its worker ran out of memory';
    return `its worker died (${death.message})`;
  }
}

/** A request that the watch gave up. */
class Hung extends Error {
  constructor(milliseconds: number) {
    super(`nothing moved for ${milliseconds / 1000} s`);
  }
}

/** The error of a worker that could not load the tasks; the cause is what the module threw. */
function loadError(failure: Failure): Error {
  const error = errorOf(failure);
  return failure.faults === null ? error : new MinHashError(failure.faults, { cause: error.cause ?? error });
}
