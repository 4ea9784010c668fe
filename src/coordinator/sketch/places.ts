/**
 * The place of every document of a corpus, as result files have it: the id of a file, and the number of the record in it.
 *
 * Only for corpora in which some record names its id: everywhere else the id is the place, and nothing is kept. Places
 * follow from the document tables, which are in memory anyway.
 */

import { claimOf, endingOf, FreeNumber } from '../../../reducers/documentNames.js';
import { rowsByKey } from '../../arrays/groupCounts.js';
import { ByteColumn, numbersBelow, Uint32Column } from '../../arrays/growable.js';
import type { Block } from '../../blocks/block.js';
import { HAS_ID, WHOLE_FILE } from '../../blocks/documents.js';
import { idBlock, idsIn, newIdBlock } from '../../blocks/idBlocks.js';
import { compareIds, IdIndex, type IdTable } from '../../blocks/ids.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { type CutUnit, unitMark } from '../../text/units.js';

/** Where documents stand by their numbers: column block and column, and the tables of these blocks. */
export interface DocumentTables {
  readonly blockOf: Uint32Array;
  readonly columnOf: Uint32Array;
  readonly tables: readonly {
    readonly columns: {
      readonly file: Uint32Array;
      readonly record: Float64Array;
      /** Null where whole documents are compared. */
      readonly unit: Float64Array | null;
    };
  }[];
}

/**
 * Places of documents: a name of the table of names each, and the number behind it (src/readers/list/pathIds.ts); of units
 * also the number of the unit.
 */
export interface PlaceColumns {
  readonly name: Uint32Array;
  readonly number: Float64Array;
  readonly unit?: Float64Array;
}

/** Documents within a source, as columns. */
export interface StandingColumns {
  readonly file: Uint32Array;
  readonly record: Float64Array;
  /** Present where units of documents are compared. */
  readonly unit?: Float64Array;
}

export function standingOf(
  { blockOf, columnOf, tables }: DocumentTables,
  documents: Uint32Array,
): StandingColumns {
  const file = new Uint32Array(documents.length);
  const record = new Float64Array(documents.length);
  const hasUnits = tables.some(({ columns }) => columns.unit !== null);
  const unit = hasUnits ? new Float64Array(documents.length) : null;
  for (let i = 0; i < documents.length; i++) {
    const { columns } = tables[blockOf[documents[i]!]!]!;
    const column = columnOf[documents[i]!]!;
    file[i] = columns.file[column]!;
    record[i] = columns.record[column]!;
    if (unit !== null) unit[i] = columns.unit![column]!;
  }
  return { file, record, ...(unit !== null && { unit }) };
}

export class Places {
  /** Ids of files. */
  readonly names: IdTable;
  private readonly corpus: DocumentTables;
  private readonly files: FileTable;
  private readonly firstLines: readonly number[];

  /** @param firstLines by column block: the line that it begins with, 0 where records are not lines */
  constructor(corpus: DocumentTables, files: FileTable, firstLines: readonly number[]) {
    this.corpus = corpus;
    this.files = files;
    this.firstLines = firstLines;
    this.names = files.ids;
  }

  of(documents: Uint32Array): PlaceColumns {
    const { blockOf } = this.corpus;
    const { file: name, record: number, ...units } = standingOf(this.corpus, documents);
    for (let i = 0; i < documents.length; i++) {
      const firstLine = this.firstLines[blockOf[documents[i]!]!]!;
      number[i] = this.files.addressNumber(name[i]!, number[i]!, firstLine);
    }
    return { name, number, ...units };
  }
}

/** Facts of rows: documents in the order of reading. */
export interface RowFacts {
  /** Whether its id is one that its record names, not its place. */
  isNamed(row: number): boolean;
  appendPlace(row: number, out: ByteColumn): void;
}

/** One id a document, by its number. */
interface NamedRows {
  /** Distinct: a block of an id table. */
  readonly ids: Block;
  /** Rows of documents that are named by their place, because another document has the id of their record; ascending. */
  readonly others: Uint32Array;
}

