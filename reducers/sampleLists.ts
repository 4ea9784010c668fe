/**
 * Reduce by fingerprint: the documents whose samples have a fingerprint become the list of that fingerprint.
 *
 * Works on a range of fingerprints. This is the first half of the large-scale method of Broder, Glassman, Manasse and Zweig
 * (1997): sort (fingerprint, document). Their second half writes down every pair of every list, sorts the pairs and counts them;
 * here reducers/sampledPairs.ts walks along the lists, so that pairs which share too little are never stored. A fingerprint in
 * more than `hotBucket` documents is frequent: it says little and makes the method quadratic. It has a number instead of a list,
 * and reducers/frequentPairs.ts decides how it is used. The number of frequent fingerprints of each document is reported, so that
 * counts can be corrected for them.
 */

import { numbersBelow } from '../src/arrays/growable.js';
import { firstWhere, lowerBound } from '../src/arrays/search.js';
import { sortByKey64 } from '../src/arrays/sort.js';
import { type Block, encodeBlock } from '../src/blocks/block.js';
import type { Fingerprints } from '../src/blocks/fingerprints.js';

/** Samples in document batches: document d has row `columnOf[d]` of block `blockOf[d]`. */
export interface FingerprintBlocks {
  readonly blocks: readonly Fingerprints[];
  readonly blockOf: Uint32Array;
  readonly columnOf: Uint32Array;
}

/** Fingerprints whose high word is in [from, to): 0 <= from < to <= 2^32. */
interface FingerprintRange {
  readonly from: number;
  readonly to: number;
}

/** Set in the last document of a list: numbers of documents are below it. */
export const LAST = 2 ** 31;

/** The place of a fingerprint that no later document shares. */
export const NOWHERE = 2 ** 32 - 1;

/** The place of frequent fingerprint n is FREQUENT + n; places in lists are below it. */
export const FREQUENT = 2 ** 31;

export interface FingerprintLists {
  /**
   * The documents that have a fingerprint, ascending, list after list, for fingerprints that are in two or more documents and are
   * not frequent.
   */
  readonly listed: Uint32Array;
  /**
   * By entry, document after document: the position in `listed` after the document in the list, NOWHERE, or
   * FREQUENT plus the number of a frequent fingerprint, in ascending order.
   */
  readonly places: Uint32Array;
  /** By given document: its entries, how many of them are frequent, and how many documents follow it in its lists. */
  readonly entries: Uint32Array;
  readonly frequent: Uint32Array;
  readonly steps: Float64Array;
  /** By frequent fingerprint: how many documents have it. */
  readonly holders: Uint32Array;
  /** Fingerprints in two or more documents, including frequent ones. */
  readonly lists: number;
  /** Documents of the longest list; 0 without fingerprints. */
  readonly longestList: number;
}

type KeySort = (keys: Uint32Array, payload: Uint32Array, count: number) => void;

/** Lists of `documents` (ascending, below LAST) by the fingerprints of a range; an entry is a fingerprint of a document. */
export function fingerprintLists(
  samples: FingerprintBlocks,
  documents: Uint32Array,
  range: FingerprintRange,
  hotBucket: number,
  sort: KeySort = sortByKey64,
): FingerprintLists {
  const { keys, ends } = entriesOf(samples, documents, range);
  const found = listsOf({ keys, ends }, documents, hotBucket, sort);
  const entries = ends.map((end, i) => end - (i === 0 ? 0 : ends[i - 1]!));
  return { ...found, entries };
}

/** Entries document after document: those of document i are [ends[i - 1], ends[i]). */
interface Entries {
  readonly keys: Uint32Array;
  readonly ends: Uint32Array;
}

function entriesOf(
  { blocks, blockOf, columnOf }: FingerprintBlocks,
  documents: Uint32Array,
  { from, to }: FingerprintRange,
): Entries {
  const starts = new Uint32Array(documents.length);
  const ends = new Uint32Array(documents.length);
  let count = 0;
  for (let i = 0; i < documents.length; i++) {
    const { offsets, values } = blocks[blockOf[documents[i]!]!]!;
    const row = columnOf[documents[i]!]!;
    starts[i] = firstWhere(offsets[row]!, offsets[row + 1]!, (at) => values[2 * at + 1]! >= from);
    count += firstWhere(starts[i]!, offsets[row + 1]!, (at) => values[2 * at + 1]! >= to) - starts[i]!;
    ends[i] = count;
  }
  const keys = new Uint32Array(2 * count);
  for (let i = 0, at = 0; i < documents.length; at = ends[i++]!) {
    const { values } = blocks[blockOf[documents[i]!]!]!;
    keys.set(values.subarray(2 * starts[i]!, 2 * (starts[i]! + ends[i]! - at)), 2 * at);
  }
  return { keys, ends };
}

