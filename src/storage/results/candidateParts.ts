/**
 * The parts of `candidates/`: every candidate pair with what became of it.
 *
 * Floor 2. Rows come sorted by (a, b); identity pairs are no candidates. Never judges a pair.
 */
import type { FileDoor, WrittenFile } from './atomicFile.js';
import type { IdTable } from './idTable.js';
import { agreementMillionths } from './millionths.js';
import { type ResultPlace, wordCell, writeRows } from './rowWriter.js';

export const CANDIDATE_COLUMNS = ['a', 'b', 'agreement', 'jaccard', 'accepted'] as const;

/** Candidate pairs as columns, sorted by (a, b), a < b. */
export interface CandidateColumns {
  readonly a: Uint32Array;
  readonly b: Uint32Array;
  /** Equal slots of the two signatures, 0..hashes. */
  readonly agreement: Uint16Array;
  /** Exact Jaccard resemblance; NaN where it was not computed. */
  readonly jaccard: Float64Array;
  /** 1 = accepted. */
  readonly accepted: Uint8Array;
}

/**
 * Writes rows [from, to) as one part. `hashes` is the signature length that agreements are shares of.
 *
 * @throws MinHashError WRITE_FAILED
 */
export function writeCandidatesPart(
  place: ResultPlace,
  ids: IdTable,
  columns: CandidateColumns,
  hashes: number,
  from: number,
  to: number,
  door?: FileDoor,
): WrittenFile {
  const shares = agreementMillionths(hashes);
  const yes = wordCell('yes', place.format);
  const no = wordCell('no', place.format);
  return writeRows(
    place,
    CANDIDATE_COLUMNS,
    (rows) => {
      for (let i = from; i < to; i++) {
        rows.id(ids, columns.a[i]!);
        rows.id(ids, columns.b[i]!);
        rows.millionths(shares[columns.agreement[i]!]!);
        rows.fraction(columns.jaccard[i]!);
        rows.word(columns.accepted[i] === 1 ? yes : no);
        rows.endRow();
      }
    },
    door,
  );
}
