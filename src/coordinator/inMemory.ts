/**
 * Finds near-duplicates among documents in memory: the whole pipeline, on this thread or on workers, without disk
 * access.
 */

import { ByteColumn } from '../arrays/growable.js';
import type { Block } from '../blocks/block.js';
import type { IdTable } from '../blocks/ids.js';
import type { Engine } from '../engines/engine.js';
import { type ErrorCode, MinHashError, type Problem, SKIP_CODES } from '../errors.js';
import { checkOptions, type Execution, type Resolved, type RunOptions } from '../options/check.js';
import { type KeyAlsoIn, keysAlsoIn, OPTION_KEYS } from '../options/table.js';
import { callWith, shownValue } from '../options/values.js';
import { checkDocuments, packGiven, type Values } from '../readers/formats/givenDocuments.js';
import { DocumentPacker, type GivenDocument } from '../readers/formats/memoryDocuments.js';
import { idOfBytes } from '../readers/list/pathIds.js';
import type { ManifestCounts } from '../result/facts.js';
import type { PairKind } from '../result/readResult.js';
import { skippedOrder } from '../result/tables/tables.js';
import { sketchFamilyOf } from '../sketch/family.js';
import type { ResultParams } from '../sketch/params.js';
import { Store } from '../store/store.js';
import { type Progress, Run } from './context.js';
import { countedDocuments, countsOf } from './finish/counts.js';
import { type PipelineResult, pipeline } from './pipeline.js';
import { MemorySource } from './sketch/source.js';
import { SkipList } from './skips.js';
import { startEngine } from './start/engine.js';

/** The values of `keep` that do not need files or records. */
const KEEP_IN_MEMORY = ['first', 'last', 'longest', 'shortest'] as const;

