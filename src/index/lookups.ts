/**
 * Finds the documents of an index that resemble a document: reads the buckets of its bands, the signatures of their members, and the
 * sets of members that agree in enough slots.
 *
 * Only the first members of a bucket, up to the cap, are candidates, so the time of a lookup does not grow with the size of buckets.
 * The result does not depend on how documents are divided into segments.
 */

import { Float64Column, Uint32Column } from '../arrays/growable.js';
import type { SortUnique } from '../arrays/sort.js';
import type { PairKind } from '../result/readResult.js';
import { sketchFamilyOf } from '../sketch/family.js';
import { leastHotBucket } from '../sketch/hotBuckets.js';
import { writeBandKeys } from '../sketch/slots.js';
import type { OpenedIndex } from './indexFolder.js';
import type { PinnedParams } from './indexManifest.js';
import type { DocumentRecord, Segment } from './segment.js';
import type { IndexedDocument } from './segmentWriter.js';

/** A document that is looked up. */
export type LookedUp = IndexedDocument & {
  /** Sorted distinct hashes, two words each; computed for the first candidate. */
  readonly set: () => Uint32Array | null;
};

/** A text that is looked up: its set is there. */
export interface LookedUpText extends LookedUp {
  readonly set: () => Uint32Array;
}

/** Documents in which to look up: a segment of an index, or documents in memory. */
export interface Searchable {
  /** The number of its first document. */
  readonly first: number;
  readonly rows: number;
  /**
   * Appends the numbers of members of the buckets of the first `bands` keys, ascending in each bucket: at most `left[b]` for band b.
   * Subtracts their number from `left[b]`, and sets it to -1 if there are more.
   */
  members(keys: Uint32Array, bands: number, left: Int32Array, out: Float64Column): void;
  /** `strideOf(hashes)` slots; valid until the next call. */
  signature(row: number): Uint16Array;
  /** Whether a document has the same text or the same tokens; null if the tokens differ. */
  sameness(row: number, document: LookedUp): 'identical' | 'same-tokens' | null;
  /** Exact Jaccard similarity of the sets; negative if one of them is not known. */
  resemblance(row: number, document: LookedUp): number;
}

/** A document that resembles the one looked up. */
export interface Hit<S extends Searchable> {
  /** Its number in the order of adding, from 0. Removed documents keep their number until segments are merged. */
  readonly number: number;
  readonly segment: S;
  readonly row: number;
  /** Exact Jaccard similarity of the sets, or the fraction of equal slots. */
  readonly jaccard: number;
  readonly kind: PairKind;
}

/** A document of an index that resembles the one looked up. */
export type IndexHit = Hit<Segment>;

export interface LookupRule {
  /** Minimum agreement of a candidate whose set is compared. */
  readonly margin: number;
  readonly threshold: number;
  readonly hashes: number;
  /** Maximum number of members of a bucket that become candidates. */
  readonly cap: number;
  /** Only the first hit is wanted. */
  readonly isBestOnly?: boolean;
  /** False: the similarity is the fraction of equal slots. */
  readonly isExact?: boolean;
}

/** @param threshold at least that of the index */
export function lookupRule(params: PinnedParams, threshold = params.threshold): LookupRule {
  const { sketch, banding, hotBucket } = params;
  return {
    margin: sketchFamilyOf({
      sketch,
      banding,
      threshold,
      exactDuplicates: false,
      measure: 'resemblance',
    }).margin(),
    threshold,
    hashes: sketch.hashes,
    cap: leastHotBucket(hotBucket),
  };
}

export interface LookupResult<S extends Searchable> {
  /** Most similar first; ties in the order of adding. */
  readonly hits: Hit<S>[];
  /** Candidates whose signatures were compared. */
  readonly candidates: number;
  /** Whether candidates were skipped, because of the cap or because there are too many. */
  readonly isCapped: boolean;
}

/** Maximum number of candidates per lookup whose signatures are compared; and whose sets are, in a lookup for the best hit. */
const MOST_SIGNATURES = 1024;
const MOST_SETS = 64;

