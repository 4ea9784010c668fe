/**
 * The corpus as one list: document tables of all column blocks -> a number and an id for every document.
 *
 * A document's number is its place in the input: PATHs as typed, in each the bytes of paths, then records. So the document that
 * comes first always has the smaller number. Ids are names, and nothing is sorted by them.
 *
 * Tables are taken in while the workers still read: they would wait for any work that is left for
 * the end.
 */

import type { TextKeys } from '../../../reducers/identityClasses.js';
import { ByteColumn, Uint32Column } from '../../arrays/growable.js';
import type { Stepwise } from '../../arrays/stepwise.js';
import { type Block, type Column, decodeBlock, newBlock } from '../../blocks/block.js';
import {
  type CountsWithoutRow,
  countsWithoutRow,
  EMPTY,
  HAS_ID,
  passedIn,
  REASONS_LEFT_OUT,
  WHOLE_FILE,
} from '../../blocks/documents.js';
import type { FieldColumns } from '../../blocks/fieldValues.js';
import { idBlock, idsIn } from '../../blocks/idBlocks.js';
import type { IdTable } from '../../blocks/ids.js';
import { NAMES } from '../../blocks/names.js';
import { ERRORS, type ErrorCode, entryInCode, LISTED_CODES, MinHashError, SKIP_CODES } from '../../errors.js';
import { LISTED_BITS, LISTED_FLAGS } from '../../output/facts.js';
import type { SkippedPlaces } from '../../output/tables/tables.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import type { Inputs } from '../../readers/list/inputs.js';
import { binaryOfBytes } from '../../readers/list/pathIds.js';
import { LineNumbers } from '../../readers/split.js';
import type { ResultParams, Unit } from '../../sketch/params.js';
import type { Store } from '../../store/store.js';
import {
  type FieldLookup,
  keptFields,
  type MissingLookup,
  missingOf,
  valueBytes,
  valuesOf,
} from './documentFields.js';
import {
  type DocumentTables,
  documentStarts,
  IdCollector,
  idsOfRows,
  namedRows,
  namedUnits,
  Places,
  placeOrder,
  type RowFacts,
} from './places.js';
import type { SketchedBlock } from './sketching.js';

/**
 * The places that column blocks skipped, each once.
 */
export class RepeatedSkips {
  /** Skips of whole files that an earlier block named: a file that cannot be read fails in each of its byte ranges. */
  repeated = 0;
  /** All skips, repeated ones included. */
  taken = 0;
  private readonly named = new Set<string>();
  private readonly files: FileTable;
  private readonly skipped: SkipList;
  private readonly hasIds: boolean;

  /** @param hasIds a record that names its id is listed by that, not by its place */
  constructor(files: FileTable, skipped: SkipList, hasIds = true) {
    this.files = files;
    this.skipped = skipped;
    this.hasIds = hasIds;
  }

  /** `firstLine`: the line the block begins with, 0 where records are not lines. */
  add({ columns }: Block, firstLine: number): void {
    const { skipFile, skipRecord, skipCode, skipIdBytes, skipIdOffsets } = columns;
    this.taken += skipCode!.length;
    for (let i = 0; i < skipCode!.length; i++) {
      if (skipRecord![i] === WHOLE_FILE) {
        const key = `${skipFile![i]} ${skipCode![i]}`;
        if (this.named.has(key)) {
          this.repeated++;
          continue;
        }
        this.named.add(key);
      }
      const from = skipIdOffsets![i]!;
      const to = skipIdOffsets![i + 1]!;
      const code = SKIP_CODES[skipCode![i]!]!;
      if (this.hasIds && to > from) this.skipped.add((skipIdBytes as Uint8Array).subarray(from, to), code);
      else this.skipped.addBinary(this.files.address(skipFile![i]!, skipRecord![i]!, firstLine), code);
    }
  }
}

