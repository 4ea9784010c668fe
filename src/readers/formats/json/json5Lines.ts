/** Turns lines of JSON5 into documents, one value a line. It is slow: such files are written by hand, and small. */
import { isUtf8 as isValidUtf8 } from 'node:buffer';
import { holdsReplacement, isUtf8, startAfterMark } from '../../bytes/encodings.js';
import { eachLine } from '../../bytes/recordCutter.js';
import { MOST_ID_BYTES } from '../../documentSink.js';
import { parser } from '../../parsers/load.js';
import { lineLimit } from '../../recordRoom.js';
import { betweenTexts, fieldNamed, heldAt, idFieldOf, pickId, pickText, textFieldsOf } from '../fields.js';
import { type LineTaker, readLines } from '../lineRanges.js';
import type { FormatReading, LinesOfFile } from '../reading.js';

/** A longer line is no string in every version of Node. */
const MOST_CHARACTERS = 0x1fffffe8;

/** Gives the documents of lines of JSON5; returns how many lines start there. Skipped as lines of JSON are. */
export function readJson5Lines(lines: LinesOfFile, reading: FormatReading): number {
  const { params, sink, buffers } = reading;
  return readLines(lines, params, sink, buffers, new Json5Lines(reading));
}

class Json5Lines implements LineTaker {
  readonly #reading: FormatReading;
  readonly #limit: number;

  constructor(reading: FormatReading) {
    this.#reading = reading;
    this.#limit = Math.min(MOST_CHARACTERS, lineLimit(reading.params));
  }

  run(file: number, first: number, bytes: Uint8Array, from: number, to: number, marked: boolean): number {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, to);
    if (marked) from += startAfterMark(bytes.subarray(from, to));
    const lines = eachLine(buffer, from, to, (line, start, end) => {
      this.#line(file, first + line, buffer.subarray(start, end));
    });
    return Math.max(1, lines);
  }

  #line(file: number, record: number, line: Buffer): void {
    const { sink, params } = this.#reading;
    if (line.length > this.#limit) {
      sink.skip(file, record, 'TOO_LARGE', null);
      return;
    }
    const source = line.toString();
    if (source.trim() === '') return;
    let value: unknown;
    try {
      value = parser('json5').parseJson5(source);
    } catch {
      sink.skip(file, record, 'JSON_BROKEN', null);
      return;
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      sink.skip(file, record, 'JSON_NOT_AN_OBJECT', null);
      return;
    }
    const id = pickId(value, idFieldOf(params.idField));
    const idBytes = typeof id === 'string' ? Buffer.from(id) : null;
    const isBadId = id === undefined || (idBytes !== null && idBytes.length > MOST_ID_BYTES);
    const text = pickText(value, textFieldsOf(params.textField), betweenTexts(params));
    if (text === null) sink.skip(file, record, 'JSON_NO_TEXT', isBadId ? null : idBytes);
    else if (isBadId) sink.skip(file, record, 'JSON_BAD_ID', null);
    else {
      this.#giveFields(value);
      this.#give(file, record, idBytes, text, line);
    }
  }

  #giveFields(value: object): void {
    const { sink, asked } = this.#reading;
    if (asked === null) return;
    asked.values.clear();
    asked.names.forEach((name, i) => {
      const held = heldAt(value, fieldNamed(name));
      if (typeof held === 'number' || typeof held === 'boolean') asked.values.setNumber(i, Number(held));
      else if (typeof held === 'string') {
        const bytes = Buffer.from(held);
        asked.values.setText(i, bytes, 0, bytes.length);
      }
    });
    sink.fields?.(asked.values);
  }

  #give(file: number, record: number, id: Uint8Array | null, text: string, line: Buffer): void {
    const { sink, params } = this.#reading;
    const bytes = Buffer.from(text);
    // What is no UTF-8 became U+FFFD in the line, and half a surrogate pair in the text.
    const isReplaced = !isUtf8(params.encoding) || !isValidUtf8(line) || bytes.toString() !== text;
    if (bytes.length > params.maxDocument) sink.skip(file, record, 'TOO_LARGE', id);
    else sink.whole(file, record, id, bytes, isReplaced && holdsReplacement(bytes));
  }
}
