/**
 * A finished result, opened for looking: counts, rows one after the other, top pairs, one pair in full, and its texts.
 *
 * Floor 4.
 */
import { resemblance } from './measures.js';
import { jaccardOf } from './sketch/characteristicMatrix.js';
import type { ResultParams } from './sketch/params.js';
import { canonicalTokens } from './sketch/tokens.js';
import { findDocuments } from './storage/findDocuments.js';
import { findSets } from './storage/findSets.js';
import { binaryOfId, idOfBinary } from './storage/idStrings.js';
import { binaryOf, textOf } from './storage/ids.js';
import { type Inputs, listInputs } from './storage/inputs.js';
import { checkFiles } from './storage/results/checkFiles.js';
import { unescapeId } from './storage/results/escaping.js';
import type { Manifest, ManifestCounts } from './storage/results/manifest.js';
import { readManifest, readStats } from './storage/results/readManifest.js';
import {
  type CandidateRow,
  type ClusterRow,
  type DropRow,
  findCluster,
  findFirsts,
  findPair,
  type PairRow,
  readCandidates,
  readClusters,
  readDrops,
  readPairs,
  readSkipped,
  type SkippedRow,
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

/**
 * A result opened by `openResult`. Ids are the texts of the ids: `é.txt` is `é.txt`, whatever the result files make of it. A
 * byte of an id that is not UTF-8 (names of files may have some) is the lone surrogate U+DC00 + byte, so that ids stay
 * apart; a result in CSV or JSON lines has U+FFFD there. An id with U+FFFD that is asked for finds both.
 *
 * Iterators give the rows in the order of the files, a piece of a file in memory at a time, and may be left at any row. Each
 * begins anew with the first row; none give nothing. They throw RESULT_DAMAGED for a file that is not the one of the
 * manifest, before they give a row of it, and RESULT_MISSING for one that cannot be read.
 */
export interface OpenedResult {
  /** The counts of manifest.json by name; `skipped` is by reason. */
  readonly counts: Readonly<Record<string, number | Readonly<Record<string, number>>>>;
  /** Jaccard values of near pairs are estimates: the run verified by signature. */
  readonly estimated: boolean;
  /** Near pairs are those in which most of one document is in the other: the run measured containment. */
  readonly byContainment: boolean;
  /** The inputs were sets of elements, not texts. */
  readonly ofSets: boolean;
  /** The id that is written so in the result files (the escapes of their format undone). Other functions take ids alone. */
  idOf(written: string): string;
  /** All accepted pairs, by (a, b) in the byte order of ids. */
  pairs(): AsyncIterableIterator<PairRow>;
  /** Every pair that was looked at, accepted or not, by (a, b). */
  candidates(): AsyncIterableIterator<CandidateRow>;
  /** The documents of all clusters, cluster by cluster from 1, in each by id. */
  clusters(): AsyncIterableIterator<ClusterRow>;
  /** The drop list by document: what can go, and what stands for it. */
  drops(): AsyncIterableIterator<DropRow>;
  /** What was left out, by its place. */
  skipped(): AsyncIterableIterator<SkippedRow>;
  /** At most `count` (0 or more) near pairs by jaccard (or the larger containment), the largest first; ties by ids. */
  topPairs(count: number): Promise<readonly PairRow[]>;
  /** The rows of two ids, in either order; null where there is none. */
  findPair(
    a: string,
    b: string,
  ): Promise<{ readonly pair: PairRow | null; readonly candidate: CandidateRow | null }>;
  /**
   * By id: the first of the documents with the same tokens, where that is another one. In pairs and candidates it alone
   * stands for all of them, but for the rows that say they are identical or of the same tokens.
   */
  firstsOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The rows of the cluster that holds the document; none when it is in no cluster. */
  findCluster(id: string): Promise<readonly ClusterRow[]>;
  /** The texts in the order of the arguments, read from the inputs of the run. */
  texts(a: string, b: string): Promise<PairTexts>;
}

/**
 * Opens the result in `folder`. Nothing stays open: files are opened when they are read.
 *
 * @throws MinHashError RESULT_MISSING when it holds no finished result. The functions of the result throw RESULT_DAMAGED
 * when a file that is read is not the one of the manifest.
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
  async function* rowsOf<Row extends object>(
    start: string,
    read: (folder: string) => AsyncGenerator<Row>,
  ): AsyncGenerator<Row> {
    check(start);
    for await (const row of read(folder)) yield inStrings(row);
  }
  return {
    counts: { ...(manifest.counts satisfies ManifestCounts) } as unknown as OpenedResult['counts'],
    estimated: verify === 'signature',
    byContainment: measure === 'containment',
    ofSets: manifest.parameters.sets !== undefined,
    idOf: (written) => idOfBinary(unescapeId(written, format)),
    pairs: () => rowsOf('pairs/', readPairs),
    candidates: () => rowsOf('candidates/', readCandidates),
    clusters: () => rowsOf('clusters/', readClusters),
    drops: () => rowsOf('duplicates.', readDrops),
    skipped: () => rowsOf('skipped.', readSkipped),
    topPairs: async (count) => {
      check('pairs/');
      return (await topPairs(folder, count)).map(inStrings);
    },
    findPair: async (a, b) => {
      check('pairs/');
      check('candidates/');
      const { pair, candidate } = await findPair(folder, binaryOfId(a), binaryOfId(b));
      return { pair: pair && inStrings(pair), candidate: candidate && inStrings(candidate) };
    },
    firstsOf: async (ids) => {
      check('pairs/');
      const firsts = await findFirsts(folder, ids.map(binaryOfId));
      const found = ids.map((id) => [id, firsts.get(binaryOfId(id))] as const);
      return new Map(found.flatMap(([id, first]) => (first === undefined ? [] : [[id, idOfBinary(first)]])));
    },
    findCluster: async (id) => {
      check('clusters/');
      return (await findCluster(folder, binaryOfId(id))).map(inStrings);
    },
    texts: async (a, b) => {
      const found = await pairTexts(folder, manifest, binaryOfId(a), binaryOfId(b));
      return found.state === 'found' ? found : inStrings(found);
    },
  };
}

/** Cells that are ids or places; they come as binary strings. */
const NAMES: readonly string[] = ['a', 'b', 'document', 'kept', 'place', 'id'];

/** The row with its ids as strings. */
function inStrings<Row extends object>(row: Row): Row {
  const named = { ...row } as Record<string, unknown>;
  for (const name of NAMES) if (typeof named[name] === 'string') named[name] = idOfBinary(named[name]);
  return named as Row;
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
