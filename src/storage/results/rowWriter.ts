/**
 * Rows to bytes: cells in column order, in one of the three formats.
 *
 * Floor 2. The only place that knows how a row looks: `a TAB b LF`, `a,b LF`, `{"a":"..","b":".."} LF`. CSV
 * lines end in LF, not CR LF, so that every format has one LF a row. Knows nothing of what the columns mean.
 */
import type { ResultFormat } from '../../sketch/params.js';
import { ByteWriter } from './byteWriter.js';
import { appendEscaped } from './escaping.js';
import type { IdTable } from './idTable.js';
import { millionthsOf } from './millionths.js';

/** Bytes collected before they are written. */
const PIECE = 1 << 20;

const ascii = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const NULL = ascii('null');
const NOTHING = ascii('');

/** The bytes around the cells of a row. */
export interface RowFrame {
  /** The line of column names; nothing in JSON lines. */
  readonly head: Uint8Array;
  /** Before each cell. */
  readonly before: readonly Uint8Array[];
  /** Behind the last one. */
  readonly after: Uint8Array;
}

/** The frame of a table with these columns. */
export function rowFrame(format: ResultFormat, columns: readonly string[]): RowFrame {
  const json = format === 'jsonl';
  const separator = format === 'tsv' ? '\t' : ',';
  return {
    head: json ? NOTHING : ascii(`${columns.join(separator)}\n`),
    before: columns.map((name, i) =>
      ascii(json ? `${i === 0 ? '{' : ','}"${name}":` : i === 0 ? '' : separator),
    ),
    after: ascii(json ? '}\n' : '\n'),
  };
}

/** The cell of a value that is not there. */
export function emptyCell(format: ResultFormat): Uint8Array {
  return format === 'jsonl' ? NULL : NOTHING;
}

/** The cell of a number of millionths, at least 0. */
export function millionthsCell(millionths: number): Uint8Array {
  const out = new ByteWriter(16);
  out.appendMillionths(millionths);
  return out.written();
}

/** A cell with one of a few fixed texts, ready for a format: `wordCell('near', 'jsonl')` is `"near"`. */
export function wordCell(text: string, format: ResultFormat): Uint8Array {
  const out = new ByteWriter(64);
  const bytes = Buffer.from(text, 'utf8');
  appendEscaped(out, format, bytes, 0, bytes.length);
  return out.written();
}

/** Collects rows and hands them on in pieces of about 1 MB. Every row fills every column, in order. */
export class RowWriter {
  readonly format: ResultFormat;
  readonly #out = new ByteWriter(PIECE + 65536);
  readonly #sink: (piece: Uint8Array) => void;
  readonly #before: readonly Uint8Array[];
  readonly #after: Uint8Array;
  #column = 0;
  #rows = 0;

  /** Begins with the line of column names (none in JSON lines). `sink` must use a piece before it returns. */
  constructor(format: ResultFormat, columns: readonly string[], sink: (piece: Uint8Array) => void) {
    this.format = format;
    this.#sink = sink;
    const { head, before, after } = rowFrame(format, columns);
    this.#before = before;
    this.#after = after;
    this.#out.append(head);
  }

  /** Rows ended so far. */
  get rows(): number {
    return this.#rows;
  }

  id(ids: IdTable, document: number): void {
    this.text(ids.bytes, ids.offsets[document]!, ids.offsets[document + 1]!);
  }

  /** Any bytes, escaped as ids are. */
  text(bytes: Uint8Array, from: number, to: number): void {
    this.#begin();
    appendEscaped(this.#out, this.format, bytes, from, to);
  }

  /** 0 to 1; NaN is the empty cell, in JSON null. */
  fraction(value: number): void {
    this.millionths(millionthsOf(value));
  }

  /** A fraction already rounded; below 0 is the empty cell. */
  millionths(value: number): void {
    this.#begin();
    if (value >= 0) this.#out.appendMillionths(value);
    else this.#out.append(emptyCell(this.format));
  }

  integer(value: number): void {
    this.#begin();
    this.#out.appendInteger(value);
  }

  /** A cell made by `wordCell` for this format. */
  word(cell: Uint8Array): void {
    this.#begin();
    this.#out.append(cell);
  }

  endRow(): void {
    this.#out.append(this.#after);
    this.#column = 0;
    this.#rows++;
    if (this.#out.length >= PIECE) this.flush();
  }

  flush(): void {
    this.#sink(this.#out.written());
    this.#out.clear();
  }

  #begin(): void {
    this.#out.append(this.#before[this.#column++]!);
  }
}
