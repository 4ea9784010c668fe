/**
 * Finds the text and the id of a record of JSON as places in its bytes: fields by name, by dotted path (through arrays of objects),
 * several, arrays of strings.
 */
import type { JsonLineScanner } from '../../../kernel/kernel.js';
import type { ReadBuffers, ReadParams } from '../../documentSink.js';
import { type FieldPath, fieldNamed, idFieldOf, textFieldsOf } from '../fields.js';
import { type JsonField, JsonScanner, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './jsonScanner.js';
import { BACKSLASH } from './jsonStrings.js';

const NONE: JsonField = { from: -1, to: -1, escaped: false };

/** A named field, and the numbers of its name and of its outermost step among the names of the scanner. */
interface WishedField {
  readonly path: FieldPath;
  readonly name: number;
  /** -1: its name has no dot. */
  readonly outer: number;
}

/** Names that are looked up in one object, each once. */
class Names {
  readonly all: string[] = [];

  placeOf(name: string): number {
    const place = this.all.indexOf(name);
    return place >= 0 ? place : this.all.push(name) - 1;
  }

  wished(path: FieldPath): WishedField {
    const name = this.placeOf(path.name);
    return { path, name, outer: isDotted(path) ? this.placeOf(path.steps[0]!) : -1 };
  }
}

/** The names by which MongoDB writes ids with their type (Extended JSON v2). */
const TYPED_IDS = ['$oid', '$uuid', '$numberLong', '$numberInt'];

const isDotted = ({ steps }: FieldPath): boolean => steps.length > 1;

export class RecordScanner extends JsonScanner {
  /** Whether the text is a single field by a name without a dot: it is `text`, where that is a string. */
  readonly isPlain: boolean;
  /** Keys of which a record with a text has at least one. */
  readonly textKeys: readonly string[];
  readonly #texts: readonly WishedField[];
  readonly #id: WishedField;
  readonly #others: readonly WishedField[];
  readonly #inner = new Map<string, JsonScanner>();
  readonly #element = new JsonScanner([]);
  #typed: JsonScanner | null = null;

  /** @param textField as --text-field says it; `idField` the same of --id-field; `fields` names of others */
  constructor(textField: string, idField: string, fields: readonly string[] = []) {
    const names = new Names();
    const texts = textFieldsOf(textField).map((path) => names.wished(path));
    const id = names.wished(idFieldOf(idField));
    const others = fields.map((name) => names.wished(fieldNamed(name)));
    super(names.all);
    this.#texts = texts;
    this.#id = id;
    this.#others = others;
    this.isPlain = texts.length === 1 && !isDotted(texts[0]!.path);
    this.textKeys = texts.flatMap(({ path }) => [path.name, path.steps[0]!]);
  }

  /** After `scan`: the value of the first text field, by its full name. */
  get text(): JsonField {
    return this.fields[this.#texts[0]!.name]!;
  }

  /** After `scan` of an object: the id; of MongoDB's `{"$oid": "..."}` the string inside. */
  idIn(bytes: Uint8Array): JsonField {
    const held = this.#held(bytes, this.#id);
    if (held.from < 0 || bytes[held.from] !== OPEN_OBJECT) return held;
    this.#typed ??= new JsonScanner(TYPED_IDS);
    this.#typed.scan(bytes, held.from, held.to);
    return this.#typed.fields.find(({ from }) => from >= 0) ?? held;
  }

  /** After `scan` of an object: the value of one of the other fields. */
  otherIn(bytes: Uint8Array, field: number): JsonField {
    return this.#held(bytes, this.#others[field]!);
  }

  /**
   * After `scan` of an object: the strings of its text, without empty ones; null: it has no text. pickText (fields.ts)
   * does the same for values.
   */
  strings(bytes: Uint8Array): readonly JsonField[] | null {
    const strings: JsonField[] = [];
    let hasText = false;
    for (const wished of this.#texts) {
      const found = this.#stringsAt(bytes, wished);
      if (found === null) continue;
      hasText = true;
      strings.push(...found.filter(({ from, to }) => to > from + 2));
    }
    return hasText ? strings : null;
  }

  /** After `scan`: whether the value is an object with a text. */
  hasText(bytes: Uint8Array): boolean {
    return this.isObject && ((this.isPlain && isString(bytes, this.text)) || this.strings(bytes) !== null);
  }

  /** The strings at a path; null: there are none. */
  #stringsAt(bytes: Uint8Array, { path, name, outer }: WishedField): readonly JsonField[] | null {
    const named = this.fields[name]!;
    if (named.from >= 0) return this.#stringsOf(bytes, named);
    return outer < 0 ? null : this.#stringsBelow(bytes, { ...this.fields[outer]! }, path.steps, 1);
  }

  /** The strings at the rest of a path in a value: of an array those of all its objects. */
  #stringsBelow(
    bytes: Uint8Array,
    held: JsonField,
    steps: readonly string[],
    step: number,
  ): readonly JsonField[] | null {
    if (held.from < 0) return null;
    if (step === steps.length) return this.#stringsOf(bytes, held);
    if (bytes[held.from] === OPEN_OBJECT) {
      const inner = this.#scannerOf(steps[step]!);
      inner.scan(bytes, held.from, held.to);
      return this.#stringsBelow(bytes, { ...inner.fields[0]! }, steps, step + 1);
    }
    if (bytes[held.from] !== OPEN_ARRAY) return null;
    let strings: JsonField[] | null = null;
    new JsonScanner([]).elements(bytes, held.from, held.to, (_, from, to) => {
      const found = this.#stringsBelow(bytes, { from, to, escaped: false }, steps, step);
      if (found !== null) strings = [...(strings ?? []), ...found];
      return true;
    });
    return strings;
  }

  #held(bytes: Uint8Array, { path, name, outer }: WishedField): JsonField {
    const named = this.fields[name]!;
    if (named.from >= 0 || outer < 0) return named;
    let held = this.fields[outer]!;
    for (const step of path.steps.slice(1)) {
      if (held.from < 0 || bytes[held.from] !== OPEN_OBJECT) return NONE;
      const inner = this.#scannerOf(step);
      inner.scan(bytes, held.from, held.to);
      held = { ...inner.fields[0]! };
    }
    return held;
  }

  #scannerOf(step: string): JsonScanner {
    const known = this.#inner.get(step);
    if (known !== undefined) return known;
    const scanner = new JsonScanner([step]);
    this.#inner.set(step, scanner);
    return scanner;
  }

  /** Null: neither a string nor an array with a string, and nothing but strings and nulls. */
  #stringsOf(bytes: Uint8Array, held: JsonField): readonly JsonField[] | null {
    if (isString(bytes, held)) return [held];
    if (bytes[held.from] !== OPEN_ARRAY) return null;
    const strings: JsonField[] = [];
    const end = this.#element.elements(bytes, held.from, held.to, (_, from, to) => {
      if (bytes[from] !== QUOTE) return bytes[from] === NULL;
      strings.push({ from, to, escaped: bytes.subarray(from, to).includes(BACKSLASH) });
      return true;
    });
    if (end < 0) return null;
    return strings.length > 0 ? strings : null;
  }
}

/** The first letter of null. */
const NULL = 0x6e;

export function isString(bytes: Uint8Array, field: JsonField): boolean {
  return field.from >= 0 && bytes[field.from] === QUOTE;
}

/** The scanner of many records a call, where it can be used: all names are without dots, and the text is one field. */
export function manyScanner(
  { textField, idField }: Pick<ReadParams, 'textField' | 'idField'>,
  { kernel }: Pick<ReadBuffers, 'kernel'>,
): JsonLineScanner | null {
  const texts = textFieldsOf(textField);
  const id = idFieldOf(idField);
  if (texts.length > 1 || isDotted(texts[0]!) || isDotted(id)) return null;
  return kernel?.jsonLines?.(texts[0]!.name, id.name) ?? null;
}
