/**
 * The sketch of a text or set as a value, and the check that a value is one: whoever takes a sketch looks first.
 *
 * Floor 4. Pure.
 */
import { kindOf } from '../errors/valueKind.js';
import { MinHashError } from '../errors.js';
import { shownValue } from '../options/kinds.js';
import type { SketchName } from '../sketch/params.js';
import { type GivenValues, givenOptions, OF_SHINGLES, OF_SIGNATURES } from './givenOptions.js';

/**
 * A signature with the parameters it was made with: two are comparable only when these are equal. Plain data, but a copy
 * through JSON is none any more, because JSON knows no typed arrays: `sketchToBytes` and `sketchFromBytes` keep sketches.
 */
export interface Sketch {
  /** As many slots as `hashes`, 32 bits each. */
  readonly slots: Uint32Array;
  /** True when the text has no tokens, or the set no elements: it resembles nothing, not even itself. */
  readonly empty: boolean;
  /** Every parameter, as JSON of one form. */
  readonly parameters: string;
}

/** What `parameters` says; `elements` where it is the sketch of a set. */
export interface SketchParameters {
  readonly elements?: true;
  readonly unit?: string;
  readonly size?: number;
  readonly bag: boolean;
  readonly stopWords?: readonly string[];
  readonly seed: number;
  readonly sketch: SketchName;
  readonly hashes: number;
}

/** The parameters as they stand in a sketch: keys in this order, so that equal ones are equal texts. */
export function parametersText(parameters: SketchParameters): string {
  const { bag, seed, sketch, hashes } = parameters;
  if (parameters.elements) return JSON.stringify({ elements: true, bag, seed, sketch, hashes });
  const { unit, size, stopWords } = parameters;
  return JSON.stringify({ unit, size, bag, stopWords, seed, sketch, hashes });
}

const OF_ELEMENTS = ['bag', 'seed', ...OF_SIGNATURES] as const;

/** Texts that were found good: sketches come in many, their parameters in few kinds. */
const known = new Map<string, SketchParameters>();
const MOST_KNOWN = 64;

/** The parameters that a text stands for, or null where we would not have written it. */
export function parametersOf(text: string): SketchParameters | null {
  const found = known.get(text);
  if (found !== undefined) return found;
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
    values = givenOptions(options, keys);
  } catch {
    return null;
  }
  const needed = elements === true ? keys : keys.filter((key) => key !== 'shingle');
  if (needed.some((key) => values[key] === undefined)) return null;
  return { ...(elements === true && { elements }), ...values } as SketchParameters;
}

function invalid(name: string, problem: string): MinHashError {
  return new MinHashError({ code: 'SKETCH_INVALID', detail: `${name}: ${problem}` });
}

function isUint32Array(value: unknown): value is Uint32Array {
  // By its name: one of another realm is none of our class.
  return Object.prototype.toString.call(value) === '[object Uint32Array]';
}

/**
 * The parameters of a value that has to be a sketch. `name` is what the value is called in the message.
 *
 * @throws MinHashError SKETCH_INVALID, which says what is wrong with it
 */
export function checkSketch(value: unknown, name: string): SketchParameters {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) {
    const hint = value instanceof Uint8Array ? '; sketchFromBytes makes a sketch of bytes' : '';
    throw invalid(name, `expected a sketch, got ${kindOf(value)}${hint}`);
  }
  const { slots, empty, parameters } = value as { readonly [Key in keyof Sketch]?: unknown };
  if (slots === undefined || parameters === undefined) {
    throw invalid(name, `expected a sketch, got ${kindOf(value)} without slots and parameters`);
  }
  const found = typeof parameters === 'string' ? parametersOf(parameters) : null;
  if (found === null) {
    throw invalid(name, `its parameters are not those of a sketch: ${shownValue(parameters)}`);
  }
  if (!isUint32Array(slots)) {
    throw invalid(name, `its slots are ${kindOf(slots)}, expected a Uint32Array (JSON keeps no typed array)`);
  }
  if (slots.length !== found.hashes) {
    throw invalid(name, `it has ${slots.length} slots, expected ${found.hashes} as its parameters say`);
  }
  if (typeof empty !== 'boolean')
    throw invalid(name, `its empty is ${kindOf(empty)}, expected true or false`);
  return found;
}

/**
 * The parameters of two values that have to be sketches made alike.
 *
 * @throws MinHashError SKETCH_INVALID; SKETCHES_DIFFER, which names what differs
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
