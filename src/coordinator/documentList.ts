/**
 * The documents of a run by row (their position in reading order): columns from the tables of all batches, ids and
 * locations.
 *
 * A location identifies a document: a path, or the path of its file and the number of the record. An id is a label that
 * may repeat; a record without one has its location as id. Both are composed from files, numbers and stored labels when
 * they are written.
 */

import { ByteColumn } from '../arrays/growable.js';
import { sortUnique64 } from '../arrays/sort.js';
import { type Block, type Column, decodeBlock } from '../blocks/block.js';
import {
  type Counts,
  type CountsWithoutRow,
  countsWithoutRow,
  EMPTY,
  HAS_ID,
  passedIn,
  REASONS_LEFT_OUT,
} from '../blocks/documents.js';
import { type FieldColumns, fieldColumns, MISSING } from '../blocks/fieldValues.js';
import type { IdTable } from '../blocks/ids.js';
import { NAMES } from '../blocks/names.js';
import type { FileTable } from '../readers/list/fileTable.js';
import { idOfBytes } from '../readers/list/pathIds.js';
import { LineNumbers } from '../readers/split.js';
import { LISTED_BITS, LISTED_FLAGS } from '../result/facts.js';
import type { ResultParams } from '../sketch/params.js';
import type { Store } from '../store/store.js';
import { isWorkFile, workBlock, writeWorkFile } from '../store/workFiles.js';
import { unitMark } from '../text/units.js';
import type { SketchedBatch } from './sketch/source.js';
import type { RepeatedSkips } from './skips.js';
import type { Storage } from './storage.js';

const MOST_I32 = 0x7fffffff;

/** The columns of a batch's table that are kept in memory, by row. src/blocks/documents.ts draws the whole table. */
export interface DocumentFacts {
  readonly file: Uint32Array;
  readonly record: Float64Array | Int32Array;
  /** Null if whole documents are compared. */
  readonly unit: Float64Array | null;
  readonly flags: Uint8Array;
  readonly occurrences: Counts;
  /** Null for sets, which have no text. */
  readonly textBytes: Counts | null;
  readonly tokens: Counts;
  /** Ids of records; null: no record has an id. */
  readonly ids: IdTable | null;
}

/** Counts over all documents. */
interface DocumentTotals extends CountsWithoutRow {
  /**
   * Rows that list skipped locations, repeated ones included, and the rows among them that another batch has listed
   * too.
   */
  readonly skips: number;
  readonly skipsRepeated: number;
  /** Documents without a token, and rows of skipped.tsv about documents. */
  readonly empty: number;
  readonly listed: number;
  /** Records that are not documents, by REASONS_LEFT_OUT. */
  readonly leftOutRecords: readonly number[];
  /** The number of documents without a value in a field. */
  readonly valuesMissing: MissingLookup;
}

/** The number of documents without a value in a field; names are those of `fieldsRead`. */
export type MissingLookup = (name: string) => number;

/** Locations of documents of an index, by their position in its batch. */
interface IndexedLocations {
  appendLocation(i: number, out: ByteColumn): void;
}

type DocumentParams = Pick<ResultParams, 'unit' | 'sets'>;

/** The documents of a run, after all batches are read. */
export class Documents {
  /** By batch: its first row; the last entry is the number of rows. */
  readonly starts: Uint32Array;
  readonly totals: DocumentTotals;
  /** Whether any record has an id. */
  readonly hasIds: boolean;
  /** By batch. */
  readonly facts: readonly DocumentFacts[];
  /**
   * The whole table of a batch, with content keys, from the store or from its file. Throws MinHashError BLOCK_CHECKSUM.
   */
  readonly table: (batch: number) => Block;
  private readonly files: FileTable;
  /** By batch: the line of its first record, from which its records are numbered; 0 if records are not lines. */
  readonly firstLines: readonly number[];
  private readonly mark: string | null;
  private readonly isSets: boolean;
  /** Documents of an index, in the last batch. */
  private readonly reference: IndexedLocations | null;

  constructor(
    { facts, firstLines, totals, files, params }: DocumentColumns,
    table: (batch: number) => Block,
    reference: IndexedLocations | null = null,
  ) {
    this.reference = reference;
    this.starts = new Uint32Array(facts.length + 1);
    for (let k = 0; k < facts.length; k++) this.starts[k + 1] = this.starts[k]! + facts[k]!.flags.length;
    this.facts = facts;
    this.totals = totals;
    this.files = files;
    this.firstLines = firstLines;
    this.hasIds = facts.some(({ ids }) => ids !== null);
    this.mark = params.unit === 'document' ? null : unitMark(params.unit);
    this.isSets = params.sets !== undefined;
    this.table = table;
  }

  get rows(): number {
    return this.starts.at(-1)!;
  }

  batchOf(row: number): number {
    const { starts } = this;
    let low = 0;
    let high = starts.length - 2;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! <= row) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The number of a document within its source, from 0; -1 if the document is a file. */
  recordOf(row: number): number {
    const batch = this.batchOf(row);
    return this.facts[batch]!.record[row - this.starts[batch]!]!;
  }

