/**
 * The fields of --text-field and --id-field, by names that may be dotted paths, and their values in a record.
 *
 *      title            one field
 *      title,body       both, joined by a line break; missing and empty ones are skipped
 *      meta.title       the field of that very name, dot and all; else `title` of the object in `meta`
 *      messages.content of an array of objects the fields of all of them, joined by a line break
 *      a\,b             a comma, or `\\` a backslash, that belongs to a name
 *
 * Blanks around a comma are ignored.
 */
import type { Unit } from '../../sketch/params.js';
import { isObject } from './json/json.js';

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
 * The strings of a record in these fields, and in arrays there, also nested ones (nulls are skipped), without empty ones. Null: it has none of these
 * fields, or other values in all of them.
 *
 * @param value a record, as JSON.parse makes it
 */
export function textsOf(value: unknown, paths: readonly FieldPath[]): string[] | null {
  const texts = paths.flatMap((path) => valuesAt(value, path).flatMap((held) => stringsOf(held) ?? []));
  return texts.length === 0 ? null : texts.filter((text) => text !== '');
}

/** The values at the path, in arrays of objects those of all objects; none if the record lacks the field. */
export function valuesAt(value: unknown, { name, steps }: FieldPath): unknown[] {
  if (isObject(value) && Object.hasOwn(value, name)) return [value[name]];
  if (steps.length === 1) return [];
  let held: unknown[] = [value];
  for (const [i, step] of steps.entries()) {
    const objects = i === 0 ? held : withoutArrays(held);
    held = objects.flatMap((object) =>
      isObject(object) && Object.hasOwn(object, step) ? [object[step]] : [],
    );
  }
  return held;
}

/** The values, with arrays flattened; without recursion, because they may be nested deeply. */
function withoutArrays(values: readonly unknown[]): unknown[] {
  const found: unknown[] = [];
  for (const open = [...values].reverse(); open.length > 0; ) {
    const value = open.pop();
    if (Array.isArray(value)) for (const part of value.toReversed()) open.push(part);
    else found.push(value);
  }
  return found;
}

/** Null: not a string, and not an array, or arrays in it, of strings and nulls with a string. */
function stringsOf(held: unknown): string[] | null {
  if (typeof held === 'string') return [held];
  if (!Array.isArray(held)) return null;
  const parts = withoutArrays(held).filter((part) => part !== null);
  return parts.length > 0 && parts.every((part) => typeof part === 'string') ? parts : null;
}
