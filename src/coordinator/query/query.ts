/**
 * Queries of the library: bases and a corpus in, answers out. The corpus is files or documents in memory; work is done
 * on workers or on this thread.
 */

import { resolve } from 'node:path';
import { wordRule } from '../../analysis/methods/elementStreams.js';
import { methodNamed } from '../../analysis/methods/table.js';
import { idText } from '../../blocks/ids.js';
import { checkObject, type ErrorCode, kindOf, MinHashError, type Problem, SKIP_CODES } from '../../errors.js';
import type { QueryOptions } from '../../options/queryOptions.js';
import { isPath, shownValue } from '../../options/values.js';
import { checkDocuments, givenStream, type Values } from '../../readers/formats/givenDocuments.js';
import { type GivenDocument, isText } from '../../readers/formats/memoryDocuments.js';
import { addressOf, locationOfAddress } from '../../readers/list/addresses.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { binaryOf, bytesOf, idOfBinary } from '../../readers/list/pathIds.js';
import { resolveRoots } from '../../readers/list/roots.js';
import { realPathOf } from '../../readers/list/walk.js';
import { planPieces } from '../../readers/pieces.js';
import type { ResultParams } from '../../sketch/params.js';
import { budgetOf, recordRoomOf } from '../../store/budget.js';
import { Store } from '../../store/store.js';
import { type Progress, Run } from '../context.js';
import { MemoryRun } from '../inMemory.js';
import { refuseNoFiles, refuseUnread } from '../sketch/nothingRead.js';
import { FilesSource, type Source } from '../sketch/source.js';
import { SkipList, skippedInputs } from '../skips.js';
import { startEngine } from '../start/engine.js';
import { list } from '../start/prepare.js';
import { workersFor } from '../start/workers.js';
import { answersTo, type ChosenMatch, type ReadCounts, readsAgain } from './answers.js';
import { checkQueryOptions, type ResolvedQuery } from './checkQuery.js';
import type { Passage } from './passages.js';

export type { Passage, PassagePlace } from './passages.js';

/** A base document: its text, as a string or as UTF-8. `path`: the file of the base, which is not an answer to it. */
export type QueryBase = string | Uint8Array | { readonly text: string | Uint8Array; readonly path: string };

/** The corpus: files and folders, as in `run`, or documents of the caller. */
export type QuerySource = { readonly paths: readonly string[] } | Values<GivenDocument>;

/** A document of the corpus that shares content with a base. */
export interface QueryAnswer {
  /** Index of the base, from 0. */
  readonly base: number;
  /** Its rank among the answers to this base, from 1. */
  readonly rank: number;
  readonly document: string;
  /** Its location: path, `path#line` or `path#index`. */
  readonly place: string;
  /** The measures of the method by name, in order; answers are ranked by the first, then by the next ones. */
  readonly values: Readonly<Record<string, number>>;
  /** With `explain`: the shared passages, longest first; null if the text is gone, moved or too large. */
  readonly passages?: readonly Passage[] | null;
}

/** Counts of the reading of the corpus. */
export interface QueryRead extends ReadCounts {
  /** By reason. */
  readonly skipped: Readonly<Record<string, number>>;
}

