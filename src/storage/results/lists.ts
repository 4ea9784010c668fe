/**
 * The two lists of a result: the drop list (`duplicates`) and what was left out (`skipped`), one file each.
 *
 * Floor 2. Never decides what is dropped or skipped. Reasons are the error table's words, never the
 * platform's.
 */
import { ByteColumn } from '../../blocks/growable.js';
import { ERRORS, type ErrorCode, SKIP_CODES } from '../../errors.js';
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
export const SKIPPED_COLUMNS = ['document', 'reason'] as const;

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
  /** Indices into SKIP_CODES. */
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
    const codeX = SKIP_CODES[skipped.codes[x]!]!;
    const codeY = SKIP_CODES[skipped.codes[y]!]!;
    return codeX < codeY ? -1 : codeX > codeY ? 1 : 0;
  });
}

/** Writes `listName('skipped', format)`, one row a place, sorted here. @throws MinHashError WRITE_FAILED */
export function writeSkipped(
  place: ResultPlace,
  skipped: SkippedPlaces,
  tools?: Pick<WritingTools, 'door'>,
): WrittenFile {
  const { offsets, bytes } = skipped.places;
  const text = new ByteColumn();
  const reasons = SKIP_CODES.map((code) => wordCell(skipReason(code), place.format));
  return writeRows(
    place,
    SKIPPED_COLUMNS,
    (rows) => {
      for (const i of skippedOrder(skipped)) {
        // What cannot be read has to be found, so it is told as places are.
        text.truncate(0);
        if (place.format === 'tsv') text.append(bytes.subarray(offsets[i]!, offsets[i + 1]!));
        else appendPlace(text, bytes, offsets[i]!, offsets[i + 1]!);
        rows.text(text.view, 0, text.length);
        rows.word(reasons[skipped.codes[i]!]!);
        rows.endRow();
      }
    },
    tools,
  );
}
