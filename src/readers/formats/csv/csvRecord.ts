/**
 * Records of CSV (RFC 4180), one after the other, as positions in bytes: no string and no object per record.
 *
 *      a,"b, ""c""
 *      d",e            one record of three fields: a quote opens a field only at its beginning, two quotes in it are one, and
 *                      the next quote ends it; other quotes are ordinary characters
 *      a,"b            broken: what follows the quote that should end the field is not a separator or line end, or no such
 *      c"d",e          quote comes. Such a record is one line: it ends where the line ends on which the field began
 *
 * So an unmatched quote breaks only the record that has it. Outside of quotes LF, CRLF and a CR alone end a line.
 */

import { grown } from '../../../arrays/growable.js';
import { LINE_FEED, RETURN } from '../../bytes/records.js';

export const QUOTE = 0x22;
/** Instead of a quote: all bytes are ordinary. */
export const NO_QUOTE = -1;

const FIRST_FIELDS = 16;

export const COMMA = 0x2c;
export const TAB = 0x09;

/** A quote further from the beginning of its record is ordinary, so that a record cannot contain all that follows it. */
export const MOST_QUOTED = 64 << 20;

/** No closing quote was found. */
const NOT_ENDED = -1;
/** A quote that does not end the field, and is not doubled. */
const BROKEN = -2;

/** Up to this many bytes, a loop finds a byte faster than the C library. */
const NEAR = 24;

/** The first position of a byte from `at` on; -1: there is none. */
function placeOf(byte: number, bytes: Uint8Array, at: number): number {
  const near = Math.min(bytes.length, at + NEAR);
  for (let i = at; i < near; i++) if (bytes[i] === byte) return i;
  return near < bytes.length ? bytes.indexOf(byte, near) : -1;
}

/**
 * The quote that ends the field around `at`, which is not between two quotes. NOT_ENDED or BROKEN: there is none before `limit`.
 */
function closingQuote(
  bytes: Buffer,
  at: number,
  limit: number,
  { separator, quote: mark }: TableMarkBytes,
): number {
  for (;;) {
    const quote = placeOf(mark, bytes, at);
    if (quote < 0) return bytes.length < limit ? NOT_ENDED : BROKEN;
    if (quote >= limit) return BROKEN;
    const next = quote + 1;
    if (next === bytes.length) return quote;
    const byte = bytes[next]!;
    if (byte === mark) at = next + 1;
    else return byte === separator || byte === LINE_FEED || byte === RETURN ? quote : BROKEN;
  }
}

/** The end of a line's content, before its line end: LF, CRLF, or a CR. */
export function contentEnd(bytes: Uint8Array, from: number, to: number): number {
  let end = to;
  if (end > from && bytes[end - 1] === LINE_FEED) end--;
  return end > from && bytes[end - 1] === RETURN ? end - 1 : end;
}

/** The bytes between and around fields. */
export interface TableMarkBytes {
  /** A byte of ASCII. */
  readonly separator: number;
  /** A byte of ASCII, or NO_QUOTE. */
  readonly quote: number;
}

interface RecordRules extends TableMarkBytes {
  /** Fields from the first on whose positions are needed; the others are skipped. */
  readonly wanted: number;
  /** Bytes from the beginning of a record in which fields in quotes are known. */
  readonly mostQuoted: number;
  /** A CR alone ends a record, too: not where LF cut the lines before. */
  readonly endsAtReturns: boolean;
  /** The most fields of a record; further empty ones are ignored. Absent: any number. */
  readonly mostFields?: number;
}

/** All fields of a record. */
const ALL_FIELDS = Number.POSITIVE_INFINITY;

