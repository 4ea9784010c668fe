/**
 * Records of CSV (RFC 4180), one after the other, as places in bytes: no string and no object per record. The cutter of streams and the
 * reader of chunks share this code.
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
import { startAfterMark } from '../../bytes/encodings.js';
import type { DecodedPiece, DecodeString } from '../recordGiver.js';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
export const QUOTE = 0x22;
/** Instead of a quote: all bytes are ordinary. */
export const NO_QUOTE = -1;

const FIRST_FIELDS = 16;
/** Up to this many bytes, a loop copies faster than the C library. */
const MOST_IN_LOOP = 32;
/** No position. */
const NONE = -1;

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
 * The quote that ends the field around `at`, which is not between two quotes. It may be the last byte, whose successor is unknown.
 * NOT_ENDED or BROKEN: there is none before `limit`.
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
    else return byte === separator || byte === LINE_FEED || byte === CARRIAGE_RETURN ? quote : BROKEN;
  }
}

/** The end of a line's content, before its line end: LF, CRLF, or a CR. */
export function contentEnd(bytes: Uint8Array, from: number, to: number): number {
  let end = to;
  if (end > from && bytes[end - 1] === LINE_FEED) end--;
  if (end > from && bytes[end - 1] === CARRIAGE_RETURN) end--;
  return end;
}

/** Where the next line begins: behind the LF, CRLF or CR at `stop`; a CR that ends the bytes is one alone. */
function behindLineEnd(bytes: Uint8Array, stop: number): number {
  const next = bytes[stop] === CARRIAGE_RETURN ? stop + 1 : stop;
  return bytes[next] === LINE_FEED ? next + 1 : next;
}

/** The bytes between and around fields. */
interface TableMarkBytes {
  /** A byte of ASCII. */
  readonly separator: number;
  /** A byte of ASCII, or NO_QUOTE. */
  readonly quote: number;
}

interface RecordRules extends TableMarkBytes {
  /** Fields from the first on whose places are needed; the others are skipped. */
  readonly wanted: number;
  /** Bytes from the beginning of a record in which fields in quotes are known. */
  readonly mostQuoted: number;
  /** A CR alone ends a record, too: not where LF cut the lines before. */
  readonly endsAtReturns: boolean;
  /** The most fields of a record; further empty ones are ignored. Absent: any number. */
  readonly mostFields?: number;
  /** The bytes begin with the stream, a mark first, and more may follow: `follow` and `goOn` read them. Absent: they are complete records. */
  readonly isStream?: true;
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
  readonly #isStream: boolean;
  readonly #quoteByte: number;
  #bytes: Buffer = Buffer.alloc(0);
  /** The next of these bytes after the last search; the end of the bytes: there is none. */
  #feed = -1;
  #return = -1;
  #quote = -1;
  #nextField = -1;
  /** Fields up to this number are read. */
  readonly #last: number;
  /** Where the current record and its current field (NONE: all are read) begin, and where reading continues. */
  #start = 0;
  #field = 0;
  #at = 0;
  /** Behind the quote of a field that was not closed yet, or NONE. */
  #open = NONE;
  /** A CR ends the bytes of a stream: the next byte decides where its line ends. */
  #isReturnOpen = false;
  #isFirst: boolean;

  constructor(rules: RecordRules) {
    this.#separator = rules.separator;
    this.#wanted = rules.wanted;
    this.#mostQuoted = rules.mostQuoted;
    this.#mostFields = rules.mostFields ?? ALL_FIELDS;
    this.#endsAtReturns = rules.endsAtReturns;
    this.#quoteByte = rules.quote;
    this.#isStream = this.#isFirst = rules.isStream === true;
    this.#last = rules.mostFields === undefined ? rules.wanted : ALL_FIELDS;
  }

  /** Takes other bytes: complete records, though the last may lack its line end. */
  open(bytes: Buffer): void {
    this.#bytes = bytes;
    this.#feed = this.#nextField = -1;
    this.#quote = this.#quoteByte === NO_QUOTE ? bytes.length : -1;
    this.#return = this.#endsAtReturns ? -1 : bytes.length;
  }

