/**
 * Reduce by frequent fingerprint: selects the documents that may be found only by frequent fingerprints, and the fingerprints whose
 * documents are all paired.
 *
 * A candidate pair shares `fewest` fingerprints or more (`SampleRule`). So most documents do not depend on a
 * licence header: they have so many other fingerprints that any document sharing enough with them shares one
 * of those, and both meet in its list. Only a document that consists almost entirely of the header relies on
 * frequent fingerprints. And it needs few of them: of f frequent ones, of which a pair shares s, one of the f
 * - s + 1 in the fewest documents is shared. This is prefix filtering (Chaudhuri, Ganti and Kaushik 2006;
 * Bayardo, Ma and Srikant 2007), in the order of (holders, fingerprint). By resemblance both documents of
 * such a pair rely on it; by containment the contained one does, and the other is any document that has it.
 *
 * A fingerprint on which at most `hotBucket` documents rely is paired in full. So are others, those with the fewest partners
 * first, as long as they give all documents together at most `partners`. The remaining fingerprints are hot.
 */

import { type Groups, rowsByKey } from '../src/arrays/groupCounts.js';
import { grown, Uint32Column } from '../src/arrays/growable.js';
import type { sortByKey64 } from '../src/arrays/sort.js';
import type { HotMembers } from '../src/blocks/pairs.js';
import type { Measure } from '../src/sketch/params.js';
import type { SampleRule, SampleSizes } from '../src/sketch/samples/sampleRule.js';
import { type HotPairs, type HotSlice, hotPairs, membersAt } from './hotPairs.js';
import { bucketSizesOf, countOfBuckets } from './largeBuckets.js';
import type { SizedSamples } from './sampledPairs.js';
import {
  type DocumentLists,
  eachFrequent,
  type FullLists,
  type PlacedSamples,
  partnersOf,
} from './sampleLists.js';

/** Highest number of hot fingerprints that a document is paired by: similar documents share many. */
export const MOST_HOT_LISTS = 16;

interface FrequentSamples extends PlacedSamples, SizedSamples {
  /** By document: how many of its fingerprints are frequent. */
  readonly frequent: Uint32Array;
}

export interface FrequentLists {
  readonly full: FullLists;
  /** By given document: how many documents follow it in the lists that are paired in full. */
  readonly steps: Float64Array;
  /** Documents of hot fingerprints; a document's rows ascend by bucket. */
  readonly hot: HotMembers;
  readonly hotLists: number;
  /**
   * By document, 1: it relies on frequent fingerprints. Of a pair that is found by them, one document relies on them by
   * containment, else both do.
   */
  readonly relies: Uint8Array;
}

interface Wish {
  readonly rule: SampleRule;
  readonly measure: Measure;
  readonly hotBucket: number;
  /** Most partners that all documents together get from larger lists that are paired in full. */
  readonly partners: number;
}

/**
 * @param documents the documents that are compared, ascending
 * @param holders by frequent fingerprint: how many documents have it
 */
export function frequentLists(
  samples: FrequentSamples,
  documents: Uint32Array,
  holders: Uint32Array,
  { rule, measure, hotBucket, partners: most }: Wish,
): FrequentLists {
  const prefixes = prefixesOf(samples, documents, holders, rule);
  const { relies, offsets, lists } = prefixes;
  const isContained = measure === 'containment';
  const relying = turned(documents, offsets, lists, holders.length);
  const partners = isContained ? holders : sizesOf(relying);
  const isFull = fullLists(relying, partners, documents, hotBucket, most);
  const chosen = chosenLists(prefixes, isFull);
  const isHot = new Uint8Array(holders.length);
  for (const list of chosen.lists) isHot[list] = 1;
  const holding = isContained ? holdingLists(samples, documents, holders.length, isFull) : null;
  const full = { relying: onlyFull(relying, isFull), holding };
  const rows = isContained ? heldLists(samples, documents, isHot) : chosen;
  return {
    full,
    steps: stepsOf(samples, documents, full),
    hot: membersOf(samples, documents, rows),
    hotLists: isHot.reduce((sum, one) => sum + one, 0),
    relies,
  };
}

/** Frequent fingerprints by given document: those of document i are lists [offsets[i], offsets[i + 1]). */
interface ListsOfDocuments {
  readonly offsets: Uint32Array;
  readonly lists: Uint32Array;
}

