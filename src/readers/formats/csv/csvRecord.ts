/** Reads records of CSV one after the other, as places in bytes: no string and no object a record. */
import { BROKEN, behindLineEnd, closingQuote, NOT_ENDED, placeOf } from './quotes.js';

// Of this module: one of another is looked up at every byte.
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE = 0x22;

const FIRST_FIELDS = 16;
/** A copy by the C library takes longer to begin than so many bytes here. */
const MOST_IN_LOOP = 32;

/** What a record is read by. */
interface RecordRules {
  /** A byte of ASCII. */
  readonly separator: number;
  /** Fields from the first on whose places are wanted; the others are only passed over. */
  readonly wanted: number;
  /** Bytes from the beginning of a record in which fields in quotes are known. */
  readonly mostQuoted: number;
  /** A CR alone ends a record, too: not where LF cut the lines before. */
  readonly endsAtReturns: boolean;
  /** Fields that a record may have; more that are empty are none. Absent: any number. */
  readonly mostFields?: number;
}

/** All fields of a record. */
export const ALL_FIELDS = Number.POSITIVE_INFINITY;

export class CsvRecord {
  /** Fields of the current record, `wanted` at most. */
  fields = 0;
  /** Field i: from `starts[i]` to `ends[i]`, without its quotes. */
  starts = new Uint32Array(FIRST_FIELDS);
  ends = new Uint32Array(FIRST_FIELDS);
  /** 1: two quotes in it stand for one. */
  doubled = new Uint8Array(FIRST_FIELDS);
  /** A field in quotes does not end, or goes on behind its end. */
  isBroken = false;
  /** A line without a byte is no record. */
  isBlank = false;
  /** It has more fields than it may have. */
  hasTooMany = false;
  /** Fields that were passed, wanted or not: all of them only where it may not have any number. */
  #passed = 0;
  readonly #rules: RecordRules;
  #bytes: Buffer = Buffer.alloc(0);
  /** Where the next of these bytes stand, from where they were last looked for; the end of the bytes: no more of them. */
  #feed = -1;
  #return = -1;
  #quote = -1;
  #separator = -1;
  /** Fields up to this number are gone over. */
  readonly #last: number;

  constructor(rules: RecordRules) {
    this.#rules = rules;
    this.#last = rules.mostFields === undefined ? rules.wanted : ALL_FIELDS;
  }

  /** Takes other bytes: complete records, though the last may lack its line end. */
  open(bytes: Buffer): void {
    this.#bytes = bytes;
    this.#feed = this.#quote = this.#separator = -1;
    this.#return = this.#rules.endsAtReturns ? -1 : bytes.length;
  }

  /** Reads the record that begins at `from`, which is not the end; returns where the next one begins. */
  read(from: number): number {
    const bytes = this.#bytes;
    this.fields = this.#passed = 0;
    this.isBroken = this.hasTooMany = false;
    const stop = this.#lineEnd(from);
    if (this.#quote < from) this.#quote = this.#next(QUOTE, from);
    if (this.#quote < stop) {
      this.isBlank = false;
      return this.#quoted(from);
    }
    this.isBlank = stop === from;
    this.#split(from, stop);
    return behindLineEnd(bytes, stop);
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
    if (this.#separator < at) this.#separator = this.#next(this.#rules.separator, at);
    return Math.min(this.#separator, to);
  }

  /** The fields of a line without quotes, up to the last one that matters. */
  #split(from: number, end: number): void {
    for (let start = from; this.#passed < this.#last; ) {
      const to = this.#separatorIn(start, end);
      this.#field(start, to, 0);
      if (to === end) return;
      start = to + 1;
    }
  }

  #field(from: number, to: number, doubled: number): void {
    const { wanted, mostFields } = this.#rules;
    if (++this.#passed > wanted) {
      if (mostFields !== undefined && this.#passed > mostFields && to > from) this.hasTooMany = true;
      return;
    }
    if (this.fields === this.starts.length) this.#grow();
    this.starts[this.fields] = from;
    this.ends[this.fields] = to;
    this.doubled[this.fields++] = doubled;
  }

  #grow(): void {
    const { starts, ends, doubled } = this;
    const room = 2 * this.fields;
    this.starts = new Uint32Array(room);
    this.ends = new Uint32Array(room);
    this.doubled = new Uint8Array(room);
    this.starts.set(starts);
    this.ends.set(ends);
    this.doubled.set(doubled);
  }

  #quoted(from: number): number {
    const bytes = this.#bytes;
    const { separator, mostQuoted } = this.#rules;
    for (let at = from; ; at++) {
      if (bytes[at] === QUOTE && at - from < mostQuoted) {
        const first = placeOf(QUOTE, bytes, at + 1);
        const isLast = first >= 0 && bytes[first + 1] === separator && first - from < mostQuoted;
        const close = isLast ? first : closingQuote(bytes, at + 1, from + mostQuoted, separator);
        if (close === NOT_ENDED || close === BROKEN) {
          this.isBroken = true;
          return behindLineEnd(bytes, this.#lineEnd(at));
        }
        this.#field(at + 1, close, first < close ? 1 : 0);
        at = close + 1;
        if (bytes[at] === separator) continue;
        const stop = this.#lineEnd(at);
        if (stop === at) return behindLineEnd(bytes, stop);
        // A CR that ends no line.
        if (bytes[at] === CARRIAGE_RETURN) this.isBroken = true;
        at = this.#separatorIn(at, stop);
      } else {
        const stop = this.#lineEnd(at);
        const end = this.#separatorIn(at, stop);
        this.#field(at, end, 0);
        at = end;
      }
      const stop = this.#lineEnd(at);
      if (at >= stop) return behindLineEnd(bytes, stop);
    }
  }

  /** The bytes of field i in `out` at `at`, two quotes as one; returns where they end. Never longer than they stand there. */
  copyField(i: number, out: Buffer, at: number): number {
    const end = this.ends[i]!;
    let from = this.starts[i]!;
    while (from < end) {
      const to = this.doubled[i] === 0 ? end : this.segmentEnd(from, end);
      if (to - from > MOST_IN_LOOP) at += this.#bytes.copy(out, at, from, to);
      else for (let i = from; i < to; i++) out[at++] = this.#bytes[i]!;
      // The second of two quotes is left out.
      from = to + 1;
    }
    return at;
  }

  /** Of a field with doubled quotes: the end of what may be taken as it stands from `from` on; behind it is a quote too many. */
  segmentEnd(from: number, end: number): number {
    const quote = placeOf(QUOTE, this.#bytes, from);
    return quote < 0 || quote >= end ? end : quote + 1;
  }
}
