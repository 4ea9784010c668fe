/**
 * Stages of exact verification: documents of candidate pairs become shingle sets, and sets become the resemblance of the pairs.
 */

import { collectHashes, shingleSets, type WantedDocuments } from '../../../mappers/shingleSets.js';
import { exactPairs, type ShingleSetBlock } from '../../../reducers/exactPairs.js';
import { numbersBelow } from '../../arrays/growable.js';
import { type Block, encodeBlock } from '../../blocks/block.js';
import type { DocumentFeed } from '../../blocks/documents.js';
import type { Pairs } from '../../blocks/pairs.js';
import type { Kernel } from '../../kernel/kernel.js';
import type { LostRecord } from '../../readers/sinks/placedSinks.js';
import type { ShingleParams } from '../../text/shingles.js';
import type { PlannedKind, Workplace } from '../task.js';
import { block, kernelOf, put, type ReadingTask, reading, setupOf } from '../workplace.js';

/*
 * Map and Reduce in one: documents of candidate pairs are read a second time and become the evidence of their pairs.
 *
 *      file, record, contentKey   of the documents that are still there, as in the block of shingle sets
 *      jaccard, containmentAB, containmentBA, accepted   by pair; NaN and 0 where a document is gone
 *
 * Joins a mapper and a reducer, which do not import each other. For pairs with few documents between them: sets are compared
 * where they are made, and are never stored. The evidence equals that of shingleSets and exactPairs, which serve all other pairs.
 */

const GONE = 0xffffffff;

/** The set of each wanted document; GONE: the document is no longer there. Both lists ascend. */
function setsOf(wanted: WantedDocuments, file: Uint32Array, record: Float64Array): Uint32Array {
  const sets = new Uint32Array(wanted.file.length).fill(GONE);
  for (let i = 0, set = 0; i < sets.length; i++) {
    if (file[set] === wanted.file[i] && record[set] === wanted.record[i]) sets[i] = set++;
  }
  return sets;
}

function wantedIn(here: Workplace, name: string): WantedDocuments {
  const { file, record, unit } = block(here, name, 'documents').columns;
  return {
    file: file as Uint32Array,
    record: record as Float64Array,
    unit: unit as Float64Array | undefined,
  };
}

/*
 * Loops stand in small functions: a compiler compiles a large function anew for each of its loops, which costs more than the
 * loops.
 */

/** The pairs whose documents are both there, as pairs of sets, and their rows among all pairs. */
function presentPairs(
  { a, b, count }: Pairs,
  setOf: Uint32Array,
): { readonly rows: Uint32Array; readonly pairs: Pairs } {
  const rows = new Uint32Array(count);
  const [first, second] = [new Uint32Array(count), new Uint32Array(count)];
  let present = 0;
  for (let i = 0; i < count; i++) {
    const x = setOf[a[i]!]!;
    const y = setOf[b[i]!]!;
    if (x === GONE || y === GONE) continue;
    rows[present] = i;
    first[present] = x;
    second[present++] = y;
  }
  const pairs = { a: first.subarray(0, present), b: second.subarray(0, present), count: present };
  return { rows: rows.subarray(0, present), pairs };
}

/** Spreads the values of `rows` over `count` rows; all other rows get `none`. */
function valuesOfAll<T extends Float64Array | Uint8Array>(
  values: T,
  rows: Uint32Array,
  count: number,
  none: number,
): T {
  if (rows.length === count) return values;
  const Type = values.constructor as new (length: number) => T;
  const all = new Type(count);
  all.fill(none);
  for (let i = 0; i < rows.length; i++) all[rows[i]!] = values[i]!;
  return all;
}

/**
 * The evidence for pairs of the wanted documents (`a` and `b` are positions among them): a block of kind `pairs`.
 *
 * @param threshold least resemblance of an accepted pair
 */