export interface Corpus {
  /** Documents n. */
  readonly documents: number;
  /** Ids by document number, distinct. In shared memory. */
  readonly ids: IdTable;
  /** Null: the id of every document is its place. */
  readonly places: Places | null;
  /** Where document d stands: column block and column. */
  readonly blockOf: Uint32Array;
  readonly columnOf: Uint32Array;
  /** 1: no tokens. */
  readonly empty: Uint8Array;
  /** By document: its group, from 0, of which only pairs of two are looked for; null: all pairs are. */
  readonly group: Uint32Array | null;
  /** Four uint32 a document. */
  readonly contentKeys: Uint32Array;
  /** The same of the bytes of documents that need one; null for sets, which have no text. */
  readonly textKeys: TextKeys | null;
  /** By column block. */
  readonly tables: readonly ColumnTable[];
  readonly counts: CorpusCounts;
  /** Skips that an earlier block named already: a file that cannot be read fails in each of its byte ranges. */
  readonly skipsRepeated: number;
  /** Records that were left out, by REASONS_LEFT_OUT; none of sets. */
  readonly leftOutRecords: readonly number[];
  readonly fieldValues: FieldLookup;
  readonly valuesMissing: MissingLookup;
  /** Counts of what has no document number: units or documents with too few tokens, and documents that were cut into units. */
  readonly withoutRow: CountsWithoutRow;
  /** Columns of these tables as blocks for tasks: `offsets` and `bytes` of ids, and so on. */
  readonly blocks: { readonly ids: Block; readonly places: Block; readonly contentKeys: Block };
}

/** The columns of a column block's document table (src/blocks/documents.ts) that the run keeps. */
export interface ColumnTable {
  readonly columns: {
    readonly file: Uint32Array;
    readonly record: Float64Array;
    /** Null where whole documents are compared. */
    readonly unit: Float64Array | null;
    readonly occurrences: Float64Array;
    /** Null of sets, which have no text. */
    readonly textBytes: Float64Array | null;
    /** Tokens of texts, elements of sets. */
    readonly tokens: Uint32Array | Float64Array;
    readonly flags: Uint8Array;
    /** Null of sets, which have no text. */
    readonly textKey: Uint32Array | null;
  };
  /** By field that the run asks for; null where no document of the block has it. Absent: it asks for none. */
  readonly fields?: readonly (FieldColumns | null)[];
}

interface CorpusCounts {
  /** Documents that are named by their place, because another document has the id that their record names. */
  readonly repeatedIds: number;
  /** Documents, those that change while they are read included: the empty ones, and those with a row in skipped.tsv. */
  readonly empty: number;
  readonly listed: number;
}

/** Bytes of a document in the table, without its id: where it stands, two keys, flags, its file, record, shingles, bytes and tokens. */
export const DOCUMENT_BYTES = 78;

/** Further bytes of a unit: its number, and the id that is made for it. */
const UNIT_BYTES = 48;

/** Takes the document tables of the column blocks, in order, and numbers the documents. Row: a document in that order. */
export class CorpusBuilder {
  readonly blocks: SketchedBlock[] = [];
  private readonly store: Pick<Store, 'get'>;
  private readonly files: FileTable;
  private readonly skips: RepeatedSkips;
  private readonly ids: IdCollector;
  private readonly copies: boolean;
  private readonly fields: readonly string[];
  private readonly tables: ColumnTable[] = [];
  private readonly contentKeys: Uint32Array[] = [];
  /** The number of the first line of each block; 0 where records are not lines. */
  private readonly firstLines: number[] = [];
  private readonly lines = new LineNumbers();
  private readonly leftOutRecords: number[] = REASONS_LEFT_OUT.map(() => 0);
  private readonly unit: Unit;
  private withoutRow: CountsWithoutRow = { tooShort: 0, cut: 0 };
  private rows = 0;
  /** Bytes of the values of fields. */
  private valueBytes = 0;

  /**
   * @param skipped receives the places that the blocks skipped
   * @param copies whether blocks shall be able to leave memory: else their columns are not copied
   * @param fields names of the fields that documents were read with
   * @param unit what a row of a table is
   */
  constructor(
    store: Pick<Store, 'get'>,
    files: FileTable,
    skipped: SkipList,
    copies = true,
    fields: readonly string[] = [],
    unit: Unit = 'document',
  ) {
    this.fields = fields;
    this.store = store;
    this.files = files;
    this.copies = copies;
    this.unit = unit;
    this.ids = new IdCollector(files);
    this.skips = new RepeatedSkips(files, skipped);
  }

  /** Rows and skips of the tables taken in, and the units or documents without a row. */
  get totals(): { readonly rows: number; readonly skips: number; readonly tooShort: number } {
    return { rows: this.rows, skips: this.skips.taken, tooShort: this.withoutRow.tooShort };
  }