  /** Takes the next bytes of a stream, in which the held bytes are `moved` bytes closer to the front. */
  follow(bytes: Buffer, moved: number): void {
    this.open(bytes);
    this.#start -= moved;
    this.#at -= moved;
    if (this.#field !== NONE) this.#field -= moved;
    if (this.#open !== NONE) this.#open -= moved;
  }

  /** Reads the record that begins at `from`, which is not the end; returns where the next one begins. */
  read(from: number): number {
    this.begin(from);
    const stop = this.#lineEnd(from);
    if (this.#quote < from) this.#quote = this.#next(this.#quoteByte, from);
    if (this.#quote < stop) return this.goOn();
    // Most lines have no quotes.
    this.isBlank = stop === from;
    this.#split(stop);
    return behindLineEnd(this.#bytes, stop);
  }

  /** The next record begins there. */
  begin(from: number): void {
    this.#start = this.#field = this.#at = from;
    this.fields = this.#passed = 0;
    this.isBroken = this.hasTooMany = this.isBlank = false;
  }

  /** Goes on with the current record; returns where the next one begins, or -1 where the bytes of the stream end before. */
  goOn(): number {
    const bytes = this.#bytes;
    const isStream = this.#isStream;
    if (this.#isReturnOpen) return this.#endOpenReturn();
    for (;;) {
      if (this.#open !== NONE && !this.#close(isStream)) return NONE;
      const stop = this.#lineEnd(this.#at);
      if (!this.isBroken) {
        if (this.#quote < this.#at) this.#quote = this.#next(this.#quoteByte, this.#at);
        const quote = this.#quote;
        if (quote < stop) {
          if (this.#opens(quote)) {
            if (quote > this.#field) this.#split(quote - 1);
            this.#open = quote + 1;
          }
          this.#at = quote + 1;
          continue;
        }
      }
      if (isStream && stop + 1 >= bytes.length) {
        const isReturn = bytes[stop] === CARRIAGE_RETURN;
        if (isReturn) this.#isReturnOpen = true;
        if (isReturn || stop === bytes.length) {
          this.#at = bytes.length;
          return NONE;
        }
      }
      if (!this.isBroken && this.#field !== NONE) this.#split(stop);
      return this.#end(stop, behindLineEnd(bytes, stop));
    }
  }

  /** The CR that ended the bytes may not be held any more. */
  #endOpenReturn(): number {
    const bytes = this.#bytes;
    const at = this.#at;
    if (at >= bytes.length) return NONE;
    this.#isReturnOpen = false;
    return this.#end(at - 1, bytes[at] === LINE_FEED ? at + 1 : at);
  }

  /** The line end of the record is from `stop` to `next`. */
  #end(stop: number, next: number): number {
    this.isBlank = stop === this.#start || (this.#isFirst && stop === this.#first());
    this.#isFirst = false;
    return next;
  }

  /** Where the first field of the record begins: behind a mark. The beginning of a record that is too long is not held. */
  #first(): number {
    const start = this.#start;
    return start >= 0 && this.#isFirst
      ? start + startAfterMark(this.#bytes.subarray(start, start + 3))
      : start;
  }

  /** Whether a quote is the first byte of a field. */
  #opens(quote: number): boolean {
    if (quote - this.#start >= this.#mostQuoted) return false;
    return (
      quote === this.#field ||
      this.#bytes[quote - 1] === this.#separator ||
      (this.#isFirst && quote === this.#first())
    );
  }

  /**
   * Looks for the quote that closes the open field, and goes on while quoted fields follow. Where there is none, the rest of the line on
   * which the field began is one record. False: it may come later.
   */
  #close(isStream: boolean): boolean {
    const bytes = this.#bytes;
    const separator = this.#separator;
    const mark = this.#quoteByte;
    const limit = this.#start + this.#mostQuoted;
    for (let open = this.#open, at = this.#at; ; ) {
      const first = placeOf(mark, bytes, at);
      const isClear = first >= 0 && first < limit && bytes[first + 1] === separator;
      const close = isClear
        ? first
        : closingQuote(bytes, first < 0 ? bytes.length : first, limit, { separator, quote: mark });
      if (isStream && (close === NOT_ENDED || close + 1 === bytes.length)) {
        this.#open = open;
        this.#at = close === NOT_ENDED ? bytes.length : close;
        return false;
      }
      if (close < 0) {
        this.isBroken = true;
        this.#at = open;
        break;
      }
      this.#add(open, close, first < close ? 1 : 0);
      at = close + 1;
      if (bytes[at] !== separator) {
        this.#at = at;
        this.#field = NONE;
        // A CR that ends no line.
        if (bytes[at] === CARRIAGE_RETURN && this.#lineEnd(at) > at) this.isBroken = true;
        break;
      }
      at++;
      if (bytes[at] !== mark || at >= limit) {
        this.#field = this.#at = at;
        break;
      }
      open = ++at;
    }
    this.#open = NONE;
    return true;
  }

  /** The next place of a byte from `at` on, or the end. */
  #next(byte: number, at: number): number {
    const place = placeOf(byte, this.#bytes, at);
    return place < 0 ? this.#bytes.length : place;
  }

  /** Where the line ends in which `at` is: its LF, CRLF or CR begins there, or the bytes end. */
  #lineEnd(at: number): number {
    if (this.#feed < at) this.#feed = this.#next(LINE_FEED, at);
    if (this.#return < at) this.#return = this.#next(CARRIAGE_RETURN, at);
    const stop = this.#feed;
    if (this.#return < stop) return this.#return;
    return stop > at && this.#bytes[stop - 1] === CARRIAGE_RETURN ? stop - 1 : stop;
  }

  /** The next separator from `at` on, or `to`. */
  #separatorIn(at: number, to: number): number {
    if (this.#nextField < at) this.#nextField = this.#next(this.#separator, at);
    return Math.min(this.#nextField, to);
  }

  /** Reads the needed fields up to `end`, none of which is in quotes. */
  #split(end: number): void {
    for (let start = this.#field; this.#passed < this.#last; ) {
      const to = this.#separatorIn(start, end);
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
    if (this.fields === this.starts.length) this.#grow();
    this.starts[this.fields] = from;
    this.ends[this.fields] = to;
    this.doubled[this.fields++] = doubled;
  }

  #grow(): void {
    this.starts = grown(this.starts);
    this.ends = grown(this.ends);
    this.doubled = grown(this.doubled);
  }

  /** Copies field i to `out` at `at`, two quotes as one; returns its end there. Never longer than its source. */
  copyField(i: number, out: Uint8Array, at: number): number {
    const [from, to] = [this.starts[i]!, this.ends[i]!];
    if (this.doubled[i] === 1)
      return at + decodeCell(this.#quoteByte, this.#bytes, from, to, out.subarray(at)).written;
    copyBytes(this.#bytes, from, to, out, at);
    return at + to - from;
  }
}

function copyBytes(bytes: Uint8Array, from: number, to: number, out: Uint8Array, at: number): void {
  if (to - from > MOST_IN_LOOP) out.set(bytes.subarray(from, to), at);
  else for (let i = from; i < to; i++) out[at++] = bytes[i]!;
}

/** Decodes fields in which two quotes mean one. */
export function cellDecoder(quote: number): DecodeString {
  return (bytes, from, to, out) => decodeCell(quote, bytes, from, to, out);
}

function decodeCell(
  mark: number,
  bytes: Uint8Array,
  from: number,
  to: number,
  out: Uint8Array,
): DecodedPiece {
  let at = from;
  let written = 0;
  while (at < to && written < out.length) {
    const quote = placeOf(mark, bytes, at);
    const behind = quote < 0 || quote >= to ? to : quote + 1;
    const end = Math.min(behind, at + out.length - written);
    copyBytes(bytes, at, end, out, written);
    written += end - at;
    // The second of two quotes is skipped.
    at = end === behind && end < to ? end + 1 : end;
  }
  return { at, written, repaired: false };
}

/** Where a header has a name: the first field of that very name, else the first that has it with blanks around; -1: none. */
export function placeNamed(names: readonly string[], name: string): number {
  const exact = names.indexOf(name);
  return exact >= 0 ? exact : names.findIndex((other) => other.trim() === name.trim());
}

/** The fields of a record, and where the next one begins. */
interface CsvCells {
  readonly cells: readonly string[];
  readonly end: number;
}

/**
 * The fields of the first record that is not blank; without matching quotes, those of its line as they are. Null: there is none.
 *
 * @param endsAtReturns whether a CR alone ends a record, too
 */
export function firstCells(
  bytes: Buffer,
  from: number,
  { separator, quote }: TableMarkBytes,
  endsAtReturns: boolean,
): CsvCells | null {
  const record = new CsvRecord({
    separator,
    quote,
    wanted: ALL_FIELDS,
    mostQuoted: MOST_QUOTED,
    endsAtReturns,
  });
  record.open(bytes);
  for (let at = from; at < bytes.length; ) {
    const end = record.read(at);
    if (!record.isBlank) return { cells: cellsOf(record, bytes, at, end, { separator, quote }), end };
    at = end;
  }
  return null;
}

function cellsOf(
  record: CsvRecord,
  bytes: Buffer,
  from: number,
  end: number,
  { separator, quote }: TableMarkBytes,
): string[] {
  if (record.isBroken) {
    const line = bytes.toString('utf8', from, end).replace(/\r?\n?$/, '');
    return line.split(String.fromCharCode(separator));
  }
  return Array.from({ length: record.fields }, (_, i) => {
    const cell = bytes.toString('utf8', record.starts[i], record.ends[i]);
    const mark = String.fromCharCode(Math.max(0, quote));
    return record.doubled[i] === 1 ? cell.replaceAll(mark + mark, mark) : cell;
  });
}
