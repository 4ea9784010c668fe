/**
 * Records and rows of the corpus as Spark SQL passes them to a script, form `tsv`: columns separated by TAB, an LF after each
 * row.
 *
 * A record is hex(key) TAB base64(value). A row of the corpus is hex(name of the file) TAB start (or number of the row) TAB
 * base64(line, or values of the row); the last column of an empty line is empty. Spark drops surplus columns and fills in missing
 * ones: here both are errors.
 */
import type { CorpusRow, CorpusSource, RecordSource } from '../stream/records.js';
import type { InputWindow, OutputWindow } from './descriptors.js';
import { type Counted, checkRecord, type FinishedSink, recordFault } from './recordFault.js';
import { base64Length, DecodedColumn, fromBase64, fromHex, toBase64, toHex } from './textColumns.js';

const TAB = 0x09;
const LF = 0x0a;

const NOTHING = new Uint8Array(0);

function beginsWith(bytes: Uint8Array, at: number, start: Uint8Array): boolean {
  for (let i = 0; i < start.length; i++) if (bytes[at + i] !== start[i]) return false;
  return true;
}

/** Reads rows: finds the places of their columns in the window. */
class ColumnReader {
  count = 0;
  /** Where each column of the current row begins; the last entry is where the next row begins. */
  readonly starts: number[] = [];
  /** Whether the row begins with the known columns of the row before. */
  isKnown = false;
  readonly input: InputWindow;
  private readonly columns: number;

  constructor(input: InputWindow, columns: number) {
    this.input = input;
    this.columns = columns;
  }

  /**
   * Finds the columns of the next row; false: no row is left.
   *
   * @param known all columns but the last of the row before: a row that begins with them is not searched, only `isKnown` is set
   * @throws MinHashError TASK_RECORD
   */
  next(known = NOTHING): boolean {
    const { input, starts, columns } = this;
    const length = input.lineEnd();
    if (length < 0) {
      if (input.at === input.end) return false;
      throw this.fault(input.end, 'the input ends within this row, before its line feed');
    }
    const { bytes, at } = input;
    const end = at + length;
    starts[0] = at;
    starts[columns] = end + 1;
    this.isKnown = known.length > 0 && known.length <= length && beginsWith(bytes, at, known);
    if (this.isKnown) {
      starts[columns - 1] = at + known.length;
      return true;
    }
    let from = at;
    for (let column = 1; column < columns; column++) {
      while (from < end && bytes[from] !== TAB) from++;
      if (from === end) throw this.fault(end, `expected ${columns} columns apart by TAB, got ${column}`);
      starts[column] = ++from;
    }
    return true;
  }

  /** Advances past the row. */
  done(): void {
    this.input.at = this.starts[this.columns]!;
    this.count++;
  }

  /** Throws for the byte at `wrong`; -1: no byte is wrong. @throws MinHashError TASK_RECORD */
  check(wrong: number, column: number, expected: string): void {
    if (wrong < 0) return;
    const end = this.starts[column + 1]! - 1;
    const { bytes } = this.input;
    const tab = bytes.indexOf(TAB, this.starts[column]);
    if (tab >= 0 && tab < end) throw this.fault(tab, `expected ${this.columns} columns, got more`);
    const byte = bytes[wrong]!;
    const why = wrong < end ? `the byte 0x${byte.toString(16).padStart(2, '0')} here` : 'the end here';
    throw this.fault(wrong, `column ${column + 1}: expected ${expected}, which ${why} is not`);
  }

  fault(at: number, why: string): Error {
    return recordFault(this.count, this.input.offset + at - this.input.at, why);
  }
}

const KEY = 'a key as pairs of hex digits in lower case';
const NAME = 'the name of a file as pairs of hex digits in lower case';
const BASE64 = 'base64 with padding';

/** Reads records in columns; keys and values are decoded into memory that is reused. */
export class ColumnSource implements RecordSource, Counted {
  private readonly columns: ColumnReader;
  private readonly keys = new DecodedColumn();
  private readonly values = new DecodedColumn();

