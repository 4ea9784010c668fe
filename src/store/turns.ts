/** Gives the event loop turns during long work on one thread: the process handles signals only in these turns. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MinHashError } from '../errors.js';

/** `Stepwise`, which may end without a value. */
type Steps<T> = Iterator<undefined, T, undefined>;

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

  /**
   * Runs the steps and gives the event loop turns between them (`give`); closes the iterator however the steps end.
   *
   * @param after 0: a turn after each step, for results of tasks that may have come, and tasks that wait for a worker
   * @throws MinHashError INTERRUPTED; the errors of the steps
   */
  async through<T>(steps: Steps<T>, after = TURN): Promise<T> {
    try {
      for (;;) {
        const step = steps.next();
        if (performance.now() - this.#last >= after) await this.give(after);
        if (step.done === true) return step.value;
      }
    } finally {
      steps.return?.();
    }
  }
}
