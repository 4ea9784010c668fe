/**
 * Fingerprints of a fixed size (Heintze: Scalable Document Fingerprinting, USENIX Workshop on Electronic Commerce,
 * 1996).
 *
 * Selective fingerprinting of a fixed size: of all substrings of one length a fixed number is selected, for any
 * length of the document: 100 for the stored fingerprint and 1,000 for the query fingerprint. The share of the stored
 * document that is in the query document is the share of its 100 substrings that are among the 1,000. This holds if the
 * query document is at most ten times as long as the stored one; otherwise the share falls. Here each document is both
 * stored and query, so both directions are computed, the larger first. Of a document with fewer substrings all are
 * selected.
 *
 * The paper does not define the length of a substring; here it is 30 letters. The paper selects by the rarity of the
 * first five letters of a substring in a sample of documents that is not published, and says that the smallest hashes
 * give similar results with more chance matches: these are used here. Only letters, marks and numbers are compared. An
 * empty text matches nothing.
 */

import { sortUnique64 } from '../../../arrays/sort.js';
import { containmentOf, intersectionSize } from '../../../sketch/similarity.js';
import { seeded } from '../elementStreams.js';
import type { Matcher, MatchSink, Method } from '../method.js';
import { SHARES, SharedElements } from './sharedElements.js';

const SUBSTRING = 30;
const STORED = 100;
const SEARCHED = 1000;

/** The share of the stored fingerprint of `a` that is in the query fingerprint of `b`; both sorted, smallest first. */
function storedShare(a: Uint32Array, b: Uint32Array): number {
  const stored = Math.min(STORED, a.length / 2);
  return containmentOf(intersectionSize(a, 0, stored, b, 0, b.length / 2), stored);
}

/** The smallest of sorted hashes: the query fingerprint, whose first hashes are the stored fingerprint. */
const smallest = (sorted: Uint32Array): Uint32Array => sorted.subarray(0, 2 * SEARCHED);

class FixedFingerprints implements Matcher {
  private readonly bases: readonly Uint32Array[];
  /** Finds the few bases to compare: both shares count substrings of the base's query fingerprint. */
  private readonly shared: SharedElements;
  private readonly row = new Float64Array(SHARES.length);

  constructor(bases: readonly Uint32Array[]) {
    this.bases = bases.map((elements) => {
      const sorted = elements.slice();
      return smallest(sorted.subarray(0, 2 * sortUnique64(sorted, sorted.length / 2))).slice();
    });
    this.shared = new SharedElements(this.bases, 0, 0, { mayReach: () => true, write: () => undefined });
  }

  begin(): void {
    this.shared.begin();
  }

  take(hashes: Uint32Array, count: number): void {
    this.shared.take(hashes, count);
  }

  end(sink: MatchSink): void {
    const { row, bases, shared } = this;
    shared.end((base) => {
      const document = smallest(shared.sorted);
      row[1] = storedShare(bases[base]!, document);
      row[2] = storedShare(document, bases[base]!);
      row[0] = Math.max(row[1], row[2]);
      if (row[0] > 0) sink(base, row);
    });
  }
}

/** Stores a small fingerprint per document. The longer of two documents may be ten times as long as the other. */
export const heintze: Method = {
  name: 'heintze',
  measures: SHARES,
  threshold: 0.1,
  weighing: 'none',
  elements: ({ shingle }) => ({ kind: 'letters', size: SUBSTRING, ...seeded(shingle) }),
  prepare: (bases) => new FixedFingerprints(bases),
};
