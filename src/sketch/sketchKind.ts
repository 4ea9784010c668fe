/**
 * Which kind of sketch a run compares: signatures, which have bands, or samples of fingerprints, which have none.
 *
 * Floor 0. Knows parameters only.
 */
import type { BandingParams, ResultParams, SampleParams, SketchParams } from './params.js';

export function isSample(sketch: SketchParams | SampleParams): sketch is SampleParams {
  return sketch.sketch === 'min-s' || sketch.sketch === 'mod-m';
}

/** The parameters of samples; null where signatures are compared. */
export function sampleParams({ sketch }: Pick<ResultParams, 'sketch'>): SampleParams | null {
  return isSample(sketch) ? sketch : null;
}

/** Signatures and their bands. @throws Error where samples are compared: whoever asks looks first */
export function signatureParams({ sketch, banding }: Pick<ResultParams, 'sketch' | 'banding'>): {
  readonly sketch: SketchParams;
  readonly banding: BandingParams;
} {
  if (isSample(sketch) || banding === null) throw new Error(`${sketch.sketch} has neither slots nor bands`);
  return { sketch, banding };
}

/** What an agreement of 1 is in the columns of pairs: the slots of a signature, 1 where they hold shares. */
export function agreementUnits({ sketch }: Pick<ResultParams, 'sketch'>): number {
  return isSample(sketch) ? 1 : sketch.hashes;
}
