/** Turns runs of JSON lines into documents: by the kernel where it can, else a line at a time. */
import type { TextSink } from '../../../blocks/documents.js';
import type { ErrorCode } from '../../../errors.js';
import {
  type JsonLineScanner,
  LINE_BLANK,
  LINE_BROKEN,
  LINE_HAS_ID,
  LINE_NO_OBJECT,
  LINE_NO_TEXT,
  LINE_OTHER_ID,
  LINE_RECORD,
  LINE_REPAIRED,
  LINE_TOO_LONG,
  ROW_WORDS,
} from '../../../kernel/kernel.js';
import { isUtf8, startAfterMark } from '../../bytes/encodings.js';
import { eachLine, lastLineEnd, lineEnd } from '../../bytes/records.js';
import {
  type LineTaker,
  lineLimit,
  MOST_ID_BYTES,
  type ReadBuffers,
  type ReadParams,
} from '../../documentSink.js';
import { idFieldOf, textFieldsOf } from '../fields.js';
import { readRange } from '../lineRanges.js';
import type { FormatReading, LinesOfFile } from '../reading.js';
import { RecordTexts } from '../web/pages.js';
import { OPEN_ARRAY } from './json.js';
import type { JsonRecords } from './jsonRecord.js';

const SKIPS: readonly (readonly [kind: number, code: ErrorCode])[] = [
  [LINE_BROKEN, 'JSON_BROKEN'],
  [LINE_NO_OBJECT, 'JSON_NOT_AN_OBJECT'],
  [LINE_NO_TEXT, 'JSON_NO_TEXT'],
  [LINE_TOO_LONG, 'TOO_LARGE'],
];
const SKIP_OF_KIND = new Map(SKIPS);

/** Records that the kernel leaves to the caller, in ascending order. */
interface RowRecords {
  /** Emits the record of a row whose id is not a string or a number. */
  emit(row: number): void;
  /** Emits the record of a row without a string in the text field, if its line has an array or a byte order mark; false: it has none. */
  lookAgain(row: number): boolean;
  /** Gives the fields of a row, right before it is emitted. Null: no further fields are read. */
  readonly giveFields: ((row: number) => void) | null;
}

/** Emits the first `count` rows of the kernel's last scan as documents; `first` is the number of the record in row 0. */
function giveRows(
  scanner: JsonLineScanner,
  sink: TextSink,
  texts: RecordTexts,
  maxDocument: number,
  file: number,
  first: number,
  count: number,
  records: RowRecords,
): void {
  const { rows } = scanner;
  const { giveFields } = records;
  // A sink that reads texts in the memory of its kernel copies them where it must.
  const isPlaced = (sink.room?.() ?? null) !== null;
  const bytes = (place: number, size: number): Uint8Array =>
    isPlaced ? scanner.placed(place, size) : scanner.bytes(place, size);
  const { placedLines } = scanner;
  const { seeksPages } = texts;
  const takesMany = isPlaced && giveFields === null && seeksPages !== null && sink.takeLines !== undefined;
  for (let i = 0; i < count; i++) {
    if (takesMany)
      i += sink.takeLines!(placedLines, i, count, file, first, { text: maxDocument, pages: seeksPages! });
    if (i === count) return;
    const row = ROW_WORDS * i;
    const kind = rows[row]!;
    if (kind === LINE_BLANK) continue;
    if ((kind === LINE_NO_TEXT || kind === LINE_BROKEN) && records.lookAgain(i)) continue;
    if (kind === LINE_OTHER_ID) {
      records.emit(i);
      continue;
    }
    const flags = rows[row + 5]!;
    const idLength = rows[row + 2]!;
    // An empty id, and one that is too long, count as missing.
    const hasId =
      (kind === LINE_RECORD || kind === LINE_NO_TEXT) &&
      (flags & LINE_HAS_ID) !== 0 &&
      idLength > 0 &&
      idLength <= MOST_ID_BYTES;
    const id = hasId ? bytes(rows[row + 1]!, idLength) : null;
    const length = rows[row + 4]!;
    if (kind !== LINE_RECORD) sink.skip(file, first + i, SKIP_OF_KIND.get(kind)!, id);
    else if (length > maxDocument) sink.skip(file, first + i, 'TOO_LARGE', id);
    else {
      if (giveFields !== null) giveFields(i);
      const text = bytes(rows[row + 3]!, length);
      texts.whole(file, first + i, id, text, (flags & LINE_REPAIRED) !== 0);
    }
  }
}

