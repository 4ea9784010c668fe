/**
 * From lines `set TAB element [TAB weight]`, or the same as CSV, to rows: no object a line.
 *
 * Blank lines are passed over; whatever else is no row is skipped and named.
 */

import type { RowSink } from '../../blocks/sets.js';
import type { ErrorCode } from '../../errors.js';
import type { SetsParams } from '../../sketch/params.js';
import { isValue, type RowRule } from '../../text/elements.js';
import { MOST_ID_BYTES } from '../documentSink.js';
import { textOf } from '../list/pathIds.js';
import { startAfterMark } from './jsonRecord.js';
import type { LineTaker } from './lineRanges.js';

/*
 * Which fields of a line say the set, the element and the weight: by number, or by the names in a file's first line.
 *
 * Never opens a file.
 */

/** The fields of a file's lines, counted from 0. JSON. */
export interface SetFields {
  readonly set: number;
  readonly element: number;
  /** -1: lines have none. */
  readonly weight: number;
  /** Fields are separated by commas and may be quoted, as in RFC 4180; else by tabs, and nothing is quoted. */
  readonly comma: boolean;
  /** The first line of the file names the fields, and is no row. */
  readonly header: boolean;
}

const QUOTE = 0x22;
const CARRIAGE_RETURN = 0x0d;

/** Whether a file's fields are separated by commas: by its name, without `.gz`. */
export function isCommaSeparated(id: string): boolean {
  return /\.csv(\.gz)?$/i.test(id);
}

/** Where the contents of a line end: before its line end, if it has one. */
function contentEnd(bytes: Uint8Array, from: number, to: number): number {
  let end = to;
  if (end > from && bytes[end - 1] === 0x0a) end--;
  if (end > from && bytes[end - 1] === CARRIAGE_RETURN) end--;
  return end;
}

/**
 * The fields that `--columns` asks for, or null where the first line does not name them. Of a name that stands there
 * twice the first field is meant.
 *
 * @param firstLine the first line of the file, read only where fields are named; may begin with a byte order mark
 */
export function setFieldsOf(
  { columns, named }: Pick<SetsParams, 'columns' | 'named'>,
  id: string,
  firstLine: () => Uint8Array,
): SetFields | null {
  const comma = isCommaSeparated(id);
  let places: number[];
  if (named) {
    const names = fieldNamesOf(firstLine(), comma);
    places = columns.map((name) => names.indexOf(name));
    if (places.includes(-1)) return null;
  } else {
    places = columns.map((number) => Number(number) - 1);
  }
  return { set: places[0]!, element: places[1]!, weight: places[2] ?? -1, comma, header: named };
}

/** The names of fields in a first line, which may begin with a byte order mark. */
export function fieldNamesOf(line: Uint8Array, comma: boolean): string[] {
  const bytes = line.subarray(startAfterMark(line));
  const end = contentEnd(bytes, 0, bytes.length);
  const text = textOf(Buffer.from(bytes.subarray(0, end)).toString('latin1'));
  if (!comma) return text.split('\t');
  const names: string[] = [];
  for (let at = 0; at <= text.length; ) {
    const quoted = text.charCodeAt(at) === QUOTE ? /^"((?:[^"]|"")*)"/.exec(text.slice(at)) : null;
    const next = text.indexOf(',', at + (quoted?.[0].length ?? 0));
    const to = next < 0 ? text.length : next;
    names.push(quoted === null ? text.slice(at, to) : quoted[1]!.replaceAll('""', '"'));
    at = to + 1;
  }
  return names;
}

const LINE_FEED = 0x0a;
const TAB = 0x09;
const COMMA = 0x2c;
const ZERO = 0x30;
const NINE = 0x39;

const NUMBER = /^ *\+?(\d+\.?\d*|\.\d+)(e[+-]?\d+)? *$/i;
/** So many digits are exact in a double. */
const EXACT_DIGITS = 15;

export class SetLines implements LineTaker {
  /** Lines that are no rows and no fault: blank ones, and the one that names the fields. */
  passed = 0;
  readonly #fields: SetFields;
  readonly #rule: RowRule;
  readonly #sink: RowSink;
  readonly #separator: number;
  /** Fields of a line up to the last that is looked at. */
  readonly #wanted: number;
  /** Whether a line without a value is no row. */
  readonly #needsValue: boolean;
  /** Of the fields of the line in hand: where each begins and ends, among the first `#wanted`. */
  readonly #starts: Uint32Array;
  readonly #ends: Uint32Array;
  /** What quoted fields say. */
  #unquoted = new Uint8Array(1024);

