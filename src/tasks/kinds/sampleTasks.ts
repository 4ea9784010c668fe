/**
 * Stages over samples of fingerprints: documents become samples, samples become lists of documents by fingerprint, and lists
 * become candidate pairs.
 *
 * The tasks `sketch`, `partials` and `minima`, shared with signatures, use SAMPLES.
 */

import { partialFingerprints } from '../../../mappers/partialSamples.js';
import { fusedFingerprints, setFingerprints } from '../../../mappers/samples.js';
import { estimatedPairs, sampledPairs, sampleSizes, sharedCounts } from '../../../reducers/sampledPairs.js';
import { type FingerprintBlocks, fingerprintLists, fullListsOf } from '../../../reducers/sampleLists.js';
import { fingerprints } from '../../../reducers/samples.js';
import { encodeBlock } from '../../blocks/block.js';
import { fingerprintsOf } from '../../blocks/fingerprints.js';
import { NAMES, ONE } from '../../blocks/names.js';
import type { AgreeingPairs, Pairs } from '../../blocks/pairs.js';
import { leastHotBucket } from '../../sketch/hotBuckets.js';
import { sampleParams, shingleSampleParams } from '../../sketch/params.js';
import { SampleRule, sampleWishOf } from '../../sketch/samples/sampleRule.js';
import type { PlannedKind, Workplace } from '../task.js';
import {
  block,
  groupsOf,
  kept,
  kernelOf,
  pairingOf,
  put,
  type Sketching,
  setupOf,
  thinningOf,
} from '../workplace.js';

/** How the sketching tasks make samples of fingerprints. */
export const SAMPLES: Sketching = {
  sketch(here, k, source) {
    const { params } = setupOf(here);
    const result = fusedFingerprints(source.feed, kernelOf(here), params.shingle, sampleParams(params)!);
    put(here, NAMES.fingerprints(k), result.fingerprints);
    return source.table(result.documents);
  },
  sets(here, k, sets) {
    const made = setFingerprints(sets, shingleSampleParams(setupOf(here).params), thinningOf(here));
    put(here, NAMES.fingerprints(k), made.fingerprints);
    return made.rows;
  },
  partials(here, place) {
    const samples = shingleSampleParams(setupOf(here).params);
    put(here, NAMES.partials(place), partialFingerprints(block(here, NAMES.tiles(place), 'tile'), samples));
  },
  minima(here, k, places) {
    const matrix = places.map((place) => block(here, NAMES.tiles(place), 'tile'));
    const parts = places.map((place) => block(here, NAMES.partials(place), 'fingerprints'));
    put(here, NAMES.fingerprints(k), fingerprints(matrix, parts, shingleSampleParams(setupOf(here).params)));
  },
};

export interface ListsTask {
  /** Names of the blocks to write: the lists, and facts of their entries and documents. */
  readonly lists: string;
  readonly entries: string;
  /** The range of fingerprints, by high words: [from, to). */
  readonly from: number;
  readonly to: number;
  /** Name of a block with column `documents`, ascending. */
  readonly documents: string;
  /** Names of the blocks with the samples of all documents. */
  readonly blocks: readonly string[];
}

export interface ListsReport {
  readonly lists: number;
  readonly longestList: number;
}

/** Reduce: the documents of every fingerprint in a range become its list. */
export const lists: PlannedKind<ListsTask, ListsReport> = {
  reads: ['sampled', 'places', 'samples', 'fingerprints'],
  writes: ['lists', 'entries'],
  planned: ({ compared }) => (compared === 'samples' ? 'later' : null),
  work(task, here) {
    const hotBucket = leastHotBucket(setupOf(here).params.hotBucket);
    const { documents } = block(here, task.documents, 'documents').columns as Record<string, Uint32Array>;
    const { sortByKey64 } = kernelOf(here);
    const samples = samplesIn(here, task.blocks);
    const found = fingerprintLists(samples, documents!, task, hotBucket, sortByKey64);
    const { listed, places, entries, frequent, steps, holders, ...report } = found;
    put(here, task.lists, encodeBlock('documents', {}, { listed }, true));
    put(here, task.entries, encodeBlock('documents', {}, { places, entries, frequent, steps, holders }));
    return report;
  },
};

