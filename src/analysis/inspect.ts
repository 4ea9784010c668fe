/** Opens a finished result: its counts, its rows as streams, and answers to questions about it. */

import { type CorpusOption, corpusProblems } from '../coordinator/resultPaths.js';
import { checkIterable, checkNumber, checkObject, kindOf, MinHashError } from '../errors.js';
import { isPath, shownValue } from '../options/values.js';
import { binaryOfId, idOfBinary } from '../readers/list/pathIds.js';
import type { ReportedNumbers } from '../result/facts.js';
import type { Manifest } from '../result/manifest.js';
import { readManifest } from '../result/readManifest.js';
import {
  type CandidateRow,
  type ClusterRow,
  type DropRow,
  measured,
  type PairRow,
  type SkippedRow,
  tableRows,
} from '../result/readResult.js';
import { unescapeId } from '../result/tables/escaping.js';
import { checkFiles } from '../result/verifyResult.js';
import type { Unit } from '../sketch/params.js';
import { BestRows } from './result/bestRows.js';
import { type DocumentView, documentView } from './result/document.js';
import { type NamedDocument, namedDocument } from './result/naming.js';
import { type PairTexts, pairTexts, type ResultSource, readAgain } from './result/pairTexts.js';
import {
  type AroundView,
  type ClusterPage,
  type ClusterView,
  clusterView,
  findCluster,
  findPair,
  largestClusters,
  pairsAround,
  type ResultRows,
  type RowPage,
} from './result/questions.js';
import { standingOf } from './result/standing.js';

/**
 * A result opened by `openResult`. Ids are decoded text: `é.txt` is `é.txt`. A byte of an id that is not UTF-8 (names
 * of files may have some) is the lone surrogate U+DC00 + byte, so that different ids remain different. Terminals and
 * exports show U+FFFD there, and a question with U+FFFD finds the id too.
 *
 * Iterators return the rows in file order, with a piece of a file in memory at a time, and may be left at any row. Each
 * call begins with the first row. They throw RESULT_DAMAGED for a file that differs from the manifest, before they
 * return a row of it, and RESULT_DAMAGED for a file that cannot be read. Functions throw OPTION_INVALID for arguments of
 * another type or out of range.
 */
export interface OpenedResult {
  /** The counts of manifest.json by name; `skipped` holds counts by reason. */
  readonly counts: Readonly<Record<string, number | Readonly<Record<string, number>>>>;
  /**
   * The numbers of manifest.json: kept and dropped documents, by reason, by source and at other thresholds; medians.
   */
  readonly numbers: ReportedNumbers;
  /** Whether Jaccard values of near pairs are estimates: the run verified by signature. */
  readonly estimated: boolean;
  /** Whether candidate pairs were verified, exactly or by signature; otherwise no near pair is accepted. */
  readonly verified: boolean;
  /** Whether the run measured containment: then one document of a near pair contains most of the other. */
  readonly byContainment: boolean;
  /** Whether the inputs were sets of elements, not texts. */
  readonly ofSets: boolean;
  /** The compared part of texts: whole documents, or units of them. */
  readonly unit: Unit;
  /** The least similarity (or containment) of an accepted near pair, 0..1. */
  readonly threshold: number;
  /**
   * Decodes an id as written in the result files (undoes the escapes of their format). The other functions
   * take decoded ids.
   */
  idOf(written: string): string;
  /** All accepted pairs, sorted by (a, b) in the order of the input. */
  pairs(): AsyncIterableIterator<PairRow>;
  /** The candidate pairs that the run listed (`candidates`), accepted or not, sorted by (a, b). */
  candidates(): AsyncIterableIterator<CandidateRow>;
  /** The documents of all clusters, cluster by cluster from 1, within a cluster by id. */
  clusters(): AsyncIterableIterator<ClusterRow>;
  /** The drop list by document: each document that can be dropped, with the kept one that replaces it. */
  drops(): AsyncIterableIterator<DropRow>;
  /** Skipped documents and other locations. */
  skipped(): AsyncIterableIterator<SkippedRow>;
  /** At most `count` (0 or more) near pairs by jaccard (or the larger containment), the largest first; ties by ids. */
  topPairs(count: number): Promise<readonly PairRow[]>;
  /**
   * The document with a name: the one at this location, otherwise the one with this id. The inputs are read if no row
   * has it. Other functions accept the same names.
   *
   * @throws MinHashError DOCUMENT_UNKNOWN if no row and no input has it; DOCUMENT_AMBIGUOUS if several documents
   * have the id
   */
  named(name: string): Promise<{ readonly id: string; readonly place: string }>;
  /** The rows of the pair of two documents, in either order; null if there is no row. @throws as named */
  findPair(
    a: string,
    b: string,
  ): Promise<{ readonly pair: PairRow | null; readonly candidate: CandidateRow | null }>;
  /**
   * By name: the first document with the same tokens, if that is another document. In pairs and candidates this first
   * document represents its duplicate group, except in rows of kind `identical` and `same-tokens`.
   */
  firstsOf(
    names: readonly string[],
  ): Promise<ReadonlyMap<string, { readonly id: string; readonly place: string }>>;
  /** The rows of the cluster that contains the document; empty if it is in no cluster. */
  findCluster(name: string): Promise<readonly ClusterRow[]>;
  /** The texts in the order of the arguments, read from the inputs of the run. */
  texts(a: string, b: string): Promise<PairTexts>;
  /** Clusters by size, the largest first; empty for a result without clusters. */
  largestClusters(page: RowPage): Promise<ClusterPage>;
  /** One cluster by its number (from 1) with some of its documents; null if there is no such cluster. */
  cluster(number: number, page: RowPage): Promise<ClusterView | null>;
  /**
   * All rows of the result for one document; at most `top` rows per list, the best first.
   *
   * @throws as named
   */
  document(name: string, top: number): Promise<DocumentView>;
  /** The listed candidate pairs nearest to a threshold (0..1), at most `count` on each side. */
  around(threshold: number, count: number): Promise<AroundView>;
}

