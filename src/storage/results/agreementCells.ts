/**
 * Agreements as cells: they have few values, so each is written once.
 *
 * Floor 2. Knows nothing of rows.
 */
import { agreementMillionths } from './millionths.js';
import { millionthsCell } from './rowWriter.js';

/** The cell of `count / hashes` for every count 0..hashes; the same in every format. */
export function agreementCells(hashes: number): Uint8Array[] {
  return Array.from(agreementMillionths(hashes), millionthsCell);
}
