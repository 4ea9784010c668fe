/** `candidates/agreement.tsv`: how many candidate pairs have each agreement, listed or not. */

import { eachRange, type Stepwise } from '../../arrays/stepwise.js';
import type { Agreements } from '../../blocks/pairs.js';
import type { WrittenFile } from '../../store/files.js';
import { AGREEMENT_NAME } from '../fileNames.js';
import { agreementMillionths, millionthsOf } from './escaping.js';
import { writeRows } from './rows.js';

const AGREEMENT_COLUMNS = ['agreement', 'pairs'] as const;

/** Counts pairs by their agreement. Memory: an entry per distinct agreement, a million at most. */
export class AgreementTable {
  readonly #units: number;
  /** Counts by matching slots; not used for shares. */
  readonly #slots: Float64Array;
  readonly #millionths: Uint32Array;
  /** Counts of shares, by millionths. */
  readonly #shares = new Map<number, number>();

  /** `units`: the number that is an agreement of 1: the slots of a signature; 1 for shares. */
  constructor(units: number) {
    this.#units = units;
    this.#slots = new Float64Array(units + 1);
    this.#millionths = agreementMillionths(units);
  }

  /** Counts a pair by its matching slots, or by its share. */
  add(agreement: number): void {
    if (this.#units === 1) this.#addShare(millionthsOf(agreement));
    else this.#slots[agreement]!++;
  }

  /** Adds numbers of pairs, by their matching slots. */
  addCounts(counts: ArrayLike<number>): void {
    for (let slots = 0; slots < counts.length; slots++) this.#slots[slots]! += counts[slots]!;
  }

  /** Counts the first `count` pairs of a column. */
  addAll(agreements: Agreements, count: number): Stepwise<void> {
    const isShare = agreements instanceof Float64Array;
    return eachRange(count, (from, to) => {
      for (let i = from; i < to; i++) {
        if (isShare) this.#addShare(millionthsOf(agreements[i]!));
        else this.#slots[agreements[i]!]!++;
      }
    });
  }

  #addShare(millionths: number): void {
    this.#shares.set(millionths, (this.#shares.get(millionths) ?? 0) + 1);
  }

  /** Writes a row for each agreement that some pair has, ascending. @throws MinHashError WRITE_FAILED, DISK_FULL */
  write(root: string): WrittenFile {
    const counts = [...this.#shares];
    this.#slots.forEach((count, slots) => {
      if (count > 0) counts.push([this.#millionths[slots]!, count]);
    });
    counts.sort(([x], [y]) => x - y);
    return writeRows({ root, file: AGREEMENT_NAME }, AGREEMENT_COLUMNS, (rows) => {
      for (const [millionths, count] of counts) {
        rows.millionths(millionths);
        rows.integer(count);
        rows.endRow();
      }
    });
  }
}
