/**
 * What the order of survivors goes by, as keys whose order as unsigned numbers or bytes is that order: a rule stands here once, for
 * columns (src/coordinator/finish/precedence.ts) and for records (src/tasks/stream/survivorOrder.ts).
 */
import { MISSING, NUMBER, TEXT } from '../src/blocks/fieldValues.js';

const DOUBLE = new Float64Array(1);
const WORDS = new Uint32Array(DOUBLE.buffer);

/** Writes a number as a 64-bit key, low half first, whose order as an unsigned number is that of the numbers. */
export function writeNumberKey(keys: Uint32Array, at: number, value: number): void {
  // -0 is no other number than 0.
  DOUBLE[0] = value === 0 ? 0 : value;
  const [low, high] = [WORDS[0]!, WORDS[1]!];
  const isNegative = high >>> 31 === 1;
  keys[2 * at] = isNegative ? ~low : low;
  keys[2 * at + 1] = isNegative ? ~high : high ^ 0x80000000;
}

/** By kind of value where it comes: numbers, then texts, then what is missing. */
export const PLACES_OF_KINDS = new Uint8Array(3);
PLACES_OF_KINDS[NUMBER] = 0;
PLACES_OF_KINDS[TEXT] = 1;
PLACES_OF_KINDS[MISSING] = 2;

/** A value of a field: its kind, that of a NUMBER, and the bytes of a TEXT. */
export type FieldValue = readonly [kind: number, number: number, text: () => Uint8Array];

/** The place of a value in a list; what is not in it comes behind. */
export function placesInList(list: readonly string[]): (value: FieldValue) => number {
  const places = new Map([...list.entries()].reverse().map(([place, value]) => [value, place]));
  const decoder = new TextDecoder();
  return ([kind, number, text]) => {
    if (kind === MISSING) return list.length;
    return places.get(kind === NUMBER ? String(number) : decoder.decode(text())) ?? list.length;
  };
}

/** What a file's time counts as, the least first: one that nobody knows comes last. */
export function timeValue(by: 'newest' | 'oldest', time: number): number {
  if (!(time > 0)) return Number.POSITIVE_INFINITY;
  return by === 'newest' ? -time : time;
}

const NAME = new Uint8Array(9);
const NUMBER_IN_NAME = new Float64Array(1);

/** What a number is called among values that name groups: bytes that no text has. Good until the next one. */
export function numberName(number: number): Uint8Array {
  NUMBER_IN_NAME[0] = number;
  NAME.set(new Uint8Array(NUMBER_IN_NAME.buffer));
  // A text has no byte of that value.
  NAME[8] = 0xff;
  return NAME;
}
