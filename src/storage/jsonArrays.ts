/**
 * Files that are one JSON array, read in windows of it: what is held is an element, not the file.
 *
 * Floor 2; must never know what becomes of a record. Nothing of a broken file is given, so the file is read twice: once to
 * see that it is whole, and once to give its elements. Who reads it again, as it was, does not look for that again.
 */
import { fstatSync } from 'node:fs';
import type { ErrorCode } from '../errors.js';
import { type JsonRecords, startAfterMark } from './jsonRecords.js';
import {
  BINARY_PROBE,
  type DocumentSink,
  lineLimit,
  looksBinary,
  type ReadBuffers,
  type ReadParams,
  refusesBinary,
} from './readerSink.js';
import { closeInput, openInput, readInto } from './wholeFiles.js';

const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const COMMA = 0x2c;

/** What walking over a file comes to. */
type Walked = 'array' | 'no array' | 'broken' | ErrorCode;

/** A window of a file; what lies before `at` is done with. */
class Window {
  bytes: Uint8Array;
  at = 0;
  end = 0;
  /** Why nothing more comes: null while more may come, else the end or a fault. */
  over: 'end' | ErrorCode | null = null;
  private position = 0;
  private readonly file: number;
  private readonly limit: number;

  constructor(file: number, bytes: Uint8Array, limit: number) {
    this.file = file;
    this.bytes = bytes;
    this.limit = limit;
  }

  /** Reads more behind what is held from `at` on; false where nothing came. What is held begins at 0 then. */
  more(): boolean {
    if (this.over !== null) return false;
    const held = this.end - this.at;
    if (held > this.limit) {
      this.over = 'TOO_LARGE';
      return false;
    }
    const old = this.bytes;
    const most = Math.min(2 * old.length, this.limit + 1);
    if (2 * held > old.length && most > old.length) this.bytes = new Uint8Array(most);
    if (this.bytes === old) old.copyWithin(0, this.at, this.end);
    else this.bytes.set(old.subarray(this.at, this.end));
    this.at = 0;
    this.end = held;
    const end = readInto(this.file, this.bytes, held, this.position);
    if (end < 0) this.over = 'UNREADABLE';
    else if (end === held) this.over = 'end';
    if (end <= held) return false;
    this.position += end - held;
    this.end = end;
    return true;
  }

  /** The next byte that is no white space, without taking it; -1 at the end. */
  peek(records: JsonRecords): number {
    do {
      this.at = records.skipSpace(this.bytes, this.at, this.end);
      if (this.at < this.end) return this.bytes[this.at]!;
    } while (this.more());
    return -1;
  }
}

/** Walks over the elements of an array; `each` is told of every one when it was scanned. */
function walk(
  window: Window,
  records: JsonRecords,
  isText: boolean,
  each: (index: number, bytes: Uint8Array) => void,
): Walked {
  const broken = (): Walked => (window.over === null || window.over === 'end' ? 'broken' : window.over);
  while (window.end < BINARY_PROBE && window.more());
  if (isText && looksBinary(window.bytes.subarray(0, Math.min(window.end, BINARY_PROBE)))) return 'BINARY';
  window.at = startAfterMark(window.bytes.subarray(0, window.end));
  if (window.peek(records) !== OPEN_ARRAY) return window.over === 'UNREADABLE' ? window.over : 'no array';
  window.at++;
  if (window.peek(records) === CLOSE_ARRAY) window.at++;
  else {
    for (let index = 0; ; index++) {
      const end = elementEnd(window, records);
      if (end < 0) return broken();
      each(index, window.bytes);
      window.at = end;
      const next = window.peek(records);
      window.at++;
      if (next === CLOSE_ARRAY) break;
      if (next !== COMMA) return broken();
      if (window.peek(records) < 0) return broken();
    }
  }
  if (window.peek(records) >= 0) return 'broken';
  return window.over === 'end' ? 'array' : window.over!;
}

/** The position after the element at `window.at`, which is scanned as a whole; -1 where there is none. */
function elementEnd(window: Window, records: JsonRecords): number {
  for (;;) {
    const end = records.element(window.bytes, window.at, window.end);
    // A number may go on in what is not read yet.
    if (end >= 0 && (end < window.end || window.over === 'end')) return end;
    if (end < 0 && !records.isCut) return -1;
    if (window.more()) continue;
    // What is held may lie elsewhere by now.
    return window.over === 'end' ? records.element(window.bytes, window.at, window.end) : -1;
  }
}

/** What tells a file as it is from what it was; null: it is no file to be read. */
function stampOf(descriptor: number): string | null {
  try {
    const stats = fstatSync(descriptor, { bigint: true });
    return stats.isFile() ? `${stats.ino} ${stats.size} ${stats.mtimeNs}` : null;
  } catch {
    return null;
  }
}

type WalkOver = (each: (index: number, bytes: Uint8Array) => void) => Walked;

/** How many elements a file has: null where it is no array; else, where it is broken, why. */
function elementsOf(walkOver: WalkOver, records: JsonRecords, orText: boolean): number | ErrorCode | null {
  let elements = 0;
  let texts = 0;
  const walked = walkOver((_, bytes) => {
    elements++;
    if (records.hasText(bytes)) texts++;
  });
  if (walked === 'array') return orText && texts === 0 ? null : elements;
  if (walked === 'broken') return orText ? null : 'JSON_BROKEN';
  return walked === 'no array' ? null : walked;
}

/**
 * Gives the elements of a file that is one array, in UTF-8: false where it is not; then nothing was given. An element is
 * held whole, and a file with one that is too long for that is skipped TOO_LARGE.
 *
 * @param orText whether a file without the text field is a text, or a broken one may be: then false is returned, too
 */
export function readArrayFile(
  file: { readonly index: number; readonly path: Uint8Array },
  params: ReadParams,
  sink: DocumentSink,
  buffers: ReadBuffers,
  records: JsonRecords,
  orText: boolean,
): boolean {
  const opened = openInput(file.path);
  if (typeof opened === 'string') return false;
  try {
    const stamp = stampOf(opened);
    if (stamp === null) return false;
    const walkOver: WalkOver = (each) => {
      const window = new Window(opened, buffers.piece, lineLimit(params));
      return walk(window, records, refusesBinary(params), each);
    };
    const known = buffers.arrays.get(file.index);
    const elements = known?.stamp === stamp ? known.elements : elementsOf(walkOver, records, orText);
    if (elements === null) return false;
    if (typeof elements === 'string') {
      sink.skip(file.index, -1, elements, null);
      return true;
    }
    buffers.arrays.set(file.index, { stamp, elements });
    let given = 0;
    const again = walkOver((index, bytes) => {
      if (index < elements) records.emitElement(file.index, index, bytes);
      given++;
    });
    // Somebody wrote into it between the two.
    if (again !== 'array' || given !== elements) {
      sink.skip(file.index, Math.min(given, elements), 'CHANGED', null);
    }
    return true;
  } finally {
    closeInput(opened);
  }
}
