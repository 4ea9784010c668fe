/**
 * The columns of tables, the list of skipped locations, and the part files of tables. The boundaries of parts depend only on the number of
 * rows, so they are the same for any threads or shards.
 */

import { compareIds, type IdTable, idOrder } from '../../blocks/ids.js';
import { ERRORS, type ErrorCode, LISTED_CODES, listedKind } from '../../errors.js';
import type { Measure } from '../../sketch/params.js';
import type { WrittenFile } from '../../store/files.js';
import { AGREEMENT_NAME } from '../fileNames.js';
import { agreementMillionths } from './escaping.js';
import { cellOf, type RowWriter, type TableFile, writeRows } from './rows.js';

/** Rows per part; the last part of a table may have fewer. */
export const ROWS_PER_PART = 1_000_000;

/** Rows [from, to) of a table are written to the part of this number. JSON, so it can be the parameter of a task. */
export interface RowRange {
  readonly part: number;
  readonly from: number;
  readonly to: number;
}

/** The parts of a table of `rows` rows. No rows: one empty part, so that there is a file with the column names. */
export function planParts(rows: number, rowsPerPart: number = ROWS_PER_PART): RowRange[] {
  const parts: RowRange[] = [];
  for (let from = 0; from < rows; from += rowsPerPart) {
    parts.push({ part: parts.length, from, to: Math.min(rows, from + rowsPerPart) });
  }
  return parts.length > 0 ? parts : [{ part: 0, from: 0, to: 0 }];
}

/** The columns of the drop list: ids, similarity, and the locations of both documents. */
const DUPLICATE_COLUMNS = ['document', 'kept', 'jaccard', 'place', 'kept_place'] as const;
/** For a run that measures containment: the share of the dropped document that is in the kept one. */
const CONTAINED_COLUMNS = ['document', 'kept', 'containment', 'place', 'kept_place'] as const;
export const SKIPPED_COLUMNS = ['document', 'kind', 'reason'] as const;

/** The columns of the drop list. */
export function duplicateColumns(measure: Measure): readonly string[] {
  return measure === 'containment' ? CONTAINED_COLUMNS : DUPLICATE_COLUMNS;
}

/** Skipped documents and locations, in any order. */
export interface SkippedPlaces {
  /** Locations; ids for documents in memory. */
  readonly places: IdTable;
  /** Indices into LISTED_CODES. */
  readonly codes: Uint8Array;
}

/** `CODE: text of the error table`: the reason in the file, which never has texts of the platform. */
export function skipReason(code: ErrorCode): string {
  return `${code}: ${ERRORS[code].text}`;
}

/**
 * The order of the rows: by the bytes of the location, because many skipped locations are not documents and have no number; then by
 * the name of the code, because its number may change with the table.
 */
export function skippedOrder({ places, codes }: SkippedPlaces): Uint32Array {
  const order = idOrder(places);
  const isBefore = (x: number, y: number): boolean =>
    compareCodes(codes[x]!, codes[y]!) < 0 && compareIds(places, x, y) === 0;
  // Equal locations are neighbours.
  for (let i = 1; i < order.length; i++)
    for (let at = i; at > 0 && isBefore(order[at]!, order[at - 1]!); at--)
      [order[at - 1], order[at]] = [order[at]!, order[at - 1]!];
  return order;
}

function compareCodes(x: number, y: number): number {
  const [codeX, codeY] = [LISTED_CODES[x]!, LISTED_CODES[y]!];
  return codeX < codeY ? -1 : codeX > codeY ? 1 : 0;
}

/** The position in one of several lists that are merged. */
interface Cursor extends SkippedPlaces {
  readonly order: Uint32Array;
  at: number;
}

const codeAt = ({ codes, order, at }: Cursor): number => codes[order[at]!]!;

function locationAt({ places, order, at }: Cursor): Uint8Array {
  const location = order[at]!;
  return places.bytes.subarray(places.offsets[location]!, places.offsets[location + 1]!);
}

/** The cursor whose row comes first; null if all lists are exhausted. */
function firstOf(cursors: readonly Cursor[]): Cursor | null {
  let first: Cursor | null = null;
  for (const cursor of cursors) {
    if (cursor.at === cursor.order.length) continue;
    const order = first === null ? -1 : Buffer.compare(locationAt(cursor), locationAt(first));
    if (first === null || order < 0 || (order === 0 && compareCodes(codeAt(cursor), codeAt(first)) < 0)) {
      first = cursor;
    }
  }
  return first;
}

/** Writes skipped.tsv: sorts and merges the lists. @throws MinHashError WRITE_FAILED */
export function writeSkipped(file: TableFile, lists: readonly SkippedPlaces[]): WrittenFile {
  const cursors = lists.map((list): Cursor => ({ ...list, order: skippedOrder(list), at: 0 }));
  const kinds = LISTED_CODES.map((code) => cellOf(listedKind(code)));
  const reasons = LISTED_CODES.map((code) => cellOf(skipReason(code)));
  const fill = (rows: RowWriter): void => {
    for (let cursor = firstOf(cursors); cursor !== null; cursor = firstOf(cursors)) {
      const { places, order, at } = cursor;
      const location = order[at]!;
      const code = codeAt(cursor);
      rows.text(places.bytes, places.offsets[location]!, places.offsets[location + 1]!);
      rows.word(kinds[code]!);
      rows.word(reasons[code]!);
      rows.endRow();
      cursor.at++;
    }
  };
  return writeRows(file, SKIPPED_COLUMNS, fill);
}

/** Writes `candidates/agreement.tsv`: the number of candidate pairs, listed or not, with each agreement, ascending. @param counts by equal slots */
export function writeAgreements(root: string, counts: Float64Array): WrittenFile {
  const millionths = agreementMillionths(counts.length - 1);
  return writeRows({ root, file: AGREEMENT_NAME }, ['agreement', 'pairs'], (rows) => {
    for (const [slots, count] of counts.entries()) {
      if (count === 0) continue;
      rows.millionths(millionths[slots]!);
      rows.integer(count);
      rows.endRow();
    }
  });
}

export const CANDIDATE_COLUMNS = ['a', 'b', 'agreement', 'jaccard', 'accepted'] as const;

export const CLUSTER_COLUMNS = ['cluster', 'document', 'role', 'similarity', 'basis', 'place'] as const;
