/**
 * The corpus as one list: document tables of all column blocks -> ids in byte order, and a number for every document.
 *
 * A document's number is its rank in id order, so "first in id order" is everywhere the smaller number, and whatever is
 * sorted by number is sorted by id.
 *
 * Floor 4. Tables are taken in as their blocks arrive, while the workers read on: what is left to do at the end, they
 * would wait for.
 */
import { decodeBlock } from '../blocks/block.js';
import { EMPTY, REPAIRED } from '../blocks/documents.js';
import { ByteColumn, Uint32Column } from '../blocks/growable.js';
import { compareIds, type IdTable, idOrder } from '../blocks/idTable.js';
import type { BlockStore } from '../engine/engine.js';
import type { FileTable } from '../storage/fileTable.js';
import { IdCollector, PlaceNames } from './corpusIds.js';
import { RepeatedSkips } from './corpusSkips.js';
import type { SketchedBlock } from './sketching.js';
import type { SkipList } from './skipped.js';

export interface Corpus {
  /** Documents n, without those skipped. */
  readonly documents: number;
  /** Ids in byte order, by document number. In shared memory. */
  readonly ids: IdTable;
  /** Where document d stands: column block and column. */
  readonly blockOf: Uint32Array;
  readonly columnOf: Uint32Array;
  /** 1: no tokens. */
  readonly empty: Uint8Array;
  /** Four uint32 a document. */
  readonly contentKeys: Uint32Array;
  /** The same of the bytes of each; null where there is no text: sets. */
  readonly textKeys: Uint32Array | null;
  /** By column block. */
  readonly tables: readonly ColumnTable[];
  readonly counts: CorpusCounts;
  /** Skips that say again what an earlier block said: a file that cannot be read fails in each of its byte ranges. */
  readonly skipsRepeated: number;
}

/** What stays known of a column block's documents: columns of the document table (src/blocks/documents.ts). */
export interface ColumnTable {
  readonly columns: {
    readonly file: Uint32Array;
    readonly record: Float64Array;
    readonly occurrences: Float64Array;
    readonly flags: Uint8Array;
  };
}

export interface CorpusCounts {
  /** Documents met: those of the corpus and those skipped because of their id. */
  readonly read: number;
  readonly empty: number;
  readonly repaired: number;
  readonly shingleOccurrences: number;
}

/** A document in the table, its id apart: where it stands, its two keys, flags, its file, record and occurrences. */
const DOCUMENT_BYTES = 66;

/** Takes the document tables of the column blocks, in order, and numbers the documents. Row: a document in that order. */
export class CorpusBuilder {
  /** What was added. */
  readonly blocks: SketchedBlock[] = [];
  private readonly store: Pick<BlockStore, 'get'>;
  private readonly places: PlaceNames;
  private readonly skipped: SkipList;
  private readonly skips: RepeatedSkips;
  private readonly ids: IdCollector;
  private readonly tables: ColumnTable[] = [];
  /** The number of the first line of each block; null where records are not lines. */
  private readonly firstLines: (number | null)[] = [];
  private readonly nextLines = new Map<number, number>();
  private readonly blockOf = new Uint32Column();
  private readonly columnOf = new Uint32Column();
  private readonly contentKeys = new Uint32Column();
  private readonly textKeys = new Uint32Column();
  private readonly flags = new ByteColumn();
  private shingleOccurrences = 0;
  private repeatedIds = 0;

  /**
   * @param files the input files by number, null for documents in memory
   * @param skipped what the blocks skipped is added to it at once, what is skipped because of its id in `finish`
   */
  constructor(store: Pick<BlockStore, 'get'>, files: FileTable | null, skipped: SkipList) {
    this.store = store;
    this.places = new PlaceNames(files);
    this.ids = new IdCollector(files);
    this.skipped = skipped;
    this.skips = new RepeatedSkips(this.places, skipped);
  }

  /** Rows and skips of the tables taken in, and rows that `finish` skipped because of their ids. */
  get totals(): { readonly rows: number; readonly skips: number; readonly repeatedIds: number } {
    return { rows: this.flags.length, skips: this.skips.taken, repeatedIds: this.repeatedIds };
  }

  /** Bytes of the table so far: its columns, and ids. `finish` takes as many again. */
  get bytes(): number {
    return DOCUMENT_BYTES * this.flags.length + this.ids.table.bytes.length;
  }

  add(block: SketchedBlock): void {
    const table = decodeBlock(this.store.get(`documents/${block.block}`), 'documents', block.label);
    const firstLine = this.firstLineOf(block);
    this.blocks.push(block);
    const { flags, contentKey, textKey, occurrences, file, record } = table.columns;
    // Copies: ids and keys are kept elsewhere, and the block shall be able to leave memory.
    const kept = {
      file: (file as Uint32Array).slice(),
      record: (record as Float64Array).slice(),
      occurrences: (occurrences as Float64Array).slice(),
      flags: (flags as Uint8Array).slice(),
    };
    this.tables.push({ columns: kept });
    this.firstLines.push(firstLine);
    this.ids.add(table, firstLine);
    this.blockOf.extend(flags!.length).fill(block.block);
    const columns = this.columnOf.extend(flags!.length);
    for (let column = 0; column < columns.length; column++) columns[column] = column;
    this.contentKeys.append(contentKey as Uint32Array);
    this.textKeys.append(textKey as Uint32Array);
    this.flags.append(flags as Uint8Array);
    for (let column = 0; column < occurrences!.length; column++)
      this.shingleOccurrences += occurrences![column]!;
    this.skips.add(table, firstLine);
  }

