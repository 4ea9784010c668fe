/**
 * The keep order decides which of several near-duplicates is kept. Reference documents come first, then the value of
 * `--keep` decides, then the location.
 *
 * A row is the position of a document in reading order. Rows are in the order of locations, unless small files were
 * read in groups.
 */

import { concatenated, numbersBelow, Uint32Column } from '../arrays/growable.js';
import { rowsByKey } from '../arrays/rowsByKey.js';
import { sortByKey64 } from '../arrays/sort.js';
import { openedColumns } from '../blocks/documents.js';
import { fieldColumns, MISSING, NUMBER, TEXT } from '../blocks/fieldValues.js';
import { compareIds, type IdTable, idOrder } from '../blocks/ids.js';
import type { FileTable } from '../readers/list/fileTable.js';
import type { KeepRule } from '../sketch/params.js';
import { type BatchTables, eachFacts, eachTable } from './documentList.js';

export interface KeepOrder {
  /** By position in the keep order: the row. Null: rows are in keep order. */
  readonly rowOf: Uint32Array | null;
  /** Number of reference documents, which come first. */
  readonly references: number;
}

/**
 * The keep order of all documents.
 *
 * @param files null: documents came from memory
 * @param fields the fields that records were read with, in the order of their columns
 */
export function keepOrder(
  tables: BatchTables,
  keep: KeepRule,
  files: FileTable | null,
  fields: readonly string[] = [],
): KeepOrder {
  const byLocation = locationOrder(tables, files);
  const references = files?.hasReference === true ? referenceRows(tables, files) : null;
  const rowOf = orderByRule(tables, keep, files, fields, byLocation);
  if (references === null) return { rowOf, references: 0 };
  let count = 0;
  for (const flag of references) count += flag;
  let isFirst = true;
  for (let i = 0; i < count && isFirst; i++) isFirst = references[rowOf === null ? i : rowOf[i]!] === 1;
  if (isFirst) return { rowOf, references: count };
  const order = rowOf ?? numbersBelow(references.length);
  const moved = new Uint32Array(order.length);
  let [reference, other] = [0, count];
  for (const row of order) moved[references[row] === 1 ? reference++ : other++] = row;
  return { rowOf: moved, references: count };
}

function documentsOf({ starts }: BatchTables): number {
  return starts.at(-1)!;
}

/** By row: 1 if the document is of the reference. */
function referenceRows(tables: BatchTables, files: FileTable): Uint8Array {
  const flags = new Uint8Array(documentsOf(tables));
  eachFacts(tables, ({ file }, first) => {
    for (let i = 0; i < file.length; i++) flags[first + i] = files.isReference(file[i]!) ? 1 : 0;
  });
  return flags;
}

/** The rows in the order of locations; null: rows are in that order already. */
function locationOrder(tables: BatchTables, files: FileTable | null): Uint32Array | null {
  if (files === null) return null;
  let last = 0;
  let isOrdered = true;
  eachFacts(tables, ({ file }) => {
    for (let i = 0; i < file.length && isOrdered; i++) {
      isOrdered = file[i]! >= last;
      last = file[i]!;
    }
  });
  if (isOrdered) return null;
  return rowsByKey(files.length, (give) => {
    eachFacts(tables, ({ file }, first) => {
      for (let i = 0; i < file.length; i++) give(file[i]!, first + i);
    });
  }).rows;
}

function orderByRule(
  tables: BatchTables,
  keep: KeepRule,
  files: FileTable | null,
  fields: readonly string[],
  byLocation: Uint32Array | null,
): Uint32Array | null {
  const documents = documentsOf(tables);
  if (keep.by === 'last') return (byLocation ?? numbersBelow(documents)).reverse();
  const values = valuesOf(tables, keep, files, fields);
  if (values === null) return byLocation;
  const order = byLocation ?? numbersBelow(documents);
  const keys = new Uint32Array(2 * documents);
  for (const column of [values.value, values.kind]) {
    if (column === null) continue;
    for (let place = 0; place < documents; place++) writeNumberKey(keys, place, column[order[place]!]!);
    sortByKey64(keys, order, documents);
  }
  return order;
}

const DOUBLE = new Float64Array(1);
const WORDS = new Uint32Array(DOUBLE.buffer);