/** Options of `findDuplicates`: the options of a run that need no files, with the same defaults, and a few more. */
export interface MemoryOptions extends Omit<Pick<RunOptions, KeyAlsoIn<'memory'>>, 'keep'> {
  /** Which of several near-duplicates is kept; the input order decides ties. Default `first`. */
  readonly keep?: (typeof KEEP_IN_MEMORY)[number];
  /**
   * Worker threads, 0..256; 0 uses the calling thread. Default: the number of cores from 32 MB of text on (64 MB on two
   * cores), otherwise 0. The result is the same.
   */
  readonly threads?: number;
  /**
   * When it is aborted, the promise rejects with the signal's reason, the workers end, and no further document is read.
   */
  readonly signal?: AbortSignal | undefined;
  /** Called from time to time with the progress of a stage. An error that it throws rejects the promise. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** @throws MinHashError OPTION_INVALID with all invalid options */
function resolveMemory(options: MemoryOptions): Resolved & Pick<MemoryOptions, 'signal'> {
  const call = callWith(options, '{ threshold: 0.8 }', ['onProgress']);
  const { signal, onProgress, ...shared } = call.options;
  const { resolved, problems } = checkOptions(shared);
  const mine: Problem[] = [...problems];
  const add = (detail: string): unknown => mine.push({ code: 'OPTION_INVALID', detail });
  for (const [key, value] of Object.entries(shared)) {
    const isOfRuns = key === 'paths' || (OPTION_KEYS as readonly string[]).includes(key);
    const isMine = (keysAlsoIn('memory') as readonly string[]).includes(key);
    if (isOfRuns && !isMine && value !== undefined) add(`${key}: expected with files only, see run`);
  }
  if (!(KEEP_IN_MEMORY as readonly string[]).includes(resolved.params.keep.by)) {
    const words = `${KEEP_IN_MEMORY.slice(0, -1).join(', ')} or ${KEEP_IN_MEMORY.at(-1)}`;
    add(
      `keep ${shownValue(shared.keep)}: expected ${words}: documents in memory have no files and no fields`,
    );
  }
  call.problems.forEach(add);
  if (mine.length > 0) throw new MinHashError(mine);
  return { ...resolved, signal };
}

/** One accepted pair; a comes before b in the input. */
export interface DuplicatePair {
  readonly a: string;
  readonly b: string;
  /** Positions in the input, from 0: ids may repeat. */
  readonly aIndex: number;
  readonly bIndex: number;
  /** Exact Jaccard similarity, 0..1; with `verify: 'signature'` its estimate. */
  readonly jaccard: number;
  /** Estimated similarity: the fraction of equal signature slots, 0..1. */
  readonly agreement: number;
  /** The share of a's shingles that b has, 0..1; null unless `verify` is `exact`. */
  readonly containmentAInB: number | null;
  /** The share of b's shingles that a has, 0..1; null unless `verify` is `exact`. */
  readonly containmentBInA: number | null;
  /** `identical`: the same text; `same-tokens`: the same tokens in different texts; `near`: any other pair. */
  readonly kind: PairKind;
}

/** Two or more documents that pairs connect. */
export interface DuplicateCluster {
  /** The first document of the cluster in the input. */
  readonly representative: string;
  /** The other documents, in input order. */
  readonly members: readonly {
    readonly document: string;
    /** Similarity to the representative, 0..1. */
    readonly similarity: number;
    /** `estimate` if the pair of the member and the representative was not verified exactly. */
    readonly basis: 'exact' | 'estimate';
    /** Position in the input, from 0. */
    readonly index: number;
  }[];
  /** Position of the representative in the input, from 0. */
  readonly index: number;
}

/**
 * The result of `findDuplicates`; lists are empty if there are no documents or no near-duplicates. Ids are the strings
 * of the caller.
 */
export interface Duplicates {
  /** Accepted pairs, ordered by the positions of a, then of b. */
  readonly pairs: readonly DuplicatePair[];
  /** Ordered by the positions of their representatives. */
  readonly clusters: readonly DuplicateCluster[];
  /** The drop list: each dropped document with a kept near-duplicate and their similarity. */
  readonly dropped: readonly {
    readonly document: string;
    readonly kept: string;
    /** Jaccard similarity to the kept document, 0..1. */
    readonly jaccard: number;
    /** Positions in the input, from 0: ids may repeat. */
    readonly index: number;
    readonly keptIndex: number;
  }[];
  /** Documents that were not compared, with the reason. */
  readonly skipped: readonly { readonly document: string; readonly code: ErrorCode }[];
  /** The counts, as in manifest.json. */
  readonly counts: ManifestCounts;
}

/**
 * The least bytes of text for which workers save time. Measured: a worker costs about 165 ms of a core until it runs at
 * full speed, and this thread spends 8 ms per MB of text. Two workers save half of that, eight nearly all.
 */
function bytesForWorkers(cores: number): number {
  return cores < 2 ? Number.POSITIVE_INFINITY : cores === 2 ? 64e6 : 32e6;
}

/**
 * Finds the near-duplicates among documents in memory, without disk access. Documents are { id, text }, or texts alone
 * with the ids `0`, `1`, ...; a text is a string or UTF-8 bytes. Ids are labels and may repeat; a position in the input
 * identifies a document.
 *
 * Documents are read on demand, in blocks of 4 MB of text, and sketched immediately; about 0.6 KB per document stays in
 * memory. Exact verification (the default) reads texts again, so all texts stay in memory as UTF-8. With `verify:
 * 'signature'`, `'none'` or `exactDuplicates`, at most two blocks per worker stay. If `threads` is not set, the first
 * 32 or 64 MB stay as well, because they decide the number of workers. If memory is too small, use `run`, which
 * continues with files.
 *
 * @throws MinHashError OPTION_INVALID with all invalid options; DOCUMENT_INVALID for a value that is not a document,
 * with its position; INPUT_FAILED if the source throws, with that error as its `cause`; the signal's reason if it is
 * aborted
 */
export async function findDuplicates(
  documents: Iterable<GivenDocument> | AsyncIterable<GivenDocument>,
  options: MemoryOptions = {},
): Promise<Duplicates> {
  const { params, execution, signal } = resolveMemory(options);
  checkDocuments(documents);
  signal?.throwIfAborted();
  const begun = new MemoryRun();
  try {
    const { run, source } = await begun.start(documents, params, execution, { ...options, signal });
    const skipped = new SkipList();
    const result = await pipeline(run, source, execution.shards, skipped, () => {});
    const counted = countedDocuments(params, result, null);
    const written = {
      ...duplicatesOf(result, params),
      skipped: skippedOf(skipped),
      counts: countsOf(params, result, counted, { skipped, found: result.sketched.met }),
    };
    await begun.close();
    return written;
  } catch (error) {
    await begun.destroy();
    throw signal?.aborted ? signal.reason : error;
  }
}

/** A run over documents in memory, which are read on demand. @internal */
export class MemoryRun {
  private blocks: AsyncGenerator<Block> | null = null;
  private engine: Engine | null = null;

