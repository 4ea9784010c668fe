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
import { EMPTY, HAS_ID, REPAIRED } from '../blocks/documents.js';
import { ByteColumn, Uint32Column } from '../blocks/growable.js';
import type { IdTable } from '../blocks/idTable.js';
import type { BlockStore } from '../engine/engine.js';
import type { FileTable } from '../storage/fileTable.js';
import { IdCollector, PlaceNames } from './corpusIds.js';
import { RepeatedSkips } from './corpusSkips.js';
import { Places } from './places.js';
import { numberedRows } from './repeatedIds.js';
import type { SketchedBlock } from './sketching.js';
import type { SkipList } from './skipped.js';

export interface Corpus {
  /** Documents n. */
  readonly documents: number;
  /** Ids in byte order, by document number. In shared memory. */
  readonly ids: IdTable;
  /** Null: the id of every document is its place. */
  readonly places: Places | null;
  /** Where document d stands: column block and column. */
  readonly blockOf: Uint32Array;
  readonly columnOf: Uint32Array;
  /** 1: no tokens. */
  readonly empty: Uint8Array;
  /** Four uint32 a document. */
  readonly contentKeys: Uint32Array;
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
    /** Null of sets, which have no text. */
    readonly textBytes: Float64Array | null;
    readonly flags: Uint8Array;
  };
}

export interface CorpusCounts {
  /** Documents that are called by their place, because the id that their record names is that of another. */
  readonly repeatedIds: number;
  readonly empty: number;
  readonly repaired: number;
  readonly shingleOccurrences: number;
}

/** A document in the table, its id apart: where it stands, its content key, flags, its file, record, shingles and bytes. */
const DOCUMENT_BYTES = 58;

/** Takes the document tables of the column blocks, in order, and numbers the documents. Row: a document in that order. */
export class CorpusBuilder {
  /** What was added. */
  readonly blocks: SketchedBlock[] = [];
  private readonly store: Pick<BlockStore, 'get'>;
  private readonly files: FileTable | null;
  private readonly places: PlaceNames;
  private readonly skips: RepeatedSkips;
  private readonly ids: IdCollector;
  private readonly tables: ColumnTable[] = [];
  /** The number of the first line of each block; null where records are not lines. */
  private readonly firstLines: (number | null)[] = [];
  private readonly nextLines = new Map<number, number>();
  private readonly blockOf = new Uint32Column();
  private readonly columnOf = new Uint32Column();
  private readonly contentKeys = new Uint32Column();
  private readonly flags = new ByteColumn();
  private shingleOccurrences = 0;

  /**
   * @param files the input files by number, null for documents in memory
   * @param skipped what the blocks skipped is added to it
   */
  constructor(store: Pick<BlockStore, 'get'>, files: FileTable | null, skipped: SkipList) {
    this.store = store;
    this.files = files;
    this.places = new PlaceNames(files);
    this.ids = new IdCollector(files);
    this.skips = new RepeatedSkips(this.places, skipped);
  }

  /** Rows and skips of the tables taken in. */
  get totals(): { readonly rows: number; readonly skips: number } {
    return { rows: this.flags.length, skips: this.skips.taken };
  }

  /** Bytes of the table so far: its columns, and ids. `finish` takes as many again. */
  get bytes(): number {
    return DOCUMENT_BYTES * this.flags.length + this.ids.table.bytes.length;
  }

  add(block: SketchedBlock): void {
    const table = decodeBlock(this.store.get(`documents/${block.block}`), 'documents', block.label);
    const firstLine = this.firstLineOf(block);
    this.blocks.push(block);
    const { flags, contentKey, occurrences, textBytes, file, record } = table.columns;
    // Copies: ids and keys are kept elsewhere, and the block shall be able to leave memory.
    const kept = {
      file: (file as Uint32Array).slice(),
      record: (record as Float64Array).slice(),
      occurrences: (occurrences as Float64Array).slice(),
      textBytes: (textBytes as Float64Array).slice(),
      flags: (flags as Uint8Array).slice(),
    };
    this.tables.push({ columns: kept });
    this.firstLines.push(firstLine);
    this.ids.add(table, firstLine);
    this.blockOf.extend(flags!.length).fill(block.block);
    const columns = this.columnOf.extend(flags!.length);
    for (let column = 0; column < columns.length; column++) columns[column] = column;
    this.contentKeys.append(contentKey as Uint32Array);
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

  /**
   * The corpus. Of documents with equal ids the first by (path, record) keeps it, the others are called by their places.
   *
   * @param take told of the bytes of these places before they are numbered
   */
  finish(take: (bytes: number) => void = () => {}): Corpus {
    const all = this.ids.table;
    const numbered = this.ids.ascending ? null : numberedRows(all, this.rowFacts(), take);
    const rows = numbered?.rows ?? null;
    const contentKeys = this.contentKeys.view;
    const where = {
      blockOf: gathered(this.blockOf.view, rows),
      columnOf: gathered(this.columnOf.view, rows),
      tables: this.tables,
    };
    return {
      ...where,
      documents: this.flags.length,
      ids: numbered?.ids ?? sharedIds(all),
      places: this.ids.named ? new Places(where, this.files, this.firstLines) : null,
      empty: this.emptyOf(rows),
      contentKeys: rows === null ? sharedCopy(contentKeys) : gatheredKeys(contentKeys, rows),
      counts: this.countsOf(numbered?.repeated ?? 0),
      skipsRepeated: this.skips.repeated,
    };
  }

  private rowFacts(): Parameters<typeof numberedRows>[1] {
    const flags = this.flags.view;
    const blockOf = this.blockOf.view;
    const columnOf = this.columnOf.view;
    const { tables, places, firstLines } = this;
    const fileOf = (row: number): number => tables[blockOf[row]!]!.columns.file[columnOf[row]!]!;
    return {
      isNamed: (row) => (flags[row]! & HAS_ID) !== 0,
      fileOf,
      appendPlace: (row, out) => {
        const record = tables[blockOf[row]!]!.columns.record[columnOf[row]!]!;
        places.append(fileOf(row), record, firstLines[blockOf[row]!]!, out);
      },
    };
  }

  private emptyOf(rows: Uint32Array | null): Uint8Array {
    const flags = this.flags.view;
    const empty = new Uint8Array(new SharedArrayBuffer(flags.length));
    for (let d = 0; d < empty.length; d++) if (flags[rows === null ? d : rows[d]!]! & EMPTY) empty[d] = 1;
    return empty;
  }

  private countsOf(repeatedIds: number): CorpusCounts {
    let empty = 0;
    let repaired = 0;
    for (const flag of this.flags.view) {
      if (flag & EMPTY) empty++;
      if (flag & REPAIRED) repaired++;
    }
    return { repeatedIds, empty, repaired, shingleOccurrences: this.shingleOccurrences };
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

function gatheredKeys(keys: Uint32Array, rows: Uint32Array): Uint32Array {
  const result = sharedU32(4 * rows.length);
  for (let d = 0; d < rows.length; d++) {
    for (let word = 0; word < 4; word++) result[4 * d + word] = keys[4 * rows[d]! + word]!;
  }
  return result;
}
