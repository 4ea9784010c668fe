/**
 * Reduce by fingerprint: documents whose samples have a fingerprint in common become pairs with the number of those.
 *
 * Floor 2. Works on a range of fingerprints, so counts are of that range alone and are added up later. This is the
 * large-scale method of Broder, Glassman, Manasse and Zweig (1997): sort (fingerprint, document), expand each list into
 * pairs, count. A fingerprint in more than `hotBucket` documents is eliminated: it says little and is what makes the method
 * quadratic. How many of them each document has is told, so that nobody takes a count for less than it may be.
 */
import type { Fingerprints } from '../src/blocks/fingerprints.js';
import { Uint32Column } from '../src/blocks/growable.js';
import type { Pairs } from '../src/sketch/pairs.js';
import { sortByKey64 } from '../src/sketch/radixSort.js';

/** Samples in column blocks: document d has row `columnOf[d]` of block `blockOf[d]`. */
export interface FingerprintBlocks {
  readonly blocks: readonly Fingerprints[];
  readonly blockOf: Uint32Array;
  readonly columnOf: Uint32Array;
}

/** Fingerprints whose high word is in [from, to): 0 <= from < to <= 2^32. */
export interface FingerprintRange {
  readonly from: number;
  readonly to: number;
}

/** Pairs that share fingerprints of a range, sorted by (a, b), distinct. */
export interface SharingPairs extends Pairs {
  /** How many they share. */
  readonly shared: Uint32Array;
}

export interface FingerprintPairs extends SharingPairs {
  /** Documents with eliminated fingerprints, ascending, and how many of the range each has. */
  readonly documents: Uint32Array;
  readonly eliminated: Uint32Array;
  /** Pairs (fingerprint, document) of the range. */
  readonly entries: number;
  /** Fingerprints in two documents or more, eliminated ones too. */
  readonly lists: number;
  readonly eliminatedLists: number;
  /** Documents of the longest list; 0 without fingerprints. */
  readonly longestList: number;
  /** Pairs that the eliminated lists would have made, repeated ones too. */
  readonly skipped: number;
}

type KeySort = (keys: Uint32Array, payload: Uint32Array, count: number) => void;

/** Pairs of `documents` (ascending) by the fingerprints of a range. Costs entries times `hotBucket` at most. */
export function fingerprintPairs(
  samples: FingerprintBlocks,
  documents: Uint32Array,
  range: FingerprintRange,
  hotBucket: number,
  sort: KeySort = sortByKey64,
): FingerprintPairs {
  const entries = entriesOf(samples, documents, range);
  const found = listed(entries, hotBucket, documents.length, sort);
  const pairs = countedPairs(documents, entries, found);
  const eliminating = found.eliminated.reduce((sum, count) => sum + Math.min(count, 1), 0);
  const told = { documents: new Uint32Array(eliminating), eliminated: new Uint32Array(eliminating) };
  for (let i = 0, row = 0; i < documents.length; i++) {
    if (found.eliminated[i] === 0) continue;
    told.documents[row] = documents[i]!;
    told.eliminated[row++] = found.eliminated[i]!;
  }
  const { lists, eliminatedLists, longestList, skipped } = found;
  const count = entries.keys.length / 2;
  return { ...pairs, ...told, entries: count, lists, eliminatedLists, longestList, skipped };
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
    starts[i] = firstAtLeast(values, offsets[row]!, offsets[row + 1]!, from);
    count += firstAtLeast(values, starts[i]!, offsets[row + 1]!, to) - starts[i]!;
    ends[i] = count;
  }
  const keys = new Uint32Array(2 * count);
  for (let i = 0, at = 0; i < documents.length; at = ends[i++]!) {
    const { values } = blocks[blockOf[documents[i]!]!]!;
    keys.set(values.subarray(2 * starts[i]!, 2 * (starts[i]! + ends[i]! - at)), 2 * at);
  }
  return { keys, ends };
}

/** The first of sorted fingerprints [from, to) whose high word is at least `high`; `to` where there is none. */
function firstAtLeast(values: Uint32Array, from: number, to: number, high: number): number {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (values[2 * middle + 1]! < high) from = middle + 1;
    else to = middle;
  }
  return from;
}

interface Lists extends Pick<FingerprintPairs, 'lists' | 'eliminatedLists' | 'longestList' | 'skipped'> {
  /** List after list: the documents (numbers within the list of documents) in ascending order. */
  readonly documents: Uint32Array;
  /** By entry: where the part of its list begins that is behind it, and where it ends; nothing of eliminated ones. */
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  /** By document of the list: its eliminated fingerprints. */
  readonly eliminated: Uint32Array;
}

/** Sorts the keys of the entries, so that those of one fingerprint stand together. */
function listed({ keys, ends }: Entries, hotBucket: number, documents: number, sort: KeySort): Lists {
  const count = keys.length / 2;
  const order = new Uint32Array(count);
  for (let e = 0; e < count; e++) order[e] = e;
  // Stable, so that entries and with them documents ascend within a list.
  sort(keys, order, count);
  const places = { from: new Uint32Array(count), to: new Uint32Array(count) };
  const isHot = new Uint8Array(count);
  const found = { lists: 0, eliminatedLists: 0, longestList: 0, skipped: 0 };
  for (let from = 0, to = 0; from < count; from = to) {
    for (to = from + 1; to < count; to++) {
      if (keys[2 * to] !== keys[2 * from] || keys[2 * to + 1] !== keys[2 * from + 1]) break;
    }
    const size = to - from;
    found.longestList = Math.max(found.longestList, size);
    if (size > 1) found.lists++;
    if (size <= hotBucket) {
      for (let i = from; i < to; i++) {
        places.from[order[i]!] = i + 1;
        places.to[order[i]!] = to;
      }
    } else {
      found.eliminatedLists++;
      found.skipped += (size * (size - 1)) / 2;
      for (let i = from; i < to; i++) isHot[order[i]!] = 1;
    }
  }
  const eliminated = new Uint32Array(documents);
  const documentOf = new Uint32Array(count);
  for (let i = 0, e = 0; i < documents; i++) {
    for (; e < ends[i]!; e++) {
      eliminated[i]! += isHot[e]!;
      documentOf[e] = i;
    }
  }
  for (let p = 0; p < count; p++) order[p] = documentOf[order[p]!]!;
  return { documents: order, ...places, eliminated, ...found };
}

/** Document after document: counts how often each later document is met in the lists of its entries. */
function countedPairs(documents: Uint32Array, { ends }: Entries, lists: Lists): SharingPairs {
  const { documents: listed, from, to } = lists;
  const counts = new Uint32Array(documents.length);
  const met = new Uint32Array(documents.length);
  const columns = { a: new Uint32Column(), b: new Uint32Column(), shared: new Uint32Column() };
  for (let i = 0, e = 0; i < documents.length; i++) {
    let partners = 0;
    for (; e < ends[i]!; e++) {
      for (let p = from[e]!; p < to[e]!; p++) {
        const j = listed[p]!;
        if (counts[j]!++ === 0) met[partners++] = j;
      }
    }
    met.subarray(0, partners).sort();
    for (let p = 0; p < partners; p++) {
      columns.a.push(documents[i]!);
      columns.b.push(documents[met[p]!]!);
      columns.shared.push(counts[met[p]!]!);
      counts[met[p]!] = 0;
    }
  }
  const { a, b, shared } = columns;
  return { a: a.view, b: b.view, shared: shared.view, count: a.length };
}
