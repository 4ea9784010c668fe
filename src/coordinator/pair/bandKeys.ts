/**
 * The bucket keys of the column blocks, as inputs of the tasks of bands. Where memory holds all keys, a task reads the blocks as
 * they are; otherwise the keys are regrouped by band, and a task reads a range of the keys of one band.
 */

import type { Clusters, SimilaritySource } from '../../../reducers/clusters.js';
import type { IdentityClasses } from '../../../reducers/identityClasses.js';
import type { NearPairs, VerifiedPairs } from '../../../reducers/verifiedPairs.js';
import { encodeBlock } from '../../blocks/block.js';
import { NAMES, ONE } from '../../blocks/names.js';
import { type KeyRange, keyRanges, NO_KEY } from '../../blocks/pairs.js';
import type { ManifestCounts } from '../../output/facts.js';
import { signatureParams } from '../../sketch/params.js';
import type { Estimate } from '../../sketch/probability.js';
import type { Run } from '../context.js';
import { type Corpus, startsOf } from '../sketch/corpus.js';
import type { PairPlan } from './pairPlan.js';

/** The name of the block of document groups, for tasks that make pairs; empty where the run has no groups. */
export function groupBlocks({ params }: Run): readonly string[] {
  return params.groups === null ? [] : [ONE.groups];
}

/** The parameters of a task of a band, and the names of the blocks it reads. */
export interface BandSource {
  readonly params: {
    readonly band: number;
    readonly documents: string;
    readonly blocks: number;
    readonly groups: number;
    readonly range: { readonly from: number; readonly to: number } | null;
    readonly expected: number;
  };
  readonly inputs: readonly string[];
}

interface BandSources {
  /** By band, its sources in the order of their ranges. */
  readonly bands: readonly (readonly BandSource[])[];
  /** Takes the blocks that the tasks read out of the store. */
  forget(): void;
}

/** The number of the document of a column, in a table. */
const COLUMN_BYTES = 4;

/** Number of values of the high word of a key that is a hash. */
const HASHED = 2 ** 32;

/**
 * Sources of the bands of `documents` (first members of identity classes, with tokens, ascending). The blocks `bands/k` leave the
 * store: here where the keys are regrouped, with `forget` where they are not.
 *
 * @throws MinHashError MEMORY_BUDGET
 */
export async function corpusBands(
  run: Run,
  plan: PairPlan,
  corpus: Corpus,
  documents: Uint32Array,
): Promise<BandSources> {
  const blocks = await keysOfBlocks(run, corpus.tables.length);
  const { store } = run.engine;
  const { bands } = signatureParams(run.params).banding;
  if (plan.keysHeld) {
    run.put(
      ONE.bucketed,
      encodeBlock('documents', {}, { documents, places: placesOf(corpus, documents) }, true),
    );
    const sources = Array.from({ length: bands }, (_, band) => [heldSource(band, blocks, documents.length)]);
    return { bands: sources, forget: () => forget(run, [ONE.bucketed, ...blocks]) };
  }
  const columns = startsOf(corpus.tables).at(-1)!;
  run.tables.take(`${columns} documents by column`, 2 * COLUMN_BYTES * columns);
  const documentOf = documentsByColumn(corpus, documents);
  run.put(ONE.bucketed, encodeBlock('documents', {}, { documentOf }, true));
  run.tables.give(COLUMN_BYTES * columns);
  const groups = groupsOf(corpus, plan.keyBytes, bands);
  const progress = { unit: 'groups of bucket keys', total: groups.length };
  for await (const group of run.each(groups, (one) => regroup(run, one, bands), { progress })) {
    for (let k = group.first; k < group.end; k++) store.delete(NAMES.bands(k));
  }
  const ranges = rangesOf(documents.length, plan.entries, HASHED);
  const expected = Math.ceil(documents.length / Math.max(1, ranges.length));
  const sources = Array.from({ length: bands }, (_, band) => {
    const names = groups.map(({ group }) => NAMES.keys(group, band));
    return ranges.map((range) => ({
      params: { band, documents: ONE.bucketed, blocks: 0, groups: groups.length, range, expected },
      inputs: [ONE.bucketed, ...names],
    }));
  });
  const written = sources.flatMap(([source]) => source?.inputs.slice(1) ?? []);
  return {
    bands: sources,
    forget: () => {
      forget(run, [ONE.bucketed, ...written]);
      run.tables.give(COLUMN_BYTES * columns);
    },
  };
}

/** Names of the bucket keys of all column blocks. Makes the keys of blocks whose signatures were left by an earlier run. */
async function keysOfBlocks(run: Run, columnBlocks: number): Promise<string[]> {
  const numbers = Array.from({ length: columnBlocks }, (_, k) => k);
  const missing = numbers.filter((k) => !run.engine.store.has(NAMES.bands(k)));
  const make = (k: number) =>
    run.task({
      kind: 'bucketKeys',
      label: `bucket keys of column block ${k}`,
      params: { block: k },
      inputs: [NAMES.signatures(k)],
      keep: { bands: 'spill' },
    });
  for await (const _ of run.each(missing, make));
  return numbers.map((k) => NAMES.bands(k));
}

