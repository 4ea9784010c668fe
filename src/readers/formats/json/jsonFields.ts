/** The values of fields of a record of JSON, for rules: numbers, texts, booleans as 0 and 1. */
import { FieldValues, MOST_VALUE_BYTES } from '../../../blocks/fieldValues.js';
import { type JsonField, QUOTE } from './jsonScanner.js';
import { decodeJsonString, STEP_BYTES } from './jsonStrings.js';
import type { RecordScanner } from './recordScanner.js';

const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const TRUE = 0x74;
const FALSE = 0x66;

/** Numbers of so many digits are exact as doubles. */
const EXACT_DIGITS = 15;

export class JsonFields {
  readonly #values: FieldValues;
  /** By field: a string with escapes, decoded. */
  readonly #decoded: Uint8Array[];

  /** @param fields their number, as the scanner has them */
  constructor(fields: number) {
    this.#values = new FieldValues(fields);
    this.#decoded = Array.from({ length: fields }, () => new Uint8Array(0));
  }

  /** The values of the object that the scanner has just scanned; valid until the next call. */
  of(scanner: RecordScanner, bytes: Uint8Array): FieldValues {
    const values = this.#values;
    values.clear();
    for (let i = 0; i < values.length; i++) {
      const held = scanner.otherIn(bytes, i);
      if (held.from >= 0) this.#set(i, bytes, held);
    }
    return values;
  }

  #set(field: number, bytes: Uint8Array, held: JsonField): void {
    const first = bytes[held.from]!;
    if (first === QUOTE) this.#setString(field, bytes, held);
    else if (first === TRUE || first === FALSE) this.#values.setNumber(field, first === TRUE ? 1 : 0);
    else if (first === MINUS || (first >= ZERO && first <= NINE))
      this.#values.setNumber(field, numberIn(bytes, held.from, held.to));
  }

  #setString(field: number, bytes: Uint8Array, { from, to, escaped }: JsonField): void {
    if (!escaped) {
      this.#values.setText(field, bytes, from + 1, to - 1);
      return;
    }
    const room = Math.min(to - from, MOST_VALUE_BYTES + STEP_BYTES);
    if (this.#decoded[field]!.length < room) this.#decoded[field] = new Uint8Array(room);
    const { written } = decodeJsonString(bytes, from + 1, to - 1, this.#decoded[field]!);
    this.#values.setText(field, this.#decoded[field]!, 0, written);
  }
}

/** The number in JSON at this place. */
function numberIn(bytes: Uint8Array, from: number, to: number): number {
  if (to - from <= EXACT_DIGITS) {
    let value = 0;
    let at = from;
    for (; at < to && bytes[at]! >= ZERO && bytes[at]! <= NINE; at++) value = 10 * value + bytes[at]! - ZERO;
    if (at === to) return value;
  }
  return Number(Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('latin1'));
}
