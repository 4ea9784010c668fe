/**
 * The door to the three schemes: parameters in, sketcher out.
 *
 * The plain reference that every faster kernel is compared with, bit for bit.
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

/*
 * Which kind of sketch a run compares: signatures, which have bands, or samples of fingerprints, which have
 * none.
 */

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
