/**
 * Lists of pairs in the store, sorted by (a, b), in segments that may lie on disk; a sample of their rows stays here.
 *
 * Floor 4.
 */
import { decodeBlock } from '../blocks/block.js';
import { pairSample, pairSegments, sampleStep } from '../blocks/pairSegments.js';
import type { Pairs } from '../sketch/pairs.js';
import type { Run } from './run.js';

export interface StoredPairs {
  readonly count: number;
  /** Names of the segments, each of `segmentRows` rows but the last. */
  readonly segments: readonly string[];
  readonly segmentRows: number;
  /** Every `step`-th row of the list. */
  readonly sample: Pairs;
  readonly step: number;
}

/** A list that tasks wrote: slice after slice, each under its name with so many rows. */
export interface WrittenSlice {
  readonly name: string;
  readonly count: number;
}

/** The segments of a slice, in order. */
function segmentNames({ name, count }: WrittenSlice, segmentRows: number): string[] {
  return Array.from({ length: Math.ceil(count / segmentRows) }, (_, segment) => `${name}/${segment}`);
}

/** The list that slices are together; all but the last have a multiple of `segmentRows` rows. Takes in their samples. */
export function listOfSlices(run: Run, slices: readonly WrittenSlice[], segmentRows: number): StoredPairs {
  const { store } = run.engine;
  const count = slices.reduce((sum, slice) => sum + slice.count, 0);
  const samples = slices
    .filter((slice) => slice.count > 0)
    .map(({ name }) => {
      const { a, b } = decodeBlock(store.get(`${name}/sample`), 'pairs', name).columns;
      store.delete(`${name}/sample`);
      return { a: a as Uint32Array, b: b as Uint32Array, count: a!.length };
    });
  const segments = slices.flatMap((slice) => segmentNames(slice, segmentRows));
  return { count, segments, segmentRows, sample: joined(samples), step: sampleStep(count) };
}

function joined(samples: readonly Pairs[]): Pairs {
  if (samples.length === 1) return samples[0]!;
  const count = samples.reduce((sum, sample) => sum + sample.count, 0);
  const all = { a: new Uint32Array(count), b: new Uint32Array(count), count };
  let at = 0;
  for (const { a, b, count: rows } of samples) {
    all.a.set(a, at);
    all.b.set(b, at);
    at += rows;
  }
  return all;
}

/** Puts pairs into the store, no faster than it has room for them. */
export async function storePairs(
  run: Run,
  name: string,
  pairs: Pairs,
  segmentRows: number,
): Promise<StoredPairs> {
  const { count } = pairs;
  const segments = segmentNames({ name, count }, segmentRows);
  let segment = 0;
  for (const block of pairSegments(pairs, segmentRows)) {
    await run.engine.store.room();
    run.put(segments[segment++]!, block, 'spill');
  }
  const step = sampleStep(count);
  const sample = pairSample(pairs, step);
  // The columns themselves are the caller's and not held on to.
  const kept = step === 1 ? { a: sample.a.slice(), b: sample.b.slice(), count } : sample;
  return { count, segments, segmentRows, sample: kept, step };
}

/** Takes lists out of the store. */
export function forgetPairs(run: Run, lists: readonly StoredPairs[]): void {
  for (const { segments } of lists) for (const name of segments) run.engine.store.delete(name);
}

/** The segments with the rows that lie between the sampled rows `from - 1` and `to`, both exclusive. */
export function segmentsBetween(list: StoredPairs, from: number, to: number): readonly string[] {
  const { count, segments, segmentRows, step } = list;
  const first = from === 0 ? 0 : (from - 1) * step + 1;
  const end = Math.min(count, to * step);
  if (first >= end) return [];
  return segments.slice(Math.floor(first / segmentRows), Math.ceil(end / segmentRows));
}
