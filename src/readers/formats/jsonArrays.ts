/**
 * Files that are one JSON array, read in windows of it: what is held is an element, not the file.
 *
 * Nothing of a broken file is given, so the file is read twice: once to see that it is whole, and once to
 * give its elements. Who reads it again, as it was, does not look for that again.
 */

import { fstatSync } from 'node:fs';
import type { ErrorCode } from '../../errors.js';
import type { JsonLineScanner } from '../../kernel/kernel.js';
import { BINARY_PROBE, binaryCodeOf } from '../bytes/binaryKinds.js';
import { closeInput, openInput, readInto } from '../bytes/wholeFiles.js';
import {
  lineLimit,
  type ReadBuffers,
  type ReadParams,
  refusesBinary,
  type TextSink,
} from '../documentSink.js';
import { anyText, giveRows } from './jsonLines.js';
import { hasText, type JsonRecords, type JsonScanner, startAfterMark } from './jsonRecord.js';

/*
 * Walking over the elements of a JSON array in a window of a file: many at a time by the kernel where it can,
 * else one after the other.
 */

const COMMA = 0x2c;

/** More than the kernel's window is tried for elements that do not fit there, up to so much. */
const MOST_RUN = 1 << 20;
const RUN_GROWTH = 8;

/** What walks over elements. */
export interface ElementScan {
  readonly scanner: JsonScanner;
  /** Null: every element is scanned by `scanner`. */
  readonly many: JsonLineScanner | null;
  /** Bytes of the longest element. */
  readonly limit: number;
}

export function elementScan(scanner: JsonScanner, params: ReadParams, { kernel }: ReadBuffers): ElementScan {
  const many = kernel?.jsonLines?.(params.textField, params.idField) ?? null;
  return { scanner, many, limit: lineLimit(params) };
}

/** Is told of elements, which are numbered from 0. */
interface ElementVisitor {
  /** Place in the file before which all elements end that are told in rows. */
  readonly rowsUntil: number;
  /** `count` elements from `index` on are the rows of the kernel's scanner. False: nothing more is wanted. */
  rows(index: number, count: number): boolean;
  /** One was scanned and stands in the bytes; it ends at place `end` of the file. False: nothing more is wanted. */
  element(index: number, bytes: Uint8Array, end: number): boolean;
}

/** How walking over elements ends: before the byte after the last one (-1: there is none), stopped, or at a fault. */
type WalkEnd = { readonly next: number } | 'stopped' | 'broken' | ErrorCode;

/** The next byte that is no white space, without taking it; -1 at the end. */
export function peek(window: JsonWindow, scanner: JsonScanner): number {
  do {
    window.at = scanner.skipSpace(window.bytes, window.at, window.end);
    if (window.at < window.end) return window.bytes[window.at]!;
  } while (window.more());
  return -1;
}

/** What keeps a walk from going on, where the array does not end. */
export function faultOf({ over }: JsonWindow): 'broken' | ErrorCode {
  return over === null || over === 'end' ? 'broken' : over;
}

/** Walks over the elements of which the first is to begin at the window's `at`, and over the commas between them. */
export function walkElements(window: JsonWindow, scan: ElementScan, visitor: ElementVisitor): WalkEnd {
  for (let index = 0; ; ) {
    const taken = takeMany(window, scan, visitor.rowsUntil);
    if (taken > 0) {
      if (!visitor.rows(index, taken)) return 'stopped';
      index += taken;
      continue;
    }
    if (peek(window, scan.scanner) < 0) return faultOf(window);
    const end = elementEnd(window, scan);
    if (end < 0) return faultOf(window);
    const place = window.offset + end - window.at;
    if (!visitor.element(index++, window.bytes, place)) return 'stopped';
    window.at = end;
    const next = peek(window, scan.scanner);
    if (next !== COMMA) return { next };
    window.at++;
  }
}

/** Elements that the kernel took, each with its comma, before a place in the file. */
function takeMany(window: JsonWindow, { many, limit }: ElementScan, until: number): number {
  if (many === null) return 0;
  const { bytes, at, end } = window;
  const most = Math.min(end - at, until - window.offset);
  for (let size = many.window; most > 0; size *= RUN_GROWTH) {
    const taken = many.scanElements(bytes, at, at + Math.min(most, size), limit);
    if (taken > 0) window.at = many.end;
    if (taken > 0 || size >= most || size >= MOST_RUN) return taken;
  }
  return 0;
}

