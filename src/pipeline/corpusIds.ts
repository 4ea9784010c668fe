/**
 * Ids of the documents of column blocks, in the order of reading: those they name themselves, else those of their places.
 *
 * Floor 4.
 */
import type { Block } from '../blocks/block.js';
import { HAS_ID, WHOLE_FILE } from '../blocks/documents.js';
import { ByteColumn, Uint32Column } from '../blocks/growable.js';
import { compareIds, type IdTable } from '../blocks/idTable.js';
import { placeEnd } from '../storage/filePlaces.js';
import type { FileTable } from '../storage/fileTable.js';
import { recordNumber } from './places.js';

/** Places of documents: `file`, `file#line` (from 1) or `file#index` (from 0); in memory `#index`. */
export class PlaceNames {
  private readonly files: FileTable | null;

  /** `files`: the input files by number, null for documents in memory. */
  constructor(files: FileTable | null) {
    this.files = files;
  }

  /** As a binary string. `firstLine`: the line the source begins with, null where records are not lines. */
  of(file: number, record: number, firstLine: number | null): string {
    const number = recordNumber(record, firstLine);
    return this.files?.place(file, number) ?? placeEnd(number);
  }

  /** Appends it without making a string of the file's id. */
  append(file: number, record: number, firstLine: number | null, out: ByteColumn): void {
    const { files } = this;
    const number = recordNumber(record, firstLine);
    if (files !== null) {
      const { bytes, offsets } = files.ids;
      out.append(bytes.subarray(offsets[file]!, offsets[file + 1]!));
    }
    out.appendBinary(placeEnd(files?.placeNumber(file, number) ?? number));
  }
}

/** Which of its three forms the id of a column has. */
const OF_FILE = 0;
const NAMED = 1;
const OF_RECORD = 2;

/** The ids of the blocks added so far. */
export class IdCollector {
  /** Every id is greater than the one before: they are in order, and none occurs twice. */
  ascending = true;
  /** Some record names its id. */
  named = false;
  private readonly files: FileTable | null;
  private readonly places: PlaceNames;
  private readonly bytes = new ByteColumn();
  private readonly offsets = new Uint32Column();

  constructor(files: FileTable | null) {
    this.files = files;
    this.places = new PlaceNames(files);
    this.offsets.push(0);
  }

  /** Views, valid until the next `add`. */
  get table(): IdTable {
    return { offsets: this.offsets.view, bytes: this.bytes.view };
  }

  /** `firstLine`: the line the block begins with, null where records are not lines. */
  add(table: Block, firstLine: number | null): void {
    const before = this.offsets.length - 1;
    const columns = table.columns.flags!.length;
    for (let from = 0; from < columns; ) {
      const form = formOf(table, from);
      let to = from + 1;
      while (to < columns && formOf(table, to) === form) to++;
      if (form === NAMED) this.addNamed(table, from, to);
      else if (form === OF_FILE && this.files!.marked === null)
        this.addFiles(table.columns.file as Uint32Array, from, to);
      else this.addRecords(table, from, to, firstLine);
      from = to;
    }
    this.checkOrder(before);
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
      this.addRun(this.files!.ids, file[from]!, file[end - 1]! + 1);
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

  private addRecords({ columns }: Block, from: number, to: number, firstLine: number | null): void {
    const { file, record } = columns;
    for (let column = from; column < to; column++) {
      this.places.append(file![column]!, record![column]!, firstLine, this.bytes);
      this.offsets.push(this.bytes.length);
    }
  }

  private checkOrder(before: number): void {
    const table = this.table;
    const end = table.offsets.length - 1;
    for (let i = Math.max(1, before); this.ascending && i < end; i++) {
      if (compareIds(table, i - 1, i) >= 0) this.ascending = false;
    }
  }
}

function formOf({ columns }: Block, column: number): number {
  if ((columns.flags![column]! & HAS_ID) !== 0) return NAMED;
  return columns.record![column] === WHOLE_FILE ? OF_FILE : OF_RECORD;
}
