/**
 * A thread of its own does long work, so that the server answers meanwhile: the index of a result is made, and two texts are
 * compared.
 */
import { Worker } from 'node:worker_threads';
import { errorOf } from '../engines/failure.js';
import { MinHashError } from '../errors.js';
import { VIEW_THREAD } from '../store/packageFiles.js';
import type { Answers, ThreadSaid, Work } from './viewThread.js';

/** The callers that wait for it. */
interface Waiting {
  /** Aborted: the thread is ended, whatever it does. */
  readonly signal: AbortSignal;
  /** Told how far it is, 0..1. */
  readonly onProgress?: (share: number) => void;
}

/** Megabytes of young objects: their garbage is not kept for long. */
const YOUNG = 8;

/** Nobody waits for it any more. */
export class Abandoned extends Error {}

/** Milliseconds after which a page that did not ask again is given up. */
const LEFT = 5000;

/** A result that is made as long as a page asks for it. */
export class Wanted<Answer> {
  readonly made: Promise<Answer>;
  /** How far it is, 0..1. */
  progress = 0;
  isDone = false;
  readonly #left: NodeJS.Timeout;

  constructor(make: (waiting: Waiting) => Promise<Answer>) {
    const end = new AbortController();
    this.#left = setTimeout(() => end.abort(), LEFT).unref();
    const onProgress = (share: number): void => {
      this.progress = share;
    };
    this.made = make({ signal: end.signal, onProgress }).finally(() => this.forget());
    this.made.catch(() => undefined);
  }

  /** Somebody asks for it. */
  ask(): void {
    if (!this.isDone) this.#left.refresh();
  }

  /** Nobody has to be waited for. */
  forget(): void {
    this.isDone = true;
    clearTimeout(this.#left);
  }
}

/** A thread that does one work after the other; it starts with the first, and again after a work that was abandoned or took too much memory. */
export class Behind {
  readonly #memory: number;
  readonly #isKept: boolean;
  #thread: Worker | null = null;
  #last: Promise<unknown> = Promise.resolve();

  /**
   * @param memory megabytes that its objects may take; buffers are beside them
   * @param isKept the thread stays for the next work; else it releases its memory
   */
  constructor(memory: number, isKept = true) {
    this.#memory = memory;
    this.#isKept = isKept;
  }

  /** @throws Abandoned; the errors of the work, ERR_WORKER_OUT_OF_MEMORY where its objects take more than they may */
  do<Kind extends Work['kind']>(
    work: Extract<Work, { kind: Kind }>,
    waiting: Waiting,
  ): Promise<Answers[Kind]> {
    const done = this.#last.then(() => this.#done(work, waiting)) as Promise<Answers[Kind]>;
    this.#last = done.catch(() => undefined);
    return done;
  }

  async close(): Promise<void> {
    const thread = this.#thread;
    this.#thread = null;
    await thread?.terminate();
  }

  #done(work: Work, { signal, onProgress = () => undefined }: Waiting): Promise<unknown> {
    if (signal.aborted) return Promise.reject(new Abandoned());
    this.#thread ??= new Worker(VIEW_THREAD, {
      resourceLimits: { maxOldGenerationSizeMb: this.#memory, maxYoungGenerationSizeMb: YOUNG },
    });
    const thread = this.#thread;
    return new Promise((resolve, reject) => {
      const lost = (error: unknown): void => {
        if (this.#thread === thread) this.#thread = null;
        reject(error);
      };
      const abandon = (): void => {
        lost(new Abandoned());
        void thread.terminate();
      };
      // Others of its listeners are Node's own.
      const leave = (): void => {
        signal.removeEventListener('abort', abandon);
        // One that has nothing to do keeps no program alive.
        thread.unref();
        thread.off('message', hear).off('error', lost).off('exit', abandon);
      };
      const hear = (said: ThreadSaid): void => {
        if (said.state === 'working') {
          onProgress(said.share);
          return;
        }
        leave();
        if (!this.#isKept) void this.close();
        if (said.state === 'done') resolve(said.answer);
        else {
          const cause = errorOf(said.failure);
          reject(said.failure.faults === null ? cause : new MinHashError(said.failure.faults, { cause }));
        }
      };
      signal.addEventListener('abort', abandon, { once: true });
      thread.on('message', hear).on('error', lost).on('exit', abandon);
      thread.ref();
      thread.postMessage(work);
    });
  }
}
