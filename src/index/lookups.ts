/**
 * Finds the documents of an index that resemble a document: the buckets of its bands, the signatures of their members, and the sets of
 * those that agree in enough slots.
 *
 * Of a bucket the first members in the order of adding are candidates, as many as the cap allows, so that the time of a lookup does not
 * grow with a bucket that holds much of the index. The answer does not depend on how documents are divided into segments.
 */
import { Uint32Column } from '../arrays/growable.js';
import type { PairKind } from '../result/readResult.js';
import { sketchFamilyOf } from '../sketch/family.js';
import { leastHotBucket } from '../sketch/hotBuckets.js';
import { intersectionSize, resemblanceOf } from '../sketch/similarity.js';
import type { OpenedIndex } from './indexFolder.js';
import type { PinnedParams } from './indexManifest.js';
import type { DocumentRecord, Segment } from './segment.js';
import type { IndexedDocument } from './segmentWriter.js';

/** A document that is looked up. */
export type LookedUp = Pick<IndexedDocument, 'slots' | 'keys' | 'contentKey' | 'textKey'> & {
  /** Sorted distinct hashes, two words each: made when the first candidate needs it. */
  readonly set: () => Uint32Array;
};

/** A document of the index that resembles the one looked up. */
export interface IndexHit {
  /** Its number in the order of adding, from 0. Removed documents keep theirs until segments are merged. */
  readonly number: number;
  readonly segment: Segment;
  readonly row: number;
  readonly record: DocumentRecord;
  /** Exact Jaccard similarity of the sets, and their common elements. */
  readonly jaccard: number;
  readonly common: number;
  readonly kind: PairKind;
}

