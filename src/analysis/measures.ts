/** Measures of two texts, and sketches of texts: small functions of the library that need no run, thread or file. */

import { hexOf } from '../arrays/checksum.js';
import { checkObject, kindOf, MinHashError } from '../errors.js';
import { shownValue } from '../options/values.js';
import { createSketcher } from '../sketch/family.js';
import type { SketchName } from '../sketch/params.js';
import { agreementInterval, agreementOf, type Estimate } from '../sketch/probability.js';
import { createShingleStream, type ShingleParams, type ShingleUnit, shingleSet } from '../text/shingles.js';
import { canonicalTokens as tokensOf } from '../text/tokens.js';
import { type ExactMeasures, exactMeasures } from './compare/exactMeasures.js';
import { checkedOptions, OF_SHINGLES, OF_SIGNATURES, shinglesOf } from './compare/functionOptions.js';
import { checkSketches, parametersText, type Sketch } from './compare/sketchBytes.js';

export type { Estimate } from '../sketch/probability.js';
export type { Sketch } from './compare/sketchBytes.js';

/** A text: a string (taken as UTF-8) or bytes of UTF-8, where invalid bytes count as U+FFFD. */
export type Text = string | Uint8Array;

/** How a text becomes a set of shingles; names, spellings and defaults as on the command line. */
export interface ShingleOptions {
  /** `words:k`, `chars:k`, `bytes:k`, `lines:k` or `stopwords:k`, k 1..63. Default `words:5`. */
  readonly shingle?: string;
  /** The unit of `shingle` on its own, as an alternative. Default `words`. */
  readonly unit?: ShingleUnit;
  /** The k of `shingle` on its own, as an alternative: tokens per shingle, 1..63. Default 5. */
  readonly size?: number;
  /** Whether the n-th occurrence of a shingle is a distinct element (Broder's option A). Default false. */
  readonly bag?: boolean;
  /** The stop words of `stopwords:k`. Default: a built-in English list. */
  readonly stopWords?: readonly string[];
  /** 0..2^53-1; seed of all hash functions. Default 1. */
  readonly seed?: number;
  /** `nfc` or `nfkc`, and any of `casefold`, `no-marks` and `no-digits`: a list, or separated by commas. Default `nfc`. */
  readonly normalize?: string | readonly string[];
}

/** Options of a signature. */
export interface SketchOptions extends ShingleOptions {
  /** Default `fss`. */
  readonly sketch?: SketchName;
  /** Signature length 16..1024, default 128. */
  readonly hashes?: number;
}

/** How texts become shingles. @throws MinHashError OPTION_INVALID with all invalid options */
function shingleParams(options: ShingleOptions): ShingleParams {
  return shinglesOf(checkedOptions(options, OF_SHINGLES));
}

/** The bytes of a text; a string becomes UTF-8. @throws MinHashError DOCUMENT_INVALID for any other value */
export function bytesOfText(text: Text): Uint8Array {
  if (typeof text === 'string') return new TextEncoder().encode(text);
  if (text instanceof Uint8Array) return text;
  const detail = `text: expected a string or a Uint8Array, got ${kindOf(text)}`;
  throw new MinHashError({ code: 'DOCUMENT_INVALID', detail });
}

/**
 * The tokens of a text in canonical form, in order, with repetitions. Of the options, only the unit and the
 * normalization matter.
 *
 * @throws MinHashError OPTION_INVALID with all invalid options; DOCUMENT_INVALID for a value that is not a text
 */
export function canonicalTokens(text: Text, options: ShingleOptions = {}): string[] {
  const params = shingleParams(options);
  return tokensOf(bytesOfText(text), params);
}

/**
 * The signature of a text, equal to that of a run. A text without tokens has a signature too, marked as empty.
 *
 * @throws MinHashError OPTION_INVALID with all invalid options; DOCUMENT_INVALID for a value that is not a text
 */
