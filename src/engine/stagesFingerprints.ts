/**
 * Stages over samples of fingerprints: documents become samples, fingerprints lists, and those candidate pairs.
 *
 * Floor 3. The first three stand behind the stages `sketch`, `partials` and `minima`, which are those of signatures too.
 */
import { fusedFingerprints } from '../../mappers/fusedFingerprints.js';
import { partialFingerprints } from '../../mappers/partialFingerprints.js';
import {
  type FingerprintBlocks,
  fingerprintPairs,
  type SharingPairs,
} from '../../reducers/fingerprintPairs.js';
import { fingerprints } from '../../reducers/fingerprints.js';
import { addedPairs, sampledPairs, sampleSizes } from '../../reducers/sampledPairs.js';
import { type Block, encodeBlock } from '../blocks/block.js';
import { fingerprintsOf } from '../blocks/fingerprints.js';
import type { SampleParams } from '../sketch/params.js';
import { SampleRule, sampleWishOf } from '../sketch/sampleRule.js';
import type { Stage, TaskContext } from './protocol.js';
import { block, kernelOf, put, type Reading, setupOf } from './stagesContext.js';

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
  readonly name: string;
  /** High words of the fingerprints, [from, to). */
  readonly from: number;
  readonly to: number;
  /** Block with column `documents`, ascending. */
  readonly documents: string;
  /** Blocks of the samples of all documents. */
  readonly blocks: readonly string[];
}

/** Reduce: the documents of every fingerprint of a range become pairs, with how many of the range each shares. */
export const lists: Stage = (context) => {
  const task = context.params as unknown as ListsTask;
  const { hotBucket } = setupOf(context).params;
  const { documents } = block(context, task.documents, 'documents').columns as Record<string, Uint32Array>;
  const { sortByKey64 } = kernelOf(context);
  const samples = samplesIn(context, task.blocks);
  const found = fingerprintPairs(samples, documents!, task, hotBucket, sortByKey64);
  const { a, b, shared, entries, lists: shares, eliminatedLists, longestList, skipped } = found;
  const columns = { a, b, shared, documents: found.documents, eliminated: found.eliminated };
  put(context, task.name, encodeBlock('pairs', {}, columns, true));
  return { entries, lists: shares, eliminatedLists, longestList, skipped };
};

/** Rows [from, to) of a block of pairs. */
type Range = readonly [name: string, from: number, to: number];

interface SharingTask {
  readonly name: string;
  readonly lists: readonly Range[];
  /** Blocks of the samples of all documents. */
  readonly blocks: readonly string[];
  /** Least estimate of an accepted pair. */
  readonly least: number;
}

/** Reduce: a range of pairs over all ranges of fingerprints becomes the candidate pairs among them. */
export const sharing: Stage = (context) => {
  const task = context.params as unknown as SharingTask;
  const { params: samples, wish } = sampleWishOf(setupOf(context).params)!;
  const given = task.lists.map((range) => rowsOf(context, range));
  const pairs = addedPairs(given);
  const blocks = samplesIn(context, task.blocks);
  const { eliminated } = block(context, 'unlisted', 'documents').columns as Record<string, Uint32Array>;
  const sizes = kept(context, 'sizes', () => sampleSizes(blocks));
  const rule = kept(context, 'rule', () => new SampleRule(samples, wish));
  const documents = { ...blocks, sizes, eliminated: eliminated! };
  const { a, b, agreement, accepted } = sampledPairs(pairs, documents, samples, rule, task.least);
  put(context, task.name, encodeBlock('pairs', {}, { a, b, agreement, accepted }));
  return { rows: given.reduce((sum, { count }) => sum + count, 0) };
};

function rowsOf(context: TaskContext, [name, from, to]: Range): SharingPairs {
  const { a, b, shared } = block(context, name).columns as Record<string, Uint32Array>;
  const cut = (column: Uint32Array): Uint32Array => column.subarray(from, to);
  return { a: cut(a!), b: cut(b!), shared: cut(shared!), count: to - from };
}

/** The samples of all documents: no block of this name is ever written again. */
function samplesIn(context: TaskContext, names: readonly string[]): FingerprintBlocks {
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
function kept<T>({ scratch }: TaskContext, name: string, make: () => T): T {
  if (!scratch.has(name)) scratch.set(name, make());
  return scratch.get(name) as T;
}
