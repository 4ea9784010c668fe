/**
 * Two texts by every measure: what they share exactly, and what each sketch would say of it.
 *
 * Floor 4. Pure; reads no file.
 */
import { type ComparedEstimate, estimatesOf } from './comparison/estimates.js';
import {
  type BagMeasures,
  bagMeasures,
  type ExactMeasures,
  exactMeasures,
} from './comparison/exactMeasures.js';
import { listShingles, type ShingleLists } from './comparison/shingleTexts.js';
import { bytesOfText, type ShingleOptions, shingleParams, type Text } from './measures.js';
import { LEVEL_UNIT } from './sketch/broder/levelSketch.js';
import type { ShingleParams, ShingleUnit } from './sketch/params.js';
import { createShingleStream, shingleSet } from './sketch/shingles.js';

/** How two texts are compared; defaults as on the command line. Sets and bags are both compared. */
export interface CompareOptions extends Omit<ShingleOptions, 'bag'> {
  /** Slots of a signature, 16..1024; default 128. */
  readonly hashes?: number;
  /** s of MIN_s, 1..2^24; default `hashes`. */
  readonly samples?: number;
  /** m of MOD_m, 1..2^32; default 25, as Broder and others took for the web (1997). */
  readonly modulus?: number;
  /** The unit of L_i, 1..2^24: of n distinct shingles `levelUnit` to twice as many stay; default 100. */
  readonly levelUnit?: number;
}

export interface TextSizes {
  /** Of UTF-8. */
  readonly bytes: number;
  readonly tokens: number;
  /** Repeated ones counted every time: the size of the bag. */
  readonly shingles: number;
  /** The size of the set. */
  readonly distinct: number;
}

/** Sets are Broder's option B; bags are option A, a shingle's n-th occurrence being an element of its own. */
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
    /** The same bytes. */
    readonly bytes: boolean;
    /** The same sequence of canonical tokens, by their 128-bit content key: what `run` calls same-tokens, or identical where the bytes are equal. */
    readonly tokens: boolean;
  };
  readonly sets: ExactMeasures & { readonly estimates: readonly ComparedEstimate[] };
  readonly bags: BagMeasures & { readonly estimates: readonly ComparedEstimate[] };
}

/** Larger texts are not explained: strings and maps of the platform have an end, and nobody reads as much. */
export const MOST_EXPLAINED_BYTES = 16_000_000;

/** s and the unit of L_i are as large at most. */
const MOST_SAMPLES = 2 ** 24;
/** m is as large at most. */
const MOST_MODULUS = 2 ** 32;

/**
 * Compares two texts by every measure, each estimate beside its exact value. Memory: 16 bytes a shingle and text. A text
 * without tokens has no shingles: its measures are 0, even with itself.
 *
 * @throws RangeError for an option out of range
 */
export function compareTexts(a: Text, b: Text, options: CompareOptions = {}): Comparison {
  const params = shingleParams(options);
  const { unit, size, seed } = params;
  const { hashes = 128, modulus = 25, levelUnit = LEVEL_UNIT } = options;
  const { samples = hashes } = options;
  checkRange('hashes', hashes, 16, 1024);
  checkRange('samples', samples, 1, MOST_SAMPLES);
  checkRange('modulus', modulus, 1, MOST_MODULUS);
  checkRange('levelUnit', levelUnit, 1, MOST_SAMPLES);
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
 * The shingles of two texts as text, at most `most` (default 20) of each list: those of both, and those of one alone.
 * It makes a string a shingle, so it is for texts to look at.
 *
 * @throws RangeError for an option out of range, and for a text of more than MOST_EXPLAINED_BYTES
 */
export function explainTexts(a: Text, b: Text, options: ShingleOptions = {}, most = 20): ShingleLists {
  checkRange('most', most, 0, Number.MAX_SAFE_INTEGER);
  const [bytesA, bytesB] = [bytesOfText(a), bytesOfText(b)];
  checkRange('bytes of a text', Math.max(bytesA.length, bytesB.length), 0, MOST_EXPLAINED_BYTES);
  return listShingles(bytesA, bytesB, shingleParams(options), most);
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
  stream.push(bytes);
  stream.end();
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

function checkRange(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new RangeError(`${name} ${value}: expected an integer from ${least} to ${most}`);
}
