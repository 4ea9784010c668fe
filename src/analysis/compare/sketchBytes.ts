/** The sketch of a text or set as a value and as bytes; checks that a value is a sketch. */

import { crc32 } from '../../arrays/checksum.js';
import { kindOf, MinHashError } from '../../errors.js';
import { shownValue } from '../../options/values.js';
import type { SketchName } from '../../sketch/params.js';
import type { Normalization } from '../../text/preparedText.js';
import { checkedOptions, type GivenValues, OF_SHINGLES, OF_SIGNATURES } from './functionOptions.js';

/**
 * A signature with its parameters: two are comparable only if these are equal. Plain data, but a copy through JSON is
 * not a sketch, because JSON has no typed arrays: store sketches with `sketchToBytes` and `sketchFromBytes`.
 */
export interface Sketch {
  /** `hashes` slots of 32 bits. */
  readonly slots: Uint32Array;
  /** True if the text has no tokens, or the set no elements: it resembles nothing, not even itself. */
  readonly empty: boolean;
  /** Every parameter, as canonical JSON. */
  readonly parameters: string;
}

/** The decoded `parameters`; `elements` for the sketch of a set. */
interface SketchParameters {
  readonly elements?: true;
  readonly unit?: string;
  readonly size?: number;
  readonly bag: boolean;
  readonly stopWords?: readonly string[];
  readonly normalize?: Normalization;
  readonly seed: number;
  readonly sketch: SketchName;
  readonly hashes: number;
}

/** The parameters as text: keys in this order, so that equal parameters are equal texts. */
export function parametersText(parameters: SketchParameters): string {
  const { bag, seed, sketch, hashes } = parameters;
  if (parameters.elements) return JSON.stringify({ elements: true, bag, seed, sketch, hashes });
  const { unit, size, stopWords, normalize } = parameters;
  // `normalize` is absent if it is the default, so that sketches of earlier versions, which lack it, are comparable.
  return JSON.stringify({ unit, size, bag, stopWords, seed, normalize, sketch, hashes });
}

const OF_ELEMENTS = ['bag', 'seed', ...OF_SIGNATURES] as const;

/** Cache of valid parameter texts, because many sketches have the same parameters. */
const known = new Map<string, SketchParameters>();
const MOST_KNOWN = 64;

/** The decoded parameters; null for a text that `parametersText` does not produce. */
function parametersOf(text: string): SketchParameters | null {
  const cached = known.get(text);
  if (cached !== undefined) return cached;
  const parameters = readParameters(text);
  if (parameters === null || parametersText(parameters) !== text) return null;
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(text, parameters);
  return parameters;
}

function readParameters(text: string): SketchParameters | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { elements, ...options } = value as Record<string, unknown>;
  const keys = elements === true ? OF_ELEMENTS : [...OF_SHINGLES, ...OF_SIGNATURES];
  let values: GivenValues;
  try {
    values = checkedOptions(options, keys);
  } catch {
    return null;
  }
  const needed = elements === true ? keys : keys.filter((key) => key !== 'shingle' && key !== 'normalize');
  if (needed.some((key) => values[key] === undefined)) return null;
  return { ...(elements === true && { elements }), ...values } as SketchParameters;
}

function invalid(name: string, problem: string): MinHashError {
  return new MinHashError({ code: 'SKETCH_INVALID', detail: `${name}: ${problem}` });
}

function isUint32Array(value: unknown): value is Uint32Array {
  // Checked by class name: an object of another realm is not an instance of the class of this one.
  return Object.prototype.toString.call(value) === '[object Uint32Array]';
}

/**
 * The parameters of a value that must be a sketch. `name` is the name of the value in messages.
 *
 * @throws MinHashError SKETCH_INVALID with the reason
 */
function checkSketch(value: unknown, name: string): SketchParameters {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) {
    const hint = value instanceof Uint8Array ? '; sketchFromBytes decodes bytes' : '';
    throw invalid(name, `expected a sketch, got ${kindOf(value)}${hint}`);
  }
  const { slots, empty, parameters } = value as { readonly [Key in keyof Sketch]?: unknown };
  if (slots === undefined || parameters === undefined) {
    throw invalid(name, `expected a sketch, got ${kindOf(value)} without slots and parameters`);
  }
  const decoded = typeof parameters === 'string' ? parametersOf(parameters) : null;
  if (decoded === null) {
    throw invalid(name, `its parameters are not those of a sketch: ${shownValue(parameters)}`);
  }
  if (!isUint32Array(slots)) {
    throw invalid(name, `its slots are ${kindOf(slots)}, expected a Uint32Array (JSON has no typed arrays)`);
  }
  if (slots.length !== decoded.hashes) {
    throw invalid(name, `it has ${slots.length} slots, expected ${decoded.hashes} by its parameters`);
  }
  if (typeof empty !== 'boolean')
    throw invalid(name, `its empty is ${kindOf(empty)}, expected true or false`);
  return decoded;
}