/**
 * Opens the result in `folder`. No file stays open: files are opened when they are read. Texts are read below `corpus`;
 * without it, from the recorded inputs of the result, if the result belongs to the user of this process and nobody else
 * may write to it.
 *
 * @throws MinHashError RESULT_MISSING if the folder has no finished result, OPTION_INVALID for a value that is not a
 * path. The functions of the result throw RESULT_DAMAGED if a file differs from the manifest.
 */
export async function openResult(folder: string, options: CorpusOption = {}): Promise<OpenedResult> {
  const result = resultSource(folder, options);
  const { manifest } = result;
  const { verify, measure, threshold, sets, unit } = manifest.parameters;
  const binary = checkedRows(folder, manifest);
  // Inputs are read at most once per name, because a corpus can be large.
  const known = new Map<string, Named>();
  const documentOf = async (name: string): Promise<Named> => {
    const seen = known.get(checkName('name', name));
    if (seen !== undefined) return seen;
    const written = binaryOfId(name);
    const match = await namedDocument(result, binary, written);
    const named = { ...(match ?? { id: written, place: written }), isKnown: match !== null };
    for (const key of [name, idOfBinary(named.place)]) known.set(key, named);
    return named;
  };
  const placeOf = async (name: string): Promise<string> => (await documentOf(name)).place;
  return {
    counts: manifest.counts,
    numbers: manifest.numbers,
    estimated: verify === 'signature',
    verified: verify !== 'none',
    byContainment: measure === 'containment',
    ofSets: sets !== undefined,
    unit,
    threshold,
    idOf: (written) => idOfBinary(unescapeId(checkName('id', written))),
    pairs: () => inStringsEach(binary('pairs')),
    candidates: () => inStringsEach(binary('candidates')),
    clusters: () => inStringsEach(binary('clusters')),
    drops: () => inStringsEach(binary('duplicates')),
    skipped: () => inStringsEach(binary('skipped')),
    topPairs: async (count) => {
      checkNumber('count', count, 'count or 0');
      const best = new BestRows<PairRow>(count);
      for await (const row of binary('pairs'))
        if (row.kind === 'near') best.offer(row, measured(row, measure));
      return best.rows().map(inStrings);
    },
    named: async (name) => {
      const { id, place } = await documentOf(name);
      return inStrings({ id, place });
    },
    findPair: async (a, b) => inStrings(await findPair(binary, await placeOf(a), await placeOf(b))),
    firstsOf: async (names) => {
      const firsts = new Map<string, NamedDocument>();
      const byLocation = new Map<string, string>();
      for (const name of checkIterable(names, 'names')) byLocation.set(await placeOf(name), name);
      // Rows are sorted by their first document, and the first of a group is the smallest.
      for await (const { a, aLocation, bLocation, kind } of binary('pairs')) {
        const name = byLocation.get(bLocation);
        if (kind !== 'near' && name !== undefined && !firsts.has(name))
          firsts.set(name, inStrings({ id: a, place: aLocation }));
      }
      return firsts;
    },
    findCluster: async (name) => (await findCluster(binary, await placeOf(name))).map(inStrings),
    texts: async (a, b) => {
      const pairText = await pairTexts(result, binary, await placeOf(a), await placeOf(b));
      return pairText.state === 'gone' ? inStrings(pairText) : pairText;
    },
    ...questionsOf(result, binary, documentOf),
  };
}

