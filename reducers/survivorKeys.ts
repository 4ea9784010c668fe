/** The rules of keep order as keys whose order, as unsigned numbers or bytes, is that of the documents. */
import { MISSING, NUMBER, TEXT } from '../src/blocks/fieldValues.js';

const DOUBLE = new Float64Array(1);
const WORDS = new Uint32Array(DOUBLE.buffer);

/** Writes a number as a 64-bit key, low half first; keys, as unsigned numbers, sort as the numbers do. */
export function writeNumberKey(keys: Uint32Array, at: number, value: number): void {
  // -0 equals 0.
  DOUBLE[0] = value === 0 ? 0 : value;
  const [low, high] = [WORDS[0]!, WORDS[1]!];
  const isNegative = high >>> 31 === 1;
  keys[2 * at] = isNegative ? ~low : low;
  keys[2 * at + 1] = isNegative ? ~high : high ^ 0x80000000;
}

/** The order of kinds of values: numbers, then texts, then missing values. */
export const PLACES_OF_KINDS = new Uint8Array(3);
PLACES_OF_KINDS[NUMBER] = 0;
PLACES_OF_KINDS[TEXT] = 1;
PLACES_OF_KINDS[MISSING] = 2;

/** A file's time as a number that sorts the best file first; an unknown time comes last. */
export function timeValue(by: 'newest' | 'oldest', time: number): number {
  if (!(time > 0)) return Number.POSITIVE_INFINITY;
  return by === 'newest' ? -time : time;
}