  /**
   * Reads documents until it is clear whether workers save time, unless `threads` is set.
   *
   * @throws MinHashError DOCUMENT_INVALID, INPUT_FAILED
   */
  async start(
    documents: Values<GivenDocument>,
    params: ResultParams,
    execution: Pick<Execution, 'threads'>,
    { threads, signal, onProgress }: Pick<MemoryOptions, 'threads' | 'signal' | 'onProgress'>,
  ): Promise<{ readonly run: Run; readonly source: MemorySource }> {
    const packed = packGiven(documents, new DocumentPacker(), signal);
    this.blocks = packed;
    const least = threads === undefined ? bytesForWorkers(execution.threads) : 0;
    const first: Block[] = [];
    let bytes = 0;
    while (bytes < least && least !== Number.POSITIVE_INFINITY) {
      const next = await packed.next();
      if (next.done === true) break;
      first.push(next.value);
      bytes += next.value.columns.textBytes!.length;
    }
    async function* allBlocks(): AsyncGenerator<Block> {
      for (let block = first.shift(); block !== undefined; block = first.shift()) yield block;
      yield* packed;
    }
    const chosen = threads ?? (bytes >= least ? execution.threads : 0);
    const { ready } = await startEngine(params, { ...execution, threads: chosen }, new Store());
    this.engine = await ready;
    const run = new Run(params, this.engine, onProgress, signal);
    return { run, source: new MemorySource(run, allBlocks()) };
  }

  async close(): Promise<void> {
    await this.engine?.close();
  }

  /** Ends the tasks and reads no further document. */
  async destroy(): Promise<void> {
    await this.blocks?.return(undefined);
    await this.engine?.destroy();
  }
}

function duplicatesOf(
  { sketched: { documents }, numbered: { rowOf }, exact, decided }: PipelineResult,
  params: ResultParams,
): Omit<Duplicates, 'skipped' | 'counts'> {
  const label = new ByteColumn();
  const id = (number: number): string => {
    label.truncate(0);
    documents.appendId(rowOf?.[number] ?? number, label);
    return idOfBytes(label.view);
  };
  // Rows are documents in input order, without the skipped ones.
  const index = (number: number): number => documents.recordOf(rowOf?.[number] ?? number);
  const { candidates, identical, drop } = decided;
  const pairs: DuplicatePair[] = [];
  const add = (
    first: number,
    second: number,
    [jaccard, agreement, firstInSecond, secondInFirst]: readonly [
      number,
      number,
      number | null,
      number | null,
    ],
    kind: PairKind,
  ): void => {
    const isTurned = index(first) > index(second);
    const [a, b] = isTurned ? [second, first] : [first, second];
    pairs.push({
      ...{ a: id(a), b: id(b), aIndex: index(a), bIndex: index(b), jaccard, agreement, kind },
      containmentAInB: isTurned ? secondInFirst : firstInSecond,
      containmentBInA: isTurned ? firstInSecond : secondInFirst,
    });
  };
  const { units } = sketchFamilyOf(params);
  for (const part of candidates.parts())
    for (let i = 0; i < part.count; i++) {
      if (candidates.accepted[part.first + i] === 0) continue;
      const [a, b] = [part.a[i]!, part.b[i]!];
      const contained = (document: number): number | null =>
        exact === null ? null : part.common[i]! / exact.sizes[document]!;
      const agreement = part.agreement[i]! / units;
      add(a, b, [part.similarityOf(i), agreement, contained(a), contained(b)], 'near');
    }
  for (let i = 0; i < identical.count; i++) {
    const kind = identical.isSame[i] === 1 ? 'identical' : 'same-tokens';
    add(identical.a[i]!, identical.b[i]!, [1, 1, 1, 1], kind);
  }
  pairs.sort((x, y) => x.aIndex - y.aIndex || x.bIndex - y.bIndex);
  const dropped = Array.from(drop.document, (document, i) => ({
    document: id(document),
    kept: id(drop.kept[i]!),
    jaccard: drop.jaccard[i]!,
    index: index(document),
    keptIndex: index(drop.kept[i]!),
  }));
  return {
    pairs,
    clusters: clustersOf(decided.clusters, id, index),
    dropped: dropped.sort((x, y) => x.index - y.index),
  };
}

/** The id in row `i` as the caller wrote it. */
function idAt({ offsets, bytes }: IdTable, i: number): string {
  return idOfBytes(bytes.subarray(offsets[i]!, offsets[i + 1]!));
}

function skippedOf(skipped: SkipList): Duplicates['skipped'] {
  const columns = skipped.columns();
  return Array.from(skippedOrder(columns), (i) => ({
    document: idAt(columns.places, i),
    code: SKIP_CODES[columns.codes[i]!]!,
  }));
}

function clustersOf(
  clusters: PipelineResult['decided']['clusters'],
  id: (document: number) => string,
  index: (document: number) => number,
): DuplicateCluster[] {
  type Members = DuplicateCluster['members'][number][];
  const list: (Omit<DuplicateCluster, 'members'> & { readonly members: Members })[] = [];
  clusters.document.forEach((document, row) => {
    const place = { index: index(document) };
    if (clusters.role[row] === 0) list.push({ representative: id(document), ...place, members: [] });
    else {
      list.at(-1)!.members.push({
        document: id(document),
        similarity: clusters.similarity[row]!,
        basis: clusters.basis[row] === 0 ? 'exact' : 'estimate',
        ...place,
      });
    }
  });
  return list;
}
