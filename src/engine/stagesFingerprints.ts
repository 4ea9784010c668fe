/**
 * Stages over samples of fingerprints: documents become samples, fingerprints lists, and those candidate pairs.
 *
 * Floor 3. The first three stand behind the stages `sketch`, `partials` and `minima`, which are those of signatures too.
 */
import { fusedFingerprints } from '../../mappers/fusedFingerprints.js';
import { partialFingerprints } from '../../mappers/partialFingerprints.js';
import { type FingerprintBlocks, fingerprintLists } from '../../reducers/fingerprintLists.js';
import { fingerprints } from '../../reducers/fingerprints.js';
import { fullListsOf } from '../../reducers/frequentDocuments.js';
import { sampledPairs, sampleSizes, sharedCounts } from '../../reducers/sampledPairs.js';
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
