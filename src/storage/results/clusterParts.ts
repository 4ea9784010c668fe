/**
 * The parts of `clusters/`: which documents hang together, and how like each is to its representative.
 *
 * Floor 2. Rows come sorted by (cluster, document). Never decides who belongs where.
 */
import type { FileDoor, WrittenFile } from './atomicFile.js';
import type { IdTable } from './idTable.js';
import { type ResultPlace, wordCell, writeRows } from './rowWriter.js';

export const CLUSTER_COLUMNS = ['cluster', 'document', 'role', 'similarity', 'basis'] as const;

/** Clusters as columns, one row a document. */
export interface ClusterColumns {
  /** From 1. */
  readonly cluster: Uint32Array;
  readonly document: Uint32Array;
  /** 0 representative, 1 member. */
  readonly role: Uint8Array;
  /** To the representative; 1 for itself. */
  readonly similarity: Float64Array;
  /** 0 exact, 1 estimate. */
  readonly basis: Uint8Array;
}

/** Writes rows [from, to) as one part. @throws MinHashError WRITE_FAILED */
export function writeClustersPart(
  place: ResultPlace,
  ids: IdTable,
  columns: ClusterColumns,
  from: number,
  to: number,
  door?: FileDoor,
): WrittenFile {
  const roles = ['representative', 'member'].map((role) => wordCell(role, place.format));
  const bases = ['exact', 'estimate'].map((basis) => wordCell(basis, place.format));
  return writeRows(
    place,
    CLUSTER_COLUMNS,
    (rows) => {
      for (let i = from; i < to; i++) {
        rows.integer(columns.cluster[i]!);
        rows.id(ids, columns.document[i]!);
        rows.word(roles[columns.role[i]!]!);
        rows.fraction(columns.similarity[i]!);
        rows.word(bases[columns.basis[i]!]!);
        rows.endRow();
      }
    },
    door,
  );
}
