/** Gives the event loop turns during long work on one thread: the process handles signals only in these turns. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MinHashError } from '../errors.js';

/** Milliseconds of work between two turns. */
const TURN = 50;

export class LoopTurns {
  readonly #signal: AbortSignal | undefined;
  #last = performance.now();

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  /**
   * Gives the event loop a turn if the last one is `after` milliseconds ago. @throws MinHashError INTERRUPTED once the signal is
   * aborted
   */
  async give(after = TURN): Promise<void> {
    this.#check();
    if (performance.now() - this.#last < after) return;
    await nextTurn();
    this.#check();
    this.#last = performance.now();
  }

  #check(): void {
    if (this.#signal?.aborted) throw new MinHashError({ code: 'INTERRUPTED', detail: '' });
  }
}
