/**
 * Writes the tables of a result with documents in their rows: pairs, candidates, clusters and the drop list. Rows come as columns, with
 * documents as labels: numbers of ids and locations in two tables.
 */
import { NOT_COMPARED } from '../../../reducers/intersections.js';
import type { IdTable } from '../../blocks/ids.js';
import type { Measure } from '../../sketch/params.js';
import { containmentOf, resemblanceOf } from '../../sketch/similarity.js';
import type { WrittenFile } from '../../store/files.js';
import { agreementMillionths } from './escaping.js';
import { PAIR_COLUMNS, PAIR_KINDS } from './pairTable.js';
import { cellOf, IdCells, type RowWriter, type TableFile, writeRows } from './rows.js';
import { CANDIDATE_COLUMNS, CLUSTER_COLUMNS, duplicateColumns } from './tables.js';

/** Ids and locations by label; locations are null if every id is a location. */
export interface LabelTables {
  readonly ids: IdTable;
  readonly locations: IdTable | null;
}

class LabelCells {
  readonly ids: IdCells;
  readonly locations: IdCells;

  constructor({ ids, locations }: LabelTables) {
    this.ids = new IdCells(ids);
    this.locations = locations === null ? this.ids : new IdCells(locations);
  }
}

const LOCATION_COLUMNS = ['a_location', 'b_location'] as const;

/** Rows of pairs of documents, by label. */
interface PairColumns {
  readonly a: Uint32Array;
  readonly b: Uint32Array;
  /** Equal slots of the two signatures; 0 of identical documents. */
  readonly agreement: Uint16Array;
  /** Common elements of both sets (NOT_COMPARED if they were not compared), and the sizes of both; null outside exact mode. */
  readonly sets: {
    readonly common: Uint32Array;
    readonly sizeA: Uint32Array;
    readonly sizeB: Uint32Array;
  } | null;
}

/** The kinds of rows of `pairs/`: positions in PAIR_KINDS. */
export const NEAR = PAIR_KINDS.indexOf('near');
export const IDENTICAL = PAIR_KINDS.indexOf('identical');
export const SAME_TOKENS = PAIR_KINDS.indexOf('same-tokens');
const KIND_CELLS = PAIR_KINDS.map(cellOf);

/**
 * Writes the rows of a part of `pairs/`.
 *
 * @param hashes slots of a signature; null if there are no signatures: `agreement` is empty
 * @param kind all similarities of identical documents are 1; outside exact mode the similarity of a near pair is that of its
 *   signatures, and containments are empty
 * @throws MinHashError WRITE_FAILED, DISK_FULL; as do the other functions here
 */
export function writePairRows(
  file: TableFile,
  labels: LabelTables,
  { a, b, agreement, sets, kind }: PairColumns & { readonly kind: Uint8Array },
  hashes: number | null,
): WrittenFile {
  const millionths = agreementMillionths(hashes ?? 0);
  const cells = new LabelCells(labels);
  return writeRows(file, [...PAIR_COLUMNS, ...LOCATION_COLUMNS], (rows) => {
    for (let i = 0; i < a.length; i++) {
      rows.id(cells.ids, a[i]!);
      rows.id(cells.ids, b[i]!);
      if (kind[i] !== NEAR) for (let cell = 0; cell < 4; cell++) rows.millionths(1e6);
      else if (sets === null) {
        for (let cell = 0; cell < 2; cell++) rows.millionths(millionths[agreement[i]!]!);
        for (let cell = 0; cell < 2; cell++) rows.fraction(Number.NaN);
      } else {
        const [common, sizeA, sizeB] = [sets.common[i]!, sets.sizeA[i]!, sets.sizeB[i]!];
        rows.fraction(resemblanceOf(common, sizeA, sizeB));
        if (hashes === null) rows.fraction(Number.NaN);
        else rows.millionths(millionths[agreement[i]!]!);
        rows.fraction(containmentOf(common, sizeA));
        rows.fraction(containmentOf(common, sizeB));
      }
      rows.word(KIND_CELLS[kind[i]!]!);
      endLocated(rows, cells, a[i]!, b[i]!);
    }
  });
}

const ACCEPTED_CELLS = ['no', 'yes'].map(cellOf);

/** Writes the rows of a part of `candidates/`. `accepted` is 1 for pairs that reach the threshold. */
export function writeCandidateRows(
  file: TableFile,
  labels: LabelTables,
  { a, b, agreement, sets, accepted }: PairColumns & { readonly accepted: Uint8Array },
  hashes: number,
): WrittenFile {
  const millionths = agreementMillionths(hashes);
  const cells = new LabelCells(labels);
  return writeRows(file, [...CANDIDATE_COLUMNS, ...LOCATION_COLUMNS], (rows) => {
    for (let i = 0; i < a.length; i++) {
      rows.id(cells.ids, a[i]!);
      rows.id(cells.ids, b[i]!);
      rows.millionths(millionths[agreement[i]!]!);
      const isCompared = sets !== null && sets.common[i] !== NOT_COMPARED;
      rows.fraction(isCompared ? resemblanceOf(sets.common[i]!, sets.sizeA[i]!, sets.sizeB[i]!) : Number.NaN);
      rows.word(ACCEPTED_CELLS[accepted[i]!]!);
      endLocated(rows, cells, a[i]!, b[i]!);
    }
  });
}

function endLocated(rows: RowWriter, { locations }: LabelCells, a: number, b: number): void {
  rows.id(locations, a);
  rows.id(locations, b);
  rows.endRow();
}

/** Rows of clusters (reducers/clusters.ts), documents by label. */
interface ClusterColumns {
  readonly cluster: Uint32Array;
  readonly document: Uint32Array;
  readonly role: Uint8Array;
  readonly similarity: Float64Array;
  readonly basis: Uint8Array;
}

const ROLE_CELLS = ['representative', 'member'].map(cellOf);
const BASIS_CELLS = ['exact', 'estimate'].map(cellOf);

/** Writes the rows of a part of `clusters/`. */
export function writeClusterRows(
  file: TableFile,
  labels: LabelTables,
  { cluster, document, role, similarity, basis }: ClusterColumns,
): WrittenFile {
  const cells = new LabelCells(labels);
  return writeRows(file, CLUSTER_COLUMNS, (rows) => {
    for (let i = 0; i < cluster.length; i++) {
      rows.integer(cluster[i]!);
      rows.id(cells.ids, document[i]!);
      rows.word(ROLE_CELLS[role[i]!]!);
      rows.fraction(similarity[i]!);
      rows.word(BASIS_CELLS[basis[i]!]!);
      rows.id(cells.locations, document[i]!);
      rows.endRow();
    }
  });
}

/** Rows of the drop list (reducers/dropList.ts), documents by label. */
interface DropColumns {
  readonly document: Uint32Array;
  readonly kept: Uint32Array;
  readonly jaccard: Float64Array;
}

/** Writes the drop list. */
export function writeDropRows(
  file: TableFile,
  labels: LabelTables,
  { document, kept, jaccard }: DropColumns,
  measure: Measure,
): WrittenFile {
  const cells = new LabelCells(labels);
  return writeRows(file, duplicateColumns(measure), (rows) => {
    for (let i = 0; i < document.length; i++) {
      rows.id(cells.ids, document[i]!);
      rows.id(cells.ids, kept[i]!);
      rows.fraction(jaccard[i]!);
      endLocated(rows, cells, document[i]!, kept[i]!);
    }
  });
}