  /** Bytes of the table so far: its columns, and ids. `finish` takes as many again. */
  get bytes(): number {
    const row = this.unit === 'document' ? DOCUMENT_BYTES : DOCUMENT_BYTES + UNIT_BYTES;
    return row * this.rows + this.ids.table.bytes.length + this.valueBytes;
  }

  add(block: SketchedBlock): void {
    const table = decodeBlock(this.store.get(NAMES.documents(block.block)), 'documents', block.label);
    const firstLine = this.lines.firstOf(block.split, block.report.lines);
    this.blocks.push(block);
    const kept = <T extends Column>(column: Column | undefined): T =>
      (this.copies ? column!.slice() : column) as T;
    const { contentKey, textKey, file, record, unit, occurrences, textBytes, tokens, flags } = table.columns;
    const fields = keptFields(table, this.fields.length, kept);
    this.tables.push({
      columns: {
        file: kept(file),
        record: kept(record),
        unit: unit === undefined ? null : kept(unit),
        occurrences: kept(occurrences),
        textBytes: kept(textBytes),
        tokens: kept(tokens),
        flags: kept(flags),
        textKey: kept(textKey),
      },
      ...(fields.length > 0 && { fields }),
    });
    this.valueBytes += valueBytes(fields);
    this.contentKeys.push(kept(contentKey));
    this.firstLines.push(firstLine);
    this.ids.add(table, firstLine);
    this.rows += flags!.length;
    const { tooShort, cut } = countsWithoutRow(table);
    this.withoutRow = { tooShort: this.withoutRow.tooShort + tooShort, cut: this.withoutRow.cut + cut };
    for (const [why, records] of passedIn(table).entries()) this.leftOutRecords[why]! += records;
    this.skips.add(table, firstLine);
  }

  /**
   * The corpus. Of documents with equal ids the first by place keeps the id, the others are named by their places.
   *
   * @param take called with the bytes of these places before they are made
   */
  *finish(take: (bytes: number) => void = () => {}): Stepwise<Corpus> {
    const { tables, contentKeys, leftOutRecords, withoutRow } = this;
    const { ids, rows, repeated } = this.named(take);
    yield;
    const places = (where: DocumentTables): Places | null =>
      this.ids.named ? new Places(where, this.files, this.firstLines) : null;
    const corpus = corpusOf({ contentKeys, tables, fields: this.fields }, rows, ids, places);
    const counts = { ...corpus.counts, repeatedIds: repeated };
    return { ...corpus, counts, skipsRepeated: this.skips.repeated, leftOutRecords, withoutRow };
  }

  /** Ids, and the rows by number; null: the numbers themselves. */
  private named(take: (bytes: number) => void): { ids: Block; rows: Uint32Array | null; repeated: number } {
    const all = this.ids.table;
    const facts = this.rowFacts();
    if (this.unit === 'document') {
      const rows = placeOrder(this.files.length, this.tables);
      // Places below one PATH are distinct.
      const areDistinct = this.ids.ascending || (!this.ids.named && this.files.roots.length === 1);
      if (areDistinct) return { ids: rows === null ? idBlock(all) : idsOfRows(all, rows), rows, repeated: 0 };
      const { ids, others } = namedRows(all, rows, facts, take);
      return { ids, rows, repeated: others.length };
    }
    const starts = documentStarts(this.tables);
    const ofDocuments = {
      isNamed: (document: number) => facts.isNamed(starts[document]!),
      appendPlace: (document: number, out: ByteColumn) => facts.appendPlace(starts[document]!, out),
    };
    const file = starts.subarray(0, -1).map((row) => facts.fileOf(row));
    const order = placeOrder(this.files.length, [{ columns: { file } }]);
    const { unitOf } = facts;
    return namedUnits(namedRows(all, order, ofDocuments, take), order, { starts, unitOf, unit: this.unit });
  }