function prefixesOf(
  samples: FrequentSamples,
  documents: Uint32Array,
  holders: Uint32Array,
  rule: SampleRule,
): ListsOfDocuments & { readonly relies: Uint8Array } {
  const byRank = Uint32Array.from(holders.keys()).sort((x, y) => holders[x]! - holders[y]! || x - y);
  const rankOf = new Uint32Array(holders.length);
  for (let rank = 0; rank < byRank.length; rank++) rankOf[byRank[rank]!] = rank;
  const relies = new Uint8Array(samples.frequent.length);
  const offsets = new Uint32Array(documents.length + 1);
  for (let i = 0; i < documents.length; i++) {
    const document = documents[i]!;
    const wanted = reliedOn(rule, samples.sizes, document, samples.frequent[document]!);
    if (wanted > 0) relies[document] = 1;
    offsets[i + 1] = offsets[i]! + wanted;
  }
  const lists = new Uint32Array(offsets[documents.length]!);
  const ranks = new Uint32Array(holders.length);
  for (let i = 0; i < documents.length; i++) {
    const wanted = offsets[i + 1]! - offsets[i]!;
    if (wanted === 0) continue;
    let count = 0;
    eachFrequent(samples, documents[i]!, (list) => {
      ranks[count++] = rankOf[list]!;
    });
    ranks.subarray(0, count).sort();
    for (let k = 0; k < wanted; k++) lists[offsets[i]! + k] = byRank[ranks[k]!]!;
    lists.subarray(offsets[i]!, offsets[i + 1]!).sort();
  }
  return { relies, offsets, lists };
}

/** Transposes lists of fingerprints by document to lists of documents by fingerprint. */
function turned(
  documents: Uint32Array,
  offsets: Uint32Array,
  lists: Uint32Array,
  count: number,
): DocumentLists {
  const { starts, rows } = rowsByKey(count, (give) => {
    for (let i = 0; i < documents.length; i++)
      for (let k = offsets[i]!; k < offsets[i + 1]!; k++) give(lists[k]!, documents[i]!);
  });
  return { offsets: starts, documents: rows };
}

function sizesOf({ offsets }: DocumentLists): Uint32Array {
  return Uint32Array.from({ length: offsets.length - 1 }, (_, list) => offsets[list + 1]! - offsets[list]!);
}

/** 1 for the fingerprints that are paired in full. */
function fullLists(
  { offsets, documents: relying }: DocumentLists,
  partners: Uint32Array,
  documents: Uint32Array,
  hotBucket: number,
  mostPartners: number,
): Uint8Array {
  const isFull = new Uint8Array(partners.length);
  const choice = new FullChoice(mostPartners, (documents.at(-1) ?? 0) + 1);
  const decide = (list: number, isLarge: boolean): void => {
    choice.begin(partners[list]!, isLarge);
    for (let k = offsets[list]!; k < offsets[list + 1]!; k++) choice.add(relying[k]!);
    isFull[list] = choice.end() ? 1 : 0;
  };
  const large: number[] = [];
  for (let list = 0; list < partners.length; list++) {
    if (offsets[list + 1]! - offsets[list]! > hotBucket) large.push(list);
    else decide(list, false);
  }
  for (const list of large.sort((x, y) => partners[x]! - partners[y]! || x - y)) decide(list, true);
  return isFull;
}

/**
 * Decides which lists of frequent fingerprints are paired in full; the header of this file has the rule. Lists come one after the
 * other: those on which few documents rely, then the large ones in the order of (partners, fingerprint).
 */
class FullChoice {
  /** By number of a document: a lower bound of its partners so far: lists of similar documents are nearly the same. */
  private most: Uint32Array;
  /** The documents that the current list gives more partners. */
  private readonly raised = new Uint32Column();
  private left: number;
  private more = 0;
  private partners = 0;
  private isLarge = false;

  /** @param left most partners that all documents together get from large lists */
  constructor(left: number, documents: number) {
    this.left = left;
    this.most = new Uint32Array(documents);
  }

  /** Begins a list that gives each document that relies on it so many partners. */
  begin(partners: number, isLarge: boolean): void {
    this.partners = partners;
    this.isLarge = isLarge;
    this.more = 0;
    this.raised.truncate(0);
  }

  /** Adds a document that relies on the list: numbers are any from 0 on. */
  add(document: number): void {
    this.most = grown(this.most, document + 1);
    const more = this.partners - this.most[document]!;
    if (more <= 0) return;
    this.more += more;
    if (!this.isLarge || this.more <= this.left) this.raised.push(document);
  }

  /** Ends the list. Whether it is paired in full. */
  end(): boolean {
    if (this.isLarge && this.more > this.left) return false;
    if (this.isLarge) this.left -= this.more;
    for (const document of this.raised.view) this.most[document] = this.partners;
    return true;
  }
}

/** On how many of its `had` frequent fingerprints document d relies: those in the fewest documents. */
function reliedOn(rule: SampleRule, sizes: SampleSizes, d: number, had: number): number {
  return had === 0 ? 0 : Math.max(0, had - rule.fewest(sizes, d) + 1);
}

/**
 * The smallest of the fingerprints on which a document relies and that are not paired in full: similar documents choose the
 * same ones.
 */
