/**
 * The parts of `clusters/`: which documents hang together, and how like each is to its representative.
 *
 * Floor 2. Rows come sorted by (cluster, document). Never decides who belongs where.
 */
import type { WrittenFile } from './atomicFile.js';
import type { IdTable } from './idTable.js';
import { placedRows, placeField, type RowPlaces } from './placeCells.js';
import { wordCell } from './rowWriter.js';
import { type ResultPlace, type TableField, type WritingTools, writeTable } from './tableWriter.js';

export const CLUSTER_COLUMNS = ['cluster', 'document', 'role', 'similarity', 'basis', 'place'] as const;

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

/**
 * Writes rows [from, to) as one part. `places` are of these rows; null: the id of every document is its place.
 *
 * @throws MinHashError WRITE_FAILED
 */
export function writeClustersPart(
  place: ResultPlace,
  ids: IdTable,
  { cluster, document, role, similarity, basis }: ClusterColumns,
  from: number,
  to: number,
  places: RowPlaces | null,
  tools?: WritingTools,
): WrittenFile {
  const words = (...texts: string[]): Uint8Array[] => texts.map((text) => wordCell(text, place.format));
  const fields: TableField[] = [
    { kind: 'integer' },
    { kind: 'id' },
    { kind: 'cell', cells: words('representative', 'member') },
    { kind: 'fraction' },
    { kind: 'cell', cells: words('exact', 'estimate') },
    placeField(places),
  ];
  const columns = [cluster, document, role, similarity, basis];
  const rows = placedRows(from, to, columns, document, places, place.format);
  return writeTable(place, { names: CLUSTER_COLUMNS, fields }, ids, rows, tools);
}
