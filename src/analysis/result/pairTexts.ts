/** The texts of documents of a finished result, read again from the inputs of its run. */

import { resultPaths, whyUntrusted } from '../../coordinator/resultPaths.js';
import { MinHashError } from '../../errors.js';
import { findDocuments, findSets } from '../../readers/find.js';
import { type Inputs, listInputs } from '../../readers/list/inputs.js';
import { type Manifest, stopWordFacts } from '../../result/manifest.js';
import { readStats } from '../../result/readManifest.js';
import type { PairRow } from '../../result/readResult.js';
import type { ShingleParams } from '../../text/shingles.js';
import { ENGLISH_STOP_WORDS } from '../../text/stopWords.js';
import { canonicalTokens } from '../../text/tokens.js';
import { resemblance } from '../measures.js';
import { jaccardOf } from '../textbook.js';
import { findPair, type ResultRows } from './questions.js';
import { type SharedRuns, type StreamedRuns, sharedRuns, streamedRuns } from './sharedRuns.js';

/** Two texts as canonical words (for sets: their labeled elements), or the reason why they are not available. */
export type PairTexts =
  | {
      readonly state: 'found';
      readonly a: readonly string[];
      readonly b: readonly string[];
      /** The unit of the lists, if not words. */
      readonly of?: 'element';
      /** The original texts with their shared runs; absent for sets. */
      readonly runs?: SharedRuns;
    }
  /** The input no longer exists, or was standard input. */
  | { readonly state: 'gone'; readonly place: string }
  /** Others may have written the result, so its recorded inputs are not read; with `corpus` inputs are read. */
  | { readonly state: 'untrusted'; readonly why: string }
  /** At least one of the two texts has changed: their similarity differs from that in the result. */
  | { readonly state: 'changed' };

/** A result whose documents are read. */
export interface ResultSource {
  readonly folder: string;
  readonly manifest: Manifest;
  /** The paths of its inputs, as typed; null: the recorded paths of the run. */
  readonly corpus: readonly string[] | null;
}

/** The inputs of the run of a result, listed again. @throws MinHashError RESULT_UNTRUSTED; the problems of `corpus` */
export async function inputsOf({ folder, manifest, corpus }: ResultSource): Promise<Inputs> {
  const params = manifest.parameters;
  const paths = resultPaths(folder, readStats(folder), corpus);
  const inputs = await listInputs({ ...paths, outFolder: folder, params });
  if (corpus !== null && inputs.problems.length > 0) throw new MinHashError(inputs.problems);
  return inputs;
}

/** Why the inputs of a result must not be opened; null: they may be. */
export function whyUnread({ folder, corpus }: ResultSource): string | null {
  return corpus === null ? whyUntrusted(folder) : null;
}

/**
 * Documents found in one reading of the inputs, by location (a binary string). Missing documents are not in the maps.
 */
export interface FoundDocuments {
  readonly texts: ReadonlyMap<string, Uint8Array>;
  /** For runs over sets, instead of texts: the labeled elements. */
  readonly sets: ReadonlyMap<string, readonly string[]>;
  /** Whether all inputs of the run were read again. */
  readonly areAllRead: boolean;
  /** Why nothing was read; null: the inputs were read. */
  readonly untrusted: string | null;
}

/** Options of reading again. */
interface ReadingAgain {
  /** Called for every document read: the names may be ids, and all inputs are read. */
  readonly located?: (id: string, place: string) => void;
  /** The inputs, if the caller has listed them already to read them several times. */
  readonly inputs?: Inputs;
}

/** Reads documents of a result, by their locations, from the inputs of its run. */
export async function readAgain(
  result: ResultSource,
  locations: Iterable<string>,
  { inputs: listed, located }: ReadingAgain = {},
): Promise<FoundDocuments> {
  const { manifest } = result;
  const { parameters } = manifest;
  const untrusted = whyUnread(result);
  if (untrusted !== null) return { texts: new Map(), sets: new Map(), areAllRead: false, untrusted };
  const inputs = listed ?? (await inputsOf(result));
  const areAllRead = inputs.problems.length === 0 && !inputs.roots.includes('-');
  const names = new Set(locations);
  if (parameters.sets === undefined) {
    const texts = await findDocuments(
      inputs,
      parameters,
      names,
      located === undefined ? { areLocations: true } : { met: located },
    );
    return { texts, sets: new Map(), areAllRead, untrusted };
  }
  // The manifest of a run over sets has the shingle parameters that sets need.
  const sets = await findSets(inputs, parameters, names);
  return { texts: new Map(), sets, areAllRead, untrusted };
}