/** Sorts the keys of the entries, so that those of one fingerprint are adjacent. */
function listsOf(
  { keys, ends }: Entries,
  documents: Uint32Array,
  hotBucket: number,
  sort: KeySort,
): Omit<FingerprintLists, 'entries'> {
  const count = keys.length / 2;
  const order = numbersBelow(count);
  const holder = new Uint32Array(count);
  for (let i = 0, e = 0; i < documents.length; i++) for (; e < ends[i]!; e++) holder[e] = i;
  // The sort is stable, so entries and with them documents ascend within a list.
  sort(keys, order, count);
  const places = new Uint32Array(count).fill(NOWHERE);
  const frequent = new Uint32Array(documents.length);
  const holders: number[] = [];
  const steps = new Float64Array(documents.length);
  const found = { lists: 0, longestList: 0 };
  // The lists reuse the memory of the order, which is read before it is overwritten.
  const listed = order;
  let length = 0;
  for (let from = 0, to = 0; from < count; from = to) {
    for (to = from + 1; to < count; to++) {
      if (keys[2 * to] !== keys[2 * from] || keys[2 * to + 1] !== keys[2 * from + 1]) break;
    }
    const size = to - from;
    found.longestList = Math.max(found.longestList, size);
    if (size > 1) found.lists++;
    if (size > hotBucket) {
      for (let i = from; i < to; i++) {
        const entry = order[i]!;
        places[entry] = FREQUENT + holders.length;
        frequent[holder[entry]!]!++;
      }
      holders.push(size);
    } else if (size > 1) {
      for (let i = from; i < to; i++) {
        const entry = order[i]!;
        const isLast = i === to - 1;
        if (!isLast) places[entry] = length + 1;
        steps[holder[entry]!]! += to - 1 - i;
        listed[length++] = documents[holder[entry]!]! + (isLast ? LAST : 0);
      }
    }
  }
  return {
    listed: listed.subarray(0, length),
    places,
    frequent,
    steps,
    holders: Uint32Array.from(holders),
    ...found,
  };
}

/** Samples, and which of their fingerprints are frequent. */
export interface PlacedSamples extends FingerprintBlocks {
  /** By document batch, fingerprint after fingerprint: see FingerprintLists; numbered over all ranges. */
  readonly places: readonly Uint32Array[];
}

/** Lists of documents by frequent fingerprint: those of n are [offsets[n], offsets[n + 1]), ascending. */
export interface DocumentLists {
  readonly offsets: Uint32Array;
  readonly documents: Uint32Array;
}

export interface FullLists {
  /** For fingerprints that are paired in full, the documents that rely on them. */
  readonly relying: DocumentLists;
  /** By containment, the documents that have them; else null: both documents of a pair rely on them. */
  readonly holding: DocumentLists | null;
}

/** Visits the frequent fingerprints of a document, ascending. */
export function eachFrequent(
  { blocks, blockOf, columnOf, places }: PlacedSamples,
  document: number,
  visit: (list: number) => void,
): void {
  const { offsets } = blocks[blockOf[document]!]!;
  const mine = places[blockOf[document]!]!;
  const row = columnOf[document]!;
  for (let e = offsets[row]!; e < offsets[row + 1]!; e++) {
    const place = mine[e]!;
    if (place >= FREQUENT && place !== NOWHERE) visit(place - FREQUENT);
  }
}

/** The first position in a list whose document is not before `document`. */
function placeIn({ offsets, documents }: DocumentLists, list: number, document: number): number {
  return lowerBound(documents, offsets[list]!, offsets[list + 1]!, document);
}

/**
 * Where in `lists` the later partners of a document by a frequent fingerprint begin; null: it has none. A document that relies on
 * the fingerprint is paired with all candidates for it, any other document with those that rely on it.
 */
export function partnersOf(
  { relying, holding }: FullLists,
  list: number,
  document: number,
): { readonly lists: DocumentLists; readonly from: number } | null {
  if (relying.offsets[list] === relying.offsets[list + 1]) return null;
  const at = placeIn(relying, list, document);
  const isRelying = at < relying.offsets[list + 1]! && relying.documents[at] === document;
  if (!isRelying) return holding === null ? null : { lists: relying, from: at };
  if (holding === null) return { lists: relying, from: at + 1 };
  return { lists: holding, from: placeIn(holding, list, document) + 1 };
}

/** The lists of frequent fingerprints that are paired in full, as a shared block. */
export function fullListsBlock({ relying, holding }: FullLists): Block {
  const columns = { offsets: relying.offsets, documents: relying.documents };
  const held =
    holding === null ? {} : { holdingOffsets: holding.offsets, holdingDocuments: holding.documents };
  return encodeBlock('documents', {}, { ...columns, ...held }, true);
}

export function fullListsOf({ columns }: Block): FullLists {
  const { offsets, documents, holdingOffsets, holdingDocuments } = columns as Record<string, Uint32Array>;
  const holding =
    holdingOffsets === undefined ? null : { offsets: holdingOffsets, documents: holdingDocuments! };
  return { relying: { offsets: offsets!, documents: documents! }, holding };
}