  flagsOf(row: number): number {
    const batch = this.batchOf(row);
    return this.facts[batch]!.flags[row - this.starts[batch]!]!;
  }

  appendId(row: number, out: ByteColumn): void {
    const batch = this.batchOf(row);
    const { ids, flags, unit } = this.facts[batch]!;
    const i = row - this.starts[batch]!;
    if ((flags[i]! & HAS_ID) === 0) {
      this.appendLocation(row, out);
      return;
    }
    out.append(ids!.bytes.subarray(ids!.offsets[i]!, ids!.offsets[i + 1]!));
    if (unit !== null) out.appendBinary(this.mark! + unit[i]!);
  }

  /** The lines of a set may be in several files, so its location is its name. */
  appendLocation(row: number, out: ByteColumn): void {
    if (this.isSets) {
      this.appendId(row, out);
      return;
    }
    const batch = this.batchOf(row);
    const { file, record, unit } = this.facts[batch]!;
    const i = row - this.starts[batch]!;
    if (this.reference !== null && batch === this.facts.length - 1) {
      this.reference.appendLocation(i, out);
      return;
    }
    this.files.appendAddress(file[i]!, record[i]!, this.firstLines[batch]!, out);
    if (unit !== null) out.appendBinary(this.mark! + unit[i]!);
  }

  /** The location as text, for messages. */
  locationOf(row: number): string {
    const bytes = new ByteColumn();
    this.appendLocation(row, bytes);
    return idOfBytes(bytes.view);
  }

  /** The number of documents with an id that an earlier document has. Ascending ids need no comparison. */
  repeatedIds(): number {
    if (!this.hasIds || this.isSets || this.idsAscend()) return 0;
    const hashes = new Uint32Array(2 * this.rows);
    let count = 0;
    for (const { ids, flags, unit } of this.facts)
      for (let i = 0; i < flags.length; i++)
        if ((flags[i]! & HAS_ID) !== 0) writeHash(ids!, i, unit === null ? 0 : unit[i]!, hashes, 2 * count++);
    return count - sortUnique64(hashes, count);
  }

  /** Whether every id is longer than the previous one, or of equal length and greater. */
  private idsAscend(): boolean {
    let before: Uint8Array = new Uint8Array(0);
    for (const { ids, unit } of this.facts) {
      if (ids === null || unit !== null) return false;
      const { offsets, bytes } = ids;
      for (let i = 0; i + 1 < offsets.length; i++) {
        const id = bytes.subarray(offsets[i]!, offsets[i + 1]!);
        if (id.length < before.length) return false;
        let at = 0;
        if (id.length === before.length) {
          while (at < id.length && id[at] === before[at]) at++;
          if (at === id.length || id[at]! < before[at]!) return false;
        }
        before = id;
      }
    }
    return true;
  }
}

/** Writes a 64-bit hash of an id and a unit number; repeated ids are counted by it. */
function writeHash({ bytes, offsets }: IdTable, i: number, unit: number, out: Uint32Array, at: number): void {
  let low = 0x811c9dc5 ^ unit;
  let high = 0x9e3779b9;
  for (let byte = offsets[i]!; byte < offsets[i + 1]!; byte++) {
    low = Math.imul(low ^ bytes[byte]!, 0x01000193);
    high = Math.imul(high ^ bytes[byte]!, 0x85ebca6b) ^ (low >>> 15);
  }
  out[at] = low;
  out[at + 1] = high;
}

interface DocumentColumns {
  readonly facts: readonly DocumentFacts[];
  /** By batch: the number of its first line; 0 if records are not lines. */
  readonly firstLines: readonly number[];
  readonly totals: DocumentTotals;
  readonly files: FileTable;
  readonly params: DocumentParams;
}

/** Collects the tables of all batches in order, while later batches are still read. */
export class DocumentsBuilder {
  /** Rows so far, and the bytes that they take in memory. */
  rows = 0;
  bytes = 0;
  private readonly facts: DocumentFacts[] = [];
  private readonly firstLines: number[] = [];
  private readonly lines = new LineNumbers();
  private readonly skips: RepeatedSkips;
  private readonly files: FileTable;
  private readonly params: DocumentParams;
  private readonly store: Pick<Store, 'get' | 'delete' | 'released'>;
  private readonly storage: Storage;
  private readonly fields: readonly string[];
  /** By field: the number of documents without a value in it. */
  private readonly valuesMissing: number[];
  private readonly leftOutRecords: number[] = REASONS_LEFT_OUT.map(() => 0);
  private empty = 0;
  private listed = 0;
  private withoutRow: CountsWithoutRow = { tooShort: 0, cut: 0 };