/** Sources of a band whose block `documents` holds documents with the numbers of their buckets, all below `buckets`. */
export function numberedSources(
  plan: PairPlan,
  band: number,
  documents: string,
  count: number,
  buckets: number,
): readonly BandSource[] {
  const ranges = rangesOf(count, plan.entries, buckets);
  return ranges.map((range) => ({
    params: { band, documents, blocks: 0, groups: 0, range, expected: Math.ceil(count / ranges.length) },
    inputs: [documents],
  }));
}

function heldSource(band: number, blocks: readonly string[], expected: number): BandSource {
  const params = { band, documents: ONE.bucketed, blocks: blocks.length, groups: 0, range: null, expected };
  return { params, inputs: [ONE.bucketed, ...blocks] };
}

/**
 * Ranges of keys below `words` that hold about `entries` of `count` documents each, or fewer; `[null]`: one range of
 * all keys.
 */
function rangesOf(count: number, entries: number, words: number): readonly (KeyRange | null)[] {
  const parts = Math.min(words, Math.ceil(count / entries));
  return parts <= 1 ? [null] : keyRanges(parts, words);
}

function forget(run: Run, names: readonly string[]): void {
  for (const name of names) run.engine.store.delete(name);
}

/** Column blocks whose keys are regrouped together. */
interface KeyGroup {
  readonly group: number;
  readonly first: number;
  readonly end: number;
  readonly columns: number;
}

/** Neighbouring column blocks with at most `most` bytes of keys together; a larger one is a group of its own. */
function groupsOf({ tables }: Corpus, most: number, bands: number): KeyGroup[] {
  const groups: KeyGroup[] = [];
  for (let first = 0, end = 0; first < tables.length; first = end) {
    let columns = 0;
    for (; end < tables.length; end++) {
      const more = tables[end]!.columns.flags!.length;
      if (end > first && 8 * bands * (columns + more) > most) break;
      columns += more;
    }
    groups.push({ group: groups.length, first, end, columns });
  }
  return groups;
}

async function regroup(run: Run, group: KeyGroup, bands: number): Promise<KeyGroup> {
  const { first, end } = group;
  await run.task({
    kind: 'keys',
    label: `bucket keys of column blocks ${first} to ${end - 1}`,
    params: { ...group, bands },
    inputs: Array.from({ length: end - first }, (_, i) => NAMES.bands(first + i)),
    keep: { keys: 'spill' },
  });
  return group;
}

/** By document of `documents`: the position of its column when the column blocks are put behind each other. */
function placesOf(corpus: Corpus, documents: Uint32Array): Uint32Array {
  const { blockOf, columnOf } = corpus;
  const starts = startsOf(corpus.tables);
  const places = new Uint32Array(documents.length);
  for (let i = 0; i < documents.length; i++) {
    places[i] = starts[blockOf[documents[i]!]!]! + columnOf[documents[i]!]!;
  }
  return places;
}

/** By column, when the column blocks are put behind each other: its document, or NO_KEY. */
function documentsByColumn(corpus: Corpus, documents: Uint32Array): Uint32Array {
  const { blockOf, columnOf } = corpus;
  const starts = startsOf(corpus.tables);
  const documentOf = new Uint32Array(starts.at(-1)!).fill(NO_KEY);
  for (let i = 0; i < documents.length; i++) {
    const document = documents[i]!;
    documentOf[starts[blockOf[document]!]! + columnOf[document]!] = document;
  }
  return documentOf;
}

/** The counts of the manifest that say how pairs were found. */
export type PairingCounts = Pick<
  ManifestCounts,
  | 'buckets'
  | 'hot_bucket'
  | 'hot_buckets'
  | 'largest_bucket'
  | 'rounds'
  | 'pairs_skipped_at_most'
  | 'kept_uncompared'
>;

/** Clusters; `uncompared`: greedy clusters whose founder was not compared with every representative. */
export interface ClusteredPairs {
  readonly clusters: Clusters;
  readonly uncompared: number;
}

/** All candidate pairs with their evidence, and how they become clusters. */
export interface ComparedPairs {
  readonly verified: VerifiedPairs;
  readonly counts: PairingCounts;
  /** By number of matching slots: how many candidate pairs were counted without being listed; null: none. */
  readonly unlisted: Float64Array | null;
  /** By document, 1: it has tokens, but its sketch has no element; null: this scheme sketches every document with tokens. */
  readonly unsketched: Uint8Array | null;
  /** The share of all near pairs that was found, where hot buckets skipped some; null: the promised share, or more. */
  readonly recall: Estimate | null;
  /** `source` holds similarities by the measure of the run, which need not be the resemblance. */
  clustersOf(
    classes: IdentityClasses,
    near: NearPairs,
    source: Omit<SimilaritySource, 'estimate'>,
  ): Promise<ClusteredPairs> | ClusteredPairs;
}

/** The documents that are compared: first members of identity classes that have a sketch, ascending. */
export function comparedDocuments(
  corpus: Corpus,
  classes: IdentityClasses,
  unsketched: Uint8Array | null,
): Uint32Array {
  let count = 0;
  const documents = new Uint32Array(corpus.documents);
  for (let d = 0; d < corpus.documents; d++) {
    if (corpus.empty[d] === 1 || classes.first[d] !== d || unsketched?.[d] === 1) continue;
    documents[count++] = d;
  }
  return documents.subarray(0, count);
}
