/**
 * The signature schemes by name, and the numbers of equal slots (agreements) from which a pair is accepted, verified or listed.
 */
import { type CurvePoint, probabilityOfCandidate, sCurve } from './banding.js';
import { hasSignatures, type ResultParams, type SketchName, type SketchParams } from './params.js';
import { agreementShare, leastAccepted, leastAgreement } from './probability.js';
import { createClassicSketcher } from './schemes/classic.js';
import { createFssSketcher } from './schemes/fss.js';
import type { Sketcher } from './signature.js';

/** The schemes by name. A new one is a row here and a name in SIGNATURE_NAMES (params.ts). */
const SCHEMES: Readonly<Record<SketchName, (hashes: number, seed: number) => Sketcher>> = {
  fss: createFssSketcher,
  classic: createClassicSketcher,
};

/**
 * The sketcher for these parameters: the reference that the kernel equals bit for bit. It holds only constants, so one sketcher
 * serves any number of signatures.
 */
export function createSketcher({ sketch, hashes, seed }: SketchParams): Sketcher {
  return SCHEMES[sketch](hashes, seed);
}

/** The share of pairs at the threshold that may have a smaller agreement than `usual`. */
const USUAL_LOSS = 1 / 40;

export interface SketchFamily {
  /** The agreement of equal signatures: their number of slots. */
  readonly units: number;
  /** Minimum agreement of an accepted pair if sets are not compared. */
  least(): number;
  /** The prefilter cutoff: minimum agreement of a candidate pair whose sets are compared. */
  margin(): number;
  /**
   * An agreement that all but one in 40 pairs at the threshold reach. About as many pairs reach it as are accepted, or more.
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
  // There are no bands with --exact-duplicates or for containment.
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
 * A pair is accepted from agreement `least` on, and its sets are compared from `margin` on, in exact mode. A value above all
 * agreements means never: nothing is verified, or the sets decide.
 */
export function decidingAgreements(params: FamilyParams & Pick<ResultParams, 'verify'>): {
  readonly least: number;
  readonly margin: number;
} {
  const family = sketchFamilyOf(params);
  const least = params.verify === 'signature' ? family.least() : family.units + 1;
  return { least, margin: params.verify === 'exact' ? family.margin() : least };
}

/** Minimum agreement of a near pair; in exact mode, of a pair whose sets decide whether it is near. */
function leastNear(params: FamilyParams & Pick<ResultParams, 'verify'>): number {
  const family = sketchFamilyOf(params);
  return params.verify === 'exact' ? family.margin() : family.least();
}

/** `--candidates margin` lists pairs whose similarity is at most this much below the threshold. */
export const NEAR_MISS = 0.05;

type ListingParams = FamilyParams & Pick<ResultParams, 'candidates' | 'verify'>;

/**
 * Minimum agreement of a listed candidate pair. In exact mode the similarity of sets decides, and this is the minimum agreement of
 * pairs whose sets are compared.
 */
export function leastListed(params: ListingParams): number {
  const family = sketchFamilyOf(params);
  if (params.candidates === 'all') return 0;
  if (params.candidates === 'none') return Number.POSITIVE_INFINITY;
  return params.verify === 'signature' ? (params.threshold - NEAR_MISS) * family.units : family.margin();
}

/** Minimum agreement of a pair that is kept: pairs below it cannot be listed or accepted, and are only counted. */
export function leastKept(params: ListingParams): number {
  const least = params.verify === 'none' ? Number.POSITIVE_INFINITY : leastNear(params);
  return Math.ceil(Math.min(least, leastListed(params), sketchFamilyOf(params).units + 1));
}

/**
 * The function that decides whether a candidate pair is listed: by its agreement, or in exact mode by the similarity of its sets
 * (NaN if they were not compared).
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
