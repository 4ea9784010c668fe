/**
 * The memory of tables with an entry a document or a pair, which cannot go to disk: one place counts it.
 *
 * Floor 4. Who is about to make a table takes its bytes here first; a run that needs more than it may have ends with an
 * answer, before the system ends it without one.
 */
import { MinHashError } from '../errors.js';
import { sizeText } from '../storage/diskRoom.js';
import { type Budget, memoryForTables } from './budget.js';

export class TableMemory {
  /** Bytes taken and not given back. */
  taken = 0;
  private readonly budget: Budget;

  constructor(budget: Budget) {
    this.budget = budget;
  }

  /**
   * Notes that a table of so many bytes is about to be made. `what` says of what and how many, as the begin of a sentence:
   * "1000 candidate pairs". `ahead`: bytes that will be taken after it as far as is known, for the advice that is given
   * when it does not fit.
   *
   * @throws MinHashError MEMORY_BUDGET when that is more than is left
   */
  take(what: string, bytes: number, ahead: () => number = () => 0): void {
    const { tables } = this.budget;
    const needed = this.taken + bytes;
    if (needed > tables) {
      const enough = Math.ceil(memoryForTables(this.budget, needed + ahead()) / 1e6);
      const left = sizeText(Math.max(0, tables - this.taken));
      const detail = `${what} take ${sizeText(bytes)}, of which ${left} are left; --memory ${enough}MB has room for them`;
      throw new MinHashError({ code: 'MEMORY_BUDGET', detail });
    }
    this.taken = needed;
  }

  /** Notes that a table of so many bytes is no longer held. */
  give(bytes: number): void {
    this.taken -= bytes;
  }
}
