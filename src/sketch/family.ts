/**
 * The sketches by their names, and their two families: signatures, which have bands, and samples of fingerprints, which
 * have none. Where a run's behaviour depends on its sketch, it asks the family.
 *
 * `sketchFamilyOf` chooses the family. Modules of higher floors have their own table by `name`: tasks in
 * src/tasks/kinds/sketchTasks.ts, pairs in src/coordinator/pair/comparedPairs.ts.
 */
import { type CurvePoint, probabilityOfCandidate, sCurve } from './banding.js';
import {
  isSample,
  type ResultParams,
  type SampleParams,
  type SketchName,
  type SketchParams,
  signatureParams,
} from './params.js';
import { agreementShare, leastAccepted, leastAgreement, MARGIN_LOSS } from './probability.js';
import {
  leastShared,
  reportedDraws,
  type SampleRuleFacts,
  type SampleWish,
  sampleMargin,
  sampleWishOf,
  sharedProbability,
  smallProbability,
} from './samples/sampleRule.js';
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

export type FamilyName = 'signatures' | 'samples';

export interface SketchFamily {
  readonly name: FamilyName;
  /** The value of full agreement in the columns of pairs: the slots of a signature, 1 where they hold shares. */
  readonly units: number;
  /** Least agreement, in `units`, of an accepted pair where sets are not compared. */
  least(): number;
  /**
   * Least agreement of a candidate pair whose sets are compared. 0, for every pair, where signatures are thinned: their
   * agreement says too little of the full sets.
   */
  margin(): number;
  /**
   * An agreement that all but one in 40 pairs at the threshold reach: the number of pairs that reach it is about the number
   * of accepted pairs, or more.
   */
  usual(): number;
  /** The promise of the candidate rule, which needs no document: for the plan, the manifest and the summary. */
  promise(): CandidatePromise;
  /** The probability of becoming a candidate pair, as a function of the similarity. */
  curve(): (similarity: number) => number;
}

type FamilyParams = Pick<
  ResultParams,
  | 'sketch'
  | 'banding'
  | 'threshold'
  | 'measure'
  | 'recall'
  | 'sample'
  | 'maxShingleDocuments'
  | 'exactDuplicates'
>;

export function sketchFamilyOf(params: FamilyParams): SketchFamily {
  return isSample(params.sketch) ? sampleFamily(params) : signatureFamily(params);
}

function signatureFamily(params: FamilyParams): SketchFamily {
  const { threshold } = params;
  const { banding, sketch } = signatureParams(params);
  const { hashes } = sketch;
  // A run for identical documents only has no bands.
  const curve = (): ((similarity: number) => number) =>
    params.exactDuplicates
      ? () => 0
      : (similarity) => probabilityOfCandidate(similarity, banding.bands, banding.rows);
  return {
    name: 'signatures',
    units: hashes,
    least: () => leastAccepted(threshold, hashes),
    margin: () => (isThinned(params) ? 0 : leastAgreement(threshold, hashes)),
    usual: () => (isThinned(params) ? 0 : leastAgreement(threshold, hashes, USUAL_LOSS)),
    promise: () => ({
      sCurve: params.exactDuplicates ? [] : sCurve(banding.bands, banding.rows),
      probabilityAtThreshold: curve()(threshold),
      agreementShare: agreementShare(threshold, hashes),
    }),
    curve,
  };
}

function sampleFamily(run: FamilyParams): SketchFamily {
  const { params, wish } = sampleWishOf(run)!;
  if (params.sketch === 'sswf') return sequenceFamily(run);
  return {
    name: 'samples',
    units: 1,
    least: () => run.threshold,
    margin: () => sampleMargin(params, wish),
    usual: () => sampleMargin(params, wish),
    promise: () => samplePromise(params, wish),
    curve: () => (similarity) => sharedProbability(similarity, reportedDraws(params), wish),
  };
}

/** Sequences of words: whether two documents have the same one does not follow from their similarity, so nothing is promised. */
function sequenceFamily({ threshold }: FamilyParams): SketchFamily {
  return {
    name: 'samples',
    units: 1,
    least: () => threshold,
    margin: () => 0,
    usual: () => 0,
    promise: () => ({
      sCurve: [],
      probabilityAtThreshold: 0,
      agreementShare: 1,
      sampleRule: { fingerprints: 1, least_shared: 1, whole_below: null, small: [] },
    }),
    curve: () => () => 0,
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
export function leastNear(params: FamilyParams & Pick<ResultParams, 'verify'>): number {
  const family = sketchFamilyOf(params);
  return params.verify === 'exact' ? family.margin() : family.least();
}

/** Most by which the similarity of a pair listed by `margin` is below the threshold. */
const NEAR_MISS = 0.05;

type ListingParams = FamilyParams & Pick<ResultParams, 'candidates' | 'verify' | 'measure'>;

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
 * NaN where these were not compared. The agreement is NaN where samples allow no estimate: only `all` lists such pairs.
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

/** Whether sketches have only a part of the shingles. */
export function isThinned({
  sample,
  maxShingleDocuments,
}: Pick<ResultParams, 'sample' | 'maxShingleDocuments'>): boolean {
  return sample > 1 || maxShingleDocuments !== null;
}

export interface CandidatePromise {
  /** Probability of becoming a candidate pair, by similarity; for samples with the number of fingerprints in `sampleRule`. */
  readonly sCurve: readonly CurvePoint[];
  /** Probability at the threshold; for samples a lower bound. */
  readonly probabilityAtThreshold: number;
  /** Probability that the agreement of a pair at the threshold reaches the threshold. */
  readonly agreementShare: number;
  /** Absent where signatures are compared. */
  readonly sampleRule?: SampleRuleFacts;
}

/** Sizes of contained documents for which probabilities are given. */
const SMALL_SIZES = [5, 10, 20, 30, 50, 75, 100, 150, 200];

function samplePromise(params: SampleParams, wish: SampleWish): CandidatePromise {
  const draws = reportedDraws(params);
  const sure = sharedProbability(wish.threshold, draws, wish);
  const contained = params.sketch === 'mod-m' && wish.measure === 'containment' && params.modulus > 1;
  const modulus = params.sketch === 'mod-m' ? params.modulus : 1;
  const small = contained ? SMALL_SIZES.filter((size) => size < params.wholeBelow) : [];
  return {
    sCurve: sCurve(1, 1).map(({ similarity }) => ({
      similarity,
      probability: sharedProbability(similarity, draws, wish),
    })),
    // The number of MOD_m fingerprints varies: the promise holds for every number, unless there are too few (MARGIN_LOSS).
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
