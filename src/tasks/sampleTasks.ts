/**
 * Stages over samples of fingerprints: documents become samples, fingerprints lists, and those candidate pairs.
 *
 * The first three stand behind the stages `sketch`, `partials` and `minima`, which are those of signatures too.
 */

import { partialFingerprints } from '../../mappers/partialSamples.js';
import { fusedFingerprints } from '../../mappers/samples.js';
import { distinctPairs } from '../../reducers/candidatePairs.js';
import { frequentPairs } from '../../reducers/frequentPairs.js';
import type { HotSlice } from '../../reducers/hotPairs.js';
import { estimatedPairs, sampledPairs, sampleSizes, sharedCounts } from '../../reducers/sampledPairs.js';
import { type FingerprintBlocks, fingerprintLists, fullListsOf } from '../../reducers/sampleLists.js';
import { fingerprints } from '../../reducers/samples.js';
import { type Block, encodeBlock } from '../blocks/block.js';
import { fingerprintsOf } from '../blocks/fingerprints.js';
import type { Json } from '../engines/engine.js';
import type { SampleParams } from '../sketch/params.js';
import { SampleRule, sampleWishOf } from '../sketch/samples/sampleRule.js';
import { type PairRange, rowsOf } from './agreementTasks.js';
import { putList } from './pairTasks.js';
import type { Stage, TaskContext } from './protocol.js';
import { block, kernelOf, put, type Reading, setupOf } from './workplace.js';

/** Map and Reduce of a column block in one task; returns the table of its documents, and the bytes of text. */
export function sketchSamples(
  context: TaskContext,
  k: number,
  source: Reading,
  samples: SampleParams,
): { readonly documents: Block; readonly bytes: number } {
  const { shingle } = setupOf(context).params;
  const result = fusedFingerprints(source.feed, kernelOf(context), shingle, samples);
  const documents = result.documents(source.lines());
  put(context, `documents/${k}`, documents);
  put(context, `fingerprints/${k}`, result.fingerprints);
  return { documents, bytes: result.bytes };
}

/** Map: the tiles of a step become partial samples. */
export function partialSamples(context: TaskContext, place: string, samples: SampleParams): void {
  put(context, `partials/${place}`, partialFingerprints(block(context, `tiles/${place}`, 'tile'), samples));
}

/** Reduce: the partial samples of a column block become its samples. */
export function mergedSamples(
  context: TaskContext,
  k: number,
  steps: readonly string[],
  samples: SampleParams,
): void {
  const matrix = steps.map((place) => block(context, `tiles/${place}`, 'tile'));
  const parts = steps.map((place) => block(context, `partials/${place}`, 'fingerprints'));
  put(context, `fingerprints/${k}`, fingerprints(matrix, parts, samples));
}

interface ListsTask {
  /** Block of the lists, and of what is known of their entries and documents. */
  readonly lists: string;
  readonly entries: string;
  /** High words of the fingerprints, [from, to). */
  readonly from: number;
  readonly to: number;
  /** Block with column `documents`, ascending. */
  readonly documents: string;
  /** Blocks of the samples of all documents. */
  readonly blocks: readonly string[];
}

/** Reduce: the documents of every fingerprint of a range become its list. */
export const lists: Stage = (context) => {
  const task = context.params as unknown as ListsTask;
  const { hotBucket } = setupOf(context).params;
  const { documents } = block(context, task.documents, 'documents').columns as Record<string, Uint32Array>;
  const { sortByKey64 } = kernelOf(context);
  const samples = samplesIn(context, task.blocks);
  const found = fingerprintLists(samples, documents!, task, hotBucket, sortByKey64);
  const { listed, places, entries, frequent, steps, holders, ...report } = found;
  put(context, task.lists, encodeBlock('documents', {}, { listed }, true));
  put(context, task.entries, encodeBlock('documents', {}, { places, entries, frequent, steps, holders }));
  return { ...report };
};

interface SharingTask {
  readonly name: string;
  /** Documents of the list whose pairs with later ones are wanted, [from, to). */
  readonly from: number;
  readonly to: number;
  /** Block with column `documents`, ascending. */
  readonly documents: string;
  /** Ends of the ranges of fingerprints, and a block of lists for each. */
  readonly ends: readonly number[];
  readonly lists: readonly string[];
  /** Blocks of the samples of all documents, and of the places of their fingerprints in the lists. */
  readonly blocks: readonly string[];
  readonly places: readonly string[];
  /** Least estimate of an accepted pair. */
  readonly least: number;
}

