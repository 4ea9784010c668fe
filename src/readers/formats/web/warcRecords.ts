/**
 * Where records of WARC begin and end (ISO 28500, versions 1.0 and 1.1), in a stream and in a chunk of it. Reading continues after
 * damage.
 *
 *      WARC/1.0 CRLF            version
 *      Name: value CRLF ...     fields; Content-Length is the length of the block
 *      CRLF
 *      block
 *      CRLF CRLF
 */
import { type ChunkRecords, countRecords, type RecordCutter } from '../../bytes/recordCutter.js';

const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const VERSION = Buffer.from('WARC/1.');
const VERSION_LINE = Buffer.from('\nWARC/1.');
const BLANK_LINE = Buffer.from('\n\r\n');
const BLANK_BARE = Buffer.from('\n\n');

/** The longest header of a record. */
const MOST_HEADER = 64 << 10;

/** Whether bytes begin as WARC does. */
export function beginsWarc(head: Uint8Array): boolean {
  return isVersion(head, 0);
}

function isVersion(bytes: Uint8Array, at: number): boolean {
  return VERSION.every((byte, i) => bytes[at + i] === byte);
}

/** The fields of a header by their names in lower case; of a repeated one the first. Values are binary strings. */
export function headerFields(header: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of header.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const name = line.slice(0, colon).trim().toLowerCase();
    if (!fields.has(name)) fields.set(name, line.slice(colon + 1).trim());
  }
  return fields;
}

/** The length of the block after a header; -1: it has none. */
function blockBytes(fields: Map<string, string>): number {
  const length = fields.get('content-length');
  return length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : -1;
}

/** The end of a header with its blank line, or -1. */
function headerEnd(bytes: Buffer, from: number): number {
  const line = bytes.indexOf(BLANK_LINE, from);
  const bare = bytes.indexOf(BLANK_BARE, from);
  if (line < 0) return bare < 0 ? -1 : bare + BLANK_BARE.length;
  return bare < 0 || line < bare ? line + BLANK_LINE.length : bare + BLANK_BARE.length;
}

/**
 * Finds the ends of records by their headers, or by lines if these are wrong. A record ends where the next one begins.
 */
export class WarcEnds implements RecordCutter {
  #state: 'between' | 'header' | 'block' | 'damage' = 'between';
  /** The part of a header that was read. */
  #header: Buffer = Buffer.alloc(0);
  /** Bytes of the block that were not read yet. */
  #left = 0;
  /** Whether a record precedes the next bytes. */
  #isAfter = false;

  next(bytes: Buffer, from: number, to: number): number {
    let at = from;
    while (at < to) {
      if (this.#state === 'between') {
        while (at < to && isLineEnd(bytes[at]!)) at++;
        if (at === to) return -1;
        this.#state = 'header';
        if (this.#isAfter) {
          this.#isAfter = false;
          return at;
        }
      } else if (this.#state === 'header') at = this.#readHeader(bytes, at, to);
      else if (this.#state === 'block') {
        const read = Math.min(this.#left, to - at);
        this.#left -= read;
        at += read;
        if (this.#left === 0) this.#goOn('between');
      } else {
        const feed = bytes.subarray(at, to).indexOf(LINE_FEED);
        at = feed < 0 ? to : at + feed + 1;
        if (feed >= 0) this.#goOn('between');
      }
    }
    return -1;
  }

  count(chunk: Buffer): number {
    return countRecords(new WarcRecords(chunk), chunk);
  }

  #goOn(state: 'between' | 'damage'): void {
    this.#state = state;
    this.#header = Buffer.alloc(0);
    this.#isAfter = true;
  }

  /** Returns where the reading continues. */
  #readHeader(bytes: Buffer, at: number, to: number): number {
    const before = this.#header.length;
    const more = bytes.subarray(at, Math.min(to, at + MOST_HEADER - before));
    const header = before === 0 ? more : Buffer.concat([this.#header, more]);
    const isBegun = VERSION.every((byte, i) => i >= header.length || header[i] === byte);
    const end = isBegun ? headerEnd(header, 0) : -1;
    if (end < 0) {
      if (!isBegun || header.length >= MOST_HEADER) {
        this.#goOn('damage');
        return at;
      }
      this.#header = Buffer.from(header);
      return at + more.length;
    }
    const length = blockBytes(headerFields(header.toString('latin1', 0, end)));
    if (length < 0) this.#goOn('damage');
    else if (length === 0) this.#goOn('between');
    else {
      this.#state = 'block';
      this.#left = length;
      this.#header = Buffer.alloc(0);
    }
    return at + end - before;
  }
}

function isLineEnd(byte: number): boolean {
  return byte === LINE_FEED || byte === RETURN;
}

/** A record of a chunk, or a problem in its place. */
export type WarcRecord =
  | { readonly fields: Map<string, string>; readonly block: Buffer }
  | { readonly problem: 'WARC_DAMAGED' | 'WARC_TRUNCATED'; readonly fields: Map<string, string> | null };

/**
 * The records of a chunk, each with the blank lines behind it. Bytes with a wrong header, a wrong length or without a blank line behind the block are
 * one problem, up to the next line that begins a record.
 */
export class WarcRecords implements ChunkRecords {
  part: 'head' | 'record' = 'head';
  /** The last record. */
  record: WarcRecord = { problem: 'WARC_DAMAGED', fields: null };
  readonly #bytes: Buffer;
  /** The next line that may begin a record. */
  #next = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  next(from: number): number {
    const bytes = this.#bytes;
    const start = from === 0 ? this.#behindLineEnds(0) : from;
    this.part = start > from ? 'head' : 'record';
    if (start > from) return start;
    if (this.#next <= from) {
      // Searched once: a header ends before the next record, and a block may be all of the chunk.
      const found = bytes.indexOf(VERSION_LINE, from);
      this.#next = found < 0 ? bytes.length : found + 1;
    }
    const record = recordAt(bytes, from, this.#next);
    this.record = record;
    return this.#behindLineEnds('end' in record ? record.end : this.#next);
  }

  #behindLineEnds(at: number): number {
    while (at < this.#bytes.length && isLineEnd(this.#bytes[at]!)) at++;
    return at;
  }
}

/** The record that begins at `at`; `next`: the next line that may begin one. */
function recordAt(bytes: Buffer, at: number, next: number): WarcRecord | (WarcRecord & { end: number }) {
  if (!isVersion(bytes, at)) return { problem: 'WARC_DAMAGED', fields: null };
  const isLast = next === bytes.length;
  const cut = isLast ? 'WARC_TRUNCATED' : 'WARC_DAMAGED';
  const header = bytes.subarray(at, Math.min(next, at + MOST_HEADER));
  const end = headerEnd(header, 0);
  if (end < 0) {
    const problem = header.length === MOST_HEADER ? 'WARC_DAMAGED' : cut;
    return { problem, fields: null };
  }
  const fields = headerFields(header.toString('latin1', 0, end));
  const length = blockBytes(fields);
  if (length < 0) return { problem: 'WARC_DAMAGED', fields };
  const from = at + end;
  if (from + length > bytes.length) return { problem: cut, fields };
  if (!isFollowed(bytes, from + length)) return { problem: 'WARC_DAMAGED', fields };
  return { fields, block: bytes.subarray(from, from + length), end: from + length };
}

/** Whether a blank line follows a block, or the end. */
function isFollowed(bytes: Buffer, from: number): boolean {
  let feeds = 0;
  let at = from;
  for (; at < bytes.length && isLineEnd(bytes[at]!); at++) if (bytes[at] === LINE_FEED) feeds++;
  return feeds >= 2 || at === bytes.length;
}