  private firstLineOf({ source, report }: SketchedBlock): number | null {
    if (source.kind === 'chunk') return source.firstLine;
    if (source.kind !== 'range') return null;
    const first = this.nextLines.get(source.index) ?? 0;
    this.nextLines.set(source.index, first + report.lines);
    return first;
  }

  /** The corpus. Of documents with equal ids the first by (path, record) stays; the others are skipped. */
  finish(): Corpus {
    const all = this.ids.table;
    const rows = this.ids.ascending ? null : this.keptRows(all);
    const n = rows?.length ?? all.offsets.length - 1;
    return {
      documents: n,
      ids: rows === null ? sharedIds(all) : gatheredIds(all, rows),
      blockOf: gathered(this.blockOf.view, rows),
      columnOf: gathered(this.columnOf.view, rows),
      empty: this.emptyOf(rows, n),
      contentKeys: gatheredKeys(this.contentKeys.view, rows),
      textKeys: gatheredKeys(this.textKeys.view, rows),
      tables: this.tables,
      counts: this.countsOf(rows, n),
      skipsRepeated: this.skips.repeated,
    };
  }

  /** The rows in the order of their ids, without the later ones of equal ids, which are skipped. */
  private keptRows(all: IdTable): Uint32Array {
    const order = idOrder(all);
    sortEqualIds(all, order, (row) => this.columnsOf(row).file![this.columnOf.view[row]!]!);
    const blockOf = this.blockOf.view;
    const columnOf = this.columnOf.view;
    let kept = 0;
    for (let i = 0; i < order.length; i++) {
      const row = order[i]!;
      if (kept > 0 && compareIds(all, order[kept - 1]!, row) === 0) {
        const { file, record } = this.columnsOf(row);
        const column = columnOf[row]!;
        const name = this.places.of(file![column]!, record![column]!, this.firstLines[blockOf[row]!]!);
        this.skipped.addBinary(name, 'DUPLICATE_ID');
        this.repeatedIds++;
        this.shingleOccurrences -= this.columnsOf(row).occurrences![column]!;
      } else {
        order[kept++] = row;
      }
    }
    return order.subarray(0, kept);
  }

  private columnsOf(row: number): ColumnTable['columns'] {
    return this.tables[this.blockOf.view[row]!]!.columns;
  }

  private emptyOf(rows: Uint32Array | null, n: number): Uint8Array {
    const empty = new Uint8Array(new SharedArrayBuffer(n));
    const flags = this.flags.view;
    for (let d = 0; d < n; d++) if (flags[rows === null ? d : rows[d]!]! & EMPTY) empty[d] = 1;
    return empty;
  }

  private countsOf(rows: Uint32Array | null, n: number): CorpusCounts {
    const flags = this.flags.view;
    let empty = 0;
    let repaired = 0;
    for (let d = 0; d < n; d++) {
      const flag = flags[rows === null ? d : rows[d]!]!;
      if (flag & EMPTY) empty++;
      if (flag & REPAIRED) repaired++;
    }
    return { read: flags.length, empty, repaired, shingleOccurrences: this.shingleOccurrences };
  }
}

/**
 * Puts rows of equal ids in the order of their files. Rows ascend with the blocks, which is the order of
 * records within a file, but not of files: files of one document are gathered in groups that close after
 * lines files between them.
 */
function sortEqualIds(ids: IdTable, order: Uint32Array, fileOf: (row: number) => number): void {
  let start = 0;
  for (let i = 1; i <= order.length; i++) {
    if (i < order.length && compareIds(ids, order[start]!, order[i]!) === 0) continue;
    if (i - start > 1) order.subarray(start, i).sort((p, q) => fileOf(p) - fileOf(q) || p - q);
    start = i;
  }
}

const sharedU32 = (length: number): Uint32Array => new Uint32Array(new SharedArrayBuffer(4 * length));
const sharedU8 = (length: number): Uint8Array => new Uint8Array(new SharedArrayBuffer(length));

function sharedCopy(values: Uint32Array): Uint32Array {
  const copy = sharedU32(values.length);
  copy.set(values);
  return copy;
}

function sharedIds({ offsets, bytes }: IdTable): IdTable {
  const ids = { offsets: sharedCopy(offsets), bytes: sharedU8(bytes.length) };
  ids.bytes.set(bytes);
  return ids;
}

/** The values of the rows; null: of all, in their order. */
function gathered(values: Uint32Array, rows: Uint32Array | null): Uint32Array {
  if (rows === null) return sharedCopy(values);
  const result = sharedU32(rows.length);
  for (let d = 0; d < rows.length; d++) result[d] = values[rows[d]!]!;
  return result;
}

function gatheredKeys(keys: Uint32Array, rows: Uint32Array | null): Uint32Array {
  if (rows === null) return sharedCopy(keys);
  const result = sharedU32(4 * rows.length);
  for (let d = 0; d < rows.length; d++) {
    for (let word = 0; word < 4; word++) result[4 * d + word] = keys[4 * rows[d]! + word]!;
  }
  return result;
}

function gatheredIds(all: IdTable, rows: Uint32Array): IdTable {
  const offsets = sharedU32(rows.length + 1);
  for (let d = 0; d < rows.length; d++) {
    offsets[d + 1] = offsets[d]! + all.offsets[rows[d]! + 1]! - all.offsets[rows[d]!]!;
  }
  const bytes = sharedU8(offsets[rows.length]!);
  for (let d = 0; d < rows.length; d++) {
    const from = all.offsets[rows[d]!]!;
    bytes.set(all.bytes.subarray(from, all.offsets[rows[d]! + 1]!), offsets[d]!);
  }
  return { offsets, bytes };
}