function fusedPairs(
  feed: DocumentFeed,
  kernel: Kernel,
  shingle: ShingleParams,
  wanted: WantedDocuments,
  pairs: Pairs,
  threshold: number,
): Block {
  const comparer = kernel.setComparer();
  const { bytes, table, offsets, hashes } = collectHashes(feed, kernel, shingle, wanted);
  const setOf = setsOf(wanted, table.file as Uint32Array, table.record as Float64Array);
  const present = presentPairs(pairs, setOf);
  const sets = offsets.length - 1;
  const from = {
    blocks: [{ hashes, offsets }],
    setBlock: new Uint32Array(sets),
    setIndex: numbersBelow(sets),
  };
  const found = exactPairs(present.pairs, from, threshold, comparer);
  const all = <T extends Float64Array | Uint8Array>(values: T, none: number): T => {
    return valuesOfAll(values, present.rows, pairs.count, none);
  };
  const evidence = {
    jaccard: all(found.jaccard, Number.NaN),
    containmentAB: all(found.containmentAB, Number.NaN),
    containmentBA: all(found.containmentBA, Number.NaN),
    accepted: all(found.accepted, 0),
  };
  return encodeBlock('pairs', { bytes }, { ...table, ...evidence }, true);
}

/** Bytes of text that a task read, and the records that it left out. */
export interface BytesReport {
  readonly bytes: number;
  readonly lost: readonly LostRecord[];
}

export interface SetsTask extends ReadingTask {
  readonly name: string;
  /**
   * Name of a block with columns `file`, `record`, and `unit` where units are compared, of the wanted documents, in reading
   * order.
   */
  readonly wanted: string;
}

/** Map: documents of candidate pairs are read a second time and become shingle sets. */
export const sets: PlannedKind<SetsTask, BytesReport> = {
  reads: ['wanted', 'text'],
  writes: ['sets'],
  planned: ({ reads, params }) => (reads !== 'sets' && params.verify === 'exact' ? 'later' : null),
  work(task, here) {
    const { params } = setupOf(here);
    const source = reading(here, task);
    const result = shingleSets(source.feed, kernelOf(here), params.shingle, wantedIn(here, task.wanted));
    put(here, task.name, result);
    return { bytes: result.meta.bytes as number, lost: source.lost() };
  },
};

export interface FusedTask extends SetsTask {
  /** Name of a block with columns `a` and `b` of pairs: positions in the list of wanted documents. */
  readonly pairs: string;
}

/** Map and Reduce in one: reads documents a second time, and compares their pairs at once. */
export const fused: PlannedKind<FusedTask, BytesReport> = {
  reads: ['wanted', 'text', 'readPairs'],
  writes: ['fused'],
  planned: ({ reads, params }) => (reads !== 'sets' && params.verify === 'exact' ? 'maybe' : null),
  work(task, here) {
    const { shingle, threshold } = setupOf(here).params;
    const source = reading(here, task);
    const { a, b } = block(here, task.pairs, 'pairs').columns as Record<string, Uint32Array>;
    const result = fusedPairs(
      source.feed,
      kernelOf(here),
      shingle,
      wantedIn(here, task.wanted),
      { a: a!, b: b!, count: a!.length },
      threshold,
    );
    put(here, task.name, result);
    return { bytes: result.meta.bytes as number, lost: source.lost() };
  },
};

function setsIn(here: Workplace, name: string): ShingleSetBlock {
  const { hashes, offsets } = block(here, name, 'shingleSets').columns;
  return { hashes: hashes as Uint32Array, offsets: offsets as Float64Array };
}

export interface VerifiedTask {
  readonly name: string;
  /**
   * Name of a block with columns `a` and `b` of the pairs, numbers of sets; and, by set, `setBlock` (index in `blocks`) and
   * `setIndex`.
   */
  readonly pairs: string;
  readonly blocks: readonly string[];
}

/** Reduce: the shingle sets of both documents of a pair become its resemblance and containments. */
export const verified: PlannedKind<VerifiedTask, null> = {
  reads: ['exact', 'sets'],
  writes: ['verified'],
  planned: ({ params }) => (params.verify === 'exact' ? 'later' : null),
  work(task, here) {
    const { threshold } = setupOf(here).params;
    const columns = block(here, task.pairs, 'pairs').columns as Record<string, Uint32Array>;
    const { a, b, setBlock, setIndex } = columns;
    const result = exactPairs(
      { a: a!, b: b!, count: a!.length },
      { blocks: task.blocks.map((name) => setsIn(here, name)), setBlock: setBlock!, setIndex: setIndex! },
      threshold,
      kernelOf(here).setComparer(),
    );
    put(here, task.name, encodeBlock('pairs', {}, { ...result }));
    return null;
  },
};
