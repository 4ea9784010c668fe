/**
 * What every stage took in and what became of it: a run that loses something without a word fails.
 *
 * Floor 4. Numbers only. Both sides of a balance are counted apart, where things come in and where they go out; a side
 * that is computed from the other would prove nothing.
 */
import { MinHashError } from '../errors.js';

/** One kind of thing in one stage. */
export interface Balance {
  readonly stage: string;
  readonly what: string;
  readonly taken: number;
  /** By what became of them. */
  readonly given: Readonly<Record<string, number>>;
}

export class Ledger {
  /** In the order of the run. */
  readonly balances: Balance[] = [];

  /** @throws MinHashError COUNTS_UNBALANCED where the parts do not add up to what was taken in: our own defect */
  balance(stage: string, what: string, taken: number, given: Readonly<Record<string, number>>): void {
    this.balances.push({ stage, what, taken, given });
    const total = Object.values(given).reduce((sum, part) => sum + part, 0);
    if (total === taken) return;
    const parts = Object.entries(given).map(([name, part]) => `${part} ${name}`);
    const detail = `stage ${stage}, ${what}: ${taken} in, ${total} out (${parts.join(', ')})`;
    throw new MinHashError({ code: 'COUNTS_UNBALANCED', detail });
  }
}
