/**
 * The fields of --text-field and --id-field: one or several, by names that may be dotted paths; and the value of a record
 * there.
 *
 *      title            one field
 *      title,body       both, joined by a line break; what a record lacks, or has empty, is left out
 *      meta.title       the field of that very name, dot and all; else `title` of the object in `meta`
 *      messages.content of an array of objects the fields of all of them, joined by a line break
 *      a\,b             a comma, or `\\` a backslash, that belongs to a name
 *
 * Blanks around a comma belong to no name.
 */
import type { Unit } from '../../sketch/params.js';

/** A field that an option names. */
export interface FieldPath {
  /** As a record may name it. */
  readonly name: string;
  /** Names from the outermost object inwards: `name` at its dots; one where it has none. */
  readonly steps: readonly string[];
}

/**
 * Between the texts of several fields, and of the strings of an array: a line break, and where paragraphs are compared a blank
 * line, so that none has parts of two fields.
 */
export function betweenTexts({ unit }: { readonly unit?: Unit }): string {
  return unit === 'paragraph' ? '\n\n' : '\n';
}

/** The fields of --text-field, at least one, in their order. */
export function textFieldsOf(textField: string): readonly FieldPath[] {
  const names: string[] = [];
  let name = '';
  for (let at = 0; at <= textField.length; at++) {
    const letter = textField[at];
    if (letter === undefined || letter === ',') {
      names.push(name);
      name = '';
    } else if (letter === '\\' && isEscaped(textField[at + 1])) name += textField[++at]!;
    else name += letter;
  }
  return (names.length === 1 ? names : names.map((part) => part.trim())).map(fieldNamed);
}

/** The field of --id-field: a comma in it belongs to its name, with or without a backslash. */
export function idFieldOf(idField: string): FieldPath {
  return fieldNamed(idField.replace(/\\([,\\])/g, '$1'));
}

function isEscaped(letter: string | undefined): boolean {
  return letter === ',' || letter === '\\';
}

/** A field by its name, which has no escapes any more. */
export function fieldNamed(name: string): FieldPath {
  return { name, steps: name.split('.') };
}

/**
 * The text that a record has in these fields: a string, or the strings of an array (in which nulls are left out). Null: it has
 * none of them, or something else in all of them.
 *
 * @param value a record, as JSON.parse makes it
 */
export function pickText(value: unknown, wish: readonly FieldPath[]): string | null {
  const texts = wish.flatMap((path) => stringsAt(value, path) ?? []);
  if (texts.length === 0) return null;
  return texts.filter((text) => text !== '').join('\n');
}

/** Whether a record has this field, whatever it holds. */
export function hasField(value: unknown, path: FieldPath): boolean {
  return valuesAt(value, path).length > 0;
}

/** The values at the path: of arrays of objects those of all objects. */
function valuesAt(value: unknown, { name, steps }: FieldPath): unknown[] {
  if (isObject(value) && Object.hasOwn(value, name)) return [value[name]];
  const below = (held: unknown, step: number): unknown[] => {
    if (step === steps.length) return [held];
    if (Array.isArray(held) && step > 0) return held.flatMap((part) => below(part, step));
    return isObject(held) && Object.hasOwn(held, steps[step]!) ? below(held[steps[step]!], step + 1) : [];
  };
  return below(value, 0);
}

/** Null: there are none. */
function stringsAt(value: unknown, path: FieldPath): string[] | null {
  const found = valuesAt(value, path).flatMap((held) => stringsOf(held) ?? []);
  return found.length === 0 ? null : found;
}

/** Null: neither a string nor an array with a string, and nothing but strings and nulls. */
function stringsOf(held: unknown): string[] | null {
  if (typeof held === 'string') return [held];
  if (!Array.isArray(held) || !held.every((part) => typeof part === 'string' || part === null)) return null;
  const strings = held.filter((part) => part !== null);
  return strings.length > 0 ? strings : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The depth of objects in objects whose fields are named. */
const NAMED_DEPTH = 3;

/** Calls back for every field of a record that an option can name, with its value; objects by their fields, arrays of objects by those of the first. */
export function eachField(value: object, each: (name: string, held: unknown) => void, before = ''): void {
  const depth = before === '' ? 1 : before.split('.').length;
  for (const [key, held] of Object.entries(value)) {
    const name = before + key;
    const [inner] = Array.isArray(held) ? held : [held];
    if (depth < NAMED_DEPTH && isObject(inner) && Object.keys(inner).length > 0)
      eachField(inner, each, `${name}.`);
    else each(name, held);
  }
}

/**
 * `has`: a record has the text field, with a string in it. `lacks`: none has a field of that name. `unclear`: the field has
 * another value, or no object was found. `nothing`: the file is empty, or cannot be read.
 */
type Seen = 'has' | 'lacks' | 'unclear' | 'nothing';

export interface FirstRecords {
  readonly seen: Seen;
  /** The fields of these records, in their order. */
  readonly fields: readonly string[];
  /** The one of them with the longest string; null where none has one. */
  readonly longest: string | null;
  /** The text fields that none of these records has. */
  readonly lacked: readonly string[];
  /** The same for ReadParams.fields. */
  readonly lackedFields: readonly string[];
  /** The kind of value of the text field, where it is no string in any record; null: it is not known. */
  readonly held?: string | null;
}

/** What is said of a file that is empty, or cannot be read. */
export const NOTHING: FirstRecords = {
  seen: 'nothing',
  fields: [],
  longest: null,
  lacked: [],
  lackedFields: [],
};