/** Reduce: documents with the lists of their fingerprints become their candidate pairs. */
export const sharing: Stage = (context) => {
  const task = context.params as unknown as SharingTask;
  const { params, wish } = sampleWishOf(setupOf(context).params)!;
  const columnOf = (name: string, column: string): Uint32Array =>
    block(context, name, 'documents').columns[column] as Uint32Array;
  const samples = samplesIn(context, task.blocks);
  const sizes = kept(context, 'sizes', () => sampleSizes(samples));
  const rule = kept(context, 'rule', () => new SampleRule(params, wish));
  const counts = kept(context, 'counts', () => sharedCounts(samples.blockOf.length));
  const listed = task.lists.map((name) => columnOf(name, 'listed'));
  const places = task.places.map((name) => columnOf(name, 'places'));
  const documents = { ...samples, sizes, frequent: columnOf('frequent', 'frequent') };
  const some = columnOf(task.documents, 'documents').subarray(task.from, task.to);
  const asked = { params, rule, least: task.least };
  const full = fullListsOf(block(context, 'full', 'documents'));
  const found = sampledPairs(documents, { ends: task.ends, listed, places, full }, some, asked, counts);
  const { a, b, agreement, accepted, count, steps } = found;
  put(context, task.name, encodeBlock('pairs', {}, { a, b, agreement, accepted }));
  return { pairs: count, steps };
};

/** The samples of all documents: no block of this name is ever written again. */
export function samplesIn(context: TaskContext, names: readonly string[]): FingerprintBlocks {
  return kept(context, 'samples', () => {
    const { blockOf, columnOf } = block(context, 'places', 'documents').columns as Record<
      string,
      Uint32Array
    >;
    return {
      blocks: names.map((name) => fingerprintsOf(block(context, name, 'fingerprints'))),
      blockOf: blockOf!,
      columnOf: columnOf!,
    };
  });
}

/** Made once a worker. */
export function kept<T>({ scratch }: TaskContext, name: string, make: () => T): T {
  if (!scratch.has(name)) scratch.set(name, make());
  return scratch.get(name) as T;
}

/*
 * Stages over hot fingerprints: their documents become pairs, and pairs that several have become candidates with estimates.
 *
 * What bands and signatures are to the stages `hot` and `agreement`, fingerprints and samples are to these.
 */

interface FrequentTask {
  readonly name: string;
  /** Block with the members of hot fingerprints. */
  readonly hot: string;
  readonly slice: HotSlice;
  readonly segmentRows: number;
  /** Blocks of the samples of all documents. */
  readonly blocks: readonly string[];
}

/** Reduce: hot fingerprints of a group become pairs, sorted. */
export const frequent: Stage = (context) => {
  const task = context.params as unknown as FrequentTask;
  const { hotBucket } = setupOf(context).params;
  const { documents, buckets } = block(context, task.hot, 'buckets').columns as Record<string, Uint32Array>;
  const known = block(context, 'frequent', 'documents').columns;
  const samples = samplesIn(context, task.blocks);
  const { size } = kept(context, 'sizes', () => sampleSizes(samples));
  const own = size.map((all, d) => all - known.frequent![d]!);
  const bareness = { own, relies: known.relies as Uint8Array };
  const { pairing, sortByKey64 } = kernelOf(context);
  const members = { documents: documents!, buckets: buckets! };
  const found = frequentPairs(members, bareness, hotBucket, sortByKey64, task.slice);
  const pairs = (pairing?.distinctPairs ?? distinctPairs)([found], []);
  putList(context, task.name, pairs, pairs.count, task.segmentRows);
  return { skipped: found.skipped, pairs: pairs.count };
};

interface SharesTask {
  readonly name: string;
  /** Ascending. */
  readonly ranges: readonly PairRange[];
  readonly blocks: readonly string[];
  /** Least estimate of an accepted pair. */
  readonly least: number;
}

/** Reduce: lists of pairs become distinct pairs that are not known and pass the rule, with estimates; see `agreement`. */
export const shares: Stage = (context) => {
  const task = context.params as unknown as SharesTask;
  const { params, wish } = sampleWishOf(setupOf(context).params)!;
  const samples = samplesIn(context, task.blocks);
  const sizes = kept(context, 'sizes', () => sampleSizes(samples));
  const rule = kept(context, 'rule', () => new SampleRule(params, wish));
  const { pairing } = kernelOf(context);
  const counts: number[] = [];
  let rows = 0;
  for (const range of task.ranges) {
    const lists = rowsOf(context, range, range.lists);
    if (lists.length === 0) continue;
    for (const { count } of lists) rows += count;
    const pairs = (pairing?.distinctPairs ?? distinctPairs)(lists, rowsOf(context, range, range.known));
    const found = estimatedPairs({ ...samples, sizes }, pairs, { params, rule, least: task.least });
    context.progress();
    if (found.count === 0) continue;
    const { a, b, agreement, accepted } = found;
    put(context, `${task.name}/${counts.length}`, encodeBlock('pairs', {}, { a, b, agreement, accepted }));
    counts.push(found.count);
  }
  return { rows, pairs: counts } satisfies Json;
};
