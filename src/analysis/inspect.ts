/**
 * Opens a finished result: counts, rows one after the other, top pairs, one pair with its texts; also MinHash
 * as the textbook has it.
 */

import { absolutePath } from '../coordinator/start/noted.js';
import { MinHashError } from '../errors.js';
import { isPath, shownValue } from '../options/values.js';
import type { Manifest, ManifestCounts } from '../output/manifest.js';
import { readManifest, readStats } from '../output/readManifest.js';
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
} from '../output/readResult.js';
import { unescapeId } from '../output/tables/escaping.js';
import { checkFiles } from '../output/verifyResult.js';
import { findDocuments, findSets } from '../readers/find.js';
import { type Inputs, listInputs } from '../readers/list/inputs.js';
import { binaryOf, binaryOfId, idOfBinary, textOf } from '../readers/list/pathIds.js';
import { canonicalTokens } from '../text/tokens.js';
import { resemblance } from './measures.js';

/**
 * The signature matrix SIG(i, c) of Mining of Massive Datasets 3.3.5, for known answers and small sets of
 * numbers (runs use blocks, not lists of numbers): `result[i][c]` is the least value of hash function i over
 * the rows in which column c has a 1; Infinity for a column without a 1.
 *
 * `columns[c]` lists the row numbers of column c, in any order. Each row is hashed once by each function, in
 * the order of row numbers. Figure 3.4: rows {0,3}, {2}, {1,3,4}, {0,2,3} under x+1 and 3x+1 mod 5 give 1 3 0
 * 1 and 0 2 0 0.
 */
export function minhashRows(
  columns: readonly (readonly number[])[],
  hashFunctions: readonly ((row: number) => number)[],
): number[][] {
  const columnsOfRow = new Map<number, number[]>();
  columns.forEach((rows, column) => {
    for (const row of rows) {
      const entry = columnsOfRow.get(row);
      if (entry === undefined) columnsOfRow.set(row, [column]);
      else entry.push(column);
    }
  });
  const signatures = hashFunctions.map(() => columns.map(() => Number.POSITIVE_INFINITY));
  for (const row of [...columnsOfRow.keys()].sort((a, b) => a - b)) {
    hashFunctions.forEach((hash, i) => {
      const value = hash(row);
      const signature = signatures[i]!;
      for (const column of columnsOfRow.get(row)!) {
        if (value < signature[column]!) signature[column] = value;
      }
    });
  }
  return signatures;
}

/** Jaccard similarity of two collections taken as sets, 0..1; 0 where both are empty. */
export function jaccardOf<Element>(a: Iterable<Element>, b: Iterable<Element>): number {
  const setA = new Set(a);
  const setB = new Set(b);
  let common = 0;
  for (const element of setA) if (setB.has(element)) common++;
  const union = setA.size + setB.size - common;
  return union === 0 ? 0 : common / union;
}

/** The two texts as canonical words (for sets: their labelled elements), or why they are not available. */
export type PairTexts =
  | {
      readonly state: 'found';
      readonly a: readonly string[];
      readonly b: readonly string[];
      /** The unit of the lists, if not words. */
      readonly of?: 'element';
    }
  /** The input no longer exists, or was standard input. */
  | { readonly state: 'gone'; readonly id: string }
  /** At least one of the two is not the one of the result: their similarity is another one. */
  | { readonly state: 'changed' };

