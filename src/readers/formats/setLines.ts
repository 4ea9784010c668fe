/**
 * Turns lines `set TAB element [TAB weight]`, or the same as CSV, into rows, without an object per line.
 * Blank lines are ignored; any other line that is not a row is skipped with a reason.
 */

import type { RowBatch, RowSink } from '../../blocks/sets.js';
import type { ErrorCode } from '../../errors.js';
import {
  IS_SET_ROW,
  type Kernel,
  type RowFields,
  type RowLineScanner,
  SET_ROW_WORDS,
} from '../../kernel/kernel.js';
import type { SetsParams } from '../../sketch/params.js';
import { ElementHash, isValue, type RowRule } from '../../text/elements.js';
import { CODECS } from '../bytes/codecs.js';
import { startAfterMark } from '../bytes/encodings.js';
import { lineEnd } from '../bytes/records.js';
import { type LineTaker, MOST_ID_BYTES } from '../documentSink.js';
import {
  COMMA,
  CsvRecord,
  contentEnd,
  firstCells,
  MOST_QUOTED,
  NO_QUOTE,
  placeNamed,
  QUOTE,
  TAB,
} from './csv/csvRecord.js';

/** The fields of a file's lines. They may be quoted, as in RFC 4180, unless they are separated by TABs. JSON. */
export interface SetFields extends RowFields {
  /** The first line of the file has the names of the fields, and is not a row. */
  readonly header: boolean;
}

/** The separator of a file's fields: that of --separator, else a comma or a TAB by its name without the ending of a codec. */
export function separatorOfSets(id: string, separator: string | null): number {
  if (separator !== null) return separator.charCodeAt(0);
  const name = id.toLowerCase();
  const compressed = CODECS.flatMap(({ endings }) => endings).find((ending) => name.endsWith(ending));
  return name.endsWith(`.csv${compressed ?? ''}`) ? COMMA : TAB;
}

/**
 * The positions of the fields that `--columns` names or numbers, or null if the first line lacks a name. Of a
 * repeated name the first field counts.
 *
 * @param option the value of --separator; null: the name of the file decides
 * @param firstLine the first line of the file, read only where fields are named; may begin with a byte order
 * mark
 */
export function setFieldsOf(
  { columns, named }: Pick<SetsParams, 'columns' | 'named'>,
  id: string,
  firstLine: () => Uint8Array,
  option: string | null,
): SetFields | null {
  const separator = separatorOfSets(id, option);
  let places: number[];
  if (named) {
    const names = fieldNamesOf(firstLine(), separator);
    places = columns.map((name) => placeNamed(names, name));
    if (places.includes(-1)) return null;
  } else {
    places = columns.map((number) => Number(number) - 1);
  }
  return { set: places[0]!, element: places[1]!, weight: places[2] ?? -1, separator, header: named };
}

/** The names of fields in a first line, which may begin with a byte order mark; unquoted where quotes do not match. */
export function fieldNamesOf(line: Uint8Array, separator: number): readonly string[] {
  const from = startAfterMark(line);
  const bytes = Buffer.from(line.buffer, line.byteOffset, contentEnd(line, from, line.length));
  if (separator === TAB) return bytes.toString('utf8', from).split('\t');
  return firstCells(bytes, from, { separator, quote: QUOTE }, false)?.cells ?? [''];
}

const NO_BYTE = -1;
const ZERO = 0x30;
const NINE = 0x39;

const NUMBER = /^ *\+?(\d+\.?\d*|\.\d+)(e[+-]?\d+)? *$/i;
/** A double is exact for this many digits. */
const EXACT_DIGITS = 15;

export class SetLines implements LineTaker {
  /** Lines that are not rows and not problems: blank ones, and the line of field names. */
  passed = 0;
  readonly #fields: SetFields;
  readonly #rule: RowRule;
  readonly #sink: RowSink;
  /** Whether a line without a value is not a row. */
  readonly #needsValue: boolean;
  readonly #record: CsvRecord;
  readonly #scanner: RowLineScanner | null;
  readonly #hash: ElementHash;
  #elements = new Uint32Array(0);
  #values = new Float64Array(0);
  /** Of the set and the element of a line that the kernel leaves. */
  readonly #hashes = new Uint32Array(4);

  /** `seed`: of the hashes of names. */
  constructor(
    fields: SetFields,
    rule: RowRule,
    sink: RowSink,
    kernel: Pick<Kernel, 'rowLines'> | null = null,
    seed = 0,
  ) {
    this.#hash = new ElementHash(seed);
    this.#fields = fields;
    this.#rule = rule;
    this.#sink = sink;
    this.#needsValue = rule !== 'set' && rule !== 'bag';
    const { separator } = fields;
    const quote = separator === TAB ? NO_QUOTE : QUOTE;
    // Up to the last one needed.
    const wanted = 1 + Math.max(fields.set, fields.element, fields.weight);
    const rules = { separator, wanted, quote, mostQuoted: MOST_QUOTED, endsAtReturns: false };
    this.#record = new CsvRecord(rules);
    this.#scanner = kernel?.rowLines?.(fields, quote === NO_QUOTE ? NO_BYTE : QUOTE, seed) ?? null;
  }

