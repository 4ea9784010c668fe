/**
 * Resemblance and containment of shingle sets (Broder 1997, section 2), exactly: what of a base is in a document, and the
 * other way round.
 */

import { FingerprintTable } from '../../arrays/hashTable.js';
import { sortUniqueHashes } from '../../arrays/sort.js';
import { containmentOf, resemblanceOf } from '../../sketch/similarity.js';
import type { Matcher, MatchSink, Method } from './method.js';

/** Fewer shingles than this are not worth looking for repetitions before the document ends. */
const FIRST_ROOM = 1 << 14;

/** Bits of the filter for each shingle of the bases: an eighth of the others passes it by chance, at most. */
const FILTER_BITS = 8;
const LEAST_FILTER = 1 << 12;
const MOST_FILTER = 1 << 24;

/** What is made of the numbers of shingles in a base, in a document and in both (at least 1). */
interface Measure {
  /** Whether the first value may reach `least`: `isWithin(n)` says whether the document has at most n distinct shingles. */
  mayReach(common: number, base: number, least: number, isWithin: (most: number) => boolean): boolean;
  write(common: number, base: number, document: number, into: Float64Array): void;
}

/**
 * Counts the shingles that documents have in common with bases. Memory: some 30 bytes a shingle of the bases, and 8 a
 * distinct shingle of the longest document.
 */
class SharedShingles implements Matcher {
  private readonly measure: Measure;
  private readonly least: number;
  /** All shingles of all bases. */
  private readonly table = new FingerprintTable();
  /** Bases that have shingle n: owners[offsets[n] .. offsets[n + 1]). */
  private readonly owners: Uint32Array;
  private readonly offsets: Uint32Array;
  /** Distinct shingles of each base. */
  private readonly sizes: Uint32Array;
  /** A bit for the low bits of every shingle of a base: most shingles of a corpus are told by it to be in none. */
  private readonly filter: Uint32Array;
  private readonly filterMask: number;
  /** By shingle: the last document that has it. */
  private readonly met: Uint32Array;
  private document = 0;
  /** By base: shingles shared with the document. */
  private readonly common: Uint32Array;
  private isShared = false;
  private hashes = new Uint32Array(2 * FIRST_ROOM);
  private held = 0;
  private readonly row = new Float64Array(4);
  private readonly few = new FingerprintTable();

  constructor(bases: readonly Uint32Array[], least: number, measure: Measure) {
    this.measure = measure;
    this.least = least;
    const { table } = this;
    const pairs: number[] = [];
    this.sizes = Uint32Array.from(bases, (elements, base) => {
      const distinct = elements.slice();
      const size = sortUniqueHashes(distinct, distinct.length / 2);
      for (let i = 0; i < 2 * size; i += 2) pairs.push(table.add(distinct[i]!, distinct[i + 1]!), base);
      return size;
    });
    this.offsets = new Uint32Array(table.size + 1);
    for (let i = 0; i < pairs.length; i += 2) this.offsets[pairs[i]! + 1]!++;
    for (let n = 0; n < table.size; n++) this.offsets[n + 1]! += this.offsets[n]!;
    const next = this.offsets.slice();
    this.owners = new Uint32Array(pairs.length / 2);
    for (let i = 0; i < pairs.length; i += 2) this.owners[next[pairs[i]!]!++] = pairs[i + 1]!;
    this.met = new Uint32Array(table.size);
    this.common = new Uint32Array(bases.length);
    let bits = LEAST_FILTER;
    while (bits < FILTER_BITS * table.size && bits < MOST_FILTER) bits *= 2;
    this.filter = new Uint32Array(bits / 32);
    this.filterMask = bits - 1;
    for (let n = 0; n < table.size; n++) {
      const bit = table.keys[2 * n]! & this.filterMask;
      this.filter[bit >>> 5]! |= 1 << (bit & 31);
    }
  }

  begin(): void {
    this.document++;
    if (this.isShared) this.common.fill(0);
    this.isShared = false;
    this.held = 0;
  }