  constructor(fields: SetFields, rule: RowRule, sink: RowSink) {
    this.#fields = fields;
    this.#rule = rule;
    this.#sink = sink;
    this.#separator = fields.comma ? COMMA : TAB;
    this.#wanted = 1 + Math.max(fields.set, fields.element, fields.weight);
    this.#needsValue = rule !== 'set' && rule !== 'bag';
    this.#starts = new Uint32Array(this.#wanted);
    this.#ends = new Uint32Array(this.#wanted);
  }

  /** Gives the rows of the lines. `marked` says that they begin the file, whose first line may name the fields. */
  run(file: number, first: number, bytes: Uint8Array, from: number, to: number, marked: boolean): number {
    let isHeader = marked && this.#fields.header;
    if (marked) from += startAfterMark(bytes.subarray(from, Math.min(to, from + 3)));
    if (from === to) {
      this.passed++;
      return 1;
    }
    const starts = this.#starts;
    const ends = this.#ends;
    const separator = this.#separator;
    const wanted = this.#wanted;
    let line = first;
    while (from < to) {
      // Lines are short: one pass over the bytes is sooner done than a search by the C library is begun.
      let fields = 0;
      let start = from;
      let isQuoted = false;
      let at = from;
      for (; at < to; at++) {
        const byte = bytes[at]!;
        if (byte === LINE_FEED) break;
        if (byte === QUOTE) isQuoted = true;
        if (byte !== separator || fields === wanted) continue;
        starts[fields] = start;
        ends[fields++] = at;
        start = at + 1;
      }
      const end = contentEnd(bytes, from, at);
      if (fields < wanted) {
        starts[fields] = start;
        ends[fields++] = Math.max(start, end);
      }
      if (isHeader || end === from) this.passed++;
      else {
        const isCsv = isQuoted && separator === COMMA;
        const fault = isCsv ? this.#quoted(bytes, from, end) : this.#give(bytes, fields);
        if (fault !== null) this.#sink.skip(file, line, fault, null);
      }
      isHeader = false;
      from = at + 1;
      line++;
    }
    return line - first;
  }

  /** A line of CSV with a quote in it. */
  #quoted(bytes: Uint8Array, from: number, to: number): ErrorCode | null {
    const fields = this.#quotedFields(bytes, from, to);
    return fields < 0 ? 'SETS_BAD_QUOTES' : this.#give(this.#unquoted, fields);
  }

  /**
   * Writes the fields out, and returns how many were noted. As RFC 4180 has it, but that a record is a line. Negative: a
   * quote is not closed, or something follows it.
   */
  #quotedFields(line: Uint8Array, from: number, to: number): number {
    if (this.#unquoted.length < to - from) this.#unquoted = new Uint8Array(2 * (to - from));
    const out = this.#unquoted;
    let length = 0;
    let fields = 0;
    for (let at = from; at <= to; at++) {
      const start = length;
      if (at < to && line[at] === QUOTE) {
        let isOpen = true;
        for (at++; isOpen && at < to; at++) {
          if (line[at] !== QUOTE) out[length++] = line[at]!;
          else if (at + 1 < to && line[at + 1] === QUOTE) out[length++] = line[at++]!;
          else isOpen = false;
        }
        if (isOpen || (at < to && line[at] !== COMMA)) return -1;
      } else {
        while (at < to && line[at] !== COMMA) out[length++] = line[at++]!;
      }
      if (fields === this.#wanted) continue;
      this.#starts[fields] = start;
      this.#ends[fields++] = length;
    }
    return fields;
  }

  /** Gives the row of a line with so many fields, or says why it is none. */
  #give(bytes: Uint8Array, fields: number): ErrorCode | null {
    const { set, element, weight } = this.#fields;
    const starts = this.#starts;
    const ends = this.#ends;
    if (set >= fields || element >= fields) return 'SETS_NO_ELEMENT';
    const nameBytes = ends[set]! - starts[set]!;
    if (nameBytes === 0 || nameBytes > MOST_ID_BYTES) return 'SETS_BAD_NAME';
    if (ends[element] === starts[element]) return 'SETS_NO_ELEMENT';
    let value = 1;
    if (weight >= 0 && weight < fields && ends[weight]! > starts[weight]!) {
      value = numberIn(bytes, starts[weight]!, ends[weight]!);
    } else if (this.#needsValue) return 'SETS_BAD_WEIGHT';
    if (!isValue(this.#rule, value)) return 'SETS_BAD_WEIGHT';
    this.#sink.row(bytes, starts[set]!, ends[set]!, starts[element]!, ends[element]!, value);
    return null;
  }
}

/** The number from 0 that the bytes write in decimal, blanks around it allowed; NaN where they write none. */
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