/**
 * The shingle parameters of a run, to highlight texts. The manifest has only a hash of the stop words, which may be
 * that of the built-in list.
 */
function shinglesOf({ parameters }: Manifest): ShingleParams {
  const { shingle } = parameters;
  if (shingle.unit !== 'stopwords') return { ...shingle, stopWords: [] };
  const isBuiltIn = stopWordFacts(ENGLISH_STOP_WORDS).sha256 === shingle.stopWords?.sha256;
  return isBuiltIn
    ? { ...shingle, stopWords: ENGLISH_STOP_WORDS }
    : { ...shingle, unit: 'words', stopWords: [] };
}

/** The runs that two texts of a run share. */
function runsOf(manifest: Manifest, a: Uint8Array, b: Uint8Array): SharedRuns {
  return sharedRuns(a, b, shinglesOf(manifest));
}

/** The runs that two texts share, streamed: for texts that may be large. */
export function streamedRunsOf(manifest: Manifest, a: Uint8Array, b: Uint8Array): StreamedRuns {
  return streamedRuns(a, b, shinglesOf(manifest));
}

/** The texts of the documents at two locations (binary strings), read as the run read them. */
export async function pairTexts(
  result: ResultSource,
  rows: ResultRows,
  a: string,
  b: string,
): Promise<PairTexts> {
  const { manifest } = result;
  // Read before the texts, so that a damaged file is reported before any of its consequences.
  const { pair } = await findPair(rows, a, b);
  const { texts, sets, untrusted } = await readAgain(result, [a, b]);
  if (untrusted !== null) return { state: 'untrusted', why: untrusted };
  const isSets = manifest.parameters.sets !== undefined;
  for (const place of [a, b]) if (!(isSets ? sets : texts).has(place)) return { state: 'gone', place };
  if (isSets) {
    const elements = { a: sets.get(a)!, b: sets.get(b)! };
    return giveElementsAgain(manifest, pair, elements.a, elements.b)
      ? { state: 'found', ...elements, of: 'element' }
      : { state: 'changed' };
  }
  const [textA, textB] = [texts.get(a)!, texts.get(b)!];
  if (pair !== null && !givesAgain(manifest, pair, textA, textB)) return { state: 'changed' };
  const { shingle } = manifest.parameters;
  const words = (text: Uint8Array): string[] => canonicalTokens(text, { ...shingle, unit: 'words' });
  return { state: 'found', a: words(textA), b: words(textB), runs: runsOf(manifest, textA, textB) };
}

/** The elements that two sets share, and those of each alone, in set order, by label. */
export function elementsOfPair(
  a: readonly string[],
  b: readonly string[],
): Readonly<Record<'in both' | 'in a alone' | 'in b alone', readonly string[]>> {
  const [inA, inB] = [new Set(a), new Set(b)];
  return {
    'in both': a.filter((element) => inB.has(element)),
    'in a alone': a.filter((element) => !inB.has(element)),
    'in b alone': b.filter((element) => !inA.has(element)),
  };
}

/** The precision of similarities in the result, which have six decimals. */
const ROUNDING = 1e-6;

function giveElementsAgain(
  { parameters }: Manifest,
  pair: PairRow | null,
  a: readonly string[],
  b: readonly string[],
): boolean {
  const expected =
    pair?.kind === 'near' && parameters.verify === 'signature' ? null : (pair?.jaccard ?? null);
  return expected === null || Math.abs(jaccardOf(a, b) - expected) < ROUNDING;
}

/** Whether the two texts still have the similarity in the result; true if it cannot be checked. */
function givesAgain(
  manifest: Manifest,
  pair: Pick<PairRow, 'jaccard'>,
  textA: Uint8Array,
  textB: Uint8Array,
): boolean {
  const { seed: _, stopWords: __, ...options } = manifest.parameters.shingle;
  return isStill(manifest, pair, () => resemblance(textA, textB, options));
}

/**
 * Whether two texts still have the similarity in the result, if the caller computes it; true if it cannot be checked.
 */
export function isStill(
  { parameters }: Manifest,
  pair: Pick<PairRow, 'jaccard'>,
  resemblance: () => number,
): boolean {
  const { shingle, verify } = parameters;
  // The manifest has a hash of the stop words instead of the list, and an estimate is not exact.
  if (shingle.unit === 'stopwords' || verify === 'signature' || pair.jaccard === null) return true;
  return Math.abs(resemblance() - pair.jaccard) < ROUNDING;
}
