/**
 * Computes every sketch of two sets and compares each estimate with the exact value: bounds and error. Sets are columns
 * of distinct 64-bit hashes, either sets or labeled bags of shingles.
 */
import { createSketcher } from '../../sketch/family.js';
import { SIGNATURE_NAMES, type SketchName } from '../../sketch/params.js';
import { agreementOf } from '../../sketch/probability.js';
import {
  levelContainment,
  levelResemblance,
  levelSketchOf,
  minResemblance,
  minSketchOf,
  modContainment,
  modResemblance,
  modSketchOf,
  type SampleEstimate,
  shareEstimate,
} from '../../sketch/samples/estimators.js';
import { permutedSet } from '../../sketch/samples/permutedElements.js';
import { rabinIds, rabinTables } from '../../sketch/samples/rabin.js';
import type { ExactMeasures } from './exactMeasures.js';

/**
 * The names of signatures, then of the samples of Broder 1997: MIN_s, MOD_m, L_i, MIN_s(MOD_m), and MIN_s of the Rabin
 * fingerprints of the elements, the ids in his experiment.
 */
export type ComparedSketch = SketchName | 'min-s' | 'mod-m' | 'l-i' | 'min-s-mod-m' | 'min-s-rabin';

/** The measure of an estimate; names as in `ExactMeasures`. */
export type EstimatedMeasure = 'resemblance' | 'containmentAInB' | 'containmentBInA';

/** One estimate and the exact value. */
export interface ComparedEstimate {
  readonly sketch: ComparedSketch;
  readonly measure: EstimatedMeasure;
  /** The exact value. */
  readonly exact: number;
  /** Null if the sketches share no sample: then the bounds are 0 and 1. */
  readonly value: number | null;
  /** 95 % bounds. */
  readonly lower: number;
  readonly upper: number;
  /** Standard error at the estimate; null without samples. It is 0 at 0 and 1, where only the bounds are informative. */
  readonly standardError: number | null;
  /** value - exact; null without samples. */
  readonly error: number | null;
  /** The estimate is `common` of `samples`. */
  readonly common: number;
  readonly samples: number;
  /** Whether the sketches contain the whole sets, so that the value is exact. */
  readonly complete: boolean;
  /** Whether the exact value is within the bounds. */
  readonly holds: boolean;
}

interface SketchSizes {
  /** Slots of a signature, 16..1024. */
  readonly hashes: number;
  /** s of MIN_s, 1..2^24. */
  readonly samples: number;
  /** m of MOD_m, 1..2^32. */
  readonly modulus: number;
  /** The `unit` of L_i: sets with fewer than twice as many elements are kept whole, 1..2^24. */
  readonly levelUnit: number;
  readonly seed: number;
}

/** The largest degree: ids of different elements hardly ever collide, so a sample of all elements is exact. */
const RABIN_DEGREE = 63;
/** Tolerance: the exact value and the bounds are rounded independently. */
const SLACK = 1e-9;

/** All estimates, in the order of the measures and then of the sketches. `a`, `b`: distinct hashes, pairs (low, high). */
export function estimatesOf(
  a: Uint32Array,
  b: Uint32Array,
  exact: ExactMeasures,
  sizes: SketchSizes,
): ComparedEstimate[] {
  const estimates: ComparedEstimate[] = [];
  const add = (sketch: ComparedSketch, measure: EstimatedMeasure, estimate: SampleEstimate): unknown =>
    estimates.push(besideExact(sketch, measure, estimate, exact[measure]));
  for (const sketch of SIGNATURE_NAMES) add(sketch, 'resemblance', signatureEstimate(a, b, sketch, sizes));
  const { samples, modulus, levelUnit, seed } = sizes;
  const elements = [permutedSet(a, seed), permutedSet(b, seed)];
  const ofBoth = <T>(sketchOf: (set: Uint32Array) => T, sets = elements) => sets.map(sketchOf) as Two<T>;
  const mods = ofBoth((set) => modSketchOf(set, modulus));
  const levels = ofBoth((set) => levelSketchOf(set, levelUnit));
  const minOf = (set: Uint32Array) => minSketchOf(set, samples);
  add('min-s', 'resemblance', minResemblance(...ofBoth(minOf)));
  add('mod-m', 'resemblance', modResemblance(...mods));
  add('l-i', 'resemblance', levelResemblance(...levels));
  add('min-s-mod-m', 'resemblance', minResemblance(...ofBoth((set) => minSketchOf(set, samples, modulus))));
  const rabin = rabinTables(RABIN_DEGREE, seed);
  const ids = [a, b].map((set) => permutedSet(rabinIds(rabin, set), seed));
  add('min-s-rabin', 'resemblance', minResemblance(...ofBoth(minOf, ids)));
  const [sizeA, sizeB] = [a.length / 2, b.length / 2];
  add('mod-m', 'containmentAInB', modContainment(mods[0], mods[1], sizeA));
  add('l-i', 'containmentAInB', levelContainment(levels[0], levels[1], sizeA));
  add('mod-m', 'containmentBInA', modContainment(mods[1], mods[0], sizeB));
  add('l-i', 'containmentBInA', levelContainment(levels[1], levels[0], sizeB));
  return estimates;
}

type Two<T> = [T, T];

function besideExact(
  sketch: ComparedSketch,
  measure: EstimatedMeasure,
  estimate: SampleEstimate,
  exact: number,
): ComparedEstimate {
  const { lower, upper, common, samples, exact: complete } = estimate;
  const isKnown = samples > 0;
  return {
    sketch,
    measure,
    exact,
    value: isKnown ? estimate.value : null,
    lower,
    upper,
    standardError: isKnown ? estimate.standardError : null,
    error: isKnown ? estimate.value - exact : null,
    common,
    samples,
    complete,
    holds: lower <= exact + SLACK && exact <= upper + SLACK,
  };
}

function signatureEstimate(
  a: Uint32Array,
  b: Uint32Array,
  sketch: SketchName,
  { hashes, seed }: SketchSizes,
): SampleEstimate {
  // An empty set resembles nothing; its signature would match another empty one in all slots.
  if (a.length === 0 || b.length === 0) return shareEstimate(0, hashes, true);
  const sketcher = createSketcher({ sketch, hashes, seed });
  const [slotsA, slotsB] = [a, b].map((set) => {
    const slots = new Uint32Array(sketcher.stride);
    sketcher.clear(slots);
    sketcher.update(slots, set, set.length / 2);
    return slots;
  }) as Two<Uint32Array>;
  return shareEstimate(agreementOf(slotsA, 0, slotsB, 0, hashes), hashes, false);
}
