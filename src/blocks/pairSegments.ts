/**
 * Sorted pairs as blocks: segments of so many rows, so that what is read of a list is not all of it; and a sample of its
 * rows, by which a list is cut without being read.
 *
 * Floor 1. Knows rows and blocks, not what becomes of them.
 */
import type { Pairs } from '../sketch/pairs.js';
import { type Block, encodeBlock } from './block.js';

/** A list of at most so many rows is a sample of itself. */
const SHORT = 4096;

/** Every so manieth row of a longer list is in its sample: 3 % of its bytes. */
const STEP = 256;

/** Distance of the rows in the sample of a list of `rows` rows. Segments hold a multiple of it. */
export function sampleStep(rows: number): number {
  return rows <= SHORT ? 1 : STEP;
}

/** The rows of a list as blocks of `segmentRows` rows, in order; the last one has what is left, no rows make no block. */
export function* pairSegments({ a, b, count }: Pairs, segmentRows: number): Generator<Block> {
  for (let from = 0; from < count; from += segmentRows) {
    const to = Math.min(count, from + segmentRows);
    yield encodeBlock('pairs', {}, { a: a.subarray(from, to), b: b.subarray(from, to) }, true);
  }
}

/** Every `step`-th row of a list, the first one first. */
export function pairSample({ a, b, count }: Pairs, step: number): Pairs {
  if (step === 1) return { a: a.subarray(0, count), b: b.subarray(0, count), count };
  const rows = Math.ceil(count / step);
  const sample = { a: new Uint32Array(rows), b: new Uint32Array(rows), count: rows };
  for (let i = 0; i < rows; i++) {
    sample.a[i] = a[i * step]!;
    sample.b[i] = b[i * step]!;
  }
  return sample;
}
