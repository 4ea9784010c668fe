/**
 * A finished result, opened for looking: counts, top pairs, one pair in full, and its texts.
 *
 * Floor 4.
 */
import { resemblance } from './measures.js';
import { jaccardOf } from './sketch/characteristicMatrix.js';
import type { ResultParams } from './sketch/params.js';
import { canonicalTokens } from './sketch/tokens.js';
import { findDocuments } from './storage/findDocuments.js';
import { findSets } from './storage/findSets.js';
import { binaryOf, textOf } from './storage/ids.js';
import { type Inputs, listInputs } from './storage/inputs.js';
import { checkFiles } from './storage/results/checkFiles.js';
import { unescapeId } from './storage/results/escaping.js';
import type { Manifest, ManifestCounts } from './storage/results/manifest.js';
import { readManifest, readStats } from './storage/results/readManifest.js';
import {
  type CandidateRow,
  type ClusterRow,
  findCluster,
  findFirsts,
  findPair,
  type PairRow,
  topPairs,
} from './storage/results/resultReader.js';

/** The two texts as canonical words (of sets: their labelled elements), or why they cannot be had. */
export type PairTexts =
  | {
      readonly state: 'found';
      readonly a: readonly string[];
      readonly b: readonly string[];
      /** What they are lists of, if not words. */
      readonly of?: 'element';
    }
  /** `gone`: the input is not there any more, or was standard input. */
  | { readonly state: 'gone' | 'changed'; readonly id: string };

/** A result opened by `openResult`. Ids are binary strings: one character a byte. */
export interface OpenedResult {
  readonly counts: Readonly<Record<string, number | Readonly<Record<string, number>>>>;
  /** Jaccard values of near pairs are estimates: the run verified by signature. */
  readonly estimated: boolean;
  /** Near pairs are those in which most of one document is in the other: the run measured containment. */
  readonly byContainment: boolean;
  /** The inputs were sets of elements, not texts. */
  readonly ofSets: boolean;
  /** The id that a user wrote as it stands in the result files (the escapes of their format undone). */
  idOf(written: string): string;
  /** Near pairs by jaccard (or the larger containment), the largest first; ties by ids. */
  topPairs(count: number): Promise<readonly PairRow[]>;
  /** The rows of two ids, in either order; null where there is none. */
  findPair(
    a: string,
    b: string,
  ): Promise<{ readonly pair: PairRow | null; readonly candidate: CandidateRow | null }>;
  /**
   * By id: the first of the documents identical to it, where that is another one. In pairs and candidates it alone stands
   * for all of them, but for the rows that say they are identical.
   */
  firstsOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The rows of the cluster that holds the document; none when it is in no cluster. */
  findCluster(id: string): Promise<readonly ClusterRow[]>;
  /** The texts in the order of the arguments. */
  texts(a: string, b: string): Promise<PairTexts>;
}

/**
 * Opens the result in `folder`.
 *
 * @throws MinHashError RESULT_MISSING when it holds no finished result; RESULT_DAMAGED when a file that is read is not the
 * one of the manifest
 */
export async function openResult(folder: string): Promise<OpenedResult> {
  const manifest = readManifest(folder);
  const { format, verify, measure } = manifest.parameters;
  // What is shown is read from files that anybody could have touched: each kind is checked before it is believed.
  const checked = new Set<string>();
  const check = (start: string): void => {
    if (!checked.has(start)) checkFiles(folder, manifest, start);
    checked.add(start);
  };
  return {
    counts: { ...(manifest.counts satisfies ManifestCounts) } as unknown as OpenedResult['counts'],
    estimated: verify === 'signature',
    byContainment: measure === 'containment',
    ofSets: manifest.parameters.sets !== undefined,
    idOf: (written) => unescapeId(written, format),
    topPairs: async (count) => {
      check('pairs/');
      return topPairs(folder, count);
    },
    findPair: async (a, b) => {
      check('pairs/');
      check('candidates/');
      return findPair(folder, a, b);
    },
    firstsOf: async (ids) => {
      check('pairs/');
      return findFirsts(folder, ids);
    },
    findCluster: async (id) => {
      check('clusters/');
      return findCluster(folder, id);
    },
    texts: (a, b) => pairTexts(folder, manifest, a, b),
  };
}

/** Reads the inputs that stats.json names, as the run did. */
async function pairTexts(folder: string, manifest: Manifest, a: string, b: string): Promise<PairTexts> {
  const { paths, directory } = readStats(folder).inputs;
  const { parameters } = manifest;
  const inputs = listInputs({
    paths: paths.map((path) => (path === '-' || path.startsWith('/') ? path : `${directory}/${path}`)),
    outFolder: folder,
    params: parameters,
  });
  if (parameters.sets !== undefined) return pairElements(folder, manifest, inputs, a, b);
  const found = await findDocuments(inputs, parameters, new Set([a, b]), { shown: shownIn(manifest) });
  for (const id of [a, b]) if (!found.has(id)) return { state: 'gone', id };
  const { pair } = await findPair(folder, a, b);
  if (pair !== null && !givesAgain(manifest, pair, found.get(a)!, found.get(b)!)) {
    return { state: 'changed', id: a };
  }
  const words = (id: string): string[] => canonicalTokens(found.get(id)!, { unit: 'words' });
  return { state: 'found', a: words(a), b: words(b) };
}

/** How ids stand in a result: outside TSV with U+FFFD for what is not UTF-8. */
function shownIn({ parameters }: Pick<Manifest, 'parameters'>): (id: string) => string {
  return parameters.format === 'tsv' ? (id) => id : (id) => binaryOf(textOf(id));
}

/** The elements of two sets, read as the run did. */
async function pairElements(
  folder: string,
  manifest: Manifest,
  inputs: Inputs,
  a: string,
  b: string,
): Promise<PairTexts> {
  const { parameters } = manifest;
  // Of the parameters of shingles the manifest of sets has what sets need.
  const found = await findSets(
    inputs,
    parameters as unknown as ResultParams,
    new Set([a, b]),
    shownIn(manifest),
  );
  for (const id of [a, b]) if (!found.has(id)) return { state: 'gone', id };
  const elements = { a: found.get(a)!, b: found.get(b)! };
  const { pair } = await findPair(folder, a, b);
  const expected =
    pair?.kind === 'near' && parameters.verify === 'signature' ? null : (pair?.jaccard ?? null);
  if (expected !== null && Math.abs(jaccardOf(elements.a, elements.b) - expected) >= 1e-6) {
    return { state: 'changed', id: a };
  }
  return { state: 'found', ...elements, of: 'element' };
}

/** Whether the two texts still have the resemblance that the result says; true where it cannot be told. */
function givesAgain(manifest: Manifest, pair: PairRow, textA: Uint8Array, textB: Uint8Array): boolean {
  const { shingle, verify } = manifest.parameters;
  // The manifest has a hash of the stop words, not the list; and an estimate is no exact value.
  if (shingle.unit === 'stopwords' || verify === 'signature' || pair.jaccard === null) return true;
  const exact = resemblance(textA, textB, { unit: shingle.unit, size: shingle.size, bag: shingle.bag });
  // The result has six decimals.
  return Math.abs(exact - pair.jaccard) < 1e-6;
}
