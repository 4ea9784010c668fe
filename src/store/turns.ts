/** Gives the event loop turns during long work on one thread: the process hears signals only in these. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MinHashError } from '../errors.js';

/** `Stepwise`, which may be ended without a value. */
type Steps<T> = Iterator<undefined, T, undefined>;

/** Milliseconds of work between two turns. */
const TURN = 50;

export class LoopTurns {
  readonly #signal: AbortSignal | undefined;
  #last = performance.now();

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  /** Gives way where that is due. @throws MinHashError INTERRUPTED once the signal is aborted */
  async give(): Promise<void> {
    this.#check();
    if (performance.now() - this.#last < TURN) return;
    await nextTurn();
    this.#check();
    this.#last = performance.now();
  }

  #check(): void {
    if (this.#signal?.aborted) throw new MinHashError({ code: 'INTERRUPTED', detail: '' });
  }

  /**
   * Gives way between the steps, where that is due; what they have open is closed, however they end.
   *
   * @throws MinHashError INTERRUPTED; what the steps throw
   */
  async through<T>(steps: Steps<T>): Promise<T> {
    try {
      for (;;) {
        const step = steps.next();
        if (performance.now() - this.#last >= TURN) await this.give();
        if (step.done === true) return step.value;
      }
    } finally {
      steps.return?.();
    }
  }
}
