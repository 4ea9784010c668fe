/**
 * The sketches of Broder 1997 of two sets, and resemblance and containment estimated from them: his theorem 1.
 *
 * Every estimate is a fraction: `common` of `samples` elements, a uniform sample of the union (or of A), are in both sets. The
 * estimate is unbiased for a fixed number of samples. Both sketches must have the same seed and modulus.
 *
 * Bounds are the exact 95 % interval of the binomial distribution (Clopper and Pearson). Samples are drawn without replacement,
 * which has less variance, so the interval holds at least as often.
 */
import { agreementInterval, markedInterval, standardError } from '../probability.js';
import { commonAmongFirst, intersectionSize } from '../similarity.js';
import { multiplesOf } from './permutedElements.js';

/** MIN_s of a set (modulus 1), or MIN_s(MOD_m) of it: the s smallest of its permuted elements, or of those that are 0 mod m. */
export interface MinSketch {
  /** s >= 1. */
  readonly most: number;
  /** m, 1..2^32. */
  readonly modulus: number;
  /** Permuted elements, sorted and distinct: pairs (low, high), at most s. */
  readonly values: Uint32Array;
}

/** MOD_m of a set: those of its permuted elements that are 0 mod m; m = 1 keeps the whole set. */
export interface ModSketch {
  readonly modulus: number;
  /** Sorted and distinct: pairs (low, high). */
  readonly values: Uint32Array;
}

/** L_i of a set: MOD of 2^i. */
export interface LevelSketch {
  /** i: the modulus is 2^i. */
  readonly level: number;
  readonly values: Uint32Array;
}

/** @param elements from `permutedSet`, as for the other sketches */
export function minSketchOf(elements: Uint32Array, most: number, modulus = 1): MinSketch {
  return { most, modulus, values: multiplesOf(elements, modulus).subarray(0, 2 * most) };
}

export function modSketchOf(elements: Uint32Array, modulus: number): ModSketch {
  return { modulus, values: multiplesOf(elements, modulus) };
}

/**
 * The level i of a set of n elements: the greatest i with unit * 2^i <= n, or 0. 250 elements and a unit of 100: 1.
 *
 * A sketch is expected to keep `unit` to 2 * `unit` elements, or all if there are fewer than `unit`. (The paper expects 50 to 100
 * for unit = 100; by its own definition it is 100 to 200.) The level depends only on the size of the set, not on the elements of the
 * sample, so estimates are unbiased.
 */
export function levelOf(elements: number, unit: number): number {
  let level = 0;
  while (unit * 2 ** (level + 1) <= elements) level++;
  return level;
}

export function levelSketchOf(elements: Uint32Array, unit: number): LevelSketch {
  const level = levelOf(elements.length / 2, unit);
  return { level, values: multiplesOf(elements, 2 ** level) };
}

/** The probability with which the bounds of an estimate hold. */
const CONFIDENCE = 0.95;

/** An estimate with its bounds. */
export interface SampleEstimate {
  /** common / samples; NaN without samples (two empty sets). */
  readonly value: number;
  /** 95 % bounds; 0 and 1 without samples. */
  readonly lower: number;
  readonly upper: number;
  /**
   * sqrt(v (1-v) / samples) at the estimate v. It is 0 at v = 0 and 1, where only the bounds are informative.
   */
  readonly standardError: number;
  readonly common: number;
  readonly samples: number;
  /** Whether the sketches hold the whole sets: then the value is exact, its error 0, and its bounds equal it. */
  readonly exact: boolean;
}

/** The estimate from `common` of `samples` elements; 0 <= common <= samples. */
export function shareEstimate(common: number, samples: number, exact: boolean): SampleEstimate {
  if (samples === 0) {
    const value = Number.NaN;
    return { value, lower: 0, upper: 1, standardError: Number.NaN, common, samples, exact: false };
  }
  const value = common / samples;
  if (exact) return { value, lower: value, upper: value, standardError: 0, common, samples, exact };
  const bounds = agreementInterval(common, samples, CONFIDENCE);
  return { value, ...bounds, standardError: standardError(samples, value), common, samples, exact };
}

const sizeOf = ({ values }: { readonly values: Uint32Array }): number => values.length / 2;

function commonOf(a: ModSketch, b: ModSketch): number {
  return intersectionSize(a.values, 0, sizeOf(a), b.values, 0, sizeOf(b));
}

/**
 * Resemblance from MIN_s: |MIN_s(A or B) and MIN_s(A) and MIN_s(B)| / |MIN_s(A or B)| (theorem 1, first
 * part); for MIN_s(MOD_m) the same among the elements that are 0 mod m. If s differs, the smaller s is used.
 * Exact if m is 1 and the union has fewer than s elements.
 */
export function minResemblance(a: MinSketch, b: MinSketch): SampleEstimate {
  const most = Math.min(a.most, b.most);
  const common = commonAmongFirst(a.values, 0, sizeOf(a), b.values, 0, sizeOf(b), most);
  const union = sizeOf(a) + sizeOf(b) - common;
  return shareEstimate(common, Math.min(most, union), a.modulus === 1 && union < most);
}

/** Resemblance from MOD_m: |L(A) and L(B)| / |L(A) or L(B)| (theorem 1, second part). Exact if m is 1. */
export function modResemblance(a: ModSketch, b: ModSketch): SampleEstimate {
  const common = commonOf(a, b);
  return shareEstimate(common, sizeOf(a) + sizeOf(b) - common, a.modulus === 1);
}

/**
 * Containment of A in B from MOD_m: |L(A) and L(B)| / |L(A)| (theorem 1, third part). Exact if m is 1.
 * `elements`: the number of distinct elements of A; the interval is the narrower one of a sample of a finite set.
 */
export function modContainment(a: ModSketch, b: ModSketch, elements: number): SampleEstimate {
  const estimate = shareEstimate(commonOf(a, b), sizeOf(a), a.modulus === 1);
  const { value, common, samples, exact } = estimate;
  if (exact || samples === 0) return estimate;
  const bounds = markedInterval(common, samples, elements, CONFIDENCE);
  const left = elements > 1 ? (elements - samples) / (elements - 1) : 0;
  return {
    value,
    lower: bounds.lower / elements,
    upper: bounds.upper / elements,
    standardError: estimate.standardError * Math.sqrt(left),
    common,
    samples,
    exact: samples === elements,
  };
}

/** Resemblance from L_i, as from MOD_m, after the finer sketch is reduced to the coarser level. */
export function levelResemblance(a: LevelSketch, b: LevelSketch): SampleEstimate {
  const level = Math.max(a.level, b.level);
  return modResemblance(atLevel(a, level), atLevel(b, level));
}

/**
 * Containment of A in B from L_i, as from MOD_m, after the finer sketch is reduced to the coarser level. A
 * short A in a long B leaves few samples, which the bounds show.
 */
export function levelContainment(a: LevelSketch, b: LevelSketch, elements: number): SampleEstimate {
  const level = Math.max(a.level, b.level);
  return modContainment(atLevel(a, level), atLevel(b, level), elements);
}

/** The elements of L_i that are 0 mod 2^level are L_level. */
function atLevel({ values }: LevelSketch, level: number): ModSketch {
  return modSketchOf(values, 2 ** level);
}
