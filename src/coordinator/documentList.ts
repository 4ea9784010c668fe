/**
 * The documents of a run by row (their position in reading order): columns from the tables of all batches, ids and
 * locations.
 *
 * A location identifies a document: a path, or the path of its file and the number of the record. An id is a label that
 * may repeat; a record without one has its location as id. Both are composed from files, numbers and stored labels when
 * they are written.
 */

import { ByteColumn } from '../arrays/growable.js';
import { rangeOf } from '../arrays/search.js';
import { sortUnique64 } from '../arrays/sort.js';
import { type Block, type Column, decodeBlock } from '../blocks/block.js';
import {
  type Counts,
  type CountsWithoutRow,
  countsWithoutRow,
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
import { fieldsRead } from '../sketch/params.js';
import { isWorkFile, workBlock, writeWorkFile } from '../store/workFiles.js';
import { ElementHash } from '../text/elements.js';
import { unitMark } from '../text/units.js';
import type { Run } from './context.js';
import type { SketchedBatch } from './sketch/source.js';
import type { RepeatedSkips } from './skips.js';

const MOST_I32 = 0x7fffffff;

/** Columns of a batch's table that are kept in memory, by row. src/blocks/documents.ts draws the whole table. */
export interface BatchFacts {
  readonly file: Uint32Array;
  readonly record: Float64Array | Int32Array;
  /** Null if whole documents are compared. */
  readonly unit: Float64Array | null;
  readonly flags: Uint8Array;
  readonly occurrences: Counts;
  /** Null for sets, which have no text. */
  readonly textBytes: Counts | null;
}

/** The tables of all batches (src/blocks/documents.ts). */
export interface BatchTables {
  /** By batch: its first row; the last entry is the number of rows. */
  readonly starts: Uint32Array;
  readonly facts: readonly BatchFacts[];
  /** By batch: the line of its first record; absent: 0. */
  readonly firstLines?: readonly number[];
  /** The whole table of a batch. It may be read from a file, so only few passes should use it. */
  table(batch: number): Pick<Block, 'columns' | 'meta'>;
}

/** Visits the facts of each batch with its first row. */
export function eachFacts(
  { starts, facts }: BatchTables,
  visit: (facts: BatchFacts, firstRow: number, batch: number) => void,
): void {
  for (const [batch, ofBatch] of facts.entries()) visit(ofBatch, starts[batch]!, batch);
}

/** Visits the whole table of each batch with its first row. */
export function eachTable(
  tables: BatchTables,
  visit: (table: Pick<Block, 'columns' | 'meta'>, firstRow: number) => void,
): void {
  for (let batch = 0; batch + 1 < tables.starts.length; batch++)
    visit(tables.table(batch), tables.starts[batch]!);
}

/** The columns of a run. */
export interface DocumentFacts extends BatchFacts {
  readonly tokens: BatchFacts['occurrences'];
  /** Ids of records; null: no record has an id. */
  readonly ids: IdTable | null;
}

/** The number of documents without a value in a field; names are those of `fieldsRead`. */
export type MissingLookup = (name: string) => number;

/** Locations of documents of an index, by their position in its batch. */
interface IndexedLocations {
  appendLocation(i: number, out: ByteColumn): void;
}

/** The documents of a run. Batches are added in order while later ones are still read; `finish` comes last. */
export class Documents implements BatchTables {
  /** By batch: its first row; the last entry is the number of rows. Complete after `finish`. */
  starts = new Uint32Array(1);
  /** By batch. */
  readonly facts: DocumentFacts[] = [];
  /** By batch: the line of its first record, from which its records are numbered; 0 if records are not lines. */
  readonly firstLines: number[] = [];
  /** Rows so far, and the bytes that they take in memory. */
  rows = 0;
  bytes = 0;
  /** Records that are not documents, by REASONS_LEFT_OUT. */
  readonly leftOutRecords: number[] = REASONS_LEFT_OUT.map(() => 0);
  withoutRow: CountsWithoutRow = { tooShort: 0, cut: 0 };
  private readonly skips: RepeatedSkips;
  private readonly files: FileTable;
  private readonly run: Pick<Run, 'engine' | 'params' | 'storage'>;
  private readonly lines = new LineNumbers();
  /** By name of a field: the number of documents without a value in it. */
  private readonly missing: Map<string, number>;
  private readonly mark: string | null;
  /** Documents of an index, in the last batch. */
  private reference: IndexedLocations | null = null;

  /** @param files an unnamed one for documents in memory */
  constructor(run: Pick<Run, 'engine' | 'params' | 'storage'>, files: FileTable, skips: RepeatedSkips) {
    const { unit } = run.params;
    this.run = run;
    this.files = files;
    this.skips = skips;
    this.missing = new Map(fieldsRead(run.params).map((name) => [name, 0]));
    this.mark = unit === 'document' ? null : unitMark(unit);
  }

  add({ block: k, split, report }: SketchedBatch): void {
    const { store } = this.run.engine;
    const folder = this.run.storage.filesIn;
    const name = NAMES.documents(k);
    const table = decodeBlock(store.get(name), 'documents', name);
    const firstLine = this.lines.firstOf(split, report.lines);
    // The file has the whole table, so only some columns are kept in memory.
    if (folder !== null) {
      if (!isWorkFile(folder, name)) writeWorkFile(folder, name, table);
      store.delete(name);
    }
    const facts = factsOf(table, this.isSets, folder !== null);
    this.facts.push(facts);
    this.firstLines.push(firstLine);
    this.rows += facts.flags.length;
    this.bytes += folder === null ? table.buffer.byteLength : bytesOf(facts);
    this.skips.add(table, firstLine);
    this.count(table, facts.flags.length);
  }

  /** Writes the tables so far to files. Later tables are written to files too. */
  toFiles(): void {
    const { store } = this.run.engine;
    this.bytes = 0;
    for (let k = 0; k < this.facts.length; k++) {
      const name = NAMES.documents(k);
      const table = decodeBlock(store.get(name), 'documents', name);
      writeWorkFile(this.run.storage.filesIn!, name, table);
      store.delete(name);
      this.facts[k] = factsOf(table, this.isSets, true);
      this.bytes += bytesOf(this.facts[k]!);
    }
  }

  /** @param reference documents of an index, in the last batch */
  finish(reference: IndexedLocations | null = null): void {
    this.reference = reference;
    this.starts = new Uint32Array(this.facts.length + 1);
    for (const [k, { flags }] of this.facts.entries()) this.starts[k + 1] = this.starts[k]! + flags.length;
  }

  /**
   * The whole table of a batch, with content keys, from the store or from its file. Callers use one table at a time.
   *
   * @throws MinHashError BLOCK_CHECKSUM
   */
  table(batch: number): Block {
    const { store } = this.run.engine;
    const folder = this.run.storage.filesIn;
    const name = NAMES.documents(batch);
    if (folder === null) return decodeBlock(store.get(name), 'documents', name);
    const table = workBlock(folder, name, 'documents');
    store.released(table.buffer.byteLength);
    return table;
  }

  /** The number of documents without a value in a field; names are those of `fieldsRead`. */
  readonly valuesMissing: MissingLookup = (name) => this.missing.get(name)!;

  /** Whether any record has an id. */
  get hasIds(): boolean {
    return this.facts.some(({ ids }) => ids !== null);
  }

  private get isSets(): boolean {
    return this.run.params.sets !== undefined;
  }

  private count(table: Block, rows: number): void {
    for (const [why, records] of passedIn(table).entries()) this.leftOutRecords[why]! += records;
    const { tooShort, cut } = countsWithoutRow(table);
    this.withoutRow = { tooShort: this.withoutRow.tooShort + tooShort, cut: this.withoutRow.cut + cut };
    for (const [field, name] of [...this.missing.keys()].entries())
      this.missing.set(name, this.valuesMissing(name) + missingIn(fieldColumns(table, field), rows));
  }

  batchOf(row: number): number {
    return rangeOf(this.starts, row);
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
    const hash = new ElementHash(0);
    const hashes = new Uint32Array(2 * this.rows);
    let count = 0;
    for (const { ids, flags, unit } of this.facts)
      for (let i = 0; i < flags.length; i++)
        if ((flags[i]! & HAS_ID) !== 0) {
          hash.write(ids!.bytes, ids!.offsets[i]!, ids!.offsets[i + 1]!, hashes, 2 * count);
          hashes[2 * count++]! ^= unit === null ? 0 : unit[i]!;
        }
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

function missingIn(values: FieldColumns | null, rows: number): number {
  if (values === null) return rows;
  let missing = 0;
  for (const kind of values.kinds) if (kind === MISSING) missing++;
  return missing;
}

function factsOf({ columns }: Block, isSets: boolean, isCopied: boolean): DocumentFacts {
  const column = <T extends Column>(name: string): T => {
    const values = columns[name]! as T;
    return (isCopied ? values.slice() : values) as T;
  };
  const hasIds = (columns.idBytes as Uint8Array).length > 0 || (columns.flags as Uint8Array).some(hasId);
  return {
    file: column('file'),
    record: isCopied ? narrowed(column('record')) : column('record'),
    unit: columns.unit === undefined ? null : column('unit'),
    flags: column('flags'),
    occurrences: column('occurrences'),
    textBytes: isSets ? null : column('textBytes'),
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
