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
import {
  type ChunkRecords,
  LINE_FEED,
  RETURN,
  type RecordChunk,
  type RecordRule,
} from '../../bytes/records.js';

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
function headerEnd(bytes: Buffer): number {
  const line = bytes.indexOf(BLANK_LINE);
  const bare = bytes.indexOf(BLANK_BARE);
  if (line < 0) return bare < 0 ? -1 : bare + BLANK_BARE.length;
  return bare < 0 || line < bare ? line + BLANK_LINE.length : bare + BLANK_BARE.length;
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
  readonly #isOpen: boolean;
  /** The next line that may begin a record. */
  #next = 0;

  constructor({ bytes, isOpen = false }: Pick<RecordChunk, 'bytes' | 'isOpen'>) {
    this.#bytes = bytes;
    this.#isOpen = isOpen;
  }

  next(from: number): number {
    const bytes = this.#bytes;
    const { length } = bytes;
    const start = from === 0 ? this.#behindLineEnds(0) : from;
    this.part = start > from ? 'head' : 'record';
    if (start > from) return start;
    if (this.#next <= from) {
      // Searched once: a header ends before the next record, and a block may be all of the chunk.
      const found = bytes.indexOf(VERSION_LINE, from);
      this.#next = found < 0 ? length : found + 1;
    }
    const end = this.#behindLineEnds(this.#read(from, this.#next));
    return this.#isOpen && end === length ? -1 : end;
  }

  /** Reads the record that begins at `at`; returns where the next one or a blank line begins. `next`: the next line that may begin one. */
  #read(at: number, next: number): number {
    const bytes = this.#bytes;
    const isBegun = isVersion(bytes, at);
    const header = bytes.subarray(at, Math.min(next, at + MOST_HEADER));
    const end = isBegun ? headerEnd(header) : -1;
    const fields = end < 0 ? null : headerFields(header.toString('latin1', 0, end));
    const length = fields === null ? -1 : blockBytes(fields);
    const from = at + end;
    const to = from + length;
    const isLast = next === bytes.length;
    const isCut = end < 0 ? isBegun && isLast && header.length < MOST_HEADER : to > bytes.length;
    if (fields !== null && length >= 0 && to <= bytes.length && this.#isFollowed(to)) {
      this.record = { fields, block: bytes.subarray(from, to) };
      return to;
    }
    const problem = isCut && isLast ? 'WARC_TRUNCATED' : 'WARC_DAMAGED';
    this.record = { problem, fields };
    // The header may be valid: more bytes show where its block ends.
    return this.#isOpen && isCut ? bytes.length : next;
  }

  /** Whether a blank line follows a block, or the end. */
  #isFollowed(from: number): boolean {
    const bytes = this.#bytes;
    let feeds = 0;
    let at = from;
    for (; at < bytes.length && isLineEnd(bytes[at]!); at++) if (bytes[at] === LINE_FEED) feeds++;
    return feeds >= 2 || at === bytes.length;
  }

  #behindLineEnds(at: number): number {
    while (at < this.#bytes.length && isLineEnd(this.#bytes[at]!)) at++;
    return at;
  }
}

export const WARC: RecordRule = {
  records: (chunk) => new WarcRecords(chunk),
  resume: (bytes) => bytes.indexOf(VERSION_LINE) + 1 || -1,
};
