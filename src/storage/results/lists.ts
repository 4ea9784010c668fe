/**
 * The two lists of a result: the drop list (`duplicates`), and what was skipped, repaired, empty or left out (`skipped`), one
 * file each.
 *
 * Floor 2. Never decides what is dropped or skipped. Reasons are the error table's words, never the
 * platform's.
 */
import { ByteColumn } from '../../blocks/growable.js';
import { ERRORS, type ErrorCode, LISTED_CODES, listedKind } from '../../errors.js';
import type { Measure } from '../../sketch/params.js';
import type { WrittenFile } from './atomicFile.js';
import { appendPlace } from './escaping.js';
import type { IdTable } from './idTable.js';
import { placedRows, placeField, type RowPlaces } from './placeCells.js';
import { wordCell } from './rowWriter.js';
import { type ResultPlace, type WritingTools, writeRows, writeTable } from './tableWriter.js';

/** `place` is that of the document: what to delete. */
export const DUPLICATE_COLUMNS = ['document', 'kept', 'jaccard', 'place'] as const;
/** Of a run that measures containment: how much of the document is in the kept one. */
export const CONTAINED_COLUMNS = ['document', 'kept', 'containment', 'place'] as const;
export const SKIPPED_COLUMNS = ['document', 'kind', 'reason'] as const;

/** The drop list as columns, sorted by document. */
export interface DroppedColumns {
  readonly document: Uint32Array;
  /** The kept document that stands for it. */
  readonly kept: Uint32Array;
  /** By the measure of the run. */
  readonly jaccard: Float64Array;
  /** By row; null: the id of every document is its place. */
  readonly places: RowPlaces | null;
}

/** The columns of the drop list. */
export function duplicateColumns(measure: Measure): readonly string[] {
  return measure === 'containment' ? CONTAINED_COLUMNS : DUPLICATE_COLUMNS;
}

/** Writes the drop list, `listName('duplicates', format)`. @throws MinHashError WRITE_FAILED */
export function writeDuplicates(
  place: ResultPlace,
  ids: IdTable,
  { document, kept, jaccard, places }: DroppedColumns,
  tools?: WritingTools,
  measure: Measure = 'resemblance',
): WrittenFile {
  return writeTable(
    place,
    {
      names: duplicateColumns(measure),
      fields: [{ kind: 'id' }, { kind: 'id' }, { kind: 'fraction' }, placeField(places)],
    },
    ids,
    placedRows(0, document.length, [document, kept, jaccard], document, places, place.format),
    tools,
  );
}

/** Skipped documents and places, in any order. */
export interface SkippedPlaces {
  /** Ids, or paths where there is no id; place i has code i. */
  readonly places: IdTable;
  /** Indices into LISTED_CODES. */
  readonly codes: Uint8Array;
}

/** Rows of the list in its order: by the place's bytes, then by the code's name. */
export interface ListedPlaces {
  readonly places: IdTable;
  /** Row i is about this place. */
  readonly rows: Uint32Array;
  /** By row: an index into LISTED_CODES. */
  readonly codes: Uint8Array;
}

/** `CODE: text of the error table`: the reason as it stands in the file. */
export function skipReason(code: ErrorCode): string {
  return `${code}: ${ERRORS[code].text}`;
}

/**
 * The order of the rows: by the place's bytes, then by the code's name (its number may change with the
 * table).
 */
export function skippedOrder(skipped: SkippedPlaces): Uint32Array {
  const { offsets, bytes } = skipped.places;
  const placeOf = (i: number): Uint8Array => bytes.subarray(offsets[i]!, offsets[i + 1]!);
  const order = Uint32Array.from(skipped.codes, (_, i) => i);
  return order.sort((x, y) => {
    const byPlace = Buffer.compare(placeOf(x), placeOf(y));
    if (byPlace !== 0) return byPlace;
    return compareCodes(skipped.codes[x]!, skipped.codes[y]!);
  });
}

function compareCodes(x: number, y: number): number {
  const [one, other] = [LISTED_CODES[x]!, LISTED_CODES[y]!];
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Skipped places as rows in the order of the list. */
export function inListOrder(skipped: SkippedPlaces): ListedPlaces {
  const rows = skippedOrder(skipped);
  return { places: skipped.places, rows, codes: Uint8Array.from(rows, (row) => skipped.codes[row]!) };
}

/** Where one of several lists stands while they are merged. */
interface Cursor {
  readonly list: ListedPlaces;
  at: number;
}

const codeAt = ({ list, at }: Cursor): number => list.codes[at]!;

function placeAt({ list: { places, rows }, at }: Cursor): Uint8Array {
  const place = rows[at]!;
  return places.bytes.subarray(places.offsets[place]!, places.offsets[place + 1]!);
}

/** The cursor whose row comes first; null where all lists are at their ends. */
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

/** Writes `listName('skipped', format)`: the rows of all lists in one order. @throws MinHashError WRITE_FAILED */
export function writeSkipped(
  place: ResultPlace,
  lists: readonly ListedPlaces[],
  tools?: Pick<WritingTools, 'door'>,
): WrittenFile {
  const kinds = LISTED_CODES.map((code) => wordCell(listedKind(code), place.format));
  const reasons = LISTED_CODES.map((code) => wordCell(skipReason(code), place.format));
  const cursors = lists.map((list): Cursor => ({ list, at: 0 }));
  const text = new ByteColumn();
  return writeRows(
    place,
    SKIPPED_COLUMNS,
    (rows) => {
      for (let cursor = firstOf(cursors); cursor !== null; cursor = firstOf(cursors)) {
        const bytes = placeAt(cursor);
        // What cannot be read has to be found, so it is told as places are.
        text.truncate(0);
        if (place.format === 'tsv') text.append(bytes);
        else appendPlace(text, bytes, 0, bytes.length);
        rows.text(text.view, 0, text.length);
        rows.word(kinds[codeAt(cursor)]!);
        rows.word(reasons[codeAt(cursor)]!);
        rows.endRow();
        cursor.at++;
      }
    },
    tools,
  );
}
