/**
 * Agreements as cells: they have few values, so each is written once.
 *
 * Floor 2. Knows nothing of rows.
 */
import type { Agreements } from '../../sketch/pairs.js';
import { agreementMillionths } from './millionths.js';
import { millionthsCell } from './rowWriter.js';
import type { TableField } from './tableWriter.js';

/** The cell of `count / hashes` for every count 0..hashes; the same in every format. */
export function agreementCells(hashes: number): Uint8Array[] {
  return Array.from(agreementMillionths(hashes), millionthsCell);
}

/** How a column of agreements is written: counts of `hashes` slots as cells, shares as fractions. */
export function agreementField(agreements: Agreements, hashes: number): TableField {
  if (agreements instanceof Float64Array) return { kind: 'fraction' };
  return { kind: 'cell', cells: agreementCells(hashes) };
}
