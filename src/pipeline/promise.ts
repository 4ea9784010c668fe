/**
 * What the rule of candidates promises, before a document was read: for the plan, the manifest and the summary.
 *
 * Floor 4. The mathematics is in src/sketch/banding.ts and src/sketch/sampleRule.ts.
 */
import { agreementShare, MARGIN_LOSS } from '../sketch/agreement.js';
import { type CurvePoint, candidateCurve, sCurve } from '../sketch/banding.js';
import type { ResultParams } from '../sketch/params.js';
import {
  leastShared,
  sampleWishOf,
  sharedProbability,
  smallProbability,
  toldDraws,
} from '../sketch/sampleRule.js';
import { signatureParams } from '../sketch/sketchKind.js';
import type { SampleRuleFacts } from '../storage/results/manifest.js';

export interface CandidatePromise {
  /** Probability of becoming a candidate by similarity; of `oph` at least; of samples for so many fingerprints as `sampleRule` says. */
  readonly sCurve: readonly CurvePoint[];
  /** At the threshold; of samples and `oph` at least. */
  readonly probabilityAtThreshold: number;
  /** That the agreement of a pair at the threshold reaches it. */
  readonly agreementShare: number;
  /** Absent where signatures are compared. */
  readonly sampleRule?: SampleRuleFacts;
}

/** Sizes of contained documents that chances are told for. */
const SMALL_SIZES = [5, 10, 20, 30, 50, 75, 100, 150, 200];

export function promiseOf(params: ResultParams): CandidatePromise {
  const samples = sampleWishOf(params);
  if (samples !== null) return samplePromise(samples);
  const { banding, sketch } = signatureParams(params);
  const { bands, rows } = banding;
  return {
    sCurve: params.exactDuplicates ? [] : sCurve(bands, rows, sketch),
    probabilityAtThreshold: candidateCurve(banding, sketch)(params.threshold),
    agreementShare: agreementShare(params.threshold, sketch.hashes, sketch.sketch),
  };
}

function curveOf(params: ResultParams): (similarity: number) => number {
  const { banding, sketch } = signatureParams(params);
  return candidateCurve(banding, sketch);
}

function sharedCurve({ params, wish }: NonNullable<ReturnType<typeof sampleWishOf>>) {
  return (similarity: number): number => sharedProbability(similarity, toldDraws(params), wish);
}

/** The probability of becoming a candidate by similarity, to the thousandth below. */
export function candidateProbability(params: ResultParams): (similarity: number) => number {
  const samples = sampleWishOf(params);
  const known = new Map<number, number>();
  const probability = samples === null ? curveOf(params) : sharedCurve(samples);
  return (similarity) => {
    const thousandths = Math.floor(similarity * 1000);
    const found = known.get(thousandths) ?? probability(thousandths / 1000);
    known.set(thousandths, found);
    return found;
  };
}

function samplePromise({ params, wish }: NonNullable<ReturnType<typeof sampleWishOf>>): CandidatePromise {
  const draws = toldDraws(params);
  const sure = sharedProbability(wish.threshold, draws, wish);
  const contained = params.sketch === 'mod-m' && wish.measure === 'containment' && params.modulus > 1;
  const modulus = params.sketch === 'mod-m' ? params.modulus : 1;
  const small = contained ? SMALL_SIZES.filter((size) => size < params.wholeBelow) : [];
  return {
    sCurve: sCurve(1, 1).map(({ similarity }) => ({
      similarity,
      probability: sharedProbability(similarity, draws, wish),
    })),
    // MOD_m has any number of fingerprints: what holds for all of them, and that they are not too few.
    probabilityAtThreshold: params.sketch === 'min-s' ? sure : wish.recall * (1 - MARGIN_LOSS),
    agreementShare: agreementShare(wish.threshold, draws),
    sampleRule: {
      fingerprints: draws,
      least_shared: leastShared(draws, wish),
      whole_below: params.sketch === 'mod-m' ? params.wholeBelow : null,
      small: small.map((shingles) => ({
        shingles,
        at_threshold: smallProbability(shingles, wish.threshold, modulus, wish),
        wholly: smallProbability(shingles, 1, modulus, wish),
      })),
    },
  };
}
