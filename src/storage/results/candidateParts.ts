/**
 * The parts of `candidates/`: every candidate pair with what became of it.
 *
 * Floor 2. Rows come sorted by (a, b); identity pairs are no candidates. Never judges a pair.
 */
import type { Column } from '../../blocks/block.js';
import type { Agreements } from '../../sketch/pairs.js';
import { agreementField } from './agreementCells.js';
import type { WrittenFile } from './atomicFile.js';
import type { IdTable } from './idTable.js';
import { emptyCell, wordCell } from './rowWriter.js';
import { type ResultPlace, rowsOf, type TableField, type WritingTools, writeTable } from './tableWriter.js';

export const CANDIDATE_COLUMNS = ['a', 'b', 'agreement', 'jaccard', 'accepted'] as const;

/** Candidate pairs as columns, sorted by (a, b), a < b. */
export interface CandidateColumns {
  readonly a: Uint32Array;
  readonly b: Uint32Array;
  /** Equal slots of the two signatures, 0..hashes; or shares. */
  readonly agreement: Agreements;
  /** Exact Jaccard resemblance, NaN where it was not computed; null where it never was. */
  readonly jaccard: Float64Array | null;
  /** 1 = accepted, 0 = not. */
  readonly accepted: Uint8Array;
}

/**
 * Writes rows [from, to) as one part. `hashes` is the signature length that agreements are shares of; of shares 1.
 *
 * @throws MinHashError WRITE_FAILED
 */
export function writeCandidatesPart(
  place: ResultPlace,
  ids: IdTable,
  { a, b, agreement, jaccard, accepted }: CandidateColumns,
  hashes: number,
  from: number,
  to: number,
  tools?: WritingTools,
): WrittenFile {
  const { format } = place;
  const fields: TableField[] = [
    { kind: 'id' },
    { kind: 'id' },
    agreementField(agreement, hashes),
    jaccard === null ? { kind: 'same', cell: emptyCell(format) } : { kind: 'fraction' },
    { kind: 'cell', cells: [wordCell('no', format), wordCell('yes', format)] },
  ];
  const columns: Column[] = [a, b, agreement, ...(jaccard === null ? [] : [jaccard]), accepted];
  return writeTable(place, { names: CANDIDATE_COLUMNS, fields }, ids, rowsOf(from, to, columns), tools);
}
