/**
 * Documents by frequent fingerprint, and frequent fingerprints by document: how the lists of frequentLists are walked along.
 *
 * Floor 2. Types and searches; which documents are in which list is decided in frequentLists.
 */
import { type Block, encodeBlock } from '../src/blocks/block.js';
import { type FingerprintBlocks, FREQUENT, NOWHERE } from './fingerprintLists.js';

/** Samples, and which of their fingerprints are frequent. */
export interface PlacedSamples extends FingerprintBlocks {
  /** By column block, fingerprint after fingerprint: see FingerprintLists; numbered over all ranges. */
  readonly places: readonly Uint32Array[];
}

/** Lists of documents by frequent fingerprint: those of n are [offsets[n], offsets[n + 1]), ascending. */
export interface DocumentLists {
  readonly offsets: Uint32Array;
  readonly documents: Uint32Array;
}

export interface FullLists {
  /** Of fingerprints that are paired in full the documents that rely on them. */
  readonly relying: DocumentLists;
  /** By containment the documents that have them, else null: pairs are of two that rely on them. */
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

/** The first of a list's documents that is not before one. */
export function placeIn({ offsets, documents }: DocumentLists, list: number, document: number): number {
  let [low, high] = [offsets[list]!, offsets[list + 1]!];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (documents[middle]! < document) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Where in `lists` the later partners of a document by a frequent fingerprint begin; null: it has none by it. A document that
 * relies on it meets all that are in question, another one those that rely on it.
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