export class CsvRecord {
  /** Fields of the current record, `wanted` at most. */
  fields = 0;
  /** Field i: from `starts[i]` to `ends[i]`, without its quotes. */
  starts = new Uint32Array(FIRST_FIELDS);
  ends = new Uint32Array(FIRST_FIELDS);
  /** 1: it contains two quotes that mean one. */
  doubled = new Uint8Array(FIRST_FIELDS);
  /** A field in quotes has no end, or continues after it. */
  isBroken = false;
  /** An empty line is not a record. */
  isBlank = false;
  /** It has more fields than it may have. */
  hasTooMany = false;
  /** Fields that were passed, wanted or not: all of them only where it may not have any number. */
  #passed = 0;
  // The rules, one by one: access to objects of several shapes is slow.
  readonly #separator: number;
  readonly #wanted: number;
  readonly #mostQuoted: number;
  readonly #mostFields: number;
  readonly #endsAtReturns: boolean;
  readonly #quoteByte: number;
  /** Fields up to this number are read. */
  readonly #last: number;
  #bytes: Buffer = Buffer.alloc(0);
  #isOpen = false;
  /** The next of these bytes after the last search; the end of the bytes: there is none. */
  #feed = -1;
  #return = -1;
  #quote = -1;
  #nextField = -1;

  constructor(rules: RecordRules) {
    this.#separator = rules.separator;
    this.#wanted = rules.wanted;
    this.#mostQuoted = rules.mostQuoted;
    this.#mostFields = rules.mostFields ?? ALL_FIELDS;
    this.#endsAtReturns = rules.endsAtReturns;
    this.#quoteByte = rules.quote;
    this.#last = rules.mostFields === undefined ? rules.wanted : ALL_FIELDS;
  }

  /** Takes other bytes. `isOpen`: more may follow; else they are complete records, though the last may lack its line end. */
  open(bytes: Buffer, isOpen = false): void {
    this.#bytes = bytes;
    this.#isOpen = isOpen;
    this.#feed = this.#nextField = -1;
    this.#quote = this.#quoteByte === NO_QUOTE ? bytes.length : -1;
    this.#return = this.#endsAtReturns ? -1 : bytes.length;
  }

