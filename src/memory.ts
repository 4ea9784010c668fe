/**
 * Near-duplicates among documents in memory: the whole pipeline on this thread or on workers, without touching the disk.
 *
 * Floor 4.
 */
import { acceptedRows, evidenceOfRows } from '../reducers/verifiedPairs.js';
import { idText } from './blocks/idTable.js';
import { type ErrorCode, type Fault, MinHashError, SKIP_CODES } from './errors.js';
import { checkOptions, type RunOptions } from './options.js';
import { execute, startEngine } from './pipeline/execute.js';
import { countsOf } from './pipeline/facts.js';
import { Run } from './pipeline/run.js';
import { SkipList } from './pipeline/skipped.js';
import { MemoryBlocks } from './pipeline/sources.js';
import type { ResultParams } from './sketch/params.js';
import { agreementUnits } from './sketch/sketchKind.js';
import { type MemoryDocument, packDocuments } from './storage/memoryDocuments.js';
import { skippedOrder } from './storage/results/lists.js';
import type { ManifestCounts } from './storage/results/manifest.js';
import { createMemoryStore } from './storage/store.js';

/** Options that make sense without files; `threads` is 0 (this thread) unless given. */
export type MemoryOptions = Pick<
  RunOptions,
  | 'measure'
  | 'threshold'
  | 'agree'
  | 'exactDuplicates'
  | 'sample'
  | 'maxShingleDocuments'
  | 'cluster'
  | 'representative'
  | 'shingle'
  | 'stopWords'
  | 'bag'
  | 'sketch'
  | 'hashes'
  | 'modulus'
  | 'bands'
  | 'rows'
  | 'recall'
  | 'hotBucket'
  | 'verify'
  | 'seed'
  | 'shards'
  | 'threads'
>;

/** One accepted pair; a is before b in the byte order of their ids. */
export interface DuplicatePair {
  readonly a: string;
  readonly b: string;
  /** Exact resemblance, or the agreement with `verify: 'signature'`. */
  readonly jaccard: number;
  /** Share of equal signature slots; of samples the estimate. */
  readonly agreement: number;
  /** NaN unless `verify` is `exact`. */
  readonly containmentAInB: number;
  readonly containmentBInA: number;
  readonly kind: 'identical' | 'near';
}

export interface DuplicateCluster {
  /** First document of the cluster in id order. */
  readonly representative: string;
  readonly members: readonly {
    readonly document: string;
    readonly similarity: number;
    readonly basis: 'exact' | 'estimate';
    /** Its number among the documents given, from 0. */
    readonly index: number;
  }[];
  /** That of the representative. */
  readonly index: number;
}

/** What `findDuplicates` found. */
export interface Duplicates {
  readonly pairs: readonly DuplicatePair[];
  readonly clusters: readonly DuplicateCluster[];
  /** The drop list: every dropped document names the kept one that stands for it. */
  readonly dropped: readonly {
    readonly document: string;
    readonly kept: string;
    /** NaN where containment is measured. */
    readonly jaccard: number;
    /** How much of the document is in the kept one; NaN where resemblance is measured. */
    readonly containment: number;
    /** Its number among the documents given, from 0: what to leave out, also where ids repeat. */
    readonly index: number;
  }[];
  /** Documents left out. */
  readonly skipped: readonly { readonly document: string; readonly code: ErrorCode }[];
  readonly counts: ManifestCounts;
}

/**
 * Finds the near-duplicates among documents in memory. Of documents with equal ids the first keeps it, and every other is
 * called `#` and its number among those given, from 0.
 *
 * @throws MinHashError OPTION_INVALID with every fault of the options
 */