/** The documents that reach the threshold. @throws MinHashError INDEX_DAMAGED naming the file */
export function lookUp<S extends Searchable>(
  segments: readonly S[],
  document: LookedUp,
  rule: LookupRule,
): LookupResult<S> {
  const isCapped = findMembers(segments, document, document.keys.length, rule.cap);
  if (MEMBERS.length === 0) return { hits: [], candidates: 0, isCapped };
  const numbers = mostShared(MEMBERS.view);
  const found = compared(segments, numbers.first, document, rule);
  return { ...found, isCapped: isCapped || numbers.isCut || found.isCapped };
}

/** The first document with the same tokens. All of them share a bucket in each band, so one page is read. */
export function lookUpSame<S extends Searchable>(
  segments: readonly S[],
  document: LookedUp,
  { cap, hashes }: LookupRule,
): LookupResult<S> {
  const isCapped = findMembers(segments, document, 1, cap);
  const candidates = MEMBERS.length;
  if (candidates === 0) return { hits: [], candidates, isCapped };
  let at = 0;
  for (const number of MEMBERS.view) {
    while (number >= segments[at]!.first + segments[at]!.rows) at++;
    const segment = segments[at]!;
    const row = number - segment.first;
    if (agreementOf(segment.signature(row), document.slots, hashes) < hashes) continue;
    const kind = segment.sameness(row, document);
    if (kind === null) continue;
    return { hits: [{ number, segment, row, jaccard: 1, kind }], candidates, isCapped };
  }
  return { hits: [], candidates, isCapped };
}

/**
 * The distinct numbers of members of buckets, ascending. If there are more than MOST_SIGNATURES, those that share the most bands (ties:
 * in the order of adding).
 */
function mostShared(members: Float64Array): { readonly first: Float64Array; readonly isCut: boolean } {
  members.sort();
  const numbers = members.filter((number, i) => i === 0 || number !== members[i - 1]);
  if (numbers.length <= MOST_SIGNATURES) return { first: numbers, isCut: false };
  const shared = new Uint32Array(numbers.length);
  for (let i = 0, at = -1; i < members.length; i++) {
    if (i === 0 || members[i] !== members[i - 1]) at++;
    shared[at]!++;
  }
  const order = Array.from(numbers.keys()).sort((i, j) => shared[j]! - shared[i]! || i - j);
  const first = Float64Array.from(order.slice(0, MOST_SIGNATURES), (i) => numbers[i]!);
  return { first: first.sort(), isCut: true };
}

/** Maximum number of pairs in memory, 8 bytes each. */
const MOST_PAIRS = 1 << 23;

/**
 * Looks up all documents of a segment that is not in the index yet. Its bands and those of the index are read once, in parallel. If too
 * many documents share buckets, they are looked up one by one instead.
 *
 * @param sort sorts 64-bit numbers and drops repetitions
 * @param read reads the sets that lookups need
 */
export async function* lookUpSegment(
  index: OpenedIndex,
  added: Segment,
  rule: LookupRule,
  sort: SortUnique,
  read: () => Promise<unknown>,
): AsyncGenerator<{ readonly record: DocumentRecord; readonly hits: readonly IndexHit[] }> {
  const { segments, pending } = index;
  const { banding } = index.manifest.parameters;
  const pairs = pairsInBuckets(segments, added, banding.bands, rule.cap);
  const count = pairs === null ? 0 : sort(pairs, pairs.length / 2);
  const keys = new Uint32Array(banding.bands);
  let at = 0;
  const hitsOf = (row: number): readonly IndexHit[] => {
    const from = at;
    while (pairs !== null && at < count && pairs[2 * at + 1] === row) at++;
    if (pairs !== null && at === from) return [];
    const record = added.record(row);
    const document = { ...record, slots: added.signature(row), keys, set: () => added.setOf(row) };
    if (pairs === null || at - from > MOST_SIGNATURES) {
      writeBandKeys(document.slots, document.slots.length, banding, keys);
      return lookUp(segments, document, rule).hits;
    }
    const numbers = Float64Array.from({ length: at - from }, (_, i) => pairs[2 * (from + i)]!);
    return compared(segments, numbers, document, rule).hits;
  };
  for (let row = 0; row < added.rows; ) {
    let to = added.rows;
    if (pending !== null) {
      pending.clear();
      const start = at;
      for (to = row; to < added.rows && !pending.isFull; to++) hitsOf(to);
      await read();
      at = start;
    }
    for (; row < to; row++) {
      const hits = hitsOf(row);
      if (hits.length > 0) yield { record: added.record(row), hits };
    }
  }
}

