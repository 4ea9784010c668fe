/**
 * Resemblance and containment estimated from sketches: theorem 1 of Broder 1997.
 *
 * Every estimate is a share: `common` of `samples` elements, drawn evenly from the union (or from A), are in
 * both sets. For a given number of samples the estimate is unbiased. Two sketches must come from one seed and one
 * option (A or B): the sketches do not carry these; the owner of the sketches does.
 *
 * Bounds are Clopper and Pearson's exact 95 % interval of the binomial distribution. Samples are drawn
 * without replacement, which spreads less, so the interval holds at least as often.
 */
import { agreementInterval, markedInterval } from '../probability.js';
import { commonAmongFirst, intersectionSize } from '../similarity.js';
import { coarserSketch, type LevelSketch } from './levelSketch.js';
import type { MinSketch } from './minSketch.js';
import type { ModSketch } from './modSketch.js';

/** The probability with which the bounds of an estimate hold. */
export const CONFIDENCE = 0.95;

/** An estimate with its bounds. */
export interface SampleEstimate {
  /** common / samples; NaN without samples: the value of two empty sets is undefined. */
  readonly value: number;
  /** 95 % bounds; 0 and 1 without samples. */
  readonly lower: number;
  readonly upper: number;
  /**
   * sqrt(v (1-v) / samples) at the estimate v. It is zero at v = 0 and 1, where only the bounds are
   * informative.
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
  const standardError = Math.sqrt((value * (1 - value)) / samples);
  return { value, ...agreementInterval(common, samples, CONFIDENCE), standardError, common, samples, exact };
}

/**
 * Resemblance from MIN_s: |MIN_s(A or B) and MIN_s(A) and MIN_s(B)| / |MIN_s(A or B)| (theorem 1, first
 * part); for MIN_s(MOD_m) the same among the elements that are 0 mod m. Where s differs, the smaller s is used.
 * Exact where m is 1 and the union has less than s elements. RangeError where m differs.
 */
export function minResemblance(a: MinSketch, b: MinSketch): SampleEstimate {
  checkModuli(a.modulus, b.modulus);
  const most = Math.min(a.most, b.most);
  const common = commonAmongFirst(a.values, 0, a.size, b.values, 0, b.size, most);
  const union = a.size + b.size - common;
  return shareEstimate(common, Math.min(most, union), a.modulus === 1 && union < most);
}

/**
 * Resemblance from MOD_m: |L(A) and L(B)| / |L(A) or L(B)| (theorem 1, second part). Exact where m is 1.
 * RangeError where m differs.
 */
export function modResemblance(a: ModSketch, b: ModSketch): SampleEstimate {
  checkModuli(a.modulus, b.modulus);
  const common = intersectionSize(a.values, 0, a.size, b.values, 0, b.size);
  return shareEstimate(common, a.size + b.size - common, a.modulus === 1);
}

/**
 * Containment of A in B from MOD_m: |L(A) and L(B)| / |L(A)| (theorem 1, third part). Exact where m is 1.
 * With `elements`, the number of distinct elements of A, the interval is the narrower one of a sample of a
 * finite set. RangeError where m differs.
 */
export function modContainment(a: ModSketch, b: ModSketch, elements?: number): SampleEstimate {
  checkModuli(a.modulus, b.modulus);
  const common = intersectionSize(a.values, 0, a.size, b.values, 0, b.size);
  const estimate = shareEstimate(common, a.size, a.modulus === 1);
  return elements === undefined ? estimate : ofFiniteSet(estimate, elements);
}

/** Resemblance from L_i, as from MOD_m, after the finer sketch is reduced to the coarser level. */
export function levelResemblance(a: LevelSketch, b: LevelSketch): SampleEstimate {
  const level = Math.max(a.level, b.level);
  return modResemblance(atModulus(a, level), atModulus(b, level));
}

/**
 * Containment of A in B from L_i, as from MOD_m, after the finer sketch is reduced to the coarser level. A
 * short A in a long B leaves few samples, which the bounds show.
 */
export function levelContainment(a: LevelSketch, b: LevelSketch, elements?: number): SampleEstimate {
  const level = Math.max(a.level, b.level);
  return modContainment(atModulus(a, level), atModulus(b, level), elements);
}

function atModulus(sketch: LevelSketch, level: number): ModSketch {
  const { values, size } = coarserSketch(sketch, level);
  return { modulus: 2 ** level, values, size, whole: false };
}

/** Narrows an estimate for samples drawn from `elements` elements without replacement. */
function ofFiniteSet(estimate: SampleEstimate, elements: number): SampleEstimate {
  const { value, common, samples, exact } = estimate;
  if (elements < samples) {
    throw new RangeError(`${samples} samples of ${elements} elements: expected no more than there are`);
  }
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

function checkModuli(a: number, b: number): void {
  if (a !== b) throw new RangeError(`sketches of m = ${a} and m = ${b}: expected equal ones`);
}
