/**
 * Where every document of a corpus stands, as result files tell it: the id of a file, and the number of the record in it.
 *
 * Only for corpora in which some record names its id: everywhere else the id is the place, and nothing is kept. It
 * follows from the document tables, which are held anyway.
 */

import { ByteColumn, Uint32Column } from '../../arrays/growable.js';
import type { Block } from '../../blocks/block.js';
import { idsIn, newIdBlock } from '../../blocks/idBlocks.js';
import { compareAcross, compareIds, type IdTable, idOrder, orderedIds } from '../../blocks/ids.js';
import type { FileTable } from '../../readers/list/fileTable.js';

/** Where documents stand by their numbers: in which column block and column, and what the tables of these say. */
export interface DocumentTables {
  readonly blockOf: Uint32Array;
  readonly columnOf: Uint32Array;
  readonly tables: readonly {
    readonly columns: { readonly file: Uint32Array; readonly record: Float64Array };
  }[];
}

/** Places of some documents: a name of the table of names each, and the number behind it (src/readers/list/pathIds.ts). */
export interface PlaceColumns {
  readonly name: Uint32Array;
  readonly number: Float64Array;
}

/** Documents in memory are in no file, so that their place is `#` and their number in the order given. */
const NO_FILES: IdTable = { offsets: new Uint32Array(2), bytes: new Uint8Array(0) };

export class Places {
  /** Ids of files. */
  readonly names: IdTable;
  private readonly corpus: DocumentTables;
  private readonly files: FileTable | null;
  private readonly firstLines: readonly number[];

  /** @param firstLines by column block: the line that it begins with, 0 where records are not lines */
  constructor(corpus: DocumentTables, files: FileTable | null, firstLines: readonly number[]) {
    this.corpus = corpus;
    this.files = files;
    this.firstLines = firstLines;
    this.names = files?.ids ?? NO_FILES;
  }

  of(documents: Uint32Array): PlaceColumns {
    const { blockOf, columnOf, tables } = this.corpus;
    const name = new Uint32Array(documents.length);
    const number = new Float64Array(documents.length);
    for (let i = 0; i < documents.length; i++) {
      const block = blockOf[documents[i]!]!;
      const column = columnOf[documents[i]!]!;
      const { file, record } = tables[block]!.columns;
      const told = record[column]!;
      name[i] = file[column]!;
      number[i] = this.files?.addressNumber(file[column]!, told, this.firstLines[block]!) ?? told;
    }
    return { name, number };
  }
}

/** What is known of rows: documents in the order of reading. */
interface RowFacts {
  /** Whether its id is one that its record names, not its place. */
  isNamed(row: number): boolean;
  fileOf(row: number): number;
  appendPlace(row: number, out: ByteColumn): void;
}

interface NumberedRows {
  /** By document number: the row. */
  readonly rows: Uint32Array;
  /** By document number, in byte order, distinct: a block of an id table. */
  readonly ids: Block;
  /** Documents that are called by their place, because what their record names is the id of another. */
  readonly repeated: number;
}

/**
 * Numbers for documents: ids as they are told -> one id a document, in byte order.
 *
 *      told                 place        called
 *      x                    a.jsonl#1    x            the first by (file, record) keeps it
 *      x                    b.jsonl#7    b.jsonl#7    every other is called by its place
 *      (none)               c.txt        c.txt        a place is nobody else's: it goes before ids that records name
 *      x                    d.jsonl#2    d.jsonl#2~1  where a record names just this place as its own id, which it keeps;
 *      d.jsonl#2            e.jsonl#1    d.jsonl#2    `~1`, or the first number that no id ends with
 *
 * Places are distinct (src/readers/list/pathIds.ts). So all names are, and only ids that repeat are ever replaced.
 *
 * @param take told of the bytes of new names before they are sorted in
 */
export function numberedRows(all: IdTable, facts: RowFacts, take: (bytes: number) => void): NumberedRows {
  const { kept, others } = keptRows(all, facts);
  if (others.length === 0) return { rows: kept, ids: idsOfRows(all, kept), repeated: 0 };
  const places = namesOf(others, facts, () => '');
  take(places.bytes.length + 16 * others.length);
  const clashing = clashesOf(all, kept, places);
  const end = clashing === null ? '' : `~${freeNumber(all, places)}`;
  const names = clashing === null ? places : namesOf(others, facts, (i) => (clashing[i] === 1 ? end : ''));
  const entries = merged(all, kept, names);
  const ids = joinedIds(all, names, entries);
  // From here on the entries are needed as rows.
  const told = all.offsets.length - 1;
  for (let d = 0; d < entries.length; d++) if (entries[d]! >= told) entries[d] = others[entries[d]! - told]!;
  return { rows: entries, ids, repeated: others.length };
}