/** A pair (number in the index, row of an added document) for each shared bucket; null if there are too many. */
function pairsInBuckets(
  segments: readonly Segment[],
  added: Segment,
  bands: number,
  cap: number,
): Uint32Array | null {
  const pairs = new Uint32Column();
  for (let band = 0; band < bands; band++) {
    const { keys, starts, rows } = bucketsOf(added.band(band));
    const members = new Uint32Array(keys.length);
    let isFull = false;
    for (const segment of segments) {
      segment.visitAll(band, keys, (i, row) => {
        if (isFull || members[i]! >= cap) return;
        members[i]!++;
        for (let at = starts[i]!; at < starts[i + 1]!; at++) {
          pairs.push(segment.first + row);
          pairs.push(rows[at]!);
        }
        isFull = pairs.length > 2 * MOST_PAIRS;
      });
      if (isFull) return null;
    }
  }
  return pairs.view;
}

/** The distinct keys of the sorted entries of a band. Key i has the rows `rows[starts[i]]` to `rows[starts[i + 1] - 1]`. */
function bucketsOf(entries: Uint32Array) {
  const count = entries.length / 2;
  const [keys, starts, rows] = [new Uint32Array(count), new Uint32Array(count + 1), new Uint32Array(count)];
  let distinct = 0;
  for (let i = 0; i < count; i++) {
    rows[i] = entries[2 * i]!;
    const key = entries[2 * i + 1]!;
    if (i > 0 && key === keys[distinct - 1]) continue;
    starts[distinct] = i;
    keys[distinct++] = key;
  }
  starts[distinct] = count;
  return { keys: keys.subarray(0, distinct), starts, rows };
}

/** Fills MEMBERS with the numbers of the first `cap` members of the buckets of some bands; returns whether there are more. */
function findMembers(
  segments: readonly Searchable[],
  { keys }: LookedUp,
  bands: number,
  cap: number,
): boolean {
  MEMBERS.truncate(0);
  if (LEFT.length < bands) LEFT = new Int32Array(bands);
  LEFT.fill(cap, 0, bands);
  for (const segment of segments) segment.members(keys, bands, LEFT, MEMBERS);
  for (let band = 0; band < bands; band++) if (LEFT[band]! < 0) return true;
  return false;
}

/** Reused memory: members of the buckets of a document; and by band, how many more are wanted. */
const MEMBERS = new Float64Column();
let LEFT = new Int32Array(0);

/** The candidates (ascending, distinct numbers) that reach the threshold: best first; ties in the order of adding. */
function compared<S extends Searchable>(
  segments: readonly S[],
  numbers: Float64Array,
  document: LookedUp,
  { margin, hashes, threshold, isBestOnly = false, isExact = true }: LookupRule,
): LookupResult<S> {
  const agreeing: { readonly segment: S; readonly row: number; readonly agreement: number }[] = [];
  let at = 0;
  for (const number of numbers) {
    while (number >= segments[at]!.first + segments[at]!.rows) at++;
    const segment = segments[at]!;
    const row = number - segment.first;
    const agreement = agreementOf(segment.signature(row), document.slots, hashes);
    if (agreement >= margin) agreeing.push({ segment, row, agreement });
  }
  const isCapped = isBestOnly && agreeing.length > MOST_SETS;
  if (isCapped) agreeing.sort((a, b) => b.agreement - a.agreement).splice(MOST_SETS);
  const hits: Hit<S>[] = [];
  for (const { segment, row, agreement } of agreeing) {
    const same = segment.sameness(row, document);
    const resemblance = (): number => (isExact ? segment.resemblance(row, document) : agreement / hashes);
    const jaccard = same === null ? resemblance() : 1;
    if (isExact && jaccard < threshold) continue;
    hits.push({ number: segment.first + row, segment, row, jaccard, kind: same ?? 'near' });
  }
  hits.sort((a, b) => b.jaccard - a.jaccard || a.number - b.number);
  return { hits, candidates: numbers.length, isCapped };
}

function agreementOf(a: Uint16Array, b: Uint16Array, hashes: number): number {
  let equal = 0;
  for (let slot = 0; slot < hashes; slot++) if (a[slot] === b[slot]) equal++;
  return equal;
}
