/**
 * Compares two texts by every measure: the exact values, and the estimates of each sketch. Reads no
 * file.
 */

import { MinHashError } from '../../errors.js';
import { ESTIMATE_OPTIONS } from '../../options/queryOptions.js';
import type { Given } from '../../options/runOptions.js';
import { shownValue } from '../../options/values.js';
import {
  createShingleStream,
  type ShingleParams,
  type ShingleUnit,
  shingleSet,
} from '../../text/shingles.js';
import { bytesOfText, type ShingleOptions, type Text } from '../measures.js';
import { type BagMeasures, bagMeasures, type ExactMeasures, exactMeasures } from './exactMeasures.js';
import { checkedOptions, type GivenKey, OF_SHINGLES, shinglesOf } from './functionOptions.js';
import { listShingles, type ShingleLists } from './shingleTexts.js';
import { type ComparedEstimate, estimatesOf } from './sketchEstimates.js';

/** How two texts are compared; defaults as on the command line. Sets and bags are both compared. */
export interface CompareOptions extends Omit<ShingleOptions, 'bag'>, Given<typeof ESTIMATE_OPTIONS> {
  /** Slots of a signature, 16..1024; default 128. */
  readonly hashes?: number;
}

/** Sizes of a text; all 0 for an empty text. */
export interface TextSizes {
  /** Bytes in UTF-8. */
  readonly bytes: number;
  readonly tokens: number;
  /** Number of shingles, repeated ones counted every time: the size of the bag. */
  readonly shingles: number;
  /** Number of distinct shingles: the size of the set. */
  readonly distinct: number;
}

/**
 * Sets are Broder's option B; bags are option A, where the n-th occurrence of a shingle is a distinct
 * element.
 */
export interface Comparison {
  readonly parameters: {
    readonly unit: ShingleUnit;
    readonly size: number;
    readonly seed: number;
    readonly hashes: number;
    readonly samples: number;
    readonly modulus: number;
    readonly levelUnit: number;
  };
  readonly a: TextSizes;
  readonly b: TextSizes;
  readonly identical: {
    /** Whether the texts have the same bytes. */
    readonly bytes: boolean;
    /**
     * Whether the texts have the same sequence of canonical tokens, by their 128-bit content hash: `run` calls such
     * texts same-tokens, or identical if the bytes are equal.
     */
    readonly tokens: boolean;
  };
  readonly sets: ExactMeasures & { readonly estimates: readonly ComparedEstimate[] };
  readonly bags: BagMeasures & { readonly estimates: readonly ComparedEstimate[] };
}

/** Sets and bags are both compared, so there is no option `bag`. */
const COMPARE_KEYS = [...OF_SHINGLES, 'hashes', 'samples', 'modulus', 'levelUnit'].filter(
  (key) => key !== 'bag',
) as GivenKey[];

/** Larger texts are not explained, because strings and maps of the platform have a limit. */
export const MOST_EXPLAINED_BYTES = 16_000_000;

/**
 * Compares two texts by every measure, each estimate beside its exact value. Memory: 16 bytes per shingle and text. A
 * text without tokens has no shingles: its measures are 0, even with itself.
 *
 * @throws MinHashError OPTION_INVALID with all invalid options; DOCUMENT_INVALID for a value that is not a text
 */
export function compareTexts(a: Text, b: Text, options: CompareOptions = {}): Comparison {
  const values = checkedOptions(options, COMPARE_KEYS);
  const params = shinglesOf(values);
  const { unit, size, seed } = params;
  const { hashes = 128, modulus = ESTIMATE_OPTIONS.modulus.default } = values;
  const { levelUnit = ESTIMATE_OPTIONS.levelUnit.default } = values;
  const { samples = hashes } = values;
  const [textA, textB] = [a, b].map((text) => shingled(bytesOfText(text), params)) as [Shingled, Shingled];
  const sets = exactMeasures(textA.set, textB.set);
  const bags = bagMeasures(textA.bag, textB.bag);
  const sizes = { hashes, samples, modulus, levelUnit, seed };
  return {
    parameters: { unit, size, seed, hashes, samples, modulus, levelUnit },
    a: textA.sizes,
    b: textB.sizes,
    identical: { bytes: isEqual(textA.bytes, textB.bytes), tokens: isEqual(textA.key, textB.key) },
    sets: { ...sets, estimates: estimatesOf(textA.set, textB.set, sets, sizes) },
    bags: { ...bags, estimates: estimatesOf(textA.bag, textB.bag, bags, sizes) },
  };
}

/**
 * The shingles of two texts as text, at most `most` (default 20) of each list: shingles of both texts, and of one text
 * alone. It allocates a string per shingle, so it is for texts that people read. It accepts the options of
 * `compareTexts`; the options of sketches have no effect.
 *
 * @throws MinHashError OPTION_INVALID with all invalid options; DOCUMENT_INVALID for a value that is not a text, and
 * for a text of more than MOST_EXPLAINED_BYTES
 */
export function explainTexts(
  a: Text,
  b: Text,
  options: ShingleOptions | CompareOptions = {},
  most = 20,
): ShingleLists {
  const isCount = Number.isSafeInteger(most) && most >= 0;
  const more = isCount ? [] : [`most ${shownValue(most)}: expected an integer from 0`];
  const params = shinglesOf(checkedOptions(options, ['bag', ...COMPARE_KEYS], more));
  const [bytesA, bytesB] = [bytesOfText(a), bytesOfText(b)];
  const bytes = Math.max(bytesA.length, bytesB.length);
  if (bytes > MOST_EXPLAINED_BYTES) {
    const detail = `a text of ${bytes} bytes: expected at most ${MOST_EXPLAINED_BYTES}`;
    throw new MinHashError({ code: 'DOCUMENT_INVALID', detail });
  }
  return listShingles(bytesA, bytesB, params, most);
}

interface Shingled {
  readonly bytes: Uint8Array;
  readonly key: Uint32Array;
  readonly set: Uint32Array;
  readonly bag: Uint32Array;
  readonly sizes: TextSizes;
}

function shingled(bytes: Uint8Array, params: ShingleParams): Shingled {
  const stream = createShingleStream(params, () => undefined);
  stream.whole(bytes);
  const set = shingleSet(bytes, { ...params, bag: false });
  const bag = shingleSet(bytes, { ...params, bag: true });
  const { tokens, occurrences: shingles } = stream;
  const sizes = { bytes: bytes.length, tokens, shingles, distinct: set.length / 2 };
  return { bytes, key: stream.contentKey.slice(), set, bag, sizes };
}

function isEqual(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
