/**
 * The bucket keys of the column blocks, as the tasks of bands are given them: all blocks as they are where memory holds
 * them, else regrouped by band and in ranges of keys.
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

/** The block of groups for the tasks that pair; none where there are none. */
export function groupBlocks({ params }: Run): readonly string[] {
  return params.groups === null ? [] : [ONE.groups];
}

/** What a task of a band is told, and the blocks it reads. */
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

/** The bands, each with its sources in the order of their ranges. */
interface BandSources {
  readonly bands: readonly (readonly BandSource[])[];
  /** Takes what the tasks read out of the store. */
  forget(): void;
}

/** The document of a column. */
const COLUMN_BYTES = 4;

/** High words of keys that are hashes. */
const HASHED = 2 ** 32;

/** Sources of the bands of `documents` (class firsts with tokens, ascending); the blocks `bands/k` are given up for them. */
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

/** The names of the bucket keys of column blocks. Makes those of blocks whose signatures an earlier run left. */
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

/** Sources of a band whose documents come with the numbers of their buckets, which are below `buckets`, in a block. */
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

/** The ranges of keys below `words` in which `count` documents are done, at most about `entries` in each. */
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

/** Where the columns of documents stand when the column blocks are put behind each other. */
function placesOf(corpus: Corpus, documents: Uint32Array): Uint32Array {
  const { blockOf, columnOf } = corpus;
  const starts = startsOf(corpus.tables);
  const places = new Uint32Array(documents.length);
  for (let i = 0; i < documents.length; i++) {
    places[i] = starts[blockOf[documents[i]!]!]! + columnOf[documents[i]!]!;
  }
  return places;
}

/** The document of every column, when the column blocks are put behind each other. */
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

/** The facts of a run that say how pairs were found. */
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

/** Clusters, and of greedy ones how many were founded without being held against every representative. */
export interface ClusteredPairs {
  readonly clusters: Clusters;
  readonly uncompared: number;
}

/** All candidate pairs with their evidence, and how they become clusters. */
export interface ComparedPairs {
  readonly verified: VerifiedPairs;
  readonly counts: PairingCounts;
  /** By matching slots: candidate pairs that were counted, and are in no list; null: there are none. */
  readonly unlisted: Float64Array | null;
  /** 1: it has tokens, but no shingle in its sketch; null: none can be so. */
  readonly unsketched: Uint8Array | null;
  /** Of all near pairs the share that was found, where hot buckets skipped some; null: that promised, or more. */
  readonly recall: Estimate | null;
  /** `source` has the measure of the run in the place of the resemblance. */
  clustersOf(
    classes: IdentityClasses,
    near: NearPairs,
    source: Omit<SimilaritySource, 'estimate'>,
  ): Promise<ClusteredPairs> | ClusteredPairs;
}

/** The first members of identity classes that have a sketch: what is compared, ascending. */
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
