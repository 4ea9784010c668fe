/** Yields to the event loop during long work on one thread, because the process handles signals only then. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MinHashError } from '../errors.js';

/** Milliseconds of work between two turns of the event loop. */
const WORK = 50;

export class LoopTurns {
  readonly #signal: AbortSignal | undefined;
  #last = performance.now();

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  /** Yields to the event loop if the last yield is long ago. @throws MinHashError INTERRUPTED after the signal is aborted */
  async give(): Promise<void> {
    this.#check();
    if (performance.now() - this.#last < WORK) return;
    await nextTurn();
    this.#check();
    this.#last = performance.now();
  }

  #check(): void {
    if (this.#signal?.aborted) throw new MinHashError({ code: 'INTERRUPTED', detail: '' });
  }
}