  constructor(input: InputWindow) {
    this.columns = new ColumnReader(input, 2);
  }

  get count(): number {
    return this.columns.count;
  }

  get key(): Uint8Array {
    return this.keys.view;
  }

  get value(): Uint8Array {
    return this.values.view;
  }

  next(): boolean {
    const { columns, keys, values } = this;
    if (!columns.next()) return false;
    const { bytes } = columns.input;
    const [first, second, end] = columns.starts as [number, number, number];
    columns.check(fromHex(bytes, first, second - 1, keys), 0, KEY);
    columns.check(fromBase64(columns.input.buffer, second, end - 1, values), 1, BASE64);
    if (keys.view.length === 0) throw columns.fault(first, `column 1 is empty: expected ${KEY}`);
    if (values.view.length === 0) throw columns.fault(second, `column 2 is empty: expected ${BASE64}`);
    columns.done();
    return true;
  }
}

export class ColumnSink implements FinishedSink {
  count = 0;
  private readonly output: OutputWindow;

  constructor(output: OutputWindow) {
    this.output = output;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    checkRecord(key, value);
    const { output } = this;
    output.reserve(2 * key.length + base64Length(value.length) + 2);
    const { bytes } = output;
    let at = toHex(key, bytes, output.end);
    bytes[at++] = TAB;
    at = toBase64(value, output.buffer, at);
    bytes[at++] = LF;
    output.end = at;
    this.count++;
  }

  finish(): void {
    this.output.flush();
  }
}

/** The one row object, which each call of `next` overwrites. */
interface OpenRow {
  file: string;
  start: number;
  bytes: Uint8Array;
}

export class ColumnCorpus implements CorpusSource, Counted {
  private readonly current: OpenRow = { file: '', start: 0, bytes: new Uint8Array(0) };
  private readonly columns: ColumnReader;
  private readonly names = new DecodedColumn();
  private readonly lines = new DecodedColumn();
  /** The first two columns of the last row, and its first: the next row mostly has the same. */
  private known = NOTHING;
  private knownName = NOTHING;

  constructor(input: InputWindow) {
    this.columns = new ColumnReader(input, 3);
  }

  get count(): number {
    return this.columns.count;
  }

  get row(): CorpusRow {
    return this.current;
  }

  next(): boolean {
    const { columns, lines, current } = this;
    if (!columns.next(this.known)) return false;
    const { bytes } = columns.input;
    if (!columns.isKnown) this.learn(bytes);
    const third = columns.starts[2]!;
    columns.check(fromBase64(columns.input.buffer, third, columns.starts[3]! - 1, lines), 2, BASE64);
    current.bytes = lines.view;
    columns.done();
    return true;
  }

  private learn(bytes: Uint8Array): void {
    const { columns, current } = this;
    const [first, second, third] = columns.starts as [number, number, number];
    const { knownName } = this;
    if (knownName.length !== second - first || !beginsWith(bytes, first, knownName)) this.learnName(bytes);
    const start = Buffer.from(bytes.subarray(second, third - 1)).toString('latin1');
    current.start = Number(start);
    if (!/^(0|[1-9]\d{0,15})$/.test(start) || !Number.isSafeInteger(current.start))
      throw columns.fault(
        second,
        'column 2: expected where the split begins as a number of bytes, or the number of a row',
      );
    this.known = bytes.slice(first, third);
  }

  private learnName(bytes: Uint8Array): void {
    const { columns, names, current } = this;
    const [first, second] = columns.starts as [number, number];
    columns.check(fromHex(bytes, first, second - 1, names), 0, NAME);
    try {
      current.file = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(names.view);
    } catch {
      throw columns.fault(first, 'column 1: expected the name of a file in UTF-8');
    }
    if (current.file === '') throw columns.fault(first, 'column 1 is empty: expected the name of a file');
    this.knownName = bytes.slice(first, second);
  }
}
