/**
 * Encodes rows as bytes: `a TAB b LF`, the cells in the order of the columns; the first line has the column names. No other
 * file knows the form of a row.
 */

import type { IdTable } from '../../blocks/ids.js';
import { AtomicFile, type WrittenFile } from '../../store/files.js';
import { ByteWriter, millionthsOf, WORD, wordsOf } from './escaping.js';

/** Bytes collected before they are written. */
const PIECE = 1 << 20;

const TAB = 0x09;
const LINE_FEED = 0x0a;

/** A cell or a line with a fixed text. */
export const cellOf = (text: string): Uint8Array => Buffer.from(text, 'utf8');

/** The ids of a table as cells. `isPlain` marks ids written without an escape. */
export class IdCells {
  readonly ids: IdTable;
  readonly words: DataView;
  /** By id, 1 if it was written without an escape, and can be copied by words. */
  readonly isPlain: Uint8Array;

  constructor(ids: IdTable) {
    this.ids = ids;
    this.words = wordsOf(ids.bytes);
    this.isPlain = new Uint8Array(ids.offsets.length - 1);
  }
}

/** Collects rows and emits them in pieces of about 1 MB. Every row fills every column, in order. */
export class RowWriter {
  /** Number of complete rows. */
  rows = 0;
  private readonly out = new ByteWriter();
  private readonly sink: (piece: Uint8Array) => void;
  private isFirst = true;

  /** Begins with the line of column names. `sink` must use a piece before it returns. */
  constructor(columns: readonly string[], sink: (piece: Uint8Array) => void) {
    this.sink = sink;
    this.out.append(cellOf(`${columns.join('\t')}\n`));
  }

  id({ ids: { bytes, offsets }, words, isPlain }: IdCells, document: number): void {
    const [from, to] = [offsets[document]!, offsets[document + 1]!];
    if (isPlain[document] === 1) {
      this.begin();
      this.out.appendWords(words, from, to);
      return;
    }
    const length = this.text(bytes, from, to);
    if (length === to - from && to + WORD <= words.byteLength) isPlain[document] = 1;
  }

  /** Writes any bytes as a cell, escaped like ids; returns the number of bytes written. */
  text(bytes: Uint8Array, from: number, to: number): number {
    this.begin();
    const { length } = this.out;
    this.out.appendEscaped(bytes, from, to);
    return this.out.length - length;
  }

  /** Writes a fraction, 0 to 1; NaN is the empty cell. */
  fraction(value: number): void {
    this.millionths(millionthsOf(value));
  }

  /** Writes a fraction that is already rounded to millionths; a value below 0 is the empty cell. */
  millionths(value: number): void {
    this.begin();
    if (value >= 0) this.out.appendMillionths(value);
  }

  integer(value: number): void {
    this.begin();
    this.out.appendInteger(value);
  }

  /** Writes a cell made by `cellOf`. */
  word(cell: Uint8Array): void {
    this.begin();
    this.out.append(cell);
  }

  endRow(): void {
    this.out.reserve(1);
    this.out.put(LINE_FEED);
    this.isFirst = true;
    this.rows++;
    if (this.out.length >= PIECE) this.flush();
  }

  flush(): void {
    this.sink(this.out.written());
    this.out.clear();
  }

  private begin(): void {
    if (this.isFirst) {
      this.isFirst = false;
      return;
    }
    this.out.reserve(1);
    this.out.put(TAB);
  }
}

/** The location of a result file. JSON, so it can be the parameter of a task. */
export interface TableFile {
  /** The output folder. */
  readonly root: string;
  /** Relative to it, with `/`. */
  readonly file: string;
}

/** A result file whose rows are written one by one. End it with `finish`, or with `abandon` after an error. */
export class OpenRows {
  readonly rows: RowWriter;
  private readonly file: AtomicFile;

  /** @throws MinHashError WRITE_FAILED, DISK_FULL; as do calls of `rows` and `finish` */
  constructor({ root, file }: TableFile, columns: readonly string[]) {
    this.file = new AtomicFile(root, file);
    this.rows = new RowWriter(columns, (piece) => this.file.append(piece));
  }

  finish(): WrittenFile {
    this.rows.flush();
    return this.file.finish(this.rows.rows);
  }

  /** Removes the file. Never throws. */
  abandon(): void {
    this.file.abandon();
  }
}

/** Writes one result file: `fill` writes its rows. @throws MinHashError WRITE_FAILED: the file does not exist */
export function writeRows(
  file: TableFile,
  columns: readonly string[],
  fill: (rows: RowWriter) => void,
): WrittenFile {
  const open = new OpenRows(file, columns);
  try {
    fill(open.rows);
    return open.finish();
  } catch (error) {
    open.abandon();
    throw error;
  }
}