export interface LookupRule {
  /** Least agreement of a candidate whose set is compared. */
  readonly margin: number;
  readonly threshold: number;
  readonly hashes: number;
  /** Most members of a bucket that become candidates. */
  readonly cap: number;
  /** Only the first hit is wanted. */
  readonly isBestOnly?: boolean;
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

export interface LookupResult {
  /** Most similar first, of equal ones the first added. */
  readonly hits: IndexHit[];
  /** Candidates whose signatures were compared. */
  readonly candidates: number;
  /** Whether a bucket has more members than the cap. */
  readonly isCapped: boolean;
}

/** The documents that reach the threshold. @throws MinHashError INDEX_DAMAGED naming the file */
export function lookUp(index: OpenedIndex, document: LookedUp, rule: LookupRule): LookupResult {
  const { segments } = index;
  const { bands } = index.manifest.parameters.banding;
  const rows = segments.map(() => new Uint32Column(16));
  let isCapped = false;
  for (let band = 0; band < bands; band++) {
    if (addMembers(segments, rows, band, document, rule)) isCapped = true;
    if (band > 0 || rule.isBestOnly !== true) continue;
    // All documents with the same tokens are in one bucket, and none is more similar.
    const { hits, candidates } = compared(segments, viewsOf(rows), document, {
      ...rule,
      margin: rule.hashes,
    });
    const same = hits.find(({ kind }) => kind !== 'near');
    if (same !== undefined) return { hits: [same], candidates, isCapped };
  }
  return { ...bestFirst(compared(segments, viewsOf(rows), document, rule)), isCapped };
}

const viewsOf = (rows: readonly Uint32Column[]): Uint32Array[] => rows.map(({ view }) => view.sort());

function bestFirst(found: ReturnType<typeof compared>): ReturnType<typeof compared> {
  found.hits.sort((a, b) => b.jaccard - a.jaccard || a.number - b.number);
  return found;
}

/** Entries of members of buckets that are held at a time: 8 bytes each. */
const MOST_MEMBERS = 1 << 22;

/**
 * Looks up many documents: band by band in the order of keys, so that a page is read once. Null: so many documents share buckets that they
 * are looked up one by one.
 *
 * @param keysOf writes the keys of a band, by document
 * @param sort sorts 64-bit numbers and drops repetitions; returns how many remain
 * @returns a lookup by the number of a document, for calls in any order
 */
export function lookUpMany(
  index: OpenedIndex,
  documents: number,
  keysOf: (band: number, keys: Uint32Array) => void,
  sort: (numbers: Uint32Array, count: number) => number,
  rule: LookupRule,
): ((i: number, document: LookedUp) => IndexHit[]) | null {
  const { segments } = index;
  const { bands } = index.manifest.parameters.banding;
  const keys = new Uint32Array(documents);
  const entries = new Uint32Array(2 * documents);
  const members = segments.map(() => new Uint32Column());
  let total = 0;
  for (let band = 0; band < bands; band++) {
    keysOf(band, keys);
    for (let i = 0; i < documents; i++) {
      entries[2 * i] = i;
      entries[2 * i + 1] = keys[i]!;
    }
    sort(entries, documents);
    for (let at = 0; at < entries.length; at += 2) {
      let count = 0;
      for (let i = 0; i < segments.length && count <= rule.cap; i++) {
        segments[i]!.visit(band, entries[at + 1]!, (row) => {
          if (++count > rule.cap) return false;
          members[i]!.push(row);
          members[i]!.push(entries[at]!);
          return true;
        });
      }
      total += count;
      if (total > MOST_MEMBERS) return null;
    }
  }
  const sorted = members.map(({ view }) => view.subarray(0, 2 * sort(view, view.length / 2)));
  return (i, document) =>
    bestFirst(
      compared(
        segments,
        sorted.map((pairs) => membersOf(pairs, i)),
        document,
        rule,
      ),
    ).hits;
}

/** The low words of the entries whose high word is `i`; entries are sorted. */
function membersOf(entries: Uint32Array, i: number): Uint32Array {
  let low = 0;
  let high = entries.length / 2;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (entries[2 * middle + 1]! < i) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (2 * end < entries.length && entries[2 * end + 1] === i) end++;
  return Uint32Array.from({ length: end - low }, (_, at) => entries[2 * (low + at)]!);
}

/** Adds the members of a bucket to the rows of their segments; returns whether some are beyond the cap. */
function addMembers(
  segments: readonly Segment[],
  rows: readonly Uint32Column[],
  band: number,
  { keys }: LookedUp,
  { cap }: LookupRule,
): boolean {
  let members = 0;
  for (let i = 0; i < segments.length && members <= cap; i++) {
    segments[i]!.visit(band, keys[band]!, (row) => {
      if (++members > cap) return false;
      rows[i]!.push(row);
      return true;
    });
  }
  return members > cap;
}

/** Those of some documents, ascending, that reach the threshold. */
function compared(
  segments: readonly Segment[],
  rows: readonly Uint32Array[],
  document: LookedUp,
  { margin, hashes, threshold }: LookupRule,
): { hits: IndexHit[]; candidates: number } {
  const hits: IndexHit[] = [];
  let candidates = 0;
  for (const [i, segment] of segments.entries()) {
    let before = -1;
    for (const row of rows[i]!) {
      if (row === before) continue;
      before = row;
      candidates++;
      if (agreementOf(segment.signature(row), document.slots, hashes) < margin) continue;
      const record = segment.record(row);
      const isSame = areEqual(record.contentKey, document.contentKey);
      const common = isSame ? record.setCount : commonOf(segment, record, document.set());
      const jaccard = isSame ? 1 : resemblanceOf(common, document.set().length / 2, record.setCount);
      if (jaccard < threshold) continue;
      const isIdentical = isSame && areEqual(record.textKey, document.textKey);
      const kind = isIdentical ? 'identical' : isSame ? 'same-tokens' : 'near';
      hits.push({ number: segment.first + row, segment, row, record, jaccard, common, kind });
    }
  }
  return { hits, candidates };
}

function commonOf(segment: Segment, record: DocumentRecord, set: Uint32Array): number {
  const other = segment.set(record);
  return intersectionSize(set, 0, set.length / 2, other, 0, other.length / 2);
}

function agreementOf(a: Uint16Array, b: Uint16Array, hashes: number): number {
  let equal = 0;
  for (let slot = 0; slot < hashes; slot++) if (a[slot] === b[slot]) equal++;
  return equal;
}

function areEqual(a: Uint32Array, b: Uint32Array): boolean {
  return a[0] === b[0] && a[1] === b[1] && a[2] === b[2] && a[3] === b[3];
}