/**
 * The parameters of two values that must be comparable sketches.
 *
 * @throws MinHashError SKETCH_INVALID; SKETCHES_DIFFER with the difference
 */
export function checkSketches(a: unknown, b: unknown): SketchParameters {
  const [ofA, ofB] = [checkSketch(a, 'a'), checkSketch(b, 'b')];
  if ((a as Sketch).parameters === (b as Sketch).parameters) return ofA;
  const [shownA, shownB] = [shownParameters(ofA), shownParameters(ofB)];
  const differing = [...new Set([...shownA.keys(), ...shownB.keys()])]
    .filter((key) => shownA.get(key) !== shownB.get(key))
    .map((key) => `${key} ${shownA.get(key) ?? 'none'} and ${shownB.get(key) ?? 'none'}`);
  throw new MinHashError({ code: 'SKETCHES_DIFFER', detail: differing.join(', ') });
}

/** Parameters by the names of their options. */
function shownParameters(parameters: SketchParameters): Map<string, string> {
  const { elements, unit, size, stopWords = [], ...others } = parameters;
  const shown = new Map<string, string>([
    ['of', elements ? 'elements' : 'a text'],
    ...(elements ? [] : ([['shingle', `${unit}:${size}`]] as const)),
    ...Object.entries(others).map(([key, value]) => [key, String(value)] as const),
  ]);
  if (stopWords.length > 0) shown.set('stopWords', shownValue(stopWords));
  return shown;
}

const MAGIC = [0x4d, 0x4d, 0x53, 0x4b] as const;
const VERSION = 1;
const HEAD = 16;
const TAIL = 4;

/**
 * The bytes of a sketch, the same on every machine: 20, the parameters (about 100) and 4 per slot. `sketchFromBytes`
 * restores it, including the sketch of an empty text.
 *
 *      0   4   "MMSK"
 *      4   2   version of this layout and of the hash functions, 1
 *      6   2   1: the text was empty, else 0
 *      8   4   P, bytes of the parameters
 *      12  4   N, slots
 *      16  P   the parameters, JSON in UTF-8
 *          4N  the slots
 *          4   CRC-32 of all bytes before it
 *
 * Numbers are little-endian.
 *
 * @throws MinHashError SKETCH_INVALID for a value that is not a sketch
 */
export function sketchToBytes(sketch: Sketch): Uint8Array {
  checkSketch(sketch, 'sketch');
  const parameters = new TextEncoder().encode(sketch.parameters);
  const { slots } = sketch;
  const bytes = new Uint8Array(HEAD + parameters.length + 4 * slots.length + TAIL);
  const view = new DataView(bytes.buffer);
  bytes.set(MAGIC);
  view.setUint16(4, VERSION, true);
  view.setUint16(6, sketch.empty ? 1 : 0, true);
  view.setUint32(8, parameters.length, true);
  view.setUint32(12, slots.length, true);
  bytes.set(parameters, HEAD);
  slots.forEach((slot, i) => {
    view.setUint32(HEAD + parameters.length + 4 * i, slot, true);
  });
  view.setUint32(bytes.length - TAIL, crc32(bytes.subarray(0, -TAIL)), true);
  return bytes;
}

/**
 * Restores the sketch that `sketchToBytes` encoded: equal to it, and comparable with sketches of the same
 * parameters.
 *
 * @throws MinHashError SKETCH_INVALID for bytes that are not a sketch, have another version or length, do not
 * match their checksum, or have parameters that no sketch has
 */
export function sketchFromBytes(bytes: Uint8Array): Sketch {
  if (!(bytes instanceof Uint8Array)) {
    throw damaged(`expected the Uint8Array that sketchToBytes returned, got ${kindOf(bytes)}`);
  }
  if (!MAGIC.every((byte, i) => bytes[i] === byte)) throw damaged('they are not those of a sketch');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEAD + TAIL) throw damaged(`they end after ${bytes.length}, within their head`);
  const version = view.getUint16(4, true);
  if (version !== VERSION) throw damaged(`they are of version ${version}, expected ${VERSION}`);
  const end = HEAD + view.getUint32(8, true);
  const length = end + 4 * view.getUint32(12, true) + TAIL;
  if (bytes.length !== length) throw damaged(`they are ${bytes.length}, expected ${length}`);
  if (view.getUint32(length - TAIL, true) !== crc32(bytes.subarray(0, -TAIL))) {
    throw damaged('they do not match their checksum');
  }
  const parameters = new TextDecoder().decode(bytes.slice(HEAD, end));
  const decoded = parametersOf(parameters);
  const slots = Uint32Array.from({ length: view.getUint32(12, true) }, (_, i) =>
    view.getUint32(end + 4 * i, true),
  );
  const state = view.getUint16(6, true);
  if (decoded === null || decoded.hashes !== slots.length || state > 1) {
    throw damaged('their parameters are not those of a sketch');
  }
  return { slots, empty: state === 1, parameters };
}

function damaged(problem: string): MinHashError {
  return new MinHashError({ code: 'SKETCH_INVALID', detail: `bytes: ${problem}` });
}
