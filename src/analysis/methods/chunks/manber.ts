/**
 * sif: files that share fingerprints of 50 bytes (Manber: Finding Similar Files in a Large File System, USENIX Winter
 * 1994).
 *
 * Every substring of 50 bytes has a fingerprint; fingerprints whose last 8 bits are zero are selected, one in 256. (The
 * first variant of the paper cuts at fixed strings, anchors, that must be chosen for a language; the second, used here,
 * has none.) Bytes are compared without normalization: case, white space and encoding make a difference. The similarity
 * of a file to another is the share of its selected fingerprints that the other has; both directions are computed, the
 * larger first.
 *
 * Chosen here: fingerprints are 64-bit hashes instead of Rabin's polynomials; a text of fewer than 50 bytes has one
 * fingerprint, of all its bytes, which may be selected like any other. A text of less than a few thousand bytes may
 * have no selected fingerprint: then it matches nothing, not even itself. The empty text matches nothing.
 */

import type { ShingleSink } from '../../../text/shingles.js';
import type { Method } from '../method.js';
import { type Selection, SHARES, selectedMatcher } from './sharedElements.js';

const SUBSTRING = 50;
/** The bits that are zero in selected fingerprints: one in 256. */
const ZERO_BITS = 0xff;
const ROOM = 1024;

/** Passes on the fingerprints whose low bits are zero. */
class ZeroBits implements Selection {
  private readonly pass: ShingleSink;
  private readonly held = new Uint32Array(2 * ROOM);
  private count = 0;

  constructor(pass: ShingleSink) {
    this.pass = pass;
  }

  begin(): void {
    this.count = 0;
  }

  take(hashes: Uint32Array, count: number): void {
    for (let i = 0; i < 2 * count; i += 2) {
      if ((hashes[i]! & ZERO_BITS) !== 0) continue;
      this.held[2 * this.count] = hashes[i]!;
      this.held[2 * this.count + 1] = hashes[i + 1]!;
      if (++this.count === ROOM) this.end();
    }
  }

  end(): void {
    if (this.count > 0) this.pass(this.held, this.count);
    this.count = 0;
  }
}

/** Finds files that contain parts of each other, at low cost; misses small files. */
export const manber: Method = {
  name: 'manber',
  measures: SHARES,
  threshold: 0.1,
  weighing: 'none',
  elements: ({ shingle: { seed } }) => ({
    kind: 'shingles',
    shingle: { unit: 'bytes', size: SUBSTRING, bag: false, stopWords: [], seed },
  }),
  prepare: (bases, _params, _corpus, least) => selectedMatcher(bases, least, (pass) => new ZeroBits(pass)),
};
