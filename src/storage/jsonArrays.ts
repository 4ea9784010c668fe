/**
 * Files that are one JSON array, read in windows of it: what is held is an element, not the file.
 *
 * Floor 2; must never know what becomes of a record. Nothing of a broken file is given, so the file is read twice: once to
 * see that it is whole, and once to give its elements. Who reads it again, as it was, does not look for that again.
 */
import { fstatSync } from 'node:fs';
import type { ErrorCode } from '../errors.js';
import { BINARY_PROBE, binaryCodeOf } from './binaryKinds.js';
import {
  type ElementScan,
  type ElementVisitor,
  elementScan,
  faultOf,
  peek,
  walkElements,
} from './jsonElements.js';
import { hasText, type JsonRecords, startAfterMark } from './jsonRecords.js';
import { anyText, giveRows } from './jsonRows.js';
import { JsonWindow } from './jsonWindow.js';
import { type DocumentSink, type ReadBuffers, type ReadParams, refusesBinary } from './readerSink.js';
import { closeInput, openInput } from './wholeFiles.js';

const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/** What walking over a file comes to. */
export type Walked = 'array' | 'no array' | 'broken' | ErrorCode;

/** Tells of the elements of an array; `begin` hears where in the file the first may begin. */
export interface ArrayVisitor extends ElementVisitor {
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
  private readonly sink: DocumentSink;
  private readonly records: JsonRecords;

  constructor(
    file: number,
    scan: ElementScan,
    records: JsonRecords,
    params: ReadParams,
    sink: DocumentSink,
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