  /** Emits the rows of the lines. `marked`: they begin the file, whose first line may name the fields. */
  run(file: number, first: number, bytes: Uint8Array, marked: boolean): number {
    let isHeader = marked && this.#fields.header;
    let from = marked ? startAfterMark(bytes) : 0;
    const to = bytes.length;
    if (from === to) {
      this.passed++;
      return 1;
    }
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#record.open(buffer);
    const scanner = this.#sink.many === undefined ? null : this.#scanner;
    let line = first;
    while (from < to) {
      const scanned = isHeader || scanner === null ? null : scanner;
      const count = scanned?.scan(buffer, from, to) ?? 0;
      const lines = Math.max(1, scanned?.lines ?? 0);
      if (count > 0 && this.#batched(scanned!, count, buffer, from)) {
        line += lines;
        from = scanned!.end;
        continue;
      }
      // Lines of a scan that are not all rows are read one by one.
      for (let i = 0; i < lines; i++) {
        from = this.#line(file, line++, buffer, from, to, isHeader);
        isHeader = false;
      }
    }
    return line - first;
  }

  /** Passes the scanned rows on; false: the sink does not take them, or some line is not a row. */
  #batched(scanner: RowLineScanner, count: number, bytes: Uint8Array, from: number): boolean {
    const sink = this.#sink;
    if (count > this.#values.length) {
      this.#elements = new Uint32Array(2 * count);
      this.#values = new Float64Array(count);
    }
    const elements = this.#elements;
    const values = this.#values;
    if (!this.#fill(scanner, count, elements, values)) return false;
    const number: RowBatch['number'] = (names, numbers) => scanner.number(names, numbers);
    if (sink.many?.(bytes, { count, from, to: scanner.end, elements, values, number }) !== true) return false;
    this.passed += scanner.blank;
    return true;
  }

  /** Fills the lists with the scanned rows; false: some line is not a row. A function of its own, so that its loop is compiled alone. */
  #fill(scanner: RowLineScanner, count: number, elements: Uint32Array, filled: Float64Array): boolean {
    const { rows, values } = scanner;
    for (let i = 0, at = 0; i < count; i++, at += SET_ROW_WORDS) {
      if (rows[at] !== IS_SET_ROW) return false;
      const given = values[at / 2 + 5]!;
      const isMissing = Number.isNaN(given);
      const value = isMissing ? 1 : given;
      if ((isMissing && this.#needsValue) || !isValue(this.#rule, value)) return false;
      elements[2 * i] = rows[at + 8]!;
      elements[2 * i + 1] = rows[at + 9]!;
      filled[i] = value;
    }
    return true;
  }

  /** Emits the row of the line that begins at `from`; returns where the next one begins. */
  #line(file: number, line: number, bytes: Buffer, from: number, to: number, isHeader: boolean): number {
    const record = this.#record;
    const end = lineEnd(bytes, from, to);
    // A record that continues on the next line is not a row; the next line is read again.
    const isCut = record.read(from) > end;
    if (isCut) record.open(bytes);
    if (isHeader || record.isBlank) this.passed++;
    else {
      const problem = isCut || record.isBroken ? 'SETS_BAD_QUOTES' : this.#give(bytes);
      if (problem !== null) this.#sink.skip(file, line, problem, null);
    }
    return end;
  }

  /** Emits the row of the record that was read, or returns the problem. */
  #give(bytes: Buffer): ErrorCode | null {
    const record = this.#record;
    const { fields, starts, ends } = record;
    if (!record.doubled.subarray(0, fields).includes(1)) return this.#row(bytes, fields, starts, ends);
    const cells = Array.from({ length: fields }, (_, i) => record.field(i));
    const places = new Uint32Array(fields + 1);
    for (const [i, { length }] of cells.entries()) places[i + 1] = places[i]! + length;
    return this.#row(Buffer.concat(cells), fields, places, places.subarray(1));
  }

  /** Emits the row of a line with this many fields, or returns the problem. */
  #row(bytes: Uint8Array, fields: number, starts: Uint32Array, ends: Uint32Array): ErrorCode | null {
    const { set, element, weight } = this.#fields;
    if (set >= fields || element >= fields) return 'SETS_NO_ELEMENT';
    const nameBytes = ends[set]! - starts[set]!;
    if (nameBytes === 0 || nameBytes > MOST_ID_BYTES) return 'SETS_BAD_NAME';
    if (ends[element] === starts[element]) return 'SETS_NO_ELEMENT';
    let value = 1;
    if (weight >= 0 && weight < fields && ends[weight]! > starts[weight]!) {
      value = numberIn(bytes, starts[weight]!, ends[weight]!);
    } else if (this.#needsValue) return 'SETS_BAD_WEIGHT';
    if (!isValue(this.#rule, value)) return 'SETS_BAD_WEIGHT';
    const hashes = this.#hashes;
    this.#hash.write(bytes, starts[set]!, ends[set]!, hashes, 0);
    this.#hash.write(bytes, starts[element]!, ends[element]!, hashes, 2);
    return this.#sink.row(
      bytes,
      starts[set]!,
      ends[set]!,
      starts[element]!,
      ends[element]!,
      value,
      hashes,
      0,
    );
  }
}

/**
 * The number from 0 that the bytes have in decimal, blanks around it allowed; NaN if they are not a number.
 */
function numberIn(bytes: Uint8Array, from: number, to: number): number {
  let value = 0;
  if (to - from <= EXACT_DIGITS) {
    let at = from;
    for (; at < to && bytes[at]! >= ZERO && bytes[at]! <= NINE; at++) value = 10 * value + bytes[at]! - ZERO;
    if (at === to) return value;
  }
  const text = String.fromCharCode(...bytes.subarray(from, Math.min(to, from + 400)));
  return to - from <= 400 && NUMBER.test(text) ? Number(text) : Number.NaN;
}