/** Opens the result in a folder. @throws MinHashError RESULT_MISSING, OPTION_INVALID */
export function resultSource(folder: string, options: CorpusOption): ResultSource {
  checkObject('options', options);
  const problems = corpusProblems(options);
  const detail = `folder ${shownValue(folder)}: expected the path of a folder with a result`;
  if (!isPath(folder)) problems.unshift({ code: 'OPTION_INVALID', detail });
  if (problems.length > 0) throw new MinHashError(problems);
  return { folder, manifest: readManifest(folder), corpus: options.corpus ?? null };
}

/**
 * The rows of a result (binary ids). The files of a table are checked once, before its first row is used, because other
 * programs may have changed them.
 */
export function checkedRows(folder: string, manifest: Manifest): ResultRows {
  const checked = new Set<string>();
  return async function* (table) {
    if (!checked.has(table)) await checkFiles(folder, manifest, table);
    checked.add(table);
    yield* tableRows(folder, table);
  };
}

/** A document; `isKnown`: a row of the result or an input has it. */
type Named = NamedDocument & { readonly isKnown: boolean };

type Questions = Pick<OpenedResult, 'largestClusters' | 'cluster' | 'document' | 'around'>;

function questionsOf(
  result: ResultSource,
  rows: ResultRows,
  documentOf: (name: string) => Promise<Named>,
): Questions {
  const { folder, manifest } = result;
  const { measure } = manifest.parameters;
  return {
    largestClusters: async (page) => inStrings(await largestClusters(rows, checkPage(page))),
    cluster: async (number, page) => {
      checkNumber('number', number, 'count');
      const view = await clusterView(rows, number, checkPage(page));
      return view && inStrings(view);
    },
    document: async (name, top) => {
      checkNumber('top', top, 'count or 0');
      const { isKnown, ...named } = await documentOf(name);
      const rowsOfDocument = await documentView(rows, { ...named, measure, top });
      const isKept = isKnown && rowsOfDocument.state === 'unlisted';
      const view = {
        ...rowsOfDocument,
        ...(isKept && { state: 'kept' as const }),
        place: isKnown ? named.place : null,
      };
      const passage = manifest.parameters.unit === 'document' ? {} : await passageOf(result, named.place);
      return { ...inStrings({ ...view, ...standingOf(folder, manifest, view.place) }), ...passage };
    },
    around: async (threshold, count) => {
      checkNumber('threshold', threshold, 'share');
      checkNumber('count', count, 'count or 0');
      return inStrings(await pairsAround(rows, measure, threshold, count));
    },
  };
}

/** @throws MinHashError OPTION_INVALID */
function checkName(argument: string, value: string): string {
  if (typeof value === 'string') return value;
  const detail = `${argument}: expected a string, got ${kindOf(value)}`;
  throw new MinHashError({ code: 'OPTION_INVALID', detail });
}

/** @throws MinHashError OPTION_INVALID */
function checkPage(page: RowPage): RowPage {
  checkObject('page', page);
  checkNumber('top', page.top, 'count or 0');
  checkNumber('skip', page.skip, 'count or 0');
  return page;
}

/** The original text of a unit; without the key if the inputs do not have it. */
async function passageOf(result: ResultSource, place: string): Promise<Pick<DocumentView, 'passage'>> {
  const text = (await readAgain(result, [place])).texts.get(place);
  return text === undefined ? {} : { passage: new TextDecoder().decode(text) };
}

/** Names of the cells and answers that contain ids or locations. */
export const ID_NAMES: readonly string[] = [
  ...['a', 'b', 'document', 'kept', 'id', 'representative', 'standsFor'],
  ...['aLocation', 'bLocation', 'place', 'keptPlace', 'representativePlace', 'standsForPlace'],
];

/** A row, or an answer composed of rows, with its ids as strings instead of binary strings. */
function inStrings<Value extends object>(value: Value): Value {
  const named: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries(value)) {
    if (typeof entry === 'string') named[name] = ID_NAMES.includes(name) ? idOfBinary(entry) : entry;
    else if (Array.isArray(entry)) named[name] = (entry as object[]).map(inStrings);
    else named[name] = typeof entry === 'object' && entry !== null ? inStrings(entry) : entry;
  }
  return named as Value;
}

async function* inStringsEach<Row extends object>(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  for await (const row of rows) yield inStrings(row);
}