/** Callbacks and streams of a query. */
export interface QueryHooks {
  /** Called from time to time with the progress. An error that it throws ends the query. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Called once, after the corpus is read and before the first answer. */
  readonly onRead?: ((read: QueryRead) => void) | undefined;
  /** Called for every document or location that was skipped, with its location and the code in the error table. */
  readonly onSkipped?: ((place: string, code: ErrorCode) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** JSON lines for the path `-`; default process.stdin. */
  readonly stdin?: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array> | undefined;
}

/**
 * The documents of a corpus that resemble a base, contain it or are contained in it: exact values, best first, equal
 * ones in reading order. All answers to the first base come first, then those to the next.
 *
 * The corpus is read once, on workers, and memory does not grow with it (`top: 'all'` and `distinct` keep about 200
 * bytes per match). Methods that weigh words read it two or four times. With `explain` or `distinct` the texts of a few
 * answers are read again; for this, standard input is kept on disk and documents in memory are kept there. A base or
 * document without tokens matches nothing.
 *
 * @throws MinHashError OPTION_INVALID and other problems of options and paths, all at once; DOCUMENT_INVALID for a value
 * that is not a document; NOTHING_READ if the corpus has no document; INPUT_FAILED if the source throws; the signal's
 * reason if it is aborted
 */
export async function* query(
  base: QueryBase | readonly QueryBase[],
  source: QuerySource,
  options: QueryOptions = {},
  hooks: QueryHooks = {},
): AsyncGenerator<QueryAnswer, void, undefined> {
  checkObject('hooks', hooks);
  const bases = basesOf(base);
  const paths = pathsOf(source);
  const { resolved, problems } = checkQueryOptions(paths === null ? options : { ...options, paths });
  const allProblems: Problem[] = [...problems, ...(paths === null ? [] : resolveRoots(paths, null).problems)];
  if (allProblems.length > 0) throw new MinHashError(allProblems);
  const { measures } = methodNamed(resolved.method);
  const opened =
    paths === null
      ? openDocuments(source, resolved, bases.length, options, hooks)
      : openFiles(resolved, bases, hooks);
  const { run, corpus, own, skipped, refuse, close, destroy } = await opened;
  const onCounts = (read: ReadCounts): void => {
    reportSkipped(skipped, hooks);
    if (read.documents === 0) refuse();
    hooks.onRead?.({ ...read, skipped: skipped.counts() });
  };
  const ask = { ...resolved, bases: bases.map(({ text }) => text), own };
  const ranks = bases.map(() => 0);
  let isDone = false;
  try {
    for await (const match of answersTo(run, corpus, ask, skipped, onCounts)) {
      yield answerOf(match, ++ranks[match.base]!, measures);
    }
    isDone = true;
  } catch (error) {
    throw hooks.signal?.aborted ? hooks.signal.reason : error;
  } finally {
    // If the caller leaves the loop early or gets an error, it does not wait for tasks.
    await (isDone ? close() : destroy());
  }
}

interface Base {
  readonly text: Uint8Array;
  readonly path: string | null;
}

function basesOf(value: unknown): Base[] {
  const list: unknown = Array.isArray(value) ? value : [value];
  return (list as readonly unknown[]).map((base, i) => {
    const isNamed =
      typeof base === 'object' && base !== null && !isText(base) && 'text' in base && 'path' in base;
    const text: unknown = isNamed ? base.text : base;
    if (!isText(text)) {
      const detail = `base ${i}: expected a string, a Uint8Array or { text, path }, got ${kindOf(text)}`;
      throw new MinHashError({ code: 'DOCUMENT_INVALID', detail });
    }
    const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
    return { text: bytes, path: isNamed && typeof base.path === 'string' ? base.path : null };
  });
}

function pathsOf(source: unknown): readonly string[] | null {
  const isPaths = typeof source === 'object' && source !== null && 'paths' in source;
  if (!isPaths) {
    checkDocuments(source);
    return null;
  }
  const { paths } = source;
  if (Array.isArray(paths) && paths.every(isPath)) return paths;
  const detail = `paths ${shownValue(paths)}: expected a list of files and directories`;
  throw new MinHashError({ code: 'OPTION_INVALID', detail });
}

interface OpenedCorpus {
  readonly run: Run;
  readonly corpus: Source;
  /** See Ask. */
  readonly own: readonly number[];
  readonly skipped: SkipList;
  /** Rejects a corpus without documents. @throws MinHashError NOTHING_READ */
  refuse(): void;
  close(): Promise<void>;
  destroy(): Promise<void>;
}

/** The parameters of reading tasks; words are counted one by one if they are weighed. */
function readingParams(resolved: ResolvedQuery): ResultParams {
  const { weighing } = methodNamed(resolved.method);
  return {
    ...resolved.params,
    // Standard input and documents in memory are kept if they are read again.
    verify: readsAgain(resolved) ? 'exact' : 'none',
    ...(weighing === 'none' ? {} : { shingle: wordRule(resolved.params.shingle).shingle }),
  };
}

async function openFiles(
  resolved: ResolvedQuery,
  bases: readonly Base[],
  hooks: QueryHooks,
): Promise<OpenedCorpus> {
  const { execution } = resolved;
  const params = readingParams(resolved);
  const inputs = await list({ params, execution }, hooks.signal);
  const skipped = skippedInputs(inputs, params);
  refuseNoFiles({ params, inputs });
  const budget = budgetOf(execution.memory, execution.threads);
  const place = { ...execution, threads: workersFor(execution), room: recordRoomOf(budget) };
  const engine = await (await startEngine(params, place, new Store())).ready;
  const run = new Run(params, engine, hooks.onProgress, hooks.signal, budget);
  const stdin = hooks.stdin === undefined ? {} : { stdin: givenStream(hooks.stdin, hooks.signal) };
  const corpus = new FilesSource(run, inputs.files, planPieces(inputs, params), stdin);
  const end = (): void => {
    corpus.close();
    inputs.files.close();
  };
  return {
    run,
    corpus,
    own: bases.map(({ path }) => (path === null ? -1 : fileAt(inputs.files, path))),
    skipped,
    refuse: () => refuseUnread({ params, inputs }, skipped.counts()),
    close: () => engine.close().finally(end),
    destroy: () => engine.destroy().finally(end),
  };
}

async function openDocuments(
  documents: unknown,
  resolved: ResolvedQuery,
  bases: number,
  { threads }: QueryOptions,
  { signal, onProgress }: QueryHooks,
): Promise<OpenedCorpus> {
  const begun = new MemoryRun();
  const params = readingParams(resolved);
  const { run, source } = await begun.start(documents as Values<GivenDocument>, params, resolved.execution, {
    ...(threads !== undefined && { threads }),
    signal,
    onProgress,
  });
  return {
    run,
    corpus: source,
    own: Array.from({ length: bases }, () => -1),
    skipped: new SkipList(),
    // An empty list of documents is not an error.
    refuse: () => {},
    close: () => begun.close(),
    destroy: () => begun.destroy(),
  };
}

/** The file of the corpus at this path or address; -1: there is none. */
function fileAt(files: FileTable, path: string): number {
  const address = addressOf(path);
  const real = binaryOf(address === null ? resolve(path) : locationOfAddress(address));
  const place = address === null ? realPathOf(real) : real;
  if (place === null) return -1;
  for (const root of files.roots) {
    if (!place.startsWith(root.place)) continue;
    const index = files.indexOf(bytesOf(root.prefix + place.slice(root.place.length)));
    if (index >= 0 && files.source(index) === place) return index;
  }
  return -1;
}

function reportSkipped(skipped: SkipList, { onSkipped }: QueryHooks): void {
  if (onSkipped === undefined) return;
  const { places, codes } = skipped.columns();
  codes.forEach((code, i) => {
    onSkipped(idText(places, i), SKIP_CODES[code]!);
  });
}

function answerOf(
  { base, values, id, place, passages }: ChosenMatch,
  rank: number,
  measures: readonly string[],
): QueryAnswer {
  const byMeasure = Object.fromEntries(measures.map((measure, i) => [measure, values[i]!]));
  const answer = { base, rank, document: idOfBinary(id), place: idOfBinary(place), values: byMeasure };
  return passages === undefined ? answer : { ...answer, passages };
}
