/**
 * Measures of two texts, and the sketch of one: the library's small functions, without a run, a thread or a file.
 *
 * Floor 4.
 */
import { createReferenceKernel } from '../kernel/reference.js';
import type { SketchName } from '../sketch/params.js';
import { agreementInterval, agreementOf } from '../sketch/probability.js';
import { containmentOf, intersectionSize, resemblanceOf } from '../sketch/similarity.js';
import type { ShingleParams, ShingleUnit } from '../text/shingles.js';
import { shingleSet } from '../text/shingles.js';
import { ENGLISH_STOP_WORDS } from '../text/stopWords.js';

/** A text: a string (taken as UTF-8) or bytes of UTF-8. */
export type Text = string | Uint8Array;

/** How a text becomes a set of shingles; defaults as on the command line. */
export interface ShingleOptions {
  /** Default `words`. */
  readonly unit?: ShingleUnit;
  /** Tokens a shingle, 1..63; default 5. */
  readonly size?: number;
  /** Broder's option A, default false. */
  readonly bag?: boolean;
  readonly stopWords?: readonly string[];
  /** Default 1. */
  readonly seed?: number;
}

export interface SketchOptions extends ShingleOptions {
  /** Default `fss`. */
  readonly sketch?: SketchName;
  /** Signature length 16..1024, default 128. */
  readonly hashes?: number;
}

/** A signature with the parameters it was made with: two are comparable only when these are equal. */
export interface Sketch {
  /** `hashes` slots. */
  readonly slots: Uint32Array;
  /** True when the text has no tokens. */
  readonly empty: boolean;
  readonly parameters: string;
}

/** An estimate never comes without its bounds. */
export interface Estimate {
  readonly value: number;
  /** Bounds of the exact (Clopper-Pearson) 95 % interval. */
  readonly lower: number;
  readonly upper: number;
}

const UNITS: readonly ShingleUnit[] = ['words', 'chars', 'bytes', 'lines', 'stopwords'];

/** The checked parameters; RangeError for one out of range. */
export function shingleParams(options: ShingleOptions): ShingleParams {
  const { unit = 'words', size = 5, bag = false, stopWords = ENGLISH_STOP_WORDS, seed = 1 } = options;
  if (!UNITS.includes(unit)) throw new RangeError(`unit ${unit}: expected one of ${UNITS.join(', ')}`);
  if (!Number.isInteger(size) || size < 1 || size > 63) {
    throw new RangeError(`size ${size}: expected an integer from 1 to 63`);
  }
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw new RangeError(`seed ${seed}: expected an integer from 0 to 2^53-1`);
  }
  return { unit, size, bag, stopWords, seed };
}

/** The bytes of a text; a string becomes UTF-8. */
export function bytesOfText(text: Text): Uint8Array {
  return typeof text === 'string' ? new TextEncoder().encode(text) : text;
}

/**
 * The signature of a text.
 *
 * @throws RangeError for parameters out of range
 */
export function sketchOf(text: Text, options: SketchOptions = {}): Sketch {
  const { sketch = 'fss', hashes = 128 } = options;
  if (!Number.isInteger(hashes) || hashes < 16 || hashes > 1024) {
    throw new RangeError(`hashes ${hashes}: expected an integer from 16 to 1024`);
  }
  const params = shingleParams(options);
  const kernel = createReferenceKernel();
  const sketcher = kernel.sketcher({ sketch, hashes, seed: params.seed });
  const signature = new Uint32Array(sketcher.stride);
  sketcher.clear(signature);
  const stream = kernel.shingleStream(params, (found, count) => sketcher.update(signature, found, count));
  stream.begin();
  stream.push(bytesOfText(text));
  stream.end();
  sketcher.finish(signature);
  const parameters = JSON.stringify({ ...params, stopWords: stopWordsKey(params), sketch, hashes });
  return { slots: signature.slice(0, hashes), empty: stream.tokens === 0, parameters };
}

const stopWordsKey = (params: ShingleParams): readonly string[] =>
  params.unit === 'stopwords' ? params.stopWords : [];

/**
 * The resemblance of two texts as estimated from their sketches, with a 95 % interval. Two empty texts: 0.
 *
 * @throws RangeError when the sketches were made with different parameters
 */
export function estimateResemblance(a: Sketch, b: Sketch): Estimate {
  if (a.parameters !== b.parameters) {
    throw new RangeError(`sketches of different parameters: ${a.parameters} and ${b.parameters}`);
  }
  if (a.empty || b.empty) return { value: 0, lower: 0, upper: 0 };
  const hashes = a.slots.length;
  const count = agreementOf(a.slots, 0, b.slots, 0, hashes);
  // The slots of oph spread more, so its bounds are wider.
  const { sketch } = JSON.parse(a.parameters) as { sketch: SketchName };
  const { lower, upper } = agreementInterval(count, hashes, 0.95, sketch);
  return { value: count / hashes, lower, upper };
}

function common(a: Uint32Array, b: Uint32Array): number {
  return intersectionSize(a, 0, a.length / 2, b, 0, b.length / 2);
}

/**
 * The fingerprint of a text that exact duplicates are found by: a hash of its canonical tokens in their order, as 32
 * hexadecimal digits (128 bits, what `run` uses) or 16 (64 bits, the first half of it). Texts with the same tokens have the
 * same; how seldom others have, `expectedCollisions` says. `size`, `bag` and `stopWords` do not matter.
 *
 * @throws RangeError for parameters out of range
 */
export function fingerprint(text: Text, options: ShingleOptions & { readonly bits?: 64 | 128 } = {}): string {
  const { bits = 128, ...shingle } = options;
  if (bits !== 64 && bits !== 128) throw new RangeError(`bits ${String(bits)}: expected 64 or 128`);
  const stream = createReferenceKernel().shingleStream(shingleParams(shingle), () => {});
  stream.begin();
  stream.push(bytesOfText(text));
  stream.end();
  const digits = (word: number): string => stream.contentKey[word]!.toString(16).padStart(8, '0');
  const half = (word: number): string => digits(word + 1) + digits(word);
  return bits === 64 ? half(0) : half(0) + half(2);
}

/** The exact Jaccard resemblance of the shingle sets of two texts (Broder 1997, section 2); 0 when both are empty. */
export function resemblance(a: Text, b: Text, options: ShingleOptions = {}): number {
  const params = shingleParams(options);
  const setA = shingleSet(bytesOfText(a), params);
  const setB = shingleSet(bytesOfText(b), params);
  return resemblanceOf(common(setA, setB), setA.length / 2, setB.length / 2);
}

/** The containment of `a` in `b`: the share of a's shingles that b has (Broder 1997, section 2); 0 when `a` is empty. */
export function containment(a: Text, b: Text, options: ShingleOptions = {}): number {
  const params = shingleParams(options);
  const setA = shingleSet(bytesOfText(a), params);
  const setB = shingleSet(bytesOfText(b), params);
  return containmentOf(common(setA, setB), setA.length / 2);
}
