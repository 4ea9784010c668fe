/**
 * Removes some paragraphs or lines from documents.
 *
 *      text                  the file without them                     (textWithout returns the remaining bytes)
 *      record of JSON        its text strings without them; all other bytes are unchanged
 *
 * A document is removed if all of its units are dropped.
 */

import { WHOLE_FILE } from '../../../blocks/documents.js';
import type { CutParams } from '../../../readers/cutting.js';
import { betweenTexts } from '../../../readers/formats/fields.js';
import { isObject, type JsonPlace, parsedJson, stringBytes } from '../../../readers/formats/json/json.js';
import { textPlaces } from '../../../readers/formats/json/textPlaces.js';
import { isPage, isPageOfRecord, readsPages } from '../../../readers/formats/web/pages.js';
import { type CutUnit, type TextLeft, textWithout } from '../../../text/units.js';
import type { DocumentValues } from '../dropList.js';
import { EDITED, type Fate, KEPT, type RecordFates } from './fates.js';
import { OF_PAGES } from './unitForms.js';

/** The dropped units and the form of one file. */
export interface FileUnits {
  readonly drops: DocumentValues;
  readonly file: number;
  readonly unit: CutUnit;
  readonly params: CutParams;
  readonly keepsEmpty: boolean;
  /** `text`: the file is a text. `either`: a text, or a JSON object with one. */
  readonly holds: 'text' | 'either' | 'records';
  /** @throws to stop: units cannot be removed from the file */
  refuse(why: string): never;
}

const MARK_BYTES = 3;
const MARK = 0xef;

export class UnitFates implements RecordFates {
  readonly keepsBlanks = true;
  readonly isOfUnits = true;
  /** Units that were removed. */
  dropped = 0;
  readonly #units: FileUnits;
  readonly #end: number;
  readonly #between: Buffer;
  #next: number;

  constructor(units: FileUnits) {
    this.#units = units;
    this.#between = Buffer.from(betweenTexts(units));
    const { starts } = units.drops;
    this.#next = starts[units.file]!;
    this.#end = starts[units.file + 1]!;
  }

  fateOf(number: number): Fate {
    const { numbers } = this.#units.drops;
    while (this.#next < this.#end && numbers[this.#next]! < number) this.#next++;
    return this.#next < this.#end && numbers[this.#next] === number ? EDITED : KEPT;
  }

  edited(number: number, bytes: Buffer): Uint8Array | null {
    const { drops, holds, refuse, params } = this.#units;
    let to = this.#next;
    while (to < this.#end && drops.numbers[to] === number) to++;
    const drop = drops.units.subarray(this.#next, to);
    if (holds === 'text' || (holds === 'either' && number === WHOLE_FILE && !this.#isRecord(bytes))) {
      if (isPage(bytes, params)) refuse(OF_PAGES);
      return this.#textWithout(bytes, drop);
    }
    return this.#recordWithout(bytes, drop);
  }

  #isRecord(bytes: Buffer): boolean {
    return this.#strings(bytes) !== null;
  }

  /** The positions of the strings that are the text of a record; null: it has no text. */
  #strings(bytes: Buffer): readonly JsonPlace[] | null {
    const from = bytes[0] === MARK ? MARK_BYTES : 0;
    const isRecord = isObject(parsedJson(bytes, from, bytes.length));
    return isRecord ? textPlaces(bytes, { from, to: bytes.length }, this.#units.params.textField) : null;
  }

  #textWithout(bytes: Buffer, drop: Float64Array): Uint8Array {
    const { unit } = this.#units;
    const left = textWithout(bytes, drop, unit);
    this.dropped += left.removed;
    return bytesOf(bytes, left.spans);
  }

  /** Null: the record has no text, so none of these units. */
  #recordWithout(bytes: Buffer, drop: Float64Array): Uint8Array | null {
    const strings = this.#strings(bytes);
    if (strings === null) return null;
    const parts = strings.map((place) => decodedString(bytes, place));
    const whole = Buffer.concat(parts.flatMap(({ text }, i) => (i === 0 ? [text] : [this.#between, text])));
    const { params, refuse } = this.#units;
    if (readsPages(params) && isPageOfRecord(whole, params.textFormat)) refuse(OF_PAGES);
    const left = textWithout(whole, drop, this.#units.unit);
    this.dropped += left.removed;
    if (left.kept === 0 && left.removed > 0 && !this.#units.keepsEmpty) return new Uint8Array(0);
    const spans: number[] = [0];
    let before = 0;
    strings.forEach(({ from, to }, i) => {
      const part = parts[i]!;
      spans.push(from + 1, ...spansOfString(part, before, left), to - 1);
      before += part.text.length + this.#between.length;
    });
    return bytesOf(bytes, [...spans, bytes.length]);
  }
}

/** A decoded string, with the source position of each byte. */
interface DecodedString {
  readonly text: Uint8Array;
  /** The source position of the character with this first byte; for the length: the closing quote. */
  places(at: number): number;
}

const PART = /\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u....|.)|[^\\]+/gs;

function decodedString(bytes: Buffer, { from, to }: JsonPlace): DecodedString {
  const [start, end] = [from + 1, to - 1];
  const source = bytes.toString('latin1', start, end);
  if (!source.includes('\\')) return { text: bytes.subarray(start, end), places: (at) => start + at };
  const parts: Buffer[] = [];
  const places: number[] = [];
  for (const { 0: part, index } of source.matchAll(PART)) {
    const isEscape = part.startsWith('\\');
    const decoded = isEscape ? decodedEscape(part) : Buffer.from(part, 'latin1');
    for (let i = 0; i < decoded.length; i++) places.push(start + index + (isEscape ? 0 : i));
    parts.push(decoded);
  }
  places.push(end);
  return { text: Buffer.concat(parts), places: (at) => places[at]! };
}

function decodedEscape(escaped: string): Buffer {
  const quoted = Buffer.from(`"${escaped}"`);
  const value = parsedJson(quoted, 0, quoted.length);
  return typeof value === 'string' ? stringBytes(value).bytes : Buffer.alloc(0);
}

/** The remaining ranges of a string in its record; `before` bytes of the text precede it. */
function spansOfString({ text, places }: DecodedString, before: number, { spans }: TextLeft): number[] {
  const found: number[] = [];
  for (let i = 0; i < spans.length; i += 2) {
    const from = Math.max(0, spans[i]! - before);
    const to = Math.min(text.length, spans[i + 1]! - before);
    if (from < to) found.push(places(from), places(to));
  }
  return found;
}

function bytesOf(bytes: Buffer, spans: readonly number[]): Uint8Array {
  const parts: Buffer[] = [];
  for (let i = 0; i < spans.length; i += 2) parts.push(bytes.subarray(spans[i]!, spans[i + 1]!));
  return Buffer.concat(parts);
}
