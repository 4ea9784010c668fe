/**
 * From lines `set TAB element [TAB weight]`, or the same as CSV, to rows: no object a line.
 *
 * Floor 2; must never know files or ranges, nor what becomes of a row. Blank lines are passed over; whatever else is no
 * row is skipped and named.
 */
import type { RowSink } from '../blocks/setBlocks.js';
import type { ErrorCode } from '../errors.js';
import { isValue, type RowRule } from '../sketch/rowRules.js';
import { startAfterMark } from './jsonRecords.js';
import type { LineTaker } from './lineRanges.js';
import { MOST_ID_BYTES } from './readerSink.js';
import { contentEnd, type SetFields } from './setFields.js';

const LINE_FEED = 0x0a;
const TAB = 0x09;
const COMMA = 0x2c;
const QUOTE = 0x22;
const ZERO = 0x30;
const NINE = 0x39;

const NUMBER = /^ *\+?(\d+\.?\d*|\.\d+)(e[+-]?\d+)? *$/i;
/** So many digits are exact in a double. */
const EXACT_DIGITS = 15;

/** The numbers of the fields that are looked for, as the line in hand has them. */
const SET = 0;
const ELEMENT = 1;
const VALUE = 2;

export class SetLines implements LineTaker {
  readonly #fields: SetFields;
  readonly #rule: RowRule;
  readonly #sink: RowSink;
  readonly #separator: number;
  /** Whether a line without a value is no row. */
  readonly #needsValue: boolean;
  /** Of the line in hand: where its fields are, [start, end) of the bytes; start -1: it has none. */
  #bytes: Uint8Array = new Uint8Array(0);
  readonly #starts = new Int32Array(3);
  readonly #ends = new Int32Array(3);
  /** What quoted fields say. */
  #unquoted = new Uint8Array(1024);

  constructor(fields: SetFields, rule: RowRule, sink: RowSink) {
    this.#fields = fields;
    this.#rule = rule;
    this.#sink = sink;
    this.#separator = fields.comma ? COMMA : TAB;
    this.#needsValue = rule !== 'set' && rule !== 'bag';
  }

  /** Gives the rows of the lines. `marked` says that they begin the file, whose first line may name the fields. */
  run(file: number, first: number, bytes: Uint8Array, from: number, to: number, marked: boolean): number {
    let isHeader = marked && this.#fields.header;
    if (marked) from += startAfterMark(bytes.subarray(from, Math.min(to, from + 3)));
    if (from === to) return 1;
    let lines = 0;
    while (from < to) {
      // Lines are short: going through the bytes is sooner done than a search by the C library is begun.
      let feed = from;
      while (feed < to && bytes[feed] !== LINE_FEED) feed++;
      const end = Math.min(to, feed + 1);
      const stop = contentEnd(bytes, from, end);
      if (!isHeader && stop > from) this.#line(file, first + lines, bytes, from, stop);
      isHeader = false;
      from = end;
      lines++;
    }
    return lines;
  }

  #line(file: number, line: number, bytes: Uint8Array, from: number, to: number): void {
    this.#bytes = bytes;
    this.#starts.fill(-1);
    let isSound = true;
    if (this.#separator === COMMA && isQuoted(bytes, from, to)) isSound = this.#quotedFields(from, to);
    else this.#plainFields(from, to);
    const fault = isSound ? this.#give() : 'SETS_BAD_QUOTES';
    if (fault !== null) this.#sink.skip(file, line, fault, null);
  }

  #plainFields(from: number, to: number): void {
    const bytes = this.#bytes;
    const separator = this.#separator;
    for (let at = from, start = from, field = 0; at <= to; at++) {
      if (at < to && bytes[at] !== separator) continue;
      this.#note(field++, start, at);
      start = at + 1;
    }
  }

  #note(field: number, from: number, to: number): void {
    const { set, element, weight } = this.#fields;
    const which = field === set ? SET : field === element ? ELEMENT : field === weight ? VALUE : -1;
    if (which < 0) return;
    this.#starts[which] = from;
    this.#ends[which] = to;
  }

  /** As RFC 4180 has it, but that a record is a line. False: a quote is not closed, or something follows it. */
  #quotedFields(from: number, to: number): boolean {
    const line = this.#bytes;
    if (this.#unquoted.length < to - from) this.#unquoted = new Uint8Array(2 * (to - from));
    const out = this.#unquoted;
    this.#bytes = out;
    let length = 0;
    for (let at = from, field = 0; at <= to; at++) {
      const start = length;
      if (at < to && line[at] === QUOTE) {
        let isOpen = true;
        for (at++; isOpen && at < to; at++) {
          if (line[at] !== QUOTE) out[length++] = line[at]!;
          else if (at + 1 < to && line[at + 1] === QUOTE) out[length++] = line[at++]!;
          else isOpen = false;
        }
        if (isOpen || (at < to && line[at] !== COMMA)) return false;
      } else {
        while (at < to && line[at] !== COMMA) out[length++] = line[at++]!;
      }
      this.#note(field++, start, length);
    }
    return true;
  }

  /** Gives the row of the line in hand, or says why it is none. */
  #give(): ErrorCode | null {
    const starts = this.#starts;
    const ends = this.#ends;
    const bytes = this.#bytes;
    if (starts[SET] === -1 || starts[ELEMENT] === -1) return 'SETS_NO_ELEMENT';
    const nameBytes = ends[SET]! - starts[SET]!;
    if (nameBytes === 0 || nameBytes > MOST_ID_BYTES) return 'SETS_BAD_NAME';
    if (ends[ELEMENT] === starts[ELEMENT]) return 'SETS_NO_ELEMENT';
    let value = 1;
    if (starts[VALUE] !== -1 && ends[VALUE]! > starts[VALUE]!) {
      value = numberIn(bytes, starts[VALUE]!, ends[VALUE]!);
    } else if (this.#needsValue) return 'SETS_BAD_WEIGHT';
    if (!isValue(this.#rule, value)) return 'SETS_BAD_WEIGHT';
    this.#sink.row(bytes, starts[SET]!, ends[SET]!, starts[ELEMENT]!, ends[ELEMENT]!, value);
    return null;
  }
}

function isQuoted(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] === QUOTE) return true;
  return false;
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