/** Writes a number as a 64-bit key, low half first. Keys, as unsigned numbers, sort as the numbers do. */
function writeNumberKey(keys: Uint32Array, at: number, value: number): void {
  // -0 equals 0.
  DOUBLE[0] = value === 0 ? 0 : value;
  const [low, high] = [WORDS[0]!, WORDS[1]!];
  const isNegative = high >>> 31 === 1;
  keys[2 * at] = isNegative ? ~low : low;
  keys[2 * at + 1] = isNegative ? ~high : high ^ 0x80000000;
}

/** By row: the value of the rule, the least first. */
interface KeepValues {
  readonly value: Float64Array;
  /** Kinds of values, in order: numbers, texts, missing values; null: all are of one kind. */
  readonly kind: Uint8Array | null;
}

/** Null: the rule is the location, or the documents have no value for it. */
function valuesOf(
  tables: BatchTables,
  { by, field, best }: KeepRule,
  files: FileTable | null,
  fields: readonly string[],
): KeepValues | null {
  if (by === 'field') return valuesOfField(tables, fields.indexOf(field!), best === 'max');
  if (by === 'longest' || by === 'shortest') {
    const value = new Float64Array(documentsOf(tables));
    const sign = by === 'longest' ? -1 : 1;
    eachFacts(tables, ({ textBytes }, first) => {
      if (textBytes !== null)
        for (let i = 0; i < textBytes.length; i++) value[first + i] = sign * textBytes[i]!;
    });
    return { value, kind: null };
  }
  if ((by !== 'newest' && by !== 'oldest') || files === null) return null;
  const value = new Float64Array(documentsOf(tables));
  eachTable(tables, (table) => files.noteOpened(openedColumns(table)));
  files.lookUpRest();
  eachFacts(tables, ({ file }, first) => {
    for (let i = 0; i < file.length; i++) {
      const time = files.times[file[i]!]!;
      value[first + i] = !(time > 0) ? Number.POSITIVE_INFINITY : by === 'newest' ? -time : time;
    }
  });
  return { value, kind: null };
}

/** The order of kinds of values: numbers, then texts, then missing values. */
const PLACES_OF_KINDS = new Uint8Array(3);
PLACES_OF_KINDS[NUMBER] = 0;
PLACES_OF_KINDS[TEXT] = 1;
PLACES_OF_KINDS[MISSING] = 2;

function valuesOfField(tables: BatchTables, field: number, isGreatestFirst: boolean): KeepValues {
  const documents = documentsOf(tables);
  const value = new Float64Array(documents);
  const kind = new Uint8Array(documents).fill(PLACES_OF_KINDS[MISSING]!);
  const rows = new Uint32Column();
  const offsets = new Uint32Column();
  const parts: Uint8Array[] = [];
  let bytes = 0;
  offsets.push(0);
  eachTable(tables, (table, first) => {
    const columns = fieldColumns(table, field);
    if (columns === null) return;
    const { kinds, numbers, texts } = columns;
    for (let i = 0; i < kinds.length; i++) {
      kind[first + i] = PLACES_OF_KINDS[kinds[i]!]!;
      if (kinds[i] === NUMBER) value[first + i] = isGreatestFirst ? -numbers[i]! : numbers[i]!;
      if (kinds[i] !== TEXT) continue;
      rows.push(first + i);
      offsets.push(bytes + texts.offsets[i + 1]!);
    }
    // Only texts have bytes, so the texts of a batch are contiguous.
    if (texts.bytes.length > 0) parts.push(texts.bytes.slice());
    bytes += texts.bytes.length;
  });
  writeTextPlaces(
    value,
    rows.view,
    { offsets: offsets.view, bytes: concatenated(parts, Uint8Array) },
    isGreatestFirst,
  );
  return { value, kind };
}

/**
 * Writes the rank of each text among the texts. Equal texts have equal ranks, so that the location decides between
 * them.
 */
function writeTextPlaces(
  value: Float64Array,
  rows: Uint32Array,
  texts: IdTable,
  isGreatestFirst: boolean,
): void {
  const sorted = idOrder(texts);
  if (isGreatestFirst) sorted.reverse();
  for (let i = 0, place = 0; i < sorted.length; i++) {
    if (i > 0 && compareIds(texts, sorted[i - 1]!, sorted[i]!) !== 0) place = i;
    value[rows[sorted[i]!]!] = place;
  }
}
