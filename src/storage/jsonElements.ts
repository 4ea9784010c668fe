/**
 * Walking over the elements of a JSON array in a window of a file: many at a time by the kernel where it can, else one
 * after the other.
 *
 * Floor 2; must never know what becomes of an element.
 */
import type { ErrorCode } from '../errors.js';
import type { JsonLineScanner } from '../kernel/jsonLines.js';
import type { JsonScanner } from './jsonScanner.js';
import type { JsonWindow } from './jsonWindow.js';
import { lineLimit, type ReadBuffers, type ReadParams } from './readerSink.js';

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
export interface ElementVisitor {
  /** Place in the file before which all elements end that are told in rows. */
  readonly rowsUntil: number;
  /** `count` elements from `index` on are the rows of the kernel's scanner. False: nothing more is wanted. */
  rows(index: number, count: number): boolean;
  /** One was scanned and stands in the bytes; it ends at place `end` of the file. False: nothing more is wanted. */
  element(index: number, bytes: Uint8Array, end: number): boolean;
}

/** How walking over elements ends: before the byte after the last one (-1: there is none), stopped, or at a fault. */
export type WalkEnd = { readonly next: number } | 'stopped' | 'broken' | ErrorCode;

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
