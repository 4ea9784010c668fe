/**
 * Reads files that are one JSON array in windows: memory holds an element, not the file.
 *
 * No record of a broken file is emitted, so the file is read twice: once to validate it, and once to emit its
 * elements. A re-read of an unchanged file is not validated again. Of a large one the first reading is a task of its own, which cuts
 * it for others:
 *
 *      [ aaaa, bbbb, cccc, dddd ]
 *       ^    ^           ^    ^      a block ends with the first element that ends `step` bytes or more behind its
 *       from to 1        to 2 to 3   beginning; the next block begins there, with the comma
 */

import type { Block } from '../../../blocks/block.js';
import type { ErrorCode } from '../../../errors.js';
import type { JsonLineScanner } from '../../../kernel/kernel.js';
import { BINARY_PROBE, isBinary } from '../../bytes/binaryKinds.js';
import { startAfterMark } from '../../bytes/encodings.js';
import { readInto, sizeOf, stampOf, withInput } from '../../bytes/wholeFiles.js';
import { type ReadBuffers, type ReadParams, refusesBinary } from '../../documentSink.js';
import { heldBytes, lineLimit, refuseRecord } from '../../recordRoom.js';
import { type ArrayFile, Cuts, type ElementsSplit } from '../../split.js';
import type { FormatReading } from '../reading.js';
import { anyText, giveRows } from './jsonLines.js';
import { CLOSE_ARRAY, COMMA, type JsonScanner, OPEN_ARRAY } from './jsonScanner.js';
import { manyScanner, RecordScanner } from './recordScanner.js';

/** Upper limit of the bytes that are retried for elements that do not fit the kernel's window. */
const MOST_RUN = 1 << 20;
const RUN_GROWTH = 8;

/** The scanners that walk over elements. */
interface ElementScan {
  readonly scanner: RecordScanner;
  /** Null: every element is scanned by `scanner`. */
  readonly many: JsonLineScanner | null;
  /** Bytes of the longest element. */
  readonly limit: number;
}

function elementScan(scanner: RecordScanner, params: ReadParams, buffers: ReadBuffers): ElementScan {
  return { scanner, many: manyScanner(params, buffers), limit: lineLimit(params) };
}

/** Receives elements, which are numbered from 0. */
interface ElementVisitor {
  /** Where the first element may begin, as an offset of the file. */
  begin?(place: number): void;
  /** Elements that end before this offset of the file are passed in rows. */
  readonly rowsUntil: number;
  /** `count` elements from `index` on, the first at `from` in `bytes`, are the rows of the kernel's scanner. False stops the walk. */
  rows(index: number, count: number, bytes: Uint8Array, from: number): boolean;
  /** One scanned element in `bytes`; it ends at offset `end` of the file. False stops the walk. */
  element(index: number, bytes: Uint8Array, end: number): boolean;
}

/**
 * How a walk over elements ends: before the byte after the last one (-1: there is none), stopped, or at a
 * fault.
 */
type WalkEnd = { readonly next: number } | 'stopped' | 'broken' | ErrorCode;

/** The next byte that is not white space, without consuming it; -1 at the end. */
function peek(window: JsonWindow, scanner: JsonScanner): number {
  do {
    window.at = scanner.skipSpace(window.bytes, window.at, window.end);
    if (window.at < window.end) return window.bytes[window.at]!;
  } while (window.more());
  return -1;
}

/** The reason why a walk cannot continue before the end of the array. */
function faultOf({ over }: JsonWindow): 'broken' | ErrorCode {
  return over === null || over === 'end' ? 'broken' : over;
}

/**
 * Walks over the elements of which the first begins at the window's `at`, and over the commas between them:
 * many at a time by the kernel where it can, else one after the other.
 */