/** Gives the documents of JSON lines; returns how many lines start there. */
export function readJsonLines(lines: LinesOfFile, reading: FormatReading): number {
  const { params, sink, buffers } = reading;
  const taker = new JsonLines(reading);
  return lines.kind === 'range'
    ? readRange(lines, params, sink, buffers, taker)
    : taker.run(lines.index, 0, lines.bytes, lines.firstLine === 0);
}

/** Lines of JSON as documents. */
export class JsonLines implements LineTaker {
  readonly #sink: TextSink;
  readonly #texts: RecordTexts;
  readonly #records: JsonRecords;
  readonly #scanner: JsonLineScanner | null;
  /** A copy: objects of parameters differ in shape between tasks, and compiled code depends on the shape. */
  readonly #maxDocument: number;
  readonly #limit: number;

  constructor({ params, sink, buffers, records }: FormatReading) {
    this.#sink = sink;
    this.#texts = new RecordTexts(sink, params);
    this.#records = records;
    // In decoded bytes a U+FFFD in the line marks a repair, which only the reference detects.
    this.#scanner = isUtf8(params.encoding) ? scannerOf(params, buffers) : null;
    this.#maxDocument = params.maxDocument;
    this.#limit = lineLimit(params);
  }

  /** See LineTaker: blank, broken and skipped lines are counted, too. */
  run(file: number, first: number, bytes: Uint8Array, marked: boolean): number {
    const from = marked ? startAfterMark(bytes) : 0;
    const to = bytes.length;
    if (from === to) return Math.min(1, to);
    // Only a Buffer searches by the C library.
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const scanner = this.#scanner;
    return scanner === null
      ? this.#eachLine(file, first, buffer, from, to)
      : this.#scanRun(scanner, file, first, buffer, from, to);
  }

  #scanRun(
    scanner: JsonLineScanner,
    file: number,
    first: number,
    buffer: Buffer,
    from: number,
    to: number,
  ): number {
    let lines = 0;
    while (from < to) {
      const end = windowEnd(buffer, from, to, scanner.window);
      if (end - from > scanner.most) {
        lines += this.#eachLine(file, first + lines, buffer, from, end);
        from = end;
        continue;
      }
      const taken = scanner.scan(buffer, from, end, this.#limit);
      const records = this.#recordsAt(file, first + lines, buffer, from, end);
      from = scanner.end;
      giveRows(scanner, this.#sink, this.#texts, this.#maxDocument, file, first + lines, taken, records);
      lines += taken;
    }
    return lines;
  }

  /** The lines that begin at `from` by their numbers, in ascending order; one is emitted again where it has an array. */
  #recordsAt(file: number, first: number, buffer: Buffer, from: number, to: number): RowRecords {
    const records = this.#records;
    let line = -1;
    let end = from;
    const goTo = (wanted: number): void => {
      for (; line < wanted; line++) {
        from = end;
        end = lineEnd(buffer, from, to);
      }
    };
    const emit = (row: number): void => {
      goTo(row);
      records.line(file, first + row, buffer, from, end);
    };
    const lookAgain = (row: number): boolean => {
      goTo(row);
      const text = buffer.subarray(from, end);
      if (!text.includes(OPEN_ARRAY) && startAfterMark(text) === 0) return false;
      emit(row);
      return true;
    };
    if (!records.givesFields) return { emit, lookAgain, giveFields: null };
    const giveFields = (row: number): void => {
      goTo(row);
      records.fieldsOfLine(buffer, from, end);
    };
    return { emit, lookAgain, giveFields };
  }

  #eachLine(file: number, first: number, buffer: Buffer, from: number, to: number): number {
    return eachLine(buffer, from, to, (line, start, end) => {
      if (end - start > this.#limit) this.#sink.skip(file, first + line, 'TOO_LARGE', null);
      else this.#records.line(file, first + line, buffer, start, end);
    });
  }
}

/** The scanner of the kernel, which finds one text and an id by names without dots; null: each line is parsed. */
function scannerOf({ textField, idField }: ReadParams, { kernel }: ReadBuffers): JsonLineScanner | null {
  const [text, ...others] = textFieldsOf(textField);
  const id = idFieldOf(idField);
  if (others.length > 0 || text!.steps.length > 1 || id.steps.length > 1) return null;
  return kernel?.jsonLines?.(text!.name, id.name) ?? null;
}

/**
 * The end of the complete lines of a window that begins at `from`; if it has none, the end of the first line.
 */
function windowEnd(buffer: Buffer, from: number, to: number, window: number): number {
  if (to - from <= window) return to;
  const last = lastLineEnd(buffer, from, from + window);
  return last >= 0 ? last : lineEnd(buffer, from + window, to);
}