export function sketchOf(text: Text, options: SketchOptions = {}): Sketch {
  const values = checkedOptions(options, [...OF_SHINGLES, ...OF_SIGNATURES]);
  const { sketch = 'fss', hashes = 128 } = values;
  const params = shinglesOf(values);
  const sketcher = createSketcher({ sketch, hashes, seed: params.seed });
  const signature = new Uint32Array(sketcher.stride);
  sketcher.clear(signature);
  const stream = createShingleStream(params, (found, count) => sketcher.update(signature, found, count));
  stream.whole(bytesOfText(text));
  const parameters = parametersText({ ...params, stopWords: stopWordsKey(params), sketch, hashes });
  return { slots: signature.slice(0, hashes), empty: stream.tokens === 0, parameters };
}

const stopWordsKey = (params: ShingleParams): readonly string[] =>
  params.unit === 'stopwords' ? params.stopWords : [];

/**
 * The resemblance of two texts (or sets) as estimated from their sketches, with a 95 % interval. If one is empty: 0
 * with bounds 0.
 *
 * @throws MinHashError SKETCH_INVALID for a value that is not a sketch (a copy through JSON is not), SKETCHES_DIFFER
 * for sketches of different parameters
 */
export function estimateResemblance(a: Sketch, b: Sketch): Estimate {
  const { hashes } = checkSketches(a, b);
  if (a.empty || b.empty) return { value: 0, lower: 0, upper: 0 };
  const count = agreementOf(a.slots, 0, b.slots, 0, hashes);
  const { lower, upper } = agreementInterval(count, hashes, 0.95);
  return { value: count / hashes, lower, upper };
}

function measured(a: Text, b: Text, options: ShingleOptions): ExactMeasures {
  const params = shingleParams(options);
  return exactMeasures(shingleSet(bytesOfText(a), params), shingleSet(bytesOfText(b), params));
}

/**
 * The fingerprint that identifies exact duplicates: a hash of the sequence of canonical tokens of a text, as 32
 * hexadecimal digits (128 bits, as in `run`) or 16 (64 bits, the first half). Texts with the same tokens have the same
 * fingerprint; `expectedCollisions` computes how rarely other texts do. Of the options only the unit matters. All texts
 * without tokens have the same fingerprint.
 *
 * @throws MinHashError OPTION_INVALID with all invalid options; DOCUMENT_INVALID for a value that is not a text
 */
export function fingerprint(text: Text, options: ShingleOptions & { readonly bits?: 64 | 128 } = {}): string {
  checkObject('options', options);
  const { bits = 128, ...shingle } = options;
  const more = bits === 64 || bits === 128 ? [] : [`bits ${shownValue(bits)}: expected 64 or 128`];
  const params = shinglesOf(checkedOptions(shingle, OF_SHINGLES, more));
  const stream = createShingleStream(params, () => {});
  stream.whole(bytesOfText(text));
  const digits = (word: number): string => hexOf(stream.contentKey[word]!);
  const half = (word: number): string => digits(word + 1) + digits(word);
  return bits === 64 ? half(0) : half(0) + half(2);
}

/**
 * The exact Jaccard resemblance of the shingle sets of two texts (Broder 1997, section 2), 0..1; 0 if both are empty.
 *
 * @throws MinHashError OPTION_INVALID with all invalid options; DOCUMENT_INVALID for a value that is not a text
 */
export function resemblance(a: Text, b: Text, options: ShingleOptions = {}): number {
  return measured(a, b, options).resemblance;
}

/**
 * The containment of `a` in `b`: the share of a's shingles that b has (Broder 1997, section 2), 0..1; 0 if `a` is
 * empty.
 *
 * @throws MinHashError OPTION_INVALID with all invalid options; DOCUMENT_INVALID for a value that is not a text
 */
export function containment(a: Text, b: Text, options: ShingleOptions = {}): number {
  return measured(a, b, options).containmentAInB;
}