  private rowFacts(): RowFacts & { unitOf(row: number): number; fileOf(row: number): number } {
    const { tables, files, firstLines } = this;
    const starts = startsOf(tables);
    const blockOf = blocksOfRows(starts);
    const columnsOf = (row: number) => tables[blockOf[row]!]!.columns;
    const columnOf = (row: number): number => row - starts[blockOf[row]!]!;
    const fileOf = (row: number): number => columnsOf(row).file[columnOf(row)]!;
    return {
      fileOf,
      isNamed: (row) => (columnsOf(row).flags[columnOf(row)]! & HAS_ID) !== 0,
      unitOf: (row) => columnsOf(row).unit![columnOf(row)]!,
      appendPlace: (row, out) => {
        const record = columnsOf(row).record[columnOf(row)]!;
        files.appendAddress(fileOf(row), record, firstLines[blockOf[row]!]!, out);
      },
    };
  }
}

/** By column block: the row that it begins with, when the blocks are put behind each other; at the end all rows. */
export function startsOf(tables: readonly ColumnTable[]): Uint32Array {
  const starts = new Uint32Array(tables.length + 1);
  for (let k = 0; k < tables.length; k++) starts[k + 1] = starts[k]! + tables[k]!.columns.flags.length;
  return starts;
}

/** By row: its column block. */
function blocksOfRows(starts: Uint32Array): Uint32Array {
  const blockOf = new Uint32Array(starts.at(-1)!);
  for (let k = 0; k + 1 < starts.length; k++) blockOf.fill(k, starts[k]!, starts[k + 1]!);
  return blockOf;
}

/** Facts of rows: of documents, or of sets, in the order in which they were read. */
interface RowColumns {
  /** By column block: four uint32 a column. */
  readonly contentKeys: readonly Uint32Array[];
  /** By column block. */
  readonly tables: readonly ColumnTable[];
  /** Names of the fields of the tables. */
  readonly fields?: readonly string[];
}

/** Facts of rows where nothing was skipped, repeated or left out. */
const OF_DOCUMENTS = { skipsRepeated: 0, leftOutRecords: [], withoutRow: { tooShort: 0, cut: 0 } };

/**
 * The corpus of rows: document d is row `rows[d]`, or row d where `rows` is null, and has the id `ids[d]`. Rows that are not
 * among `rows` are no documents.
 */
export function corpusOf(
  { contentKeys, tables, fields = [] }: RowColumns,
  rows: Uint32Array | null,
  ids: Block,
  placesOf: (where: DocumentTables) => Places | null,
): Corpus {
  const starts = startsOf(tables);
  const blockOfRow = blocksOfRows(starts);
  const documents = rows?.length ?? blockOfRow.length;
  const places = newBlock(
    'documents',
    {},
    { blockOf: ['u32', documents], columnOf: ['u32', documents] },
    true,
  );
  const { blockOf, columnOf } = places.columns as Record<'blockOf' | 'columnOf', Uint32Array>;
  const where = { blockOf, columnOf, tables };
  const empty = sharedU8(documents);
  const keys = newBlock('documents', {}, { contentKeys: ['u32', 4 * documents] }, true);
  const counts = { repeatedIds: 0, empty: 0, listed: 0 };
  const flagsOf = tables.map(({ columns }) => columns.flags);
  const keyOf = keys.columns.contentKeys as Uint32Array;
  if (rows === null) for (const [k, some] of contentKeys.entries()) keyOf.set(some, 4 * starts[k]!);
  for (let d = 0; d < documents; d++) {
    const row = rows === null ? d : rows[d]!;
    const block = blockOfRow[row]!;
    const column = row - starts[block]!;
    blockOf[d] = block;
    columnOf[d] = column;
    const flags = flagsOf[block]![column]!;
    if (flags & EMPTY) {
      empty[d] = 1;
      counts.empty++;
    }
    if (flags & LISTED_BITS) for (const { flag } of LISTED_FLAGS) if (flags & flag) counts.listed++;
    if (rows !== null) copyKey(contentKeys[block]!, column, keyOf, d);
  }
  return {
    ...where,
    documents,
    ids: idsIn(ids),
    places: placesOf(where),
    ...{ empty, group: null },
    contentKeys: keyOf,
    textKeys: tables.every(hasTexts) ? (some) => textKeysOf(where, some) : null,
    counts,
    ...OF_DOCUMENTS,
    fieldValues: valuesOf(where, fields),
    valuesMissing: missingOf(tables, fields),
    blocks: { ids, places, contentKeys: keys },
  };
}

function copyKey(from: Uint32Array, row: number, to: Uint32Array, at: number): void {
  to[4 * at] = from[4 * row]!;
  to[4 * at + 1] = from[4 * row + 1]!;
  to[4 * at + 2] = from[4 * row + 2]!;
  to[4 * at + 3] = from[4 * row + 3]!;
}