/** The position after the element at the window's `at`, which is scanned as a whole; -1 where there is none. */
function elementEnd(window: JsonWindow, { scanner, limit }: ElementScan): number {
  let end = scanner.scan(window.bytes, window.at, window.end);
  // A number may go on in what is not read yet.
  while (end < 0 ? scanner.isCut : end === window.end && window.over === null) {
    const hasMore = window.more();
    if (!hasMore && window.over !== 'end') return -1;
    // What is held may lie elsewhere by now.
    end = scanner.scan(window.bytes, window.at, window.end);
    if (!hasMore) break;
  }
  if (end - window.at <= limit) return end;
  window.over = 'TOO_LARGE';
  return -1;
}

/* A part of an open file, read in windows: what is held is what somebody still looks at, not the file. */

interface WindowParams {
  /** The most bytes that are held from `at` on. */
  readonly limit: number;
  /** Bytes of the file; default: all. */
  readonly from?: number;
  readonly to?: number;
  /** Called before every read. */
  readonly progress?: (() => void) | undefined;
}

/** A window of a file; what lies before `at` is done with. */
export class JsonWindow {
  bytes: Uint8Array;
  at = 0;
  end = 0;
  /** Why nothing more comes: null while more may come, else the end or a fault. */
  over: 'end' | ErrorCode | null = null;
  private position: number;
  private readonly file: number;
  private readonly limit: number;
  private readonly to: number;
  private readonly progress: (() => void) | undefined;

  /** @param bytes memory to begin with, at least one byte */
  constructor(file: number, bytes: Uint8Array, params: WindowParams) {
    this.file = file;
    this.bytes = bytes;
    this.limit = params.limit;
    this.position = params.from ?? 0;
    this.to = params.to ?? Number.POSITIVE_INFINITY;
    this.progress = params.progress;
  }

  /** Where in the file `at` is. */
  get offset(): number {
    return this.position - (this.end - this.at);
  }

  /** Reads more behind what is held from `at` on; false where nothing came. What is held begins at 0 then. */
  more(): boolean {
    if (this.over !== null) return false;
    const held = this.end - this.at;
    if (held > this.limit) {
      this.over = 'TOO_LARGE';
      return false;
    }
    this.progress?.();
    const old = this.bytes;
    const most = Math.min(2 * old.length, this.limit + 1);
    if (2 * held > old.length && most > old.length) this.bytes = new Uint8Array(most);
    if (this.bytes === old) old.copyWithin(0, this.at, this.end);
    else this.bytes.set(old.subarray(this.at, this.end));
    this.at = 0;
    this.end = held;
    const until = Math.min(this.bytes.length, held + this.to - this.position);
    const end = readInto(this.file, this.bytes, held, this.position, until);
    if (end < 0) this.over = 'UNREADABLE';
    else if (end === held) this.over = 'end';
    if (end <= held) return false;
    this.position += end - held;
    this.end = end;
    return true;
  }
}

const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/** What walking over a file comes to. */
export type Walked = 'array' | 'no array' | 'broken' | ErrorCode;

/** Tells of the elements of an array; `begin` hears where in the file the first may begin. */
interface ArrayVisitor extends ElementVisitor {
  begin?(place: number): void;
}

/** Walks over a file from its start, which is to be one array. A visitor that stops it makes it broken. */
export function walkArray(
  window: JsonWindow,
  scan: ElementScan,
  isText: boolean,
  visitor: ArrayVisitor,
): Walked {
  while (window.end < BINARY_PROBE && window.more());
  const binary = isText ? binaryCodeOf(window.bytes.subarray(0, Math.min(window.end, BINARY_PROBE))) : null;
  if (binary !== null) return binary;
  window.at = startAfterMark(window.bytes.subarray(0, window.end));
  if (peek(window, scan.scanner) !== OPEN_ARRAY) {
    return window.over === 'UNREADABLE' ? window.over : 'no array';
  }
  window.at++;
  visitor.begin?.(window.offset);
  if (peek(window, scan.scanner) !== CLOSE_ARRAY) {
    const ended = walkElements(window, scan, visitor);
    if (typeof ended === 'string') return ended === 'stopped' ? 'broken' : ended;
    if (ended.next !== CLOSE_ARRAY) return faultOf(window);
  }
  window.at++;
  if (peek(window, scan.scanner) >= 0) return 'broken';
  return window.over === 'end' ? 'array' : window.over!;
}