/**
 * A result opened by `openResult`. Ids are the texts of the ids: `é.txt` is `é.txt`, in any result format. A
 * byte of an id that is not UTF-8 (names of files may have some) is the lone surrogate U+DC00 + byte, so that
 * ids stay apart; a result in CSV or JSON lines has U+FFFD there. An id with U+FFFD that is asked for finds
 * both.
 *
 * Iterators return the rows in the order of the files, with a piece of a file in memory at a time, and may be
 * left at any row. Each call begins with the first row. They throw RESULT_DAMAGED for a file that differs
 * from the manifest, before they return a row of it, and RESULT_MISSING for one that cannot be read.
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
  /**
   * Decodes an id as written in the result files (undoes the escapes of their format). The other functions
   * take decoded ids.
   */
  idOf(written: string): string;
  /** All accepted pairs, by (a, b) in the byte order of ids. */
  pairs(): AsyncIterableIterator<PairRow>;
  /** Every candidate pair, accepted or not, by (a, b). */
  candidates(): AsyncIterableIterator<CandidateRow>;
  /** The documents of all clusters, cluster by cluster from 1, in each by id. */
  clusters(): AsyncIterableIterator<ClusterRow>;
  /** The drop list by document: each document that can be dropped, and the kept one that replaces it. */
  drops(): AsyncIterableIterator<DropRow>;
  /** Skipped documents and places. */
  skipped(): AsyncIterableIterator<SkippedRow>;
  /** At most `count` (0 or more) near pairs by jaccard (or the larger containment), the largest first; ties by ids. */
  topPairs(count: number): Promise<readonly PairRow[]>;
  /**
   * The rows of two ids, in either order; null where there is none.
   *
   * @throws MinHashError DOCUMENT_UNKNOWN for an id that is in no row of the result and in none of its inputs, which are
   *   read for that where neither row is there
   */
  findPair(
    a: string,
    b: string,
  ): Promise<{ readonly pair: PairRow | null; readonly candidate: CandidateRow | null }>;
  /**
   * By id: the first document with the same tokens, if that is another one. In pairs and candidates it
   * represents all of them, except in the rows of identical documents and of those with the same tokens.
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
 * @throws MinHashError RESULT_MISSING when it holds no finished result, OPTION_INVALID for a value that is
 * not a path. The functions of the result throw RESULT_DAMAGED when a file that is read differs from the
 * manifest.
 */
export async function openResult(folder: string): Promise<OpenedResult> {
  if (!isPath(folder)) {
    const detail = `folder ${shownValue(folder)}: expected the path of a folder that holds a result`;
    throw new MinHashError({ code: 'OPTION_INVALID', detail });
  }
  const manifest = readManifest(folder);
  const { format, verify, measure } = manifest.parameters;
  // Any program could have changed the files: each kind is checked before it is used.
  const checked = new Set<string>();
  const check = (start: string): void => {
    if (!checked.has(start)) checkFiles(folder, manifest, start);
    checked.add(start);
  };
  // Inputs are read once for an id: a corpus can be large.
  const known = new Set<string>();
  async function* rowsOf<Row extends object>(
    start: string,
    read: (folder: string) => AsyncGenerator<Row>,
  ): AsyncGenerator<Row> {
    check(start);
    for await (const row of read(folder)) yield inStrings(row);
  }
  return {
    counts: countsByName(manifest.counts),
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
      const ids = [binaryOfId(a), binaryOfId(b)] as const;
      const { pair, candidate } = await findPair(folder, ...ids);
      const doubtful = ids.filter((id) => !known.has(id));
      if (pair === null && candidate === null) await refuseUnknown(folder, manifest, doubtful);
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
      const ids = [binaryOfId(a), binaryOfId(b)] as const;
      const found = await pairTexts(folder, manifest, ...ids);
      if (found.state !== 'gone') for (const id of ids) known.add(id);
      return found.state === 'gone' ? inStrings(found) : found;
    },
  };
}

/** @throws MinHashError DOCUMENT_UNKNOWN for each id that is nowhere in the result, where all its inputs are still there */
async function refuseUnknown(folder: string, manifest: Manifest, ids: readonly string[]): Promise<void> {
  const unknown = new Set(ids);
  for (const id of ids) if ((await findCluster(folder, id)).length > 0) unknown.delete(id);
  if (unknown.size === 0) return;
  const inputs = inputsOf(folder, manifest);
  const isRead = inputs.faults.length === 0 && !inputs.roots.includes('-');
  const { parameters } = manifest;
  const found =
    parameters.sets === undefined
      ? await findDocuments(inputs, parameters, new Set(unknown), { shown: shownIn(manifest) })
      : await setsIn(inputs, manifest, new Set(unknown));
  for (const id of found.keys()) unknown.delete(id);
  if (unknown.size === 0 || !isRead) return;
  for await (const { a, b } of readCandidates(folder)) for (const id of [a, b]) unknown.delete(id);
  if (unknown.size === 0) return;
  throw new MinHashError([...unknown].map((id) => ({ code: 'DOCUMENT_UNKNOWN', detail: textOf(id) })));
}

