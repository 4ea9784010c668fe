/** Reads records of CSV one after the other, as places in bytes: no string and no object a record. */
import { BROKEN, closingQuote, contentEnd, NOT_ENDED, placeOf } from './quotes.js';

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
  readonly #rules: RecordRules;
  #bytes: Buffer = Buffer.alloc(0);
  /** The next line feed and the next quote, from where they were last looked for. */
  #feed = -1;
  #quote = -1;

  constructor(rules: RecordRules) {
    this.#rules = rules;
  }

  /** Takes other bytes: complete records, though the last may lack its line end. */
  open(bytes: Buffer): void {
    this.#bytes = bytes;
    this.#feed = -1;
    this.#quote = -1;
  }

  /** Reads the record that begins at `from`, which is not the end; returns where the next one begins. */
  read(from: number): number {
    const bytes = this.#bytes;
    this.fields = 0;
    this.isBroken = false;
    const feed = this.#nextFeed(from);
    if (this.#quote < from) {
      const quote = placeOf(QUOTE, bytes, from);
      this.#quote = quote < 0 ? bytes.length : quote;
    }
    if (this.#quote < feed) {
      this.isBlank = false;
      return this.#quoted(from);
    }
    const end = contentEnd(bytes, from, feed);
    this.isBlank = end === from;
    this.#split(from, end);
    return Math.min(bytes.length, feed + 1);
  }

  /** The next line feed from `at` on, or the end. */
  #nextFeed(at: number): number {
    if (this.#feed < at) {
      const feed = placeOf(LINE_FEED, this.#bytes, at);
      this.#feed = feed < 0 ? this.#bytes.length : feed;
    }
    return this.#feed;
  }

  /** The fields of a line without quotes, up to the last one wanted. */
  #split(from: number, end: number): void {
    const bytes = this.#bytes;
    const { separator, wanted } = this.#rules;
    let start = from;
    for (let at = from; at < end && this.fields < wanted; at++) {
      if (bytes[at] !== separator) continue;
      this.#field(start, at, 0);
      start = at + 1;
    }
    this.#field(start, end, 0);
  }

  #field(from: number, to: number, doubled: number): void {
    if (this.fields === this.#rules.wanted) return;
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
          return Math.min(bytes.length, this.#nextFeed(at) + 1);
        }
        this.#field(at + 1, close, first < close ? 1 : 0);
        at = close + 1;
        if (bytes[at] === separator) continue;
        const feed = this.#nextFeed(at);
        if (contentEnd(bytes, at, feed) === at) return Math.min(bytes.length, feed + 1);
        // A CR that ends no line.
        if (bytes[at] === CARRIAGE_RETURN) this.isBroken = true;
        at = this.#separatorIn(at, feed);
      } else {
        const feed = this.#nextFeed(at);
        const end = this.#separatorIn(at, feed);
        this.#field(at, end === feed ? contentEnd(bytes, at, feed) : end, 0);
        at = end;
      }
      if (at >= this.#nextFeed(at)) return Math.min(bytes.length, at + 1);
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

  /** The next separator from `at` on, or `to`. */
  #separatorIn(at: number, to: number): number {
    const { separator } = this.#rules;
    while (at < to && this.#bytes[at] !== separator) at++;
    return at;
  }
}