function chosenLists({ offsets, lists }: ListsOfDocuments, isFull: Uint8Array): ListsOfDocuments {
  const starts = new Uint32Array(offsets.length);
  const chosen = new Uint32Column();
  for (let i = 0; i + 1 < offsets.length; i++) {
    for (let k = offsets[i]!; k < offsets[i + 1]! && chosen.length < starts[i]! + MOST_HOT_LISTS; k++) {
      if (isFull[lists[k]!] === 0) chosen.push(lists[k]!);
    }
    starts[i + 1] = chosen.length;
  }
  return { offsets: starts, lists: chosen.view.slice() };
}

/** The fingerprints in `which` that documents have, whether they rely on them or not. */
function heldLists(samples: FrequentSamples, documents: Uint32Array, which: Uint8Array): ListsOfDocuments {
  const offsets = new Uint32Array(documents.length + 1);
  for (let i = 0; i < documents.length; i++) {
    let count = 0;
    if (samples.frequent[documents[i]!]! > 0) {
      eachFrequent(samples, documents[i]!, (list) => {
        count += which[list]!;
      });
    }
    offsets[i + 1] = offsets[i]! + count;
  }
  const lists = new Uint32Array(offsets[documents.length]!);
  for (let i = 0; i < documents.length; i++) {
    let at = offsets[i]!;
    if (at === offsets[i + 1]) continue;
    eachFrequent(samples, documents[i]!, (list) => {
      if (which[list] === 1) lists[at++] = list;
    });
  }
  return { offsets, lists };
}

function holdingLists(
  samples: FrequentSamples,
  documents: Uint32Array,
  count: number,
  isFull: Uint8Array,
): DocumentLists {
  const { offsets, lists } = heldLists(samples, documents, isFull);
  return turned(documents, offsets, lists, count);
}

function onlyFull({ offsets, documents }: DocumentLists, isFull: Uint8Array): DocumentLists {
  const starts = new Uint32Array(offsets.length);
  const out = new Uint32Array(documents.length);
  for (let list = 0; list < isFull.length; list++) {
    const some = isFull[list] === 1 ? documents.subarray(offsets[list]!, offsets[list + 1]!) : [];
    out.set(some, starts[list]!);
    starts[list + 1] = starts[list]! + some.length;
  }
  return { offsets: starts, documents: out.slice(0, starts[isFull.length]!) };
}

function stepsOf(samples: FrequentSamples, documents: Uint32Array, full: FullLists): Float64Array {
  const steps = new Float64Array(documents.length);
  if (full.relying.documents.length === 0) return steps;
  for (let i = 0; i < documents.length; i++) {
    if (samples.frequent[documents[i]!] === 0) continue;
    eachFrequent(samples, documents[i]!, (list) => {
      const found = partnersOf(full, list, documents[i]!);
      if (found !== null) steps[i]! += found.lists.offsets[list + 1]! - found.from;
    });
  }
  return steps;
}

/** Rows of documents and buckets; buckets are numbered in the order of their first members. */
function membersOf(
  samples: FrequentSamples,
  documents: Uint32Array,
  { offsets, lists }: ListsOfDocuments,
): HotMembers {
  const numbers = new Map<number, number>();
  const members = new Uint32Array(lists.length);
  const buckets = new Uint32Array(lists.length);
  const next = new Uint32Array(lists.length);
  const all: number[] = [];
  for (let i = 0; i < documents.length; i++) {
    const [from, to] = [offsets[i]!, offsets[i + 1]!];
    if (from === to) continue;
    all.length = 0;
    eachFrequent(samples, documents[i]!, (list) => void all.push(list));
    const rows: [bucket: number, next: number][] = [];
    for (let k = from, at = 0; k < to; k++) {
      const list = lists[k]!;
      while (all[at] !== list) at++;
      if (!numbers.has(list)) numbers.set(list, numbers.size);
      rows.push([numbers.get(list)!, all[(at + 1) % all.length]!]);
    }
    rows.sort(([one], [other]) => one - other);
    rows.forEach(([bucket, following], k) => {
      members[from + k] = documents[i]!;
      buckets[from + k] = bucket;
      next[from + k] = following;
    });
  }
  return { documents: members, buckets, next };
}

/**
 * The pairs of hot fingerprints, not sorted, with repetitions: the documents that rely on a fingerprint are paired linearly, or
 * all with all where they are at most `hotBucket`. `members`: the rows of a document ascend by bucket.
 *
 * Neighbours are documents with the same next frequent fingerprint, hence the same boilerplate, in the order of places: neighbours
 * in the input are often alike. The order follows from nothing but the document, so it is known where documents come one after the
 * other, too.
 */
