/** The places of the values of fields in a record of JSON: of its text, for `apply`, which takes parts out of it, and of its id. */
import { binaryOf } from '../../list/pathIds.js';
import { type FieldPath, textFieldsOf } from '../fields.js';
import { type JsonPlace, memberPlace, OPEN_ARRAY, QUOTE, skipSpace, valueEnd } from './json.js';

/**
 * The places, quotes included, of the strings that `textsOf` (fields.ts) finds in a valid object; null: it has no text.
 *
 * @param textField the value of --text-field
 */
export function textPlaces(
  bytes: Buffer,
  { from, to }: JsonPlace,
  textField: string,
): readonly JsonPlace[] | null {
  const object = { from: skipSpace(bytes, from, to), to };
  const strings = textFieldsOf(textField).flatMap(({ name, steps }) =>
    fieldPlaces(bytes, object, { name: binaryOf(name), steps: steps.map(binaryOf) }).flatMap(
      (value) => stringsOf(bytes, value) ?? [],
    ),
  );
  return strings.length === 0 ? null : strings.filter((place) => place.to > place.from + 2);
}

/** The places of the values that `valuesAt` (fields.ts) finds in a valid object, which begins at `object.from`. */
export function fieldPlaces(
  bytes: Buffer,
  object: JsonPlace,
  { name, steps }: FieldPath,
): readonly JsonPlace[] {
  const named = memberPlace(bytes, object, name);
  if (named !== null) return [named];
  let places: readonly JsonPlace[] = [object];
  for (const [i, step] of steps.entries()) {
    const objects = i === 0 ? places : places.flatMap((place) => [...placesWithoutArrays(bytes, place)]);
    places = objects.flatMap((place) => memberPlace(bytes, place, step) ?? []);
  }
  return places;
}

/** What may be between the values of arrays: brackets, commas and white space. */
const BETWEEN_VALUES = new Set(Buffer.from('[], \t\r\n'));

/** The place of a valid value; of an array those of its values, with arrays flattened. In one walk, because they may be nested deeply. */
function* placesWithoutArrays(bytes: Buffer, { from, to }: JsonPlace): Generator<JsonPlace> {
  for (let at = from; at < to; ) {
    if (BETWEEN_VALUES.has(bytes[at]!)) at++;
    else {
      const end = valueEnd(bytes, at, to);
      yield { from: at, to: end };
      at = end;
    }
  }
}

/** What may be between the strings of arrays: brackets, commas, white space and the letters of null. */
const BETWEEN_STRINGS = new Set(Buffer.from('[], \t\r\nnul'));

/** Null: not a string, and not an array, or arrays in it, of strings and nulls with a string. */
function stringsOf(bytes: Buffer, held: JsonPlace): readonly JsonPlace[] | null {
  if (bytes[held.from] === QUOTE) return [held];
  if (bytes[held.from] !== OPEN_ARRAY) return null;
  const strings: JsonPlace[] = [];
  for (let at = held.from; at < held.to; ) {
    if (bytes[at] === QUOTE) {
      const to = valueEnd(bytes, at, held.to);
      strings.push({ from: at, to });
      at = to;
    } else if (BETWEEN_STRINGS.has(bytes[at]!)) at++;
    else return null;
  }
  return strings.length > 0 ? strings : null;
}
