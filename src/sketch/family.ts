/**
 * The signature schemes by their names, and the agreements that decide about a pair of signatures: accepted, verified, listed.
 */
import { type CurvePoint, probabilityOfCandidate, sCurve } from './banding.js';
import { hasSignatures, type ResultParams, type SketchName, type SketchParams } from './params.js';
import { agreementShare, leastAccepted, leastAgreement } from './probability.js';
import { createClassicSketcher } from './schemes/classic.js';
import { createFssSketcher } from './schemes/fss.js';
import type { Sketcher } from './signature.js';

/** The schemes by their names; a new one is a row here, and its word in SIGNATURE_NAMES (params.ts). */
const SCHEMES: Readonly<Record<SketchName, (hashes: number, seed: number) => Sketcher>> = {
  fss: createFssSketcher,
  classic: createClassicSketcher,
};

/**
 * The sketcher for these parameters: the plain reference that every faster kernel equals, bit for bit. It holds only
 * constants, so one sketcher serves any number of signatures.
 */
export function createSketcher({ sketch, hashes, seed }: SketchParams): Sketcher {
  return SCHEMES[sketch](hashes, seed);
}

/** The share of pairs at the threshold that may have a smaller agreement than `usual`. */
const USUAL_LOSS = 1 / 40;

export interface SketchFamily {
  /** The value of full agreement in the columns of pairs: the slots of a signature. */
  readonly units: number;
  /** Least agreement, in `units`, of an accepted pair where sets are not compared. */
  least(): number;
  /** Least agreement of a candidate pair whose sets are compared. */
  margin(): number;
  /**
   * An agreement that all but one in 40 pairs at the threshold reach: the number of pairs that reach it is about the number
   * of accepted pairs, or more.
   */
  usual(): number;
  /** The expected recall of the banding, for the plan, the manifest and the summary. */
  promise(): CandidatePromise;
  /** The probability of becoming a candidate pair, as a function of the similarity. */
  curve(): (similarity: number) => number;
}

type FamilyParams = Pick<ResultParams, 'sketch' | 'banding' | 'threshold' | 'exactDuplicates' | 'measure'>;

export function sketchFamilyOf(params: FamilyParams): SketchFamily {
  const {
    threshold,
    banding,
    sketch: { hashes },
    measure,
  } = params;
  const hasBands = hasSignatures(params);
  // A run for identical documents only has no bands, and containment is found without them.
  const curve = (): ((similarity: number) => number) => {
    if (measure === 'containment') return (similarity) => (similarity >= threshold ? 1 : 0);
    if (!hasBands) return () => 0;
    return (similarity) => probabilityOfCandidate(similarity, banding.bands, banding.rows);
  };
  return {
    units: hashes,
    least: () => leastAccepted(threshold, hashes),
    margin: () => leastAgreement(threshold, hashes),
    usual: () => leastAgreement(threshold, hashes, USUAL_LOSS),
    promise: () => ({
      sCurve: hasBands ? sCurve(banding.bands, banding.rows) : [],
      probabilityAtThreshold: curve()(threshold),
      agreementShare: agreementShare(threshold, hashes),
    }),
    curve,
  };
}

/**
 * Agreements that decide: a pair is accepted from `least` on, and its sets are compared from `margin` on, in exact mode. Above every
 * agreement where none is: nothing is verified, or sets decide.
 */
export function decidingAgreements(params: FamilyParams & Pick<ResultParams, 'verify'>): {
  readonly least: number;
  readonly margin: number;
} {
  const family = sketchFamilyOf(params);
  const least = params.verify === 'signature' ? family.least() : family.units + 1;
  return { least, margin: params.verify === 'exact' ? family.margin() : least };
}

/** Least agreement of a pair that can be near in exact mode, where sets decide; in other modes, of a pair that is near. */
function leastNear(params: FamilyParams & Pick<ResultParams, 'verify'>): number {
  const family = sketchFamilyOf(params);
  return params.verify === 'exact' ? family.margin() : family.least();
}

/** Most by which the similarity of a pair listed by `margin` is below the threshold. */
export const NEAR_MISS = 0.05;

type ListingParams = FamilyParams & Pick<ResultParams, 'candidates' | 'verify'>;

/**
 * Least agreement of a listed candidate pair. In exact mode the similarity of sets decides instead, and sets of pairs with a smaller
 * agreement are not compared.
 */
export function leastListed(params: ListingParams): number {
  const family = sketchFamilyOf(params);
  if (params.candidates === 'all') return 0;
  if (params.candidates === 'none') return Number.POSITIVE_INFINITY;
  return params.verify === 'signature' ? (params.threshold - NEAR_MISS) * family.units : family.margin();
}

/** Least agreement of a pair that is kept: one that agrees in fewer slots is neither listed nor accepted, and only counted. */
export function leastKept(params: ListingParams): number {
  const least = params.verify === 'none' ? Number.POSITIVE_INFINITY : leastNear(params);
  return Math.ceil(Math.min(least, leastListed(params), sketchFamilyOf(params).units + 1));
}

/**
 * The function that decides whether a candidate pair is listed: by its agreement, and in exact mode by the similarity of its sets,
 * NaN where these were not compared.
 */
export function listingOf(
  params: ListingParams,
): (isAccepted: boolean, agreement: number, similarity: number) => boolean {
  if (params.candidates === 'all') return () => true;
  if (params.candidates === 'margin' && params.verify === 'exact') {
    const least = params.threshold - NEAR_MISS;
    return (isAccepted, _, similarity) => isAccepted || similarity >= least;
  }
  const least = leastListed(params);
  return (_, agreement) => agreement >= least;
}

export interface CandidatePromise {
  /** Probability of becoming a candidate pair, by similarity. */
  readonly sCurve: readonly CurvePoint[];
  /** Probability at the threshold. */
  readonly probabilityAtThreshold: number;
  /** Probability that the agreement of a pair at the threshold reaches the threshold. */
  readonly agreementShare: number;
}