/** Cells that are ids or places; they come as binary strings. */
const NAMES: readonly string[] = ['a', 'b', 'document', 'kept', 'place', 'id'];

/** The row with its ids as strings. */
function inStrings<Row extends object>(row: Row): Row {
  const named = { ...row } as Record<string, unknown>;
  for (const name of NAMES) if (typeof named[name] === 'string') named[name] = idOfBinary(named[name]);
  return named as Row;
}

/** The inputs that stats.json names. */
function inputsOf(folder: string, { parameters }: Manifest): Inputs {
  const { paths, directory } = readStats(folder).inputs;
  return listInputs({
    paths: paths.map((path) => absolutePath(path, directory)),
    outFolder: folder,
    params: parameters,
  });
}

/** Reads the inputs as the run did. */
async function pairTexts(folder: string, manifest: Manifest, a: string, b: string): Promise<PairTexts> {
  const { parameters } = manifest;
  const inputs = inputsOf(folder, manifest);
  if (parameters.sets !== undefined) return pairElements(folder, manifest, inputs, a, b);
  const found = await findDocuments(inputs, parameters, new Set([a, b]), { shown: shownIn(manifest) });
  for (const id of [a, b]) if (!found.has(id)) return { state: 'gone', id };
  const { pair } = await findPair(folder, a, b);
  if (pair !== null && !givesAgain(manifest, pair, found.get(a)!, found.get(b)!)) {
    return { state: 'changed' };
  }
  const words = (id: string): string[] => canonicalTokens(found.get(id)!, { unit: 'words' });
  return { state: 'found', a: words(a), b: words(b) };
}

/** The form of ids in a result: outside TSV with U+FFFD for bytes that are not UTF-8. */
function shownIn({ parameters }: Pick<Manifest, 'parameters'>): (id: string) => string {
  return parameters.format === 'tsv' ? (id) => id : (id) => binaryOf(textOf(id));
}

function setsIn(inputs: Inputs, manifest: Manifest, ids: ReadonlySet<string>) {
  // Of the parameters of shingles the manifest of sets has what sets need.
  return findSets(inputs, manifest.parameters, ids, shownIn(manifest));
}

/** The elements of two sets, read as the run did. */
function countsByName(counts: ManifestCounts): OpenedResult['counts'] {
  return Object.fromEntries(Object.entries(counts));
}

async function pairElements(
  folder: string,
  manifest: Manifest,
  inputs: Inputs,
  a: string,
  b: string,
): Promise<PairTexts> {
  const { parameters } = manifest;
  const found = await setsIn(inputs, manifest, new Set([a, b]));
  for (const id of [a, b]) if (!found.has(id)) return { state: 'gone', id };
  const elements = { a: found.get(a)!, b: found.get(b)! };
  const { pair } = await findPair(folder, a, b);
  const expected =
    pair?.kind === 'near' && parameters.verify === 'signature' ? null : (pair?.jaccard ?? null);
  if (expected !== null && Math.abs(jaccardOf(elements.a, elements.b) - expected) >= 1e-6) {
    return { state: 'changed' };
  }
  return { state: 'found', ...elements, of: 'element' };
}

/** Whether the two texts still have the resemblance in the result; true where it cannot be checked. */
function givesAgain(manifest: Manifest, pair: PairRow, textA: Uint8Array, textB: Uint8Array): boolean {
  const { shingle, verify } = manifest.parameters;
  // The manifest has a hash of the stop words, not the list; an estimate is no exact value.
  if (shingle.unit === 'stopwords' || verify === 'signature' || pair.jaccard === null) return true;
  const exact = resemblance(textA, textB, { unit: shingle.unit, size: shingle.size, bag: shingle.bag });
  // The result has six decimals.
  return Math.abs(exact - pair.jaccard) < 1e-6;
}
