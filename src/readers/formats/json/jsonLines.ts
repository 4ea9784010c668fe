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
      const next = scanner.end;
      this.#giveRows(scanner, file, first + lines, taken, buffer, from, end);
      from = next;
      lines += taken;
    }
    return lines;
  }

  /**
   * Emits the first `count` rows of the last scan, which began at `from`, as documents; `first` is the number of the record in row 0.
   * Lines that the kernel leaves are parsed.
   */
  #giveRows(
    scanner: JsonLineScanner,
    file: number,
    first: number,
    count: number,
    buffer: Buffer,
    from: number,
    to: number,
  ): void {
    const sink = this.#sink;
    const texts = this.#texts;
    const records = this.#records;
    const maxDocument = this.#maxDocument;
    const { rows, placedRows } = scanner;
    // Texts stay in the memory of the kernel, and a sink copies what it keeps.
    const isPlaced = (sink.room?.() ?? null) !== null;
    const bytes = (place: number, size: number): Uint8Array =>
      isPlaced ? scanner.placed(place, size) : scanner.bytes(place, size);
    const { seeksPages } = texts;
    const { givesFields } = records;
    const takesMany = isPlaced && !givesFields && seeksPages !== null && sink.takeLines !== undefined;
    const all = {
      ...placedRows,
      to: count,
      file,
      first,
      longest: maxDocument,
      seeksPages: seeksPages === true,
    };
    let [line, start, end] = [-1, from, from];
    const goTo = (row: number): void => {
      for (; line < row; line++) {
        start = end;
        end = lineEnd(buffer, start, to);
      }
    };
    for (let i = 0; i < count; i++) {
      if (takesMany) i += sink.takeLines!({ ...all, from: i });
      if (i === count) return;
      const row = ROW_WORDS * i;
      const kind = rows[row]!;
      if (kind === LINE_BLANK) continue;
      let isLeft = kind === LINE_OTHER_ID;
      if (isLeft || kind === LINE_NO_TEXT || kind === LINE_BROKEN) {
        goTo(i);
        // The text may be an array of strings, and a file that was joined to others begins with a mark.
        const text = buffer.subarray(start, end);
        isLeft ||= text.includes(OPEN_ARRAY) || startAfterMark(text) > 0;
      }
      if (isLeft) {
        records.line(file, first + i, buffer, start, end);
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
        if (givesFields) goTo(i);
        if (givesFields) records.fieldsOfLine(buffer, start, end);
        const text = bytes(rows[row + 3]!, length);
        texts.whole(file, first + i, id, text, (flags & LINE_REPAIRED) !== 0);
      }
    }
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
