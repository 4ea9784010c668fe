/**
 * Winnowing: fingerprints that never miss a long match (Schleimer, Wilkerson, Aiken: Winnowing: Local Algorithms for
 * Document Fingerprinting, SIGMOD 2003).
 *
 * The smallest hash of every window of w = t - k + 1 consecutive hashes of k-grams is selected. A match of at least t
 * characters (the guarantee threshold, `params.guarantee`) has such a window, so both texts select a fingerprint of it.
 * A match of fewer than k (the noise threshold, `params.noise`) has no k-gram and is never found. Of random text
 * 2/(w+1) of the positions are selected. This is robust winnowing: of equal smallest hashes it selects the one that the
 * previous window selected, if that is still in the window, otherwise the last.
 *
 * Characters are letters, marks and numbers in lower case, because the paper leaves out insignificant parts of a text.
 * The paper does not define a similarity of fingerprints; here it is the share of each text's fingerprints that the
 * other has, the larger first. Of a text with fewer than w k-grams the smallest hash is selected, and a text with fewer
 * than k characters has one hash of all of them; otherwise short texts would not match themselves. An empty text
 * matches nothing.
 */

import { seeded } from '../elementStreams.js';
import type { Method } from '../method.js';
import { type Selection, SHARES, selectedMatcher } from './sharedElements.js';

/** Receives selected hashes and their positions among all hashes, from 0; valid during the call. */
export type FingerprintSink = (hashes: Uint32Array, count: number, positions: Float64Array) => void;

const ROOM = 1024;

/** Robust winnowing over a stream of 64-bit hashes, compared as unsigned numbers. */
export class Winnower implements Selection {
  private readonly window: number;
  private readonly pass: FingerprintSink;
  /** The last w hashes, by position modulo w. */
  private readonly ring: Uint32Array;
  private read = 0;
  /** Position of the smallest hash of the window, -1 before the first hash. */
  private least = -1;
  private low = 0;
  private high = 0;
  private readonly held = new Uint32Array(2 * ROOM);
  private readonly positions = new Float64Array(ROOM);
  private count = 0;

  /** @param window w, from 1 */
  constructor(window: number, pass: FingerprintSink) {
    this.window = window;
    this.pass = pass;
    this.ring = new Uint32Array(2 * window);
  }

  begin(): void {
    this.read = 0;
    this.least = -1;
    this.count = 0;
  }

  take(hashes: Uint32Array, count: number): void {
    const { window, ring } = this;
    for (let i = 0; i < 2 * count; i += 2) {
      const at = this.read++;
      const low = hashes[i]!;
      const high = hashes[i + 1]!;
      const place = 2 * (at % window);
      ring[place] = low;
      ring[place + 1] = high;
      // The first window selects once it is full, and uses the last of equal hashes.
      if (at < window) {
        if (at === 0 || high < this.high || (high === this.high && low <= this.low)) this.point(at);
        if (at === window - 1) this.select();
      } else if (at - this.least >= window) {
        this.seek(at);
        this.select();
      } else if (high < this.high || (high === this.high && low < this.low)) {
        this.point(at);
        this.select();
      }
    }
  }

  end(): void {
    if (this.read > 0 && this.read < this.window) this.select();
    this.flush();
  }

  /** Finds the smallest hash of the window that ends at `last`; of equal ones the last. */
  private seek(last: number): void {
    const { window, ring } = this;
    this.point(last);
    for (let at = last - 1; at > last - window; at--) {
      const place = 2 * (at % window);
      const high = ring[place + 1]!;
      if (high < this.high || (high === this.high && ring[place]! < this.low)) this.point(at);
    }
  }

  private point(at: number): void {
    const place = 2 * (at % this.window);
    this.least = at;
    this.low = this.ring[place]!;
    this.high = this.ring[place + 1]!;
  }

  private select(): void {
    this.held[2 * this.count] = this.low;
    this.held[2 * this.count + 1] = this.high;
    this.positions[this.count] = this.least;
    if (++this.count === ROOM) this.flush();
  }

  private flush(): void {
    if (this.count > 0) this.pass(this.held, this.count, this.positions);
    this.count = 0;
  }
}

/** Finds copied passages: every passage of `guarantee` letters or more leaves a fingerprint. */
export const winnowing: Method = {
  name: 'winnowing',
  measures: SHARES,
  threshold: 0.1,
  weighing: 'none',
  elements: ({ shingle, noise }) => ({ kind: 'letters', size: noise, ...seeded(shingle) }),
  prepare: (bases, { noise, guarantee }, _corpus, least) =>
    selectedMatcher(bases, least, (pass) => new Winnower(guarantee - noise + 1, pass)),
};