/**
 * The order of rows by their places. Blocks follow one another as files do, but for files of one document, which are gathered in
 * groups that close after lines files between them.
 *
 * @returns by place: the row; null: rows are in that order
 */
export function placeOrder(
  files: number,
  tables: readonly { readonly columns: { readonly file: Uint32Array } }[],
): Uint32Array | null {
  let last = 0;
  const isOrdered = tables.every(({ columns: { file } }) =>
    file.every((one) => {
      const follows = one >= last;
      last = one;
      return follows;
    }),
  );
  if (isOrdered) return null;
  return rowsByKey(files, (give) => {
    let row = 0;
    for (const { columns } of tables) for (const file of columns.file) give(file, row++);
  }).rows;
}

/**
 * Names for documents (reducers/documentNames.ts): ids that records have -> one id a document.
 *
 * @param all ids by row
 * @param order by document number: the row; null: the number itself
 * @param take called with the bytes of new names before they are made
 */
export function namedRows(
  all: IdTable,
  order: Uint32Array | null,
  facts: RowFacts,
  take: (bytes: number) => void,
): NamedRows {
  const documents = all.offsets.length - 1;
  const { index, others } = repeatedRows(all, order, facts);
  if (others.length === 0) return { ids: order === null ? idBlock(all) : idsOfRows(all, order), others };
  const places = namesOf(others, facts, () => '');
  take(places.bytes.length + 16 * others.length);
  const isTaken = others.map((_, i) =>
    index.find(places.bytes, places.offsets[i]!, places.offsets[i + 1]!) >= 0 ? 1 : 0,
  );
  const end = isTaken.includes(1) ? `~${freeNumber(all, places)}` : '';
  const names = end === '' ? places : namesOf(others, facts, (i) => (isTaken[i] === 1 ? end : ''));
  // Entries from the number of rows on are names.
  const entries = numbersBelow(documents);
  others.forEach((row, i) => {
    entries[row] = documents + i;
  });
  const rows = order === null ? entries : order.map((row) => entries[row]!);
  return { ids: idsOfRows(all, rows, names), others };
}

/** All rows that do not keep their ids, ascending; the others are in the index. */
function repeatedRows(
  all: IdTable,
  order: Uint32Array | null,
  facts: RowFacts,
): { readonly index: IdIndex; readonly others: Uint32Array } {
  const others = new Uint32Column();
  const index = new IdIndex(all);
  for (let d = 0; d + 1 < all.offsets.length; d++) {
    const row = order === null ? d : order[d]!;
    const keeper = index.put(row);
    if (keeper < 0) continue;
    if (claimOf(facts.isNamed(row)) < claimOf(facts.isNamed(keeper))) {
      index.replace(row);
      others.push(keeper);
    } else others.push(row);
  }
  return { index, others: others.view.slice().sort() };
}

/** The rows of units: those of one document follow one another. */
interface UnitRows {
  /** By document in the order of reading: its first row; at the end all rows. */
  readonly starts: Uint32Array;
  unitOf(row: number): number;
  readonly unit: CutUnit;
}

/**
 * Names for units: the id of their document, and the number of the unit behind it: `a.txt#p1`, `a.txt#p2`.
 *
 * @param order by document number: which one it is in the order of reading; null: the number itself
 * @returns ids by number of unit; `rows` null: the number itself
 */
export function namedUnits(
  { ids: names, others }: NamedRows,
  order: Uint32Array | null,
  { starts, unitOf, unit }: UnitRows,
): { readonly ids: Block; readonly rows: Uint32Array | null; readonly repeated: number } {
  const count = starts.at(-1)!;
  const rows = order === null ? null : new Uint32Array(count);
  const offsets = new Uint32Array(count + 1);
  const bytes = new ByteColumn();
  const { offsets: ends, bytes: nameBytes } = idsIn(names);
  for (let d = 0, number = 0; d + 1 < ends.length; d++) {
    const name = nameBytes.subarray(ends[d]!, ends[d + 1]!);
    const document = order === null ? d : order[d]!;
    for (let row = starts[document]!; row < starts[document + 1]!; row++) {
      bytes.append(name);
      bytes.appendBinary(unitMark(unit) + unitOf(row));
      if (rows !== null) rows[number] = row;
      offsets[++number] = bytes.length;
    }
  }
  const repeated = others.reduce((sum, document) => sum + starts[document + 1]! - starts[document]!, 0);
  return { ids: idBlock({ offsets, bytes: bytes.view }), rows, repeated };
}

