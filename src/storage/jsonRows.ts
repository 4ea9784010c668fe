/**
 * From rows of the kernel, which scanned lines or elements of JSON, to documents.
 *
 * Floor 2; must never know what the rows stand for.
 */
import type { ErrorCode } from '../errors.js';
import {
  type JsonLineScanner,
  LINE_BAD_ID,
  LINE_BLANK,
  LINE_BROKEN,
  LINE_HAS_ID,
  LINE_NO_OBJECT,
  LINE_NO_TEXT,
  LINE_RECORD,
  LINE_REPAIRED,
  LINE_TOO_LONG,
  ROW_WORDS,
} from '../kernel/jsonLines.js';
import { type DocumentSink, MOST_ID_BYTES, type ReadParams } from './readerSink.js';

const SKIPS: readonly (readonly [kind: number, code: ErrorCode])[] = [
  [LINE_BROKEN, 'JSON_BROKEN'],
  [LINE_NO_OBJECT, 'JSON_NOT_AN_OBJECT'],
  [LINE_NO_TEXT, 'JSON_NO_TEXT'],
  [LINE_BAD_ID, 'JSON_BAD_ID'],
  [LINE_TOO_LONG, 'TOO_LARGE'],
];
const SKIP_OF_KIND = new Map(SKIPS);

/** Gives rows [from, to) of the last scan; `first` is the number of the record in row 0. */
export function giveRows(
  scanner: JsonLineScanner,
  sink: DocumentSink,
  { maxDocument }: Pick<ReadParams, 'maxDocument'>,
  file: number,
  first: number,
  from: number,
  to: number,
): void {
  const { rows } = scanner;
  for (let i = from, row = from * ROW_WORDS; i < to; i++, row += ROW_WORDS) {
    const kind = rows[row]!;
    if (kind === LINE_BLANK) continue;
    const flags = rows[row + 5]!;
    const isNameable = kind === LINE_RECORD || kind === LINE_NO_TEXT;
    // An empty id names nothing.
    const named = isNameable && (flags & LINE_HAS_ID) !== 0 && rows[row + 2]! > 0;
    const tooLong = named && rows[row + 2]! > MOST_ID_BYTES;
    const id = named && !tooLong ? scanner.bytes(rows[row + 1]!, rows[row + 2]!) : null;
    const length = rows[row + 4]!;
    if (kind === LINE_RECORD && tooLong) sink.skip(file, first + i, 'JSON_BAD_ID', null);
    else if (kind !== LINE_RECORD) sink.skip(file, first + i, SKIP_OF_KIND.get(kind)!, id);
    else if (length > maxDocument) sink.skip(file, first + i, 'TOO_LARGE', id);
    else {
      const text = scanner.bytes(rows[row + 3]!, length);
      sink.whole(file, first + i, id, text, (flags & LINE_REPAIRED) !== 0);
    }
  }
}

/** Whether any of the first `count` rows of the last scan has a text. */
export function anyText({ rows }: JsonLineScanner, count: number): boolean {
  for (let i = 0; i < count; i++) {
    const kind = rows[i * ROW_WORDS]!;
    if (kind === LINE_RECORD || kind === LINE_BAD_ID) return true;
  }
  return false;
}