  take(hashes: Uint32Array, count: number): void {
    const { filter, filterMask } = this;
    this.hold(hashes, count);
    for (let i = 0; i < 2 * count; i += 2) {
      const bit = hashes[i]! & filterMask;
      if (((filter[bit >>> 5]! >>> (bit & 31)) & 1) !== 0) this.look(hashes[i]!, hashes[i + 1]!);
    }
  }

  end(found: MatchSink): void {
    if (!this.isShared) return;
    const { common, sizes, row, measure, least } = this;
    let size = 0;
    for (let base = 0; base < common.length; base++) {
      const shared = common[base]!;
      if (shared === 0) continue;
      // Nearly all texts of one language share a phrase: they are told apart before anything is sorted.
      if (size === 0 && !measure.mayReach(shared, sizes[base]!, least, this.isWithin)) continue;
      if (size === 0) size = sortUniqueHashes(this.hashes, this.held);
      measure.write(shared, sizes[base]!, size, row);
      found(base, row);
    }
  }

  /** Whether the document has at most so many distinct shingles; looks at hardly more than that. */
  private readonly isWithin = (most: number): boolean => {
    const { few, hashes, held } = this;
    if (held <= most) return true;
    few.clear();
    for (let i = 0; i < 2 * held; i += 2) {
      few.add(hashes[i]!, hashes[i + 1]!);
      if (few.size > most) return false;
    }
    return true;
  };

  private look(low: number, high: number): void {
    const n = this.table.numberOf(low, high);
    if (n < 0 || this.met[n] === this.document) return;
    this.met[n] = this.document;
    this.isShared = true;
    for (let i = this.offsets[n]!; i < this.offsets[n + 1]!; i++) this.common[this.owners[i]!]!++;
  }

  /** Holds the shingles, for the number of distinct ones; repetitions go before memory grows. */
  private hold(hashes: Uint32Array, count: number): void {
    if (2 * (this.held + count) > this.hashes.length) this.makeRoom(count);
    this.hashes.set(hashes.subarray(0, 2 * count), 2 * this.held);
    this.held += count;
  }

  private makeRoom(count: number): void {
    this.held = sortUniqueHashes(this.hashes, this.held);
    if (4 * (this.held + count) <= this.hashes.length) return;
    const larger = new Uint32Array(4 * (this.held + count));
    larger.set(this.hashes.subarray(0, 2 * this.held));
    this.hashes = larger;
  }
}

/** Shingles of a set of which `common` may be a share of `least`; one more, because the quotient is rounded. */
const mostOf = (common: number, least: number): number => common / least + 1;

/** Documents that are alike as a whole. */
export const resemblance: Method = {
  name: 'resemblance',
  measures: ['resemblance', 'base_in_document', 'document_in_base'],
  threshold: 0.1,
  weighing: 'none',
  elements: ({ shingle }) => ({ kind: 'shingles', shingle }),
  prepare: (bases, _params, _corpus, least) =>
    new SharedShingles(bases, least, {
      // Resemblance is at most either containment.
      mayReach: (common, base, wanted, isWithin) =>
        common / base >= wanted && isWithin(mostOf(common, wanted)),
      write(common, base, document, into) {
        into[0] = resemblanceOf(common, base, document);
        into[1] = containmentOf(common, base);
        into[2] = containmentOf(common, document);
      },
    }),
};

/** Documents that hold the base, or are held by it: ranked by the larger share, of equal ones the more alike first. */
export const containment: Method = {
  name: 'containment',
  measures: ['containment', 'resemblance', 'base_in_document', 'document_in_base'],
  threshold: 0.1,
  weighing: 'none',
  elements: ({ shingle }) => ({ kind: 'shingles', shingle }),
  prepare: (bases, _params, _corpus, least) =>
    new SharedShingles(bases, least, {
      mayReach: (common, base, wanted, isWithin) =>
        common / base >= wanted || isWithin(mostOf(common, wanted)),
      write(common, base, document, into) {
        into[2] = containmentOf(common, base);
        into[3] = containmentOf(common, document);
        into[0] = Math.max(into[2], into[3]);
        into[1] = resemblanceOf(common, base, document);
      },
    }),
};