export function frequentPairs(
  members: HotMembers,
  { relies, groups = null }: { readonly relies: Uint8Array; readonly groups?: Groups | null },
  hotBucket: number,
  sort?: typeof sortByKey64,
  slice?: HotSlice,
): HotPairs {
  const places = new Uint32Array(2 * members.documents.length);
  members.documents.forEach((document, row) => {
    places[2 * row] = document;
  });
  return hotPairs(members, members.next!, places, groups, sort, slice, { hotBucket, relies });
}

/** The rows of some buckets, which are renumbered in the order of appearance. */
function rowsOf(members: HotMembers, isWanted: (bucket: number) => boolean): HotMembers {
  const rows = members.buckets.map((_, row) => row).filter((row) => isWanted(members.buckets[row]!));
  const some = membersAt(members, rows);
  const numbers = new Map<number, number>();
  some.buckets.forEach((bucket, row) => {
    if (!numbers.has(bucket)) numbers.set(bucket, numbers.size);
    some.buckets[row] = numbers.get(bucket)!;
  });
  return some;
}

/**
 * Hot fingerprints in batches of at most `mostRows` rows, or a single fingerprint with more: each batch is a task.
 */
export function groupedMembers(members: HotMembers, mostRows: number): HotMembers[] {
  const sizes = bucketSizesOf(members);
  const groupOf = new Uint32Array(sizes.length);
  let [groups, rows] = [0, 0];
  for (let bucket = 0; bucket < sizes.length; bucket++) {
    if (rows > 0 && rows + sizes[bucket]! > mostRows) [groups, rows] = [groups + 1, 0];
    groupOf[bucket] = groups;
    rows += sizes[bucket]!;
  }
  if (sizes.length === 0) return [];
  return Array.from({ length: groups + 1 }, (_, group) =>
    rowsOf(members, (bucket) => groupOf[bucket] === group),
  );
}

/**
 * Kept members that share a hot fingerprint with a kept document with which they may never have been compared: all members of a
 * fingerprint that the last pairing did not pair all with all, or whose kept members it did not all include.
 *
 * @param paired 1: the last pairing included the document
 */
export function keptUnpaired(
  parts: readonly HotMembers[],
  kept: Uint8Array,
  paired: Uint8Array,
  relies: Uint8Array,
  hotBucket: number,
  groups: Groups | null = null,
): number {
  const left = new Uint8Array(kept.length);
  for (const { documents, buckets } of parts) {
    const count = countOfBuckets(buckets);
    const [now, then, new_] = [new Uint32Array(count), new Uint32Array(count), new Uint8Array(count)];
    // The pairs of a bucket whose kept members are of one group are not in question.
    const ofOne = groups === null ? null : singleGroups({ documents, buckets }, kept, groups);
    for (let i = 0; i < documents.length; i++) {
      const [document, bucket] = [documents[i]!, buckets[i]!];
      now[bucket]! += kept[document]!;
      then[bucket]! += paired[document]!;
      if (kept[document] === 1 && paired[document] === 0) new_[bucket] = 1;
    }
    for (let i = 0; i < documents.length; i++) {
      const bucket = buckets[i]!;
      if (ofOne?.[bucket] === 1) continue;
      if (!isUnpaired(now[bucket]!, then[bucket]!, new_[bucket] === 1, hotBucket)) continue;
      left[documents[i]!] = kept[documents[i]!]! & relies[documents[i]!]!;
    }
  }
  return left.reduce((sum, one) => sum + one, 0);
}

/**
 * Whether kept members of a bucket may never have been compared.
 *
 * @param now number of kept members
 * @param then number of members that the last pairing included
 * @param hasNew whether the last pairing did not include some kept member
 */
function isUnpaired(now: number, then: number, hasNew: boolean, hotBucket: number): boolean {
  return now > 1 && (then > hotBucket || hasNew);
}

/** By bucket, 1: its members (its flagged members, where flags are given) are of one group. */
function singleGroups(
  { documents, buckets }: HotMembers,
  flags: Uint8Array | null,
  groups: Groups,
): Uint8Array {
  const isSingle = new Uint8Array(countOfBuckets(buckets)).fill(1);
  // By bucket: its first member plus 1; 0: no member so far.
  const first = new Uint32Array(isSingle.length);
  for (let i = 0; i < documents.length; i++) {
    const [document, bucket] = [documents[i]!, buckets[i]!];
    if (flags !== null && flags[document] === 0) continue;
    if (first[bucket] === 0) first[bucket] = document + 1;
    else if (groups.of[document] !== groups.of[first[bucket]! - 1]) isSingle[bucket] = 0;
  }
  return isSingle;
}

/** The members of buckets with two groups or more, and the number of these buckets: other buckets have no pair. */
export function crossMembers(members: HotMembers, groups: Groups) {
  const isSingle = singleGroups(members, null, groups);
  const count = isSingle.reduce((sum, one) => sum + 1 - one, 0);
  return { members: rowsOf(members, (bucket) => isSingle[bucket] === 0), count };
}
