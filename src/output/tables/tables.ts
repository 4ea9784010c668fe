/**
 * Writes the tables of a result except `pairs/`: candidates, clusters, the drop list, skipped places;
 * and cuts tables into part files. Part boundaries depend on the number of rows alone, so
 * they are the same for any threads or shards.
 */

import { compareIds, type IdTable, type ListedPlaces } from '../../blocks/ids.js';
import type { Agreements } from '../../blocks/pairs.js';
import { ERRORS, type ErrorCode, LISTED_CODES, listedKind } from '../../errors.js';
import type { Measure } from '../../sketch/params.js';
import type { WrittenFile } from '../../store/files.js';
import { agreementMillionths, millionthsOf } from './escaping.js';
import { cellOf, IdCells, type ResultPlace, type RowPlaces, type RowWriter, writeRows } from './rows.js';

/** Rows per part; the last part of a table may have fewer. */
export const ROWS_PER_PART = 1_000_000;

/** Rows [from, to) of a table go to part number `part`. JSON, so it can be the parameter of a task. */
export interface RowRange {
  readonly part: number;
  readonly from: number;
  readonly to: number;
}

/**
 * The parts of a table of `rows` rows. No rows: one empty part, so that the file with the column names
 * exists.
 */
export function planParts(rows: number, rowsPerPart: number = ROWS_PER_PART): RowRange[] {
  const parts: RowRange[] = [];
  for (let from = 0; from < rows; from += rowsPerPart) {
    parts.push({ part: parts.length, from, to: Math.min(rows, from + rowsPerPart) });
  }
  return parts.length > 0 ? parts : [{ part: 0, from: 0, to: 0 }];
}

/** `place` is the place of the dropped document. */
const DUPLICATE_COLUMNS = ['document', 'kept', 'jaccard', 'place'] as const;
/** For a run that measures containment: the share of the kept document that is in the dropped one. */
const CONTAINED_COLUMNS = ['document', 'kept', 'containment', 'place'] as const;
export const SKIPPED_COLUMNS = ['document', 'kind', 'reason'] as const;

/** The drop list as columns, sorted by document. */
interface DroppedColumns {
  readonly document: Uint32Array;
  /** The kept document that replaces it. */
  readonly kept: Uint32Array;
  /** Similarity by the measure of the run. */
  readonly jaccard: Float64Array;
  /** By row; null: the id of every document is its place. */
  readonly places: RowPlaces | null;
}

/** The columns of the drop list. */
export function duplicateColumns(measure: Measure): readonly string[] {
  return measure === 'containment' ? CONTAINED_COLUMNS : DUPLICATE_COLUMNS;
}

/** Writes the drop list. @throws MinHashError WRITE_FAILED */
export function writeDuplicates(
  place: ResultPlace,
  ids: IdTable,
  { document, kept, jaccard, places }: DroppedColumns,
  measure: Measure = 'resemblance',
): WrittenFile {
  const cells = new IdCells(ids);
  return writeRows(place, duplicateColumns(measure), (rows) => {
    for (let i = 0; i < document.length; i++) {
      rows.id(cells, document[i]!);
      rows.id(cells, kept[i]!);
      rows.fraction(jaccard[i]!);
      rows.place(places, i, cells, document[i]!);
      rows.endRow();
    }
  });
}

/** Skipped documents and places, in any order. */
export interface SkippedPlaces {
  /** Ids, or paths where there is no id. */
  readonly places: IdTable;
  /** By skipped place, its number in `places`; absent: the numbers are equal. */
  readonly rows?: Uint32Array;
  /** Indices into LISTED_CODES. */
  readonly codes: Uint8Array;
}

/**
 * `CODE: text of the error table`: the reason as in the file, in words of the error table, never of the
 * platform.
 */
export function skipReason(code: ErrorCode): string {
  return `${code}: ${ERRORS[code].text}`;
}

/**
 * The order of the rows: by the bytes of the place, because many skipped places are no documents and have no number; then by
 * the name of the code (its number may change with the table).
 */
export function skippedOrder({ places, codes, rows }: SkippedPlaces): Uint32Array {
  const placeOf = (i: number): number => rows?.[i] ?? i;
  return Uint32Array.from(codes.keys()).sort(
    (x, y) => compareIds(places, placeOf(x), placeOf(y)) || compareCodes(codes[x]!, codes[y]!),
  );
}

function compareCodes(x: number, y: number): number {
  const [one, other] = [LISTED_CODES[x]!, LISTED_CODES[y]!];
  return one < other ? -1 : one > other ? 1 : 0;
}

export function inListOrder(skipped: SkippedPlaces): ListedPlaces {
  const order = skippedOrder(skipped);
  const { places, rows, codes } = skipped;
  return {
    places,
    rows: rows === undefined ? order : order.map((i) => rows[i]!),
    codes: Uint8Array.from(order, (i) => codes[i]!),
  };
}

/** The position in one of several lists that are merged. */
interface Cursor {
  readonly list: ListedPlaces;
  at: number;
}

const codeAt = ({ list, at }: Cursor): number => list.codes[at]!;

