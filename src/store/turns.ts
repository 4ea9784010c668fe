/** Turns of the event loop in the long work of one thread: in them alone signals of the process are heard. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Stepwise } from '../arrays/stepwise.js';
import { MinHashError } from '../errors.js';

/** So long, in milliseconds, nobody else has a turn. */
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

  /** Gives way between the steps, where that is due. @throws MinHashError INTERRUPTED; what the steps throw */
  async through<T>(steps: Stepwise<T>): Promise<T> {
    for (;;) {
      const step = steps.next();
      if (performance.now() - this.#last >= TURN) await this.give();
      if (step.done === true) return step.value;
    }
  }
}
