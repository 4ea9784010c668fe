/**
 * Creates the sketcher of each of the three schemes: the reference that every faster kernel equals bit for
 * bit.
 */
import { createClassicSketcher } from './classic.js';
import { createFssSketcher } from './fss.js';
import { createOphSketcher } from './oph.js';
import type { BandingParams, ResultParams, SampleParams, SketchParams } from './params.js';
import type { Sketcher } from './signature.js';

/** The sketcher for these parameters. It keeps constants only, so one serves any number of signatures. */
export function createSketcher(params: SketchParams): Sketcher {
  switch (params.sketch) {
    case 'fss':
      return createFssSketcher(params.hashes, params.seed);
    case 'classic':
      return createClassicSketcher(params.hashes, params.seed);
    case 'oph':
      return createOphSketcher(params.hashes, params.seed);
  }
}

/** Whether a run compares samples of fingerprints, which have no bands, instead of signatures. */
export function isSample(sketch: SketchParams | SampleParams): sketch is SampleParams {
  return sketch.sketch === 'min-s' || sketch.sketch === 'mod-m';
}

/** The parameters of samples; null where signatures are compared. */
export function sampleParams({ sketch }: Pick<ResultParams, 'sketch'>): SampleParams | null {
  return isSample(sketch) ? sketch : null;
}

/** Signatures and their bands. @throws Error where samples are compared: the caller must check */
export function signatureParams({ sketch, banding }: Pick<ResultParams, 'sketch' | 'banding'>): {
  readonly sketch: SketchParams;
  readonly banding: BandingParams;
} {
  if (isSample(sketch) || banding === null) throw new Error(`${sketch.sketch} has neither slots nor bands`);
  return { sketch, banding };
}

/**
 * The value of a signature similarity of 1 in the columns of pairs: the number of slots of a signature, 1 for
 * shares.
 */
export function agreementUnits({ sketch }: Pick<ResultParams, 'sketch'>): number {
  return isSample(sketch) ? 1 : sketch.hashes;
}