const hasTexts = ({ columns }: ColumnTable): boolean => columns.textKey !== null;

function textKeysOf(
  { blockOf, columnOf, tables }: Pick<Corpus, 'blockOf' | 'columnOf' | 'tables'>,
  documents: Uint32Array,
): Uint32Array {
  const keys = new Uint32Array(4 * documents.length);
  for (let i = 0; i < documents.length; i++) {
    const d = documents[i]!;
    copyKey(tables[blockOf[d]!]!.columns.textKey!, columnOf[d]!, keys, i);
  }
  return keys;
}

export const sharedU32 = (length: number): Uint32Array => new Uint32Array(new SharedArrayBuffer(4 * length));
const sharedU8 = (length: number): Uint8Array => new Uint8Array(new SharedArrayBuffer(length));

/**
 * What was skipped and why, in columns: a corpus can have a million broken lines.
 */
export class SkipList {
  private readonly bytes = new ByteColumn();
  private readonly offsets = new Uint32Column();
  private readonly codes = new ByteColumn();

  constructor() {
    this.offsets.push(0);
  }

  get length(): number {
    return this.codes.length;
  }

  add(place: Uint8Array, code: ErrorCode): void {
    this.bytes.append(place);
    this.close(code);
  }

  /** `place`: a binary string. */
  addBinary(place: string, code: ErrorCode): void {
    this.bytes.appendBinary(place);
    this.close(code);
  }

  private close(code: ErrorCode): void {
    this.offsets.push(this.bytes.length);
    this.codes.push(LISTED_CODES.indexOf(code));
  }

  /** The first skip, for a message; there must be one. */
  first(): { readonly place: string; readonly code: number } {
    const place = this.bytes.view.slice(0, this.offsets.view[1]!);
    return { place: new TextDecoder().decode(place), code: this.codes.view[0]! };
  }

  /** All skips in the order in which they were added; a caller that writes or shows them sorts them (`skippedOrder`). */
  columns(): SkippedPlaces {
    const places: IdTable = { offsets: this.offsets.view, bytes: this.bytes.view };
    return { places, codes: this.codes.view };
  }

  /** How often each reason occurs at wanted places (binary strings), by code; reasons that do not occur are absent. */
  counts(isWanted?: (place: string) => boolean): Record<string, number> {
    const codes = this.codes.view;
    if (isWanted === undefined) return codeCounts(codes);
    const [offsets, bytes] = [this.offsets.view, this.bytes.view];
    return codeCounts(
      codes.filter((_, i) => isWanted(binaryOfBytes(bytes.subarray(offsets[i]!, offsets[i + 1]!)))),
    );
  }
}

/** How often each code occurs, by its name; `codes` are indices into LISTED_CODES. */
export function codeCounts(codes: Uint8Array): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const code of codes) {
    const name = LISTED_CODES[code]!;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** With --on-error fail nothing may be skipped. @throws MinHashError INPUT_REFUSED naming the place that was skipped first in reading order */
export function refuseSkipped({ onError }: Pick<ResultParams, 'onError'>, skipped: SkipList): void {
  if (onError !== 'fail' || skipped.length === 0) return;
  const { place, code } = skipped.first();
  throw refusal(place, SKIP_CODES[code]!);
}

/** The places that the listing skipped. */
export function skipsOfListing({ skipped }: Pick<Inputs, 'skipped'>): SkipList {
  const list = new SkipList();
  for (const { place, code } of skipped) list.addBinary(place, code);
  return list;
}

/** The same. @throws MinHashError INPUT_REFUSED with --on-error fail */
export function skippedInputs(inputs: Pick<Inputs, 'skipped'>, params: ResultParams): SkipList {
  const list = skipsOfListing(inputs);
  refuseSkipped(params, list);
  return list;
}

/** The error of a run or filter that must not skip a place. */
export function refusal(place: string, code: ErrorCode): MinHashError {
  const said = ({ text, remedy }: { text: string; remedy: string }): string =>
    `${place}: ${text} (${remedy})`;
  const detail = said(entryInCode(code));
  return new MinHashError({ code: 'INPUT_REFUSED', detail, typed: said(ERRORS[code]) });
}