/** The rows that keep their ids, in the order of these, and all others, in the order of reading. */
function keptRows(all: IdTable, facts: RowFacts): { kept: Uint32Array; others: Uint32Array } {
  const { order, distinct } = orderedIds(all);
  if (distinct) return { kept: order, others: new Uint32Array(0) };
  const others = new Uint32Column();
  let count = 0;
  for (let from = 0, to = 0; from < order.length; from = to) {
    let keeper = order[from]!;
    for (to = from + 1; to < order.length && compareIds(all, keeper, order[to]!) === 0; to++) {
      const row = order[to]!;
      if (isBefore(row, keeper, facts)) {
        others.push(keeper);
        keeper = row;
      } else others.push(row);
    }
    order[count++] = keeper;
  }
  return { kept: order.subarray(0, count), others: others.view.slice().sort() };
}

/**
 * Rows ascend with the blocks, which is the order of records within a file, but not of files: files of one document are
 * gathered in groups that close after lines files between them.
 */
function isBefore(row: number, other: number, facts: RowFacts): boolean {
  const [named, otherNamed] = [facts.isNamed(row), facts.isNamed(other)];
  if (named !== otherNamed) return otherNamed;
  return (
    facts.fileOf(row) - facts.fileOf(other) < 0 || (facts.fileOf(row) === facts.fileOf(other) && row < other)
  );
}

/** The places of rows, with an end of its own behind each. */
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

/** By name: 1 where a row keeps the same one; null: none does. */
function clashesOf(all: IdTable, kept: Uint32Array, names: IdTable): Uint8Array | null {
  let clashing: Uint8Array | null = null;
  let at = 0;
  for (const i of idOrder(names)) {
    while (at < kept.length && compareAcross(all, kept[at]!, names, i) < 0) at++;
    if (at === kept.length || compareAcross(all, kept[at]!, names, i) !== 0) continue;
    clashing ??= new Uint8Array(names.offsets.length - 1);
    clashing[i] = 1;
  }
  return clashing;
}

/** The least number from 1 so that neither table has an id that ends with `~` and it. */
function freeNumber(...tables: readonly IdTable[]): number {
  const most = tables.reduce((sum, { offsets }) => sum + offsets.length, 0);
  const used = new Uint8Array(most + 1);
  for (const { offsets, bytes } of tables) {
    for (let i = 0; i + 1 < offsets.length; i++) {
      let at = offsets[i + 1]! - 1;
      let value = 0;
      // Numbers that are larger than all ids together are of no interest.
      for (let unit = 1; at >= offsets[i]! && isDigit(bytes[at]!) && unit <= 10 * most; unit *= 10) {
        value += unit * (bytes[at--]! - 0x30);
      }
      if (at >= offsets[i]! && bytes[at] === 0x7e && value <= most) used[value] = 1;
    }
  }
  let number = 1;
  while (used[number] === 1) number++;
  return number;
}

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;

/** Kept rows and names (their number behind those of all ids) in the order of their ids. */
function merged(all: IdTable, kept: Uint32Array, names: IdTable): Uint32Array {
  const order = idOrder(names);
  const told = all.offsets.length - 1;
  const entries = new Uint32Array(kept.length + order.length);
  let [at, next] = [0, 0];
  for (let d = 0; d < entries.length; d++) {
    const isKept =
      next === order.length || (at < kept.length && compareAcross(all, kept[at]!, names, order[next]!) < 0);
    entries[d] = isKept ? kept[at++]! : told + order[next++]!;
  }
  return entries;
}

/** The ids of rows of a table, as a block. */
export function idsOfRows(all: IdTable, rows: Uint32Array): Block {
  return joinedIds(all, all, rows);
}

/** Longer ids are copied by a call, because a view costs as much as so many bytes. */
const SHORT = 32;

/** The ids of entries: those of the first table, and behind them those of the second. */
function joinedIds(all: IdTable, names: IdTable, entries: Uint32Array): Block {
  const told = all.offsets.length - 1;
  const lengthOf = ({ offsets: ends }: IdTable, i: number): number => ends[i + 1]! - ends[i]!;
  let length = 0;
  for (const entry of entries) length += entry < told ? lengthOf(all, entry) : lengthOf(names, entry - told);
  const block = newIdBlock(entries.length, length);
  const { offsets, bytes } = idsIn(block);
  for (let d = 0, end = 0; d < entries.length; d++) {
    const isTold = entries[d]! < told;
    const table = isTold ? all : names;
    const i = isTold ? entries[d]! : entries[d]! - told;
    const [from, to] = [table.offsets[i]!, table.offsets[i + 1]!];
    if (to - from > SHORT) bytes.set(table.bytes.subarray(from, to), end);
    else for (let at = from, into = end; at < to; at++) bytes[into++] = table.bytes[at]!;
    end += to - from;
    offsets[d + 1] = end;
  }
  return block;
}