export interface SharingTask {
  readonly name: string;
  /** The documents of the list, [from, to), whose pairs with later documents are made. */
  readonly from: number;
  readonly to: number;
  /** Name of a block with column `documents`, ascending. */
  readonly documents: string;
  /** Ends of the ranges of fingerprints, and the block of lists of each range. */
  readonly ends: readonly number[];
  readonly lists: readonly string[];
  /** Blocks with the samples of all documents, and with the places of their fingerprints in the lists. */
  readonly blocks: readonly string[];
  readonly places: readonly string[];
  /** Least estimate of an accepted pair. */
  readonly least: number;
}

export interface SharingReport {
  readonly pairs: number;
  readonly steps: number;
}

/** Reduce: documents and the lists of their fingerprints become candidate pairs. */
export const sharing: PlannedKind<SharingTask, SharingReport> = {
  reads: [
    'groups',
    'sampled',
    'places',
    'frequent',
    'full',
    'lists',
    'samplePlaces',
    'samples',
    'fingerprints',
  ],
  writes: ['sharing'],
  planned: ({ compared }) => (compared === 'samples' ? 'later' : null),
  work(task, here) {
    const columnOf = (name: string, column: string): Uint32Array =>
      block(here, name, 'documents').columns[column] as Uint32Array;
    const { samples, asked } = comparedSamples(here, task.blocks, task.least);
    const counts = kept(here, 'counts', () => sharedCounts(samples.blockOf.length));
    const listed = task.lists.map((name) => columnOf(name, 'listed'));
    const places = task.places.map((name) => columnOf(name, 'places'));
    const documents = { ...samples, frequent: columnOf(ONE.frequent, 'frequent') };
    const some = columnOf(task.documents, 'documents').subarray(task.from, task.to);
    const full = fullListsOf(block(here, ONE.full, 'documents'));
    const all = { ends: task.ends, listed, places, full };
    const found = sampledPairs(documents, all, some, asked, counts, groupsOf(here));
    const { a, b, agreement, accepted, count, steps } = found;
    put(here, task.name, encodeBlock('pairs', {}, { a, b, agreement, accepted }));
    return { pairs: count, steps };
  },
};

/** The samples of all documents, decoded once a worker: blocks of these names are never written again. */
function samplesIn(here: Workplace, names: readonly string[]): FingerprintBlocks {
  return kept(here, 'samples', () => {
    const { blockOf, columnOf } = block(here, ONE.places, 'documents').columns as Record<string, Uint32Array>;
    return {
      blocks: names.map((name) => fingerprintsOf(block(here, name, 'fingerprints'))),
      blockOf: blockOf!,
      columnOf: columnOf!,
    };
  });
}

/** The samples with their sizes, and what is asked of a pair of them. */
function comparedSamples(here: Workplace, names: readonly string[], least: number) {
  const { params, wish } = sampleWishOf(setupOf(here).params)!;
  const samples = samplesIn(here, names);
  const sizes = kept(here, 'sizes', () => sampleSizes(samples));
  const rule = kept(here, 'rule', () => new SampleRule(params, wish));
  return { samples: { ...samples, sizes }, asked: { params, rule, least } };
}

/**
 * The pairs of `lists` without the `known` ones that pass the rule, with their estimates, sorted.
 *
 * @param names of the blocks with the samples of all documents
 * @param least estimate of an accepted pair
 */
export function passingPairs(
  here: Workplace,
  lists: readonly Pairs[],
  known: readonly Pairs[],
  names: readonly string[],
  least: number,
): AgreeingPairs {
  const { samples, asked } = comparedSamples(here, names, least);
  return estimatedPairs(samples, pairingOf(here).distinctPairs(lists, known), asked);
}