/** The places of rows, each followed by an ending of its own. */
function namesOf(rows: Uint32Array, facts: RowFacts, endOf: (i: number) => string): IdTable {
  const bytes = new ByteColumn();
  const offsets = new Uint32Array(rows.length + 1);
  for (let i = 0; i < rows.length; i++) {
    facts.appendPlace(rows[i]!, bytes);
    bytes.appendBinary(endOf(i));
    offsets[i + 1] = bytes.length;
  }
  return { offsets, bytes: bytes.view };
}

/** The least number from 1 for which no id of either table ends with `~` and the number. */
function freeNumber(...tables: readonly IdTable[]): number {
  const free = new FreeNumber(tables.reduce((sum, { offsets }) => sum + offsets.length, 0));
  for (const { offsets, bytes } of tables) {
    for (let i = 0; i + 1 < offsets.length; i++) free.add(endingOf(bytes, offsets[i]!, offsets[i + 1]!));
  }
  return free.least;
}

/** Longer ids are copied by a call, because a view costs as much as so many bytes. */
const SHORT = 32;

/** The ids of rows; rows behind those of the first table are of the second. */
export function idsOfRows(all: IdTable, rows: Uint32Array, names = all): Block {
  const told = all.offsets.length - 1;
  const lengthOf = ({ offsets: ends }: IdTable, i: number): number => ends[i + 1]! - ends[i]!;
  let length = 0;
  for (const row of rows) length += row < told ? lengthOf(all, row) : lengthOf(names, row - told);
  const block = newIdBlock(rows.length, length);
  const { offsets, bytes } = idsIn(block);
  for (let d = 0, end = 0; d < rows.length; d++) {
    const isTold = rows[d]! < told;
    const table = isTold ? all : names;
    const i = isTold ? rows[d]! : rows[d]! - told;
    const [from, to] = [table.offsets[i]!, table.offsets[i + 1]!];
    if (to - from > SHORT) bytes.set(table.bytes.subarray(from, to), end);
    else for (let at = from, into = end; at < to; at++) bytes[into++] = table.bytes[at]!;
    end += to - from;
    offsets[d + 1] = end;
  }
  return block;
}

/** Which of its three forms the id of a column has. */
const OF_FILE = 0;
const NAMED = 1;
const OF_RECORD = 2;

/** The ids of the blocks added so far. */
export class IdCollector {
  /** Every id is greater than the one before: by its bytes; as long and greater, or longer, as numbers are. */
  private ascendsByBytes = true;
  private ascendsByLength = true;
  /** A record names its id. */
  named = false;
  private readonly files: FileTable;
  private readonly bytes = new ByteColumn();
  private readonly offsets = new Uint32Column();
  private lastFile = -1;

  constructor(files: FileTable) {
    this.files = files;
    this.offsets.push(0);
  }

  /** The ids ascend, so none occurs twice. */
  get ascending(): boolean {
    return this.ascendsByBytes || this.ascendsByLength;
  }

  /** Views, valid until the next `add`. */
  get table(): IdTable {
    return { offsets: this.offsets.view, bytes: this.bytes.view };
  }

  /** `firstLine`: the line the block begins with, 0 where records are not lines. Units have the id of their document, once. */
  add(table: Block, firstLine: number): void {
    const before = this.offsets.length - 1;
    if (table.columns.unit === undefined) this.addAll(table, firstLine);
    else {
      const columns = table.columns as DocumentTables['tables'][number]['columns'];
      this.lastFile = eachDocument(columns, this.lastFile, (row) => this.addOne(table, row, firstLine));
    }
    this.checkOrder(before);
  }

  private addOne(table: Block, row: number, firstLine: number): void {
    if (formOf(table, row) === NAMED) this.addNamed(table, row, row + 1);
    else this.addRecords(table, row, row + 1, firstLine);
  }

