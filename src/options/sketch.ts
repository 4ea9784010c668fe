/**
 * By what documents are compared: samples of fingerprints, or signatures with their bands.
 *
 * Floor 4. Faults go to whoever asks.
 */
import type { ResultParams, SketchName, SketchParams } from '../sketch/params.js';
import { type BandingWish, lengthFault, resolveBanding } from './banding.js';
import type { OptionKey } from './entry.js';
import { type RuleValues, thresholdOf } from './rules.js';
import type { RunOptions } from './runOptions.js';
import { isSample, resolveSampling, type SamplingWish, sketchNameOf } from './sampling.js';

export type ComparedBy = Pick<ResultParams, 'sketch' | 'banding'>;

type Wish = SamplingWish & Omit<BandingWish, 'sketch'> & RuleValues;
type Soundness = (...keys: OptionKey[]) => boolean;
type Reporter = (option: keyof RunOptions, detail: string) => unknown;

export function signatureOf(
  { hashes, seed }: Pick<SamplingWish, 'hashes' | 'seed'>,
  sketch: SketchName,
): SketchParams {
  return { sketch, hashes, seed };
}

/**
 * The sketch asked for; null where a fault was told, here or with the options it follows from. Whatever can be
 * calculated from sound values is, so that its faults come with all others.
 */
export function resolveSketch(
  wish: Wish,
  given: RunOptions,
  sound: Soundness,
  report: Reporter,
): ComparedBy | null {
  const name = sketchNameOf(wish, given, sound);
  if (name === null) return null;
  if (isSample(name)) {
    const samples = resolveSampling(name, wish, sound, report);
    return samples === null ? null : { sketch: samples, banding: null };
  }
  if (!sound('hashes', 'bands', 'rows')) return null;
  const tooLong = lengthFault(wish);
  if (tooLong !== null) report(tooLong.option, tooLong.detail);
  if (tooLong !== null || !hasOneThreshold(wish, given, sound)) return null;
  const choice = resolveBanding({ ...wish, sketch: name, threshold: thresholdOf(wish) }, given);
  if ('banding' in choice) return { sketch: signatureOf(wish, name), banding: choice.banding };
  report(choice.option, choice.detail);
  return null;
}

/** Bands cannot be chosen for a threshold that is not known, or is one of two. */
function hasOneThreshold({ agree, hashes }: Wish, given: RunOptions, sound: Soundness): boolean {
  if (!sound('threshold', 'recall', 'agree')) return false;
  return agree === null || (given.threshold === undefined && agree <= hashes);
}
