/** `candidates/agreement.tsv`: how many candidate pairs have each agreement, listed or not. */

import type { WrittenFile } from '../../store/files.js';
import { AGREEMENT_NAME } from '../fileNames.js';
import { agreementMillionths } from './escaping.js';
import { writeRows } from './rows.js';

const AGREEMENT_COLUMNS = ['agreement', 'pairs'] as const;

/** Counts pairs by their numbers of equal slots. */
export class AgreementTable {
  /** Pairs by number of equal slots. */
  readonly #counts: Float64Array;
  readonly #millionths: Uint32Array;

  /** `units`: slots of a signature. */
  constructor(units: number) {
    this.#counts = new Float64Array(units + 1);
    this.#millionths = agreementMillionths(units);
  }

  /** Counts a pair by its number of equal slots. */
  add(agreement: number): void {
    this.#counts[agreement]!++;
  }

  /** Adds numbers of pairs, by their equal slots. */
  addCounts(counts: ArrayLike<number>): void {
    for (let slots = 0; slots < counts.length; slots++) this.#counts[slots]! += counts[slots]!;
  }

  /** Writes a row for each agreement that some pair has, ascending. @throws MinHashError WRITE_FAILED, DISK_FULL */
  write(root: string): WrittenFile {
    return writeRows({ root, file: AGREEMENT_NAME }, AGREEMENT_COLUMNS, (rows) => {
      this.#counts.forEach((count, slots) => {
        if (count === 0) return;
        rows.millionths(this.#millionths[slots]!);
        rows.integer(count);
        rows.endRow();
      });
    });
  }
}