  /** @param fields names of the fields that are read */
  constructor(
    store: Pick<Store, 'get' | 'delete' | 'released'>,
    files: FileTable,
    params: DocumentParams,
    skips: RepeatedSkips,
    fields: readonly string[],
    storage: Storage,
  ) {
    this.store = store;
    this.files = files;
    this.params = params;
    this.storage = storage;
    this.skips = skips;
    this.fields = fields;
    this.valuesMissing = fields.map(() => 0);
  }

  add({ block: k, split, report }: SketchedBatch): void {
    const { store, params } = this;
    const folder = this.storage.filesIn;
    const name = NAMES.documents(k);
    const table = decodeBlock(store.get(name), 'documents', name);
    const firstLine = this.lines.firstOf(split, report.lines);
    // The file has the whole table, so only some columns are kept in memory.
    if (folder !== null) {
      if (!isWorkFile(folder, name)) writeWorkFile(folder, name, table);
      store.delete(name);
    }
    const facts = factsOf(table, params, folder !== null);
    this.facts.push(facts);
    this.firstLines.push(firstLine);
    this.rows += facts.flags.length;
    this.bytes += folder === null ? table.buffer.byteLength : bytesOf(facts);
    this.skips.add(table, firstLine);
    this.count(table, facts.flags);
  }

  /** Writes the tables so far to files. Later tables are written to files too. */
  toFiles(): void {
    const folder = this.storage.filesIn!;
    this.bytes = 0;
    for (let k = 0; k < this.facts.length; k++) {
      const name = NAMES.documents(k);
      const table = decodeBlock(this.store.get(name), 'documents', name);
      writeWorkFile(folder, name, table);
      this.store.delete(name);
      this.facts[k] = factsOf(table, this.params, true);
      this.bytes += bytesOf(this.facts[k]!);
    }
  }

  private count(table: Block, flags: Uint8Array): void {
    for (const [why, records] of passedIn(table).entries()) this.leftOutRecords[why]! += records;
    const { tooShort, cut } = countsWithoutRow(table);
    this.withoutRow = { tooShort: this.withoutRow.tooShort + tooShort, cut: this.withoutRow.cut + cut };
    for (let i = 0; i < flags.length; i++) {
      if ((flags[i]! & LISTED_BITS) === 0) continue;
      if ((flags[i]! & EMPTY) !== 0) this.empty++;
      for (const { flag } of LISTED_FLAGS) if ((flags[i]! & flag) !== 0) this.listed++;
    }
    for (let field = 0; field < this.valuesMissing.length; field++)
      this.valuesMissing[field]! += missingIn(fieldColumns(table, field), flags.length);
  }

  /** @param reference documents of an index, in the last batch */
  finish(reference: IndexedLocations | null = null): Documents {
    const { store, facts, firstLines, files, params } = this;
    const folder = this.storage.filesIn;
    const totals = {
      ...this.withoutRow,
      ...{ skips: this.skips.taken, skipsRepeated: this.skips.repeated },
      ...{ empty: this.empty, listed: this.listed },
      leftOutRecords: this.leftOutRecords,
      valuesMissing: (name: string) => this.valuesMissing[this.fields.indexOf(name)]!,
    };
    const tableOf = (k: number): Block => {
      const name = NAMES.documents(k);
      if (folder === null) return decodeBlock(store.get(name), 'documents', name);
      const table = workBlock(folder, name, 'documents');
      // Callers use one table at a time.
      store.released(table.buffer.byteLength);
      return table;
    };
    return new Documents({ facts, firstLines, totals, files, params }, tableOf, reference);
  }
}

function missingIn(values: FieldColumns | null, rows: number): number {
  if (values === null) return rows;
  let missing = 0;
  for (const kind of values.kinds) if (kind === MISSING) missing++;
  return missing;
}

function factsOf({ columns }: Block, { sets }: DocumentParams, isCopied: boolean): DocumentFacts {
  const column = <T extends Column>(name: string): T => {
    const found = columns[name]! as T;
    return (isCopied ? found.slice() : found) as T;
  };
  const hasIds = (columns.idBytes as Uint8Array).length > 0 || (columns.flags as Uint8Array).some(hasId);
  return {
    file: column('file'),
    record: isCopied ? narrowed(column('record')) : column('record'),
    unit: columns.unit === undefined ? null : column('unit'),
    flags: column('flags'),
    occurrences: column('occurrences'),
    textBytes: sets === undefined ? column('textBytes') : null,
    tokens: column('tokens'),
    ids: hasIds ? { offsets: column('idOffsets'), bytes: column('idBytes') } : null,
  };
}

/** Record numbers as int32 if they fit: the columns of all batches are kept in memory. */
function narrowed(records: Float64Array): Float64Array | Int32Array {
  return records.some((record) => record > MOST_I32) ? records : Int32Array.from(records);
}

const hasId = (flags: number): boolean => (flags & HAS_ID) !== 0;

function bytesOf({ ids, ...columns }: DocumentFacts): number {
  let bytes = ids === null ? 0 : ids.offsets.byteLength + ids.bytes.length;
  for (const column of Object.values(columns)) bytes += column === null ? 0 : column.byteLength;
  return bytes;
}
