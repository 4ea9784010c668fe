/**
 * Runs long work in a separate thread, so that the server keeps answering: building the index of a result, reading all texts,
 * searching them, and comparing two.
 */
import { Worker } from 'node:worker_threads';
import { errorOf } from '../engines/failure.js';
import { MinHashError } from '../errors.js';
import { VIEW_THREAD } from '../store/packageFiles.js';
import type { Answers, ThreadMessage, Work } from './viewThread.js';

/** Callbacks of a piece of work. */
interface WorkHooks {
  /** Aborting it ends the thread at once. */
  readonly signal: AbortSignal;
  /** Called with the share of the work that is done, 0..1. */
  readonly onProgress?: (share: number) => void;
}

/** Megabytes of the young generation of objects: small, so that garbage is collected soon. */
const YOUNG = 8;

/** The error of work that was abandoned because no page waits for its result. */
export class Abandoned extends Error {}

/** Milliseconds without a request after which work is abandoned. */
const PATIENCE = 5000;

/** Work that goes on as long as a page requests its result. */
export class RequestedWork<Answer> {
  readonly result: Promise<Answer>;
  #isDone = false;
  readonly #timer: NodeJS.Timeout;

  constructor(start: (hooks: WorkHooks) => Promise<Answer>) {
    const end = new AbortController();
    this.#timer = setTimeout(() => end.abort(), PATIENCE).unref();
    this.result = start({ signal: end.signal }).finally(() => this.stopWaiting());
    this.result.catch(() => undefined);
  }

  /** Records that a page requests the result. */
  request(): void {
    if (!this.#isDone) this.#timer.refresh();
  }

  /** Stops waiting for requests: the result is complete, or the view closes. */
  stopWaiting(): void {
    this.#isDone = true;
    clearTimeout(this.#timer);
  }
}

/**
 * Does one piece of work after the other in a thread. The thread starts with the first one, and again after work was abandoned or
 * took too much memory.
 */
export class WorkThread {
  readonly #memory: number;
  readonly #isKept: boolean;
  #thread: Worker | null = null;
  #last: Promise<unknown> = Promise.resolve();

  /**
   * @param memory megabytes that objects of the thread may take, without buffers
   * @param isKept whether the thread is kept for the next work; otherwise it ends after each, and releases its memory
   */
  constructor(memory: number, isKept = true) {
    this.#memory = memory;
    this.#isKept = isKept;
  }

  /** @throws Abandoned; the errors of the work; ERR_WORKER_OUT_OF_MEMORY if its objects take more than `memory` */
  do<Kind extends Work['kind']>(
    work: Extract<Work, { kind: Kind }>,
    hooks: WorkHooks,
  ): Promise<Answers[Kind]> {
    const done = this.#last.then(() => this.#done(work, hooks)) as Promise<Answers[Kind]>;
    this.#last = done.catch(() => undefined);
    return done;
  }

  async close(): Promise<void> {
    const thread = this.#thread;
    this.#thread = null;
    await thread?.terminate();
  }

  #done(work: Work, { signal, onProgress = () => undefined }: WorkHooks): Promise<unknown> {
    if (signal.aborted) return Promise.reject(new Abandoned());
    this.#thread ??= new Worker(VIEW_THREAD, {
      resourceLimits: { maxOldGenerationSizeMb: this.#memory, maxYoungGenerationSizeMb: YOUNG },
    });
    const thread = this.#thread;
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void => {
        if (this.#thread === thread) this.#thread = null;
        reject(error);
      };
      const abandon = (): void => {
        fail(new Abandoned());
        void thread.terminate();
      };
      // Only these listeners are removed: the others are Node's own.
      const leave = (): void => {
        signal.removeEventListener('abort', abandon);
        // A thread without work must not keep the process alive.
        thread.unref();
        thread.off('message', onMessage).off('error', fail).off('exit', abandon);
      };
      const onMessage = (message: ThreadMessage): void => {
        if (message.state === 'working') {
          onProgress(message.share);
          return;
        }
        leave();
        if (!this.#isKept) void this.close();
        if (message.state === 'done') resolve(message.answer);
        else {
          const { problems } = message.failure;
          const cause = errorOf(message.failure);
          reject(problems === null ? cause : new MinHashError(problems, { cause }));
        }
      };
      signal.addEventListener('abort', abandon, { once: true });
      thread.on('message', onMessage).on('error', fail).on('exit', abandon);
      thread.ref();
      thread.postMessage(work);
    });
  }
}
