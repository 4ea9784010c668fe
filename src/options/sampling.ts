/**
 * Sketches that are samples of fingerprints: what was asked for, as parameters, and what does not go with them.
 *
 * Floor 4. The mathematics is in src/sketch/sampleRule.ts; here are the faults.
 */
import type { Measure, SampleName, SampleParams, SketchName, VerifyMode } from '../sketch/params.js';
import { leastShared, sharedProbability, wholeBelowOf } from '../sketch/sampleRule.js';
import type { OptionKey } from './entry.js';
import { shownValue } from './kinds.js';
import type { RunOptions } from './runOptions.js';
import { USUAL_MODULUS } from './sketchEntries.js';
import { flagName, OPTIONS } from './table.js';

/** The options that samples follow from; the default where one has no sound value. */
export interface SamplingWish {
  readonly measure: Measure;
  readonly sketch: SketchName | SampleName;
  readonly hashes: number;
  readonly modulus: number | null;
  readonly threshold: number;
  readonly recall: number;
  readonly verify: VerifyMode;
  readonly seed: number;
}

/** Rules over the slots of signatures, and what is left out of them. */
const OF_SIGNATURES = ['agree', 'sample', 'maxShingleDocuments', 'cluster', 'representative'] as const;

type Reporter = (option: keyof RunOptions, detail: string) => unknown;
/** Whether none of these options has a value that cannot be used. */
type Soundness = (...keys: OptionKey[]) => boolean;
type Clash = readonly [option: OptionKey, detail: string];

/**
 * The kind of sketch; containment is measured by mod-m, whatever was asked for. Null where an option without a sound value
 * would decide it.
 */
export function sketchNameOf(
  { measure, sketch }: Pick<SamplingWish, 'measure' | 'sketch'>,
  given: RunOptions,
  sound: Soundness,
): SketchName | SampleName | null {
  if (measure === 'containment') return 'mod-m';
  const isDecided = sound('sketch') && (sound('measure') || given.sketch !== undefined);
  return isDecided ? sketch : null;
}

export function isSample(name: SketchName | SampleName): name is SampleName {
  return name === 'min-s' || name === 'mod-m';
}

/** Everything that does not go together with the kind of sketch or the measure. */
export function samplingClashes(wish: SamplingWish, given: RunOptions, sound: Soundness): Clash[] {
  const clashes: Clash[] = [];
  if (wish.measure === 'containment') {
    if (given.sketch !== undefined && sound('sketch') && wish.sketch !== 'mod-m') {
      clashes.push(['sketch', `--sketch ${wish.sketch}: expected mod-m with --measure containment`]);
    }
    if (wish.verify === 'signature') {
      const expected = 'expected exact or none with --measure containment (containment is verified exactly)';
      clashes.push(['verify', `--verify signature: ${expected}`]);
    }
  }
  const name = sketchNameOf(wish, given, sound);
  if (name === null) return clashes;
  if (name !== 'mod-m' && given.modulus !== undefined) {
    clashes.push(['modulus', `${typed('modulus', given)}: expected together with --sketch mod-m only`]);
  }
  return isSample(name) ? [...clashes, ...sampleClashes(name, wish.measure, given)] : clashes;
}

function sampleClashes(name: SampleName, measure: Measure, given: RunOptions): Clash[] {
  const clashes: Clash[] = [];
  const isContainment = measure === 'containment';
  for (const key of ['bands', 'rows'] as const) {
    if (given[key] === undefined) continue;
    const expected = isContainment
      ? 'expected without --measure containment, whose samples (mod-m) have no bands'
      : `expected with --sketch fss, classic or oph only, ${name} has no bands`;
    clashes.push([key, `${typed(key, given)}: ${expected}`]);
  }
  for (const key of OF_SIGNATURES) {
    if (given[key] === undefined || given[key] === OPTIONS[key].default) continue;
    const expected = isContainment
      ? 'expected without --measure containment, which is found by samples (mod-m)'
      : `expected with --sketch fss, classic or oph only, not ${name}`;
    clashes.push([key, `${typed(key, given)}: ${expected}`]);
  }
  if (name === 'mod-m' && given.hashes !== undefined) {
    const expected = isContainment
      ? 'expected without --measure containment'
      : 'expected with other sketches only';
    const reason = 'a sample of mod-m is as long as --modulus makes it';
    clashes.push(['hashes', `${typed('hashes', given)}: ${expected} (${reason})`]);
  }
  return clashes;
}

/** `--bands 3`, also where the value cannot be used. */
function typed(key: OptionKey, given: RunOptions): string {
  return `${flagName(key)} ${shownValue(given[key])}`;
}

/** The samples asked for; null where a fault was told, or where a value that they follow from cannot be used. */
export function resolveSampling(
  name: SampleName,
  wish: SamplingWish,
  sound: Soundness,
  report: Reporter,
): SampleParams | null {
  if (!sound('threshold', 'recall', name === 'min-s' ? 'hashes' : 'modulus')) return null;
  if (name === 'mod-m') return modSamples(wish, report);
  const { hashes, seed } = wish;
  return reachable(wish, report) ? { sketch: name, hashes, seed } : null;
}

function reachable({ hashes, recall, threshold, measure }: SamplingWish, report: Reporter): boolean {
  const best = sharedProbability(threshold, hashes, { threshold, recall, measure });
  if (best >= recall) return true;
  const least = leastShared(hashes, { threshold, recall });
  const detail =
    `--threshold ${threshold}: --recall ${recall} is not reachable with --sketch min-s --hashes ${hashes}, ` +
    `whose pairs share at least ${least}: the best is ${(Math.floor(best * 10_000) / 10_000).toFixed(4)}; ` +
    'lower --recall, or raise --hashes or --threshold';
  report('threshold', detail);
  return false;
}

function modSamples(
  { threshold, recall, seed, ...wish }: SamplingWish,
  report: Reporter,
): SampleParams | null {
  const modulus = wish.modulus ?? USUAL_MODULUS;
  const wholeBelow = wholeBelowOf(modulus, { threshold, recall });
  if (wholeBelow !== null) return { sketch: 'mod-m', modulus, wholeBelow, seed };
  const detail =
    `--threshold ${threshold}: --recall ${recall} is not reachable with --modulus ${modulus}, unless documents of ` +
    'more than a million shingles are kept whole; lower --recall or --modulus, or raise --threshold';
  report('threshold', detail);
  return null;
}