  private addAll(table: Block, firstLine: number): void {
    const columns = table.columns.flags!.length;
    for (let from = 0; from < columns; ) {
      const form = formOf(table, from);
      let to = from + 1;
      while (to < columns && formOf(table, to) === form) to++;
      if (form === NAMED) this.addNamed(table, from, to);
      else if (form === OF_FILE && this.files.marked === null)
        this.addFiles(table.columns.file as Uint32Array, from, to);
      else this.addRecords(table, from, to, firstLine);
      from = to;
    }
  }

  private addNamed({ columns }: Block, from: number, to: number): void {
    this.named = true;
    this.addRun(
      { bytes: columns.idBytes as Uint8Array, offsets: columns.idOffsets as Uint32Array },
      from,
      to,
    );
  }

  /** Files that follow one another in the list do so in its bytes: they are copied at once. */
  private addFiles(file: Uint32Array, from: number, to: number): void {
    while (from < to) {
      let end = from + 1;
      while (end < to && file[end] === file[end - 1]! + 1) end++;
      this.addRun(this.files.ids, file[from]!, file[end - 1]! + 1);
      from = end;
    }
  }

  /** Appends the ids `from` to `to` (exclusive) of a table. */
  private addRun({ bytes, offsets }: IdTable, from: number, to: number): void {
    const shift = this.bytes.length - offsets[from]!;
    this.bytes.append(bytes.subarray(offsets[from]!, offsets[to]!));
    const ends = this.offsets.extend(to - from);
    for (let i = from; i < to; i++) ends[i - from] = offsets[i + 1]! + shift;
  }

  private addRecords({ columns }: Block, from: number, to: number, firstLine: number): void {
    const { file, record } = columns;
    for (let column = from; column < to; column++) {
      this.files.appendAddress(file![column]!, record![column]!, firstLine, this.bytes);
      this.offsets.push(this.bytes.length);
    }
  }

  private checkOrder(before: number): void {
    const table = this.table;
    const { offsets } = table;
    for (let i = Math.max(1, before); this.ascending && i + 1 < offsets.length; i++) {
      const isGreater = compareIds(table, i - 1, i) < 0;
      const longer = offsets[i + 1]! - offsets[i]! - (offsets[i]! - offsets[i - 1]!);
      if (!isGreater) this.ascendsByBytes = false;
      if (longer < 0 || (longer === 0 && !isGreater)) this.ascendsByLength = false;
    }
  }
}

function formOf({ columns }: Block, column: number): number {
  if ((columns.flags![column]! & HAS_ID) !== 0) return NAMED;
  return columns.record![column] === WHOLE_FILE ? OF_FILE : OF_RECORD;
}

/** Whether a row is of another document than the one before it. */
function beginsDocument(file: Uint32Array, record: Float64Array, row: number): boolean {
  return row === 0 || file[row] !== file[row - 1] || record[row] !== record[row - 1];
}

/**
 * The first row of every document in a table of units. One that is a whole file goes on in the next table, where a large text
 * is read in parts.
 *
 * @param lastFile the file of the last document before; -1: there was none, or it is none
 * @returns the same for what comes after
 */
function eachDocument(
  { file, record }: DocumentTables['tables'][number]['columns'],
  lastFile: number,
  begins: (row: number) => void,
): number {
  for (let row = 0; row < file.length; row++) {
    const goesOn = record[row] === WHOLE_FILE && file[row] === lastFile;
    if (!goesOn && beginsDocument(file, record, row)) begins(row);
    lastFile = record[row] === WHOLE_FILE ? file[row]! : -1;
  }
  return lastFile;
}

/** The row that each document begins with, when the blocks are put behind each other; at the end all rows. */
export function documentStarts(tables: DocumentTables['tables']): Uint32Array {
  const starts = new Uint32Column();
  let before = 0;
  let lastFile = -1;
  for (const { columns } of tables) {
    lastFile = eachDocument(columns, lastFile, (row) => starts.push(before + row));
    before += columns.file.length;
  }
  starts.push(before);
  return starts.view;
}