function placeAt({ list: { places, rows }, at }: Cursor): Uint8Array {
  const place = rows[at]!;
  return places.bytes.subarray(places.offsets[place]!, places.offsets[place + 1]!);
}

/** The cursor whose row comes first; null if all lists are exhausted. */
function firstOf(cursors: readonly Cursor[]): Cursor | null {
  let first: Cursor | null = null;
  for (const cursor of cursors) {
    if (cursor.at === cursor.list.rows.length) continue;
    const order = first === null ? -1 : Buffer.compare(placeAt(cursor), placeAt(first));
    if (first === null || order < 0 || (order === 0 && compareCodes(codeAt(cursor), codeAt(first)) < 0)) {
      first = cursor;
    }
  }
  return first;
}

/** Writes skipped.tsv: merges the rows of all lists. @throws MinHashError WRITE_FAILED */
export function writeSkipped(place: ResultPlace, lists: readonly ListedPlaces[]): WrittenFile {
  const cursors = lists.map((list): Cursor => ({ list, at: 0 }));
  const kinds = LISTED_CODES.map((code) => cellOf(listedKind(code)));
  const reasons = LISTED_CODES.map((code) => cellOf(skipReason(code)));
  const fill = (rows: RowWriter): void => {
    for (let cursor = firstOf(cursors); cursor !== null; cursor = firstOf(cursors)) {
      const [skipped, code] = [placeAt(cursor), codeAt(cursor)];
      rows.text(skipped, 0, skipped.length);
      rows.word(kinds[code]!);
      rows.word(reasons[code]!);
      rows.endRow();
      cursor.at++;
    }
  };
  return writeRows(place, SKIPPED_COLUMNS, fill);
}

/**
 * The function that gives an agreement in millionths: of a count of `units` slots, or of a share where `units` is 1. Counts have few
 * values, so each value is rounded once.
 */
export function millionthsBy(units: number): (agreement: number) => number {
  if (units === 1) return millionthsOf;
  const millionths = agreementMillionths(units);
  return (agreement) => millionths[agreement]!;
}

export const CANDIDATE_COLUMNS = ['a', 'b', 'agreement', 'jaccard', 'accepted'] as const;

const ACCEPTED_CELLS = ['no', 'yes'].map(cellOf);

/** Writes the cells of a candidate pair behind its ids, and ends its row. `jaccard`: NaN where it was not computed. */
function endCandidate(rows: RowWriter, agreement: number, jaccard: number, isAccepted: boolean): void {
  rows.millionths(agreement);
  rows.fraction(jaccard);
  rows.word(ACCEPTED_CELLS[isAccepted ? 1 : 0]!);
  rows.endRow();
}

/** Candidate pairs as columns, sorted by (a, b), a < b; identical pairs are not candidates. */
interface CandidateColumns {
  readonly a: Uint32Array;
  readonly b: Uint32Array;
  /** Matching slots of the two signatures, 0..hashes; or shares. */
  readonly agreement: Agreements;
  /** Exact Jaccard resemblance, NaN where it was not computed; null if it never was. */
  readonly jaccard: Float64Array | null;
  /** 1 = accepted, 0 = not. */
  readonly accepted: Uint8Array;
}

/**
 * Writes rows [from, to) as one part. `hashes` is the signature length, by which numbers of matching slots are divided; 1 for
 * shares.
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
): WrittenFile {
  const millionths = millionthsBy(hashes);
  const cells = new IdCells(ids);
  return writeRows(place, CANDIDATE_COLUMNS, (rows) => {
    for (let i = from; i < to; i++) {
      rows.id(cells, a[i]!);
      rows.id(cells, b[i]!);
      const exact = jaccard === null ? Number.NaN : jaccard[i]!;
      endCandidate(rows, millionths(agreement[i]!), exact, accepted[i] === 1);
    }
  });
}

export const CLUSTER_COLUMNS = ['cluster', 'document', 'role', 'similarity', 'basis', 'place'] as const;

const ROLE_CELLS = ['representative', 'member'].map(cellOf);
const BASIS_CELLS = ['exact', 'estimate'].map(cellOf);

/** Writes the cells of a document of a cluster between its id and its place; numbers as in ClusterColumns. */
export function clusterCells(rows: RowWriter, role: number, similarity: number, basis: number): void {
  rows.word(ROLE_CELLS[role]!);
  rows.fraction(similarity);
  rows.word(BASIS_CELLS[basis]!);
}

/** Clusters as columns, one row per document, sorted by (cluster, document). */
interface ClusterColumns {
  /** From 1. */
  readonly cluster: Uint32Array;
  readonly document: Uint32Array;
  /** 0 representative, 1 member. */
  readonly role: Uint8Array;
  /** Similarity to the representative; 1 for itself. */
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
): WrittenFile {
  const cells = new IdCells(ids);
  return writeRows(place, CLUSTER_COLUMNS, (rows) => {
    for (let i = from; i < to; i++) {
      rows.integer(cluster[i]!);
      rows.id(cells, document[i]!);
      clusterCells(rows, role[i]!, similarity[i]!, basis[i]!);
      rows.place(places, i - from, cells, document[i]!);
      rows.endRow();
    }
  });
}