/** Counts elements, and notes whether any has a text. */
export class ElementCounter implements ArrayVisitor {
  readonly rowsUntil: number = Number.POSITIVE_INFINITY;
  elements = 0;
  someText = false;
  protected readonly scan: ElementScan;

  constructor(scan: ElementScan) {
    this.scan = scan;
  }

  rows(_index: number, count: number): boolean {
    this.elements += count;
    this.someText ||= anyText(this.scan.many!, count);
    return true;
  }

  element(_index: number, bytes: Uint8Array, _end: number): boolean {
    this.elements++;
    this.someText ||= hasText(this.scan.scanner, bytes);
    return true;
  }
}

/** Gives elements [from, to) of those that are walked over, as records from `first` on, and hardly goes further. */
export class ElementGiver implements ElementVisitor {
  readonly rowsUntil: number = Number.POSITIVE_INFINITY;
  /** Elements that were walked over. */
  seen = 0;
  private readonly scan: ElementScan;
  private readonly file: number;
  private readonly give: readonly [from: number, to: number];
  private readonly first: number;
  private readonly params: ReadParams;
  private readonly sink: TextSink;
  private readonly records: JsonRecords;

  constructor(
    file: number,
    scan: ElementScan,
    records: JsonRecords,
    params: ReadParams,
    sink: TextSink,
    give: readonly [from: number, to: number],
    first = 0,
  ) {
    this.file = file;
    this.scan = scan;
    this.records = records;
    this.params = params;
    this.sink = sink;
    this.give = give;
    this.first = first;
  }

  rows(index: number, count: number): boolean {
    const [from, to] = this.give;
    const { scan, sink, params, file, first } = this;
    const begin = Math.max(0, from - index);
    giveRows(scan.many!, sink, params, file, first + index, begin, Math.min(count, to - index));
    this.seen = index + count;
    return this.seen <= to;
  }

  element(index: number, bytes: Uint8Array): boolean {
    const [from, to] = this.give;
    if (index >= from && index < to) this.records.emitElement(this.file, this.first + index, bytes);
    this.seen = index + 1;
    return this.seen <= to;
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

/** How many elements a file has: null where it is no array; else, where it is broken, why. */
function elementsOf(walked: Walked, counter: ElementCounter, orText: boolean): number | ErrorCode | null {
  if (walked === 'array') return orText && !counter.someText ? null : counter.elements;
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
  sink: TextSink,
  buffers: ReadBuffers,
  records: JsonRecords,
  orText: boolean,
): boolean {
  const opened = openInput(file.path);
  if (typeof opened === 'string') return false;
  try {
    const stamp = stampOf(opened);
    if (stamp === null) return false;
    const scan = elementScan(records.scanner, params, buffers);
    const walkOver = (visitor: ElementVisitor): Walked => {
      const window = new JsonWindow(opened, buffers.piece, { limit: scan.limit });
      return walkArray(window, scan, refusesBinary(params), visitor);
    };
    const known = buffers.arrays.get(file.index);
    const counter = new ElementCounter(scan);
    const elements = known?.stamp === stamp ? known.elements : elementsOf(walkOver(counter), counter, orText);
    if (elements === null) return false;
    if (typeof elements === 'string') {
      sink.skip(file.index, -1, elements, null);
      return true;
    }
    buffers.arrays.set(file.index, { stamp, elements });
    const giver = new ElementGiver(file.index, scan, records, params, sink, [0, elements]);
    // Somebody wrote into it between the two.
    if (walkOver(giver) !== 'array' || giver.seen !== elements) {
      sink.skip(file.index, Math.min(giver.seen, elements), 'CHANGED', null);
    }
    return true;
  } finally {
    closeInput(opened);
  }
}
