/**
 * By what documents are compared: samples of fingerprints, or signatures with their bands.
 *
 * Floor 4. Faults go to whoever asks.
 */
import type { ResultParams, SketchName, SketchParams } from '../sketch/params.js';
import { type BandingWish, resolveBanding } from './banding.js';
import type { RunOptions } from './runOptions.js';
import { resolveSampling, type SamplingWish, sketchNameOf } from './sampling.js';

export type ComparedBy = Pick<ResultParams, 'sketch' | 'banding'>;

export function signatureOf(
  { hashes, seed }: Pick<SamplingWish, 'hashes' | 'seed'>,
  sketch: SketchName,
): SketchParams {
  return { sketch, hashes, seed };
}

/** The sketch asked for, by values that are each in range; null where a fault was told. */
export function resolveSketch(
  wish: SamplingWish & BandingWish,
  given: RunOptions,
  report: (option: keyof RunOptions, detail: string) => unknown,
): ComparedBy | null {
  const samples = resolveSampling(wish, given, report);
  if (samples !== null) return { sketch: samples, banding: null };
  const name = sketchNameOf(wish, given);
  if (name === 'min-s' || name === 'mod-m') return null;
  const choice = resolveBanding(wish, given);
  if ('banding' in choice) return { sketch: signatureOf(wish, name), banding: choice.banding };
  report(choice.option, choice.detail);
  return null;
}