export async function findDuplicates(
  documents: Iterable<MemoryDocument>,
  options: MemoryOptions = {},
): Promise<Duplicates> {
  const { resolved, faults } = checkOptions({ threads: 0, ...options });
  const mine: Fault[] = faults.filter((fault) => fault.code !== 'NO_INPUT');
  if (mine.length > 0) throw new MinHashError(mine);
  const { params, execution } = resolved;
  const engine = await (await startEngine(params, execution, createMemoryStore())).ready;
  try {
    const run = new Run(params, engine, undefined, undefined);
    const blocks = new MemoryBlocks(run, packDocuments(documents));
    const skipped = new SkipList();
    const source = {
      first: () => blocks.first(),
      again: (wanted: Parameters<MemoryBlocks['again']>[0]) => blocks.again(wanted),
      files: null,
      filesAgain: () => {
        throw new Error('documents in memory are in no file');
      },
      totalBytes: null,
      totalBlocks: null,
    };
    const rowChunks = execution.shards === 'auto' ? 1 : execution.shards;
    const executed = await execute(run, source, rowChunks, skipped, { read() {}, verified() {} });
    const counts = countsOf(params, executed, skipped, executed.met);
    return { ...duplicatesOf(executed, params), skipped: skippedOf(skipped), counts };
  } finally {
    await engine.close();
  }
}

function duplicatesOf(
  { corpus, outcome }: Awaited<ReturnType<typeof execute>>,
  params: ResultParams,
): Omit<Duplicates, 'skipped' | 'counts'> {
  const id = (document: number): string => idText(corpus.ids, document);
  const { blockOf, columnOf, tables } = corpus;
  const index = (d: number): number => tables[blockOf[d]!]!.columns.record[columnOf[d]!]!;
  const { verified, classes, drop } = outcome;
  const contained = params.measure === 'containment';
  const found: (DuplicatePair & { readonly order: readonly [number, number] })[] = [];
  const rows = acceptedRows(verified);
  const { exact } = verified;
  const positions = exact === null ? rows : evidenceOfRows(exact, rows);
  rows.forEach((i, k) => {
    const agreement = verified.agreement[i]! / agreementUnits(params);
    found.push({
      order: [verified.a[i]!, verified.b[i]!],
      a: id(verified.a[i]!),
      b: id(verified.b[i]!),
      jaccard: exact?.jaccard[positions[k]!] ?? agreement,
      agreement,
      containmentAInB: exact?.containmentAB[positions[k]!] ?? Number.NaN,
      containmentBInA: exact?.containmentBA[positions[k]!] ?? Number.NaN,
      kind: 'near',
    });
  });
  const { firsts, offsets, members } = classes.members;
  firsts.forEach((first, c) => {
    for (const member of members.subarray(offsets[c]! + 1, offsets[c + 1]!)) {
      const ones = { jaccard: 1, agreement: 1, containmentAInB: 1, containmentBInA: 1 };
      found.push({ order: [first, member], a: id(first), b: id(member), ...ones, kind: 'identical' });
    }
  });
  found.sort((x, y) => x.order[0] - y.order[0] || x.order[1] - y.order[1]);
  return {
    pairs: found.map(({ order: _, ...pair }) => pair),
    clusters: clustersOf(outcome.clusters, id, index),
    dropped: Array.from(drop.document, (document, i) => ({
      document: id(document),
      kept: id(drop.keptDocument[i]!),
      jaccard: contained ? Number.NaN : drop.jaccard[i]!,
      containment: contained ? drop.jaccard[i]! : Number.NaN,
      index: index(document),
    })),
  };
}

function skippedOf(skipped: SkipList): Duplicates['skipped'] {
  const columns = skipped.columns();
  return Array.from(skippedOrder(columns), (i) => ({
    document: idText(columns.places, i),
    code: SKIP_CODES[columns.codes[i]!]!,
  }));
}

function clustersOf(
  clusters: Awaited<ReturnType<typeof execute>>['outcome']['clusters'],
  id: (document: number) => string,
  index: (document: number) => number,
): DuplicateCluster[] {
  type Members = DuplicateCluster['members'][number][];
  const found: (Omit<DuplicateCluster, 'members'> & { readonly members: Members })[] = [];
  clusters.document.forEach((document, row) => {
    const place = { index: index(document) };
    if (clusters.role[row] === 0) found.push({ representative: id(document), ...place, members: [] });
    else {
      found.at(-1)!.members.push({
        document: id(document),
        similarity: clusters.similarity[row]!,
        basis: clusters.basis[row] === 0 ? 'exact' : 'estimate',
        ...place,
      });
    }
  });
  return found;
}