function walkElements(window: JsonWindow, scan: ElementScan, visitor: ElementVisitor): WalkEnd {
  for (let index = 0; ; ) {
    const { at } = window;
    const taken = takeMany(window, scan, visitor.rowsUntil);
    if (taken > 0) {
      if (!visitor.rows(index, taken, window.bytes, at)) return 'stopped';
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

/** Scans elements with the kernel, each with its comma, before an offset of the file. */
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

/** The position after the element at the window's `at`, which is scanned as a whole; -1 if there is none. */
function elementEnd(window: JsonWindow, { scanner, limit }: ElementScan): number {
  let end = scanner.scan(window.bytes, window.at, window.end);
  // A number may continue in bytes that are not read yet.
  while (end < 0 ? scanner.isCut : end === window.end && window.over === null) {
    const hasMore = window.more();
    if (!hasMore && window.over !== 'end') return -1;
    // Reading may have moved the bytes.
    end = scanner.scan(window.bytes, window.at, window.end);
    if (!hasMore) break;
  }
  if (end - window.at <= limit) return end;
  window.over = 'TOO_LARGE';
  return -1;
}

interface WindowParams {
  /** Most bytes that are held from `at` on. */
  readonly limit: number;
  /** Bytes of the file; default: all. */
  readonly from?: number;
  readonly to?: number;
  /** Called before every read. */
  readonly progress?: (() => void) | undefined;
  /** Called where the limit is what memory has room for, and an element that begins there is longer. */
  readonly refuse?: ((from: number) => never) | undefined;
}

/** A window of a file that holds an element of any length that --max-document allows. @throws MinHashError MEMORY_RECORD */
function elementWindow(
  opened: number,
  name: string,
  params: ReadParams,
  { piece }: ReadBuffers,
  part: Pick<WindowParams, 'from' | 'to' | 'progress'> = {},
): JsonWindow {
  const most = lineLimit(params);
  const limit = heldBytes(params, most);
  const refuse = (from: number): never => {
    // Where it ends is not known: no further than what is read.
    const size = sizeOf(opened);
    const to = part.to ?? (typeof size === 'string' ? Number.POSITIVE_INFINITY : size);
    return refuseRecord(params, `${name}: what begins at byte ${from}`, Math.min(most, to - from));
  };
  return new JsonWindow(opened, piece, { ...part, limit, ...(limit < most && { refuse }) });
}

/** A window of an open file: memory holds the bytes from `at` on, which are still in use, not the file. */
class JsonWindow {
  bytes: Uint8Array;
  at = 0;
  end = 0;
  /** Why no more bytes come: null while more may come, else the end or a fault. */
  over: 'end' | ErrorCode | null = null;
  private position: number;
  private readonly file: number;
  private readonly limit: number;
  private readonly to: number;
  private readonly progress: (() => void) | undefined;
  private readonly refuse: ((from: number) => never) | undefined;

  /** @param bytes initial memory, at least one byte */
  constructor(file: number, bytes: Uint8Array, params: WindowParams) {
    this.file = file;
    this.bytes = bytes;
    this.limit = params.limit;
    this.position = params.from ?? 0;
    this.to = params.to ?? Number.POSITIVE_INFINITY;
    this.progress = params.progress;
    this.refuse = params.refuse;
  }

  /** Offset of `at` in the file. */
  get offset(): number {
    return this.position - (this.end - this.at);
  }

  /** Reads more bytes behind the held ones; false if none came. Held bytes begin at 0 then. */
  more(): boolean {
    if (this.over !== null) return false;
    const held = this.end - this.at;
    if (held > this.limit) {
      this.refuse?.(this.offset);
      this.over = 'TOO_LARGE';
      return false;
    }
    this.progress?.();
    const old = this.bytes;
    // What is allocated and not filled takes no memory: where little is left, growing by steps would, for what is copied from.
    const most = this.refuse === undefined ? Math.min(2 * old.length, this.limit + 1) : this.limit + 1;
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

/** The outcome of a walk over a file. */
type WalkOutcome = 'array' | 'no array' | 'broken' | ErrorCode;

/**
 * Walks over a file from its start, which should be one array. A visitor that stops it makes the outcome
 * `broken`.
 */
function walkArray(
  window: JsonWindow,
  scan: ElementScan,
  isText: boolean,
  visitor: ElementVisitor,
): WalkOutcome {
  while (window.end < BINARY_PROBE && window.more());
  if (isText && isBinary(window.bytes.subarray(0, Math.min(window.end, BINARY_PROBE)))) return 'BINARY';
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

/** Scans elements again that the kernel has scanned, by their numbers from that at `from`, in ascending order. */
function elementsAgain(scanner: JsonScanner, bytes: Uint8Array, from: number): (element: number) => void {
  let at = from;
  let next = 0;
  return (element) => {
    while (next <= element) {
      if (next++ > 0) at = scanner.skipSpace(bytes, at, bytes.length) + 1;
      at = scanner.scan(bytes, at, bytes.length);
    }
  };
}

/** Counts elements, records whether any has a text, and cuts between them. */
class ElementCuts implements ElementVisitor {
  readonly cuts = new Cuts();
  rowsUntil = 0;
  elements = 0;
  someText = false;
  private readonly scan: ElementScan;
  private readonly step: number;
  private lastEnd = 0;

  /** @param step bytes per cut; absent: there are none */
  constructor(scan: ElementScan, step = Number.POSITIVE_INFINITY) {
    this.scan = scan;
    this.step = step;
  }

  begin(place: number): void {
    this.cuts.from = place;
    this.rowsUntil = place + this.step;
  }

  rows(_index: number, count: number, bytes: Uint8Array, from: number): boolean {
    this.elements += count;
    this.someText ||= anyText(this.scan.many!, count) || this.#anyArray(count, bytes, from);
    return true;
  }

  /** Whether any of the elements has an array of strings for its text. */
  #anyArray(count: number, bytes: Uint8Array, from: number): boolean {
    const { scanner, many } = this.scan;
    const run = Buffer.from(bytes.buffer, bytes.byteOffset + from, many!.end - from);
    if (!run.includes(OPEN_ARRAY)) return false;
    const rows = elementsAgain(scanner, bytes, from);
    for (let i = 0; i < count; i++) {
      rows(i);
      if (scanner.hasText(bytes)) return true;
    }
    return false;
  }

  element(_index: number, bytes: Uint8Array, end: number): boolean {
    this.elements++;
    this.someText ||= this.scan.scanner.hasText(bytes);
    this.lastEnd = end;
    if (end >= this.rowsUntil) this.cut();
    return true;
  }

  /** Cuts behind the last element, which no comma follows and which is always scanned alone. */
  finish(): void {
    if (this.elements > this.cuts.elements) this.cut();
  }

  private cut(): void {
    this.cuts.end(this.lastEnd, this.elements);
    this.rowsUntil = this.lastEnd + this.step;
  }
}

/** Emits the first `most` of the elements walked over, as records from `first` on, and hardly walks further. */
class ElementGiver implements ElementVisitor {
  readonly rowsUntil: number = Number.POSITIVE_INFINITY;
  /** Number of elements walked over. */
  seen = 0;
  private readonly scan: ElementScan;
  private readonly file: number;
  private readonly most: number;
  private readonly first: number;
  private readonly reading: FormatReading;

  constructor(file: number, scan: ElementScan, reading: FormatReading, most: number, first = 0) {
    this.file = file;
    this.scan = scan;
    this.reading = reading;
    this.most = most;
    this.first = first;
  }

  rows(index: number, count: number, bytes: Uint8Array, from: number): boolean {
    const { scan, file, first, most } = this;
    const { sink, params, records } = this.reading;
    const rescan = elementsAgain(records.scanner, bytes, from);
    const lookAgain = (row: number): boolean => {
      rescan(row);
      records.emit(file, first + index + row, bytes);
      return true;
    };
    const fieldsOf = (row: number): void => {
      rescan(row);
      records.giveFields(bytes);
    };
    const giveFields = records.givesFields ? fieldsOf : null;
    const given = { lookAgain, giveFields };
    giveRows(scan.many!, sink, params.maxDocument, file, first + index, Math.min(count, most - index), given);
    this.seen = index + count;
    return this.seen <= most;
  }

  element(index: number, bytes: Uint8Array): boolean {
    if (index < this.most) this.reading.records.emit(this.file, this.first + index, bytes);
    this.seen = index + 1;
    return this.seen <= this.most;
  }
}

/** The number of elements of a file: null if it is not an array; else, if it is broken, the reason. */
function elementsOf(walked: WalkOutcome, counter: ElementCuts, orText: boolean): number | ErrorCode | null {
  if (walked === 'array') return orText && !counter.someText ? null : counter.elements;
  if (walked === 'broken') return orText ? null : 'JSON_BROKEN';
  return walked === 'no array' ? null : walked;
}

/**
 * Emits the elements of a file that is one UTF-8 array; false, with nothing emitted, where it is not. An
 * element is held whole, and a file with one that is too long for that is skipped TOO_LARGE.
 *
 * @param orText whether a file without the text field is a text, or a broken one may be: false is returned
 * then, too
 */
export function readArrayFile(
  file: { readonly index: number; readonly path: Uint8Array },
  reading: FormatReading,
  orText: boolean,
): boolean {
  const { params, sink, buffers, records } = reading;
  const read = (opened: number): boolean => {
    const stamp = stampOf(opened);
    if (stamp === null) return false;
    const scan = elementScan(records.scanner, params, buffers);
    const walkOver = (visitor: ElementVisitor): WalkOutcome => {
      const window = elementWindow(opened, Buffer.from(file.path).toString(), params, buffers);
      return walkArray(window, scan, refusesBinary(params), visitor);
    };
    const known = buffers.arrays.get(file.index);
    const counter = new ElementCuts(scan);
    const elements = known?.stamp === stamp ? known.elements : elementsOf(walkOver(counter), counter, orText);
    if (elements === null) return false;
    if (typeof elements === 'string') {
      sink.skip(file.index, -1, elements, null);
      return true;
    }
    buffers.arrays.set(file.index, { stamp, elements });
    const giver = new ElementGiver(file.index, scan, reading, elements);
    // The file was changed between the two readings.
    if (walkOver(giver) !== 'array' || giver.seen !== elements) {
      sink.skip(file.index, Math.min(giver.seen, elements), 'CHANGED', null);
    }
    return true;
  };
  return withInput(file.path, read, () => false);
}

/**
 * Finds the cuts of a file, as a block of kind `cuts` (split.ts). Without cuts the file is read as a whole: it is not an array, an
 * empty one or broken, or a text (an array without a text field), or cannot be read.
 *
 * @param progress called before every read
 */
export function arrayCuts(
  { file, step }: ArrayFile,
  params: ReadParams,
  buffers: ReadBuffers,
  progress: () => void,
): Block {
  const without = (): Block => new Cuts().block();
  const cut = (opened: number): Block => {
    if (typeof sizeOf(opened) === 'string') return without();
    const scan = elementScan(new RecordScanner(params.textField, params.idField), params, buffers);
    const cutter = new ElementCuts(scan, step);
    const window = elementWindow(opened, file.id, params, buffers, { progress });
    const isArray = walkArray(window, scan, refusesBinary(params), cutter) === 'array';
    if (!isArray || (file.format === 'json-or-text' && !cutter.someText)) return without();
    cutter.finish();
    return cutter.cuts.block();
  };
  return withInput(file.path, cut, without);
}

/** Emits the elements. If the file changed since it was cut, the rest is skipped CHANGED. */
export function readElements(source: ElementsSplit, reading: FormatReading): void {
  const { params, sink, buffers, records } = reading;
  const { file, index, first, count } = source;
  if (sink.opensFile?.(index) === false) return;
  const fault = (code: ErrorCode): void => sink.skip(index, -1, code, null);
  const read = (opened: number): void => {
    const size = sizeOf(opened);
    if (typeof size === 'string') {
      fault(size);
      return;
    }
    const scan = elementScan(records.scanner, params, buffers);
    const giver = new ElementGiver(index, scan, reading, count, first);
    const window = elementWindow(opened, file.id, params, buffers, { from: source.from, to: source.to });
    const isWhole = walkSource(source, window, scan, giver);
    if (!isWhole || giver.seen !== count)
      sink.skip(index, first + Math.min(giver.seen, count), 'CHANGED', null);
  };
  withInput(file.path, read, fault);
}

/** Whether the bytes of the source contain elements only. */
function walkSource(
  { to, first }: ElementsSplit,
  window: JsonWindow,
  scan: ElementScan,
  giver: ElementGiver,
): boolean {
  if (first > 0) {
    if (peek(window, scan.scanner) !== COMMA) return false;
    window.at++;
  }
  const ended = walkElements(window, scan, giver);
  return typeof ended === 'object' && ended.next === -1 && window.over === 'end' && window.offset === to;
}
