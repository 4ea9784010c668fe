/** The exact measures of two sets of shingle hashes, and of two bags. */
import { containmentOf, intersectionSize, resemblanceOf } from '../../sketch/similarity.js';

/** Measures of two sets, or of two bags as sets of labeled shingles; all shares are 0..1, and 0 if a set is empty. */
export interface ExactMeasures {
  /** Number of elements in both. */
  readonly common: number;
  /** Number of elements in either. */
  readonly union: number;
  /** common / union (Broder 1997, section 2). */
  readonly resemblance: number;
  /** 1 - resemblance, a metric: 1 for two empty sets, because an empty text resembles nothing. */
  readonly distance: number;
  /** The share of a's elements that b has. */
  readonly containmentAInB: number;
  /** The share of b's elements that a has. */
  readonly containmentBInA: number;
}

/** Bags have two kinds of union (Mining of Massive Datasets, section 3.1.3). */
export interface BagMeasures extends ExactMeasures {
  /** common / (size of a + size of b), at most 1/2. */
  readonly sumUnion: number;
  /** common / (each shingle as often as in the bag that has it more often): the resemblance of labeled bags. */
  readonly maxUnion: number;
}

/** Measures of two sets: hashes as pairs (low, high), sorted as unsigned numbers, distinct. */
export function exactMeasures(a: Uint32Array, b: Uint32Array): ExactMeasures {
  const [sizeA, sizeB] = [a.length / 2, b.length / 2];
  const common = intersectionSize(a, 0, sizeA, b, 0, sizeB);
  const resemblance = resemblanceOf(common, sizeA, sizeB);
  return {
    common,
    union: sizeA + sizeB - common,
    resemblance,
    distance: 1 - resemblance,
    containmentAInB: containmentOf(common, sizeA),
    containmentBInA: containmentOf(common, sizeB),
  };
}

/** Measures of two bags, as their sets of labeled shingles. {a,a,a,b} and {a,a,b,b,c}: sum union 3/9. */
export function bagMeasures(a: Uint32Array, b: Uint32Array): BagMeasures {
  const measures = exactMeasures(a, b);
  const total = (a.length + b.length) / 2;
  const sumUnion = total === 0 ? 0 : measures.common / total;
  return { ...measures, sumUnion, maxUnion: measures.resemblance };
}