  /** Reads the record that begins at `from`, which is not the end; returns where the next one begins, or -1 if open bytes end before. */
  read(from: number): number {
    this.fields = this.#passed = 0;
    this.isBroken = this.hasTooMany = false;
    const stop = this.#lineEnd(from);
    this.isBlank = stop === from;
    // Most lines have no quotes.
    if (this.#quoteFrom(from) < stop) return this.#quoted(from);
    this.#split(from, stop);
    return this.#behind(stop);
  }

  /** The same, of a record with quotes in its first line. */
  #quoted(start: number): number {
    const bytes = this.#bytes;
    const limit = start + this.#mostQuoted;
    /** Where the field that is not read yet begins; -1: all are read. */
    let field = start;
    for (let at = start; ; ) {
      const stop = this.#lineEnd(at);
      const quote = this.#quoteFrom(at);
      if (this.isBroken || quote >= stop) {
        if (!this.isBroken && field >= 0) this.#split(field, stop);
        return this.#behind(stop);
      }
      at = quote + 1;
      const isFirst = quote === field || bytes[quote - 1] === this.#separator;
      if (!isFirst || quote >= limit) continue;
      if (quote > field) this.#split(field, quote - 1);
      const first = placeOf(this.#quoteByte, bytes, at);
      const close = closingQuote(bytes, first < 0 ? bytes.length : first, limit, {
        separator: this.#separator,
        quote: this.#quoteByte,
      });
      if (close === NOT_ENDED && this.#isOpen) return -1;
      // The rest of the line on which the field began is one record.
      this.isBroken = close < 0;
      if (close < 0) continue;
      this.#add(at, close, first < close ? 1 : 0);
      at = close + 1;
      field = bytes[at] === this.#separator ? ++at : -1;
      // A CR that ends no line.
      if (field < 0) this.isBroken = bytes[at] === RETURN && this.#lineEnd(at) > at;
    }
  }

  /** Behind the line end at `stop`: LF, CRLF or CR. A CR that ends open bytes may be a CRLF. */
  #behind(stop: number): number {
    const bytes = this.#bytes;
    const next = bytes[stop] === RETURN ? stop + 1 : stop;
    if (this.#isOpen && next === bytes.length) return -1;
    return bytes[next] === LINE_FEED ? next + 1 : next;
  }

  #quoteFrom(at: number): number {
    if (this.#quote < at) this.#quote = this.#next(this.#quoteByte, at);
    return this.#quote;
  }

  /** The next position of a byte from `at` on, or the end. */
  #next(byte: number, at: number): number {
    const place = placeOf(byte, this.#bytes, at);
    return place < 0 ? this.#bytes.length : place;
  }

  /** Where the line ends in which `at` is: its LF, CRLF or CR begins there, or the bytes end. */
  #lineEnd(at: number): number {
    if (this.#feed < at) this.#feed = this.#next(LINE_FEED, at);
    if (this.#return < at) this.#return = this.#next(RETURN, at);
    const stop = this.#feed;
    if (this.#return < stop) return this.#return;
    return stop > at && this.#bytes[stop - 1] === RETURN ? stop - 1 : stop;
  }

  /** Reads the needed fields from `start` to `end`, none of which is in quotes. */
  #split(start: number, end: number): void {
    while (this.#passed < this.#last) {
      if (this.#nextField < start) this.#nextField = this.#next(this.#separator, start);
      const to = Math.min(this.#nextField, end);
      this.#add(start, to, 0);
      if (to === end) return;
      start = to + 1;
    }
  }

  #add(from: number, to: number, doubled: number): void {
    if (++this.#passed > this.#wanted) {
      if (this.#passed > this.#mostFields && to > from) this.hasTooMany = true;
      return;
    }
    if (this.fields === this.starts.length) {
      this.starts = grown(this.starts);
      this.ends = grown(this.ends);
      this.doubled = grown(this.doubled);
    }
    this.starts[this.fields] = from;
    this.ends[this.fields] = to;
    this.doubled[this.fields++] = doubled;
  }

  /** The bytes of field i, two quotes as one. */
  field(i: number): Buffer {
    const bytes = this.#bytes.subarray(this.starts[i], this.ends[i]);
    if (this.doubled[i] === 0) return bytes;
    const out = Buffer.allocUnsafe(bytes.length);
    let length = 0;
    for (let at = 0; at < bytes.length; ) {
      const quote = placeOf(this.#quoteByte, bytes, at);
      const end = quote < 0 ? bytes.length : quote + 1;
      length += bytes.copy(out, length, at, end);
      // The second of two quotes is skipped.
      at = quote < 0 ? end : end + 1;
    }
    return out.subarray(0, length);
  }
}

/** Where a header has a name: the first field of that very name, else the first that has it with blanks around; -1: none. */
export function placeNamed(names: readonly string[], name: string): number {
  const exact = names.indexOf(name);
  return exact >= 0 ? exact : names.findIndex((other) => other.trim() === name.trim());
}

/**
 * The fields of the first record that is not blank, and where the next one begins; without matching quotes, those of its line as they are.
 * Null: there is none, or its end is not among open bytes.
 *
 * @param endsAtReturns whether a CR alone ends a record, too
 */
export function firstCells(
  bytes: Buffer,
  from: number,
  { separator, quote }: TableMarkBytes,
  endsAtReturns: boolean,
  isOpen = false,
): { readonly cells: readonly string[]; readonly end: number } | null {
  const rules = { separator, quote, wanted: ALL_FIELDS, mostQuoted: MOST_QUOTED, endsAtReturns };
  const record = new CsvRecord(rules);
  record.open(bytes, isOpen);
  for (let at = from; at < bytes.length; ) {
    const end = record.read(at);
    if (end < 0) return null;
    if (record.isBroken) {
      const line = bytes.toString('utf8', at, contentEnd(bytes, at, end));
      return { cells: line.split(String.fromCharCode(separator)), end };
    }
    const cells = Array.from({ length: record.fields }, (_, i) => record.field(i).toString());
    if (!record.isBlank) return { cells, end };
    at = end;
  }
  return null;
}
