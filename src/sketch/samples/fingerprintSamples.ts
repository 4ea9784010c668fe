/**
 * The samples of fingerprints that a run compares, behind one interface: MIN_s, or MOD_m that keeps small
 * sets whole.
 *
 * A sample of a union follows from the samples of its parts, in any order and grouping, also where parts
 * share elements: so row chunks can be sampled separately. With option A the occurrences are already
 * labelled.
 */

import { concatenated } from '../../arrays/growable.js';
import { sortUnique64 } from '../../arrays/sort.js';
import type { ShingleSampleParams } from '../params.js';
import { MinSketchBuilder } from './minSketch.js';
import { ModSketchBuilder, multiplesAmong, multiplesOf } from './modSketch.js';

/** The sample of one set. */
export interface Sample {
  /** Sorted and distinct: pairs (low, high). */
  readonly values: Uint32Array;
  /** Whether the values are the whole set. */
  readonly whole: boolean;
  /** Number of values that the sample of a set which is not whole could have: for MIN_s all, for MOD_m those 0 mod m. */
  readonly sampled: number;
}

/** A sample of a part of a set, the input of `mergedSample`. */
export type SamplePart = Pick<Sample, 'values' | 'whole'>;

/** Samples one set after the other. */
export interface SampleBuilder {
  begin(): void;
  /** Adds elements hashes[0 .. 2*count), repetitions allowed; the array is not changed. */
  push(hashes: Uint32Array, count: number): void;
  /** The sample of the elements pushed since `begin`. */
  finish(): Sample;
}

export function createSampleBuilder(params: ShingleSampleParams): SampleBuilder {
  if (params.sketch === 'mod-m') {
    const builder = new ModSketchBuilder({ ...params, bag: false });
    return {
      begin: () => builder.begin(),
      push: (hashes, count) => builder.push(hashes, count),
      finish: () => sampleOf(builder.finish(), params),
    };
  }
  const builder = new MinSketchBuilder({ most: params.hashes, modulus: 1, seed: params.seed, bag: false });
  return {
    begin: () => builder.begin(),
    push: (hashes, count) => builder.push(hashes, count),
    finish: () => {
      const { values, size } = builder.finish();
      return sampleOf({ values, whole: size < params.hashes }, params);
    },
  };
}

function sampleOf({ values, whole }: SamplePart, params: ShingleSampleParams): Sample {
  const size = values.length / 2;
  const all = params.sketch === 'min-s' || !whole;
  return { values, whole, sampled: all ? size : multiplesAmong(values, params.modulus) };
}

/** The sample of the union of sets, from their samples alone; without parts the sample of the empty set. */
export function mergedSample(parts: readonly SamplePart[], params: ShingleSampleParams): Sample {
  const all = concatenated(parts.map(({ values }) => values));
  const size = sortUnique64(all, all.length / 2);
  if (params.sketch === 'min-s') {
    const values = all.slice(0, 2 * Math.min(size, params.hashes));
    return sampleOf({ values, whole: size < params.hashes }, params);
  }
  const values = all.slice(0, 2 * size);
  const few = size < params.wholeBelow || params.modulus === 1;
  const whole = few && parts.every((part) => part.whole);
  return sampleOf({ values: whole ? values : multiplesOf(values, params.modulus), whole }, params);
}
