/**
 * Sketches that are samples of fingerprints: what was asked for, as parameters, and what does not go with them.
 *
 * Floor 4. The mathematics is in src/sketch/sampleRule.ts; here are the faults.
 */
import type { Measure, SampleName, SampleParams, SketchName, VerifyMode } from '../sketch/params.js';
import { leastShared, sharedProbability, wholeBelowOf } from '../sketch/sampleRule.js';
import type { RunOptions } from './runOptions.js';
import { USUAL_MODULUS } from './sketchEntries.js';
import { flagName, OPTIONS } from './table.js';

/** The options that samples follow from, each of a sound value. */
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
const OF_SIGNATURES = ['agree', 'sample', 'maxShingleDocuments', 'cluster'] as const;

type Reporter = (option: keyof RunOptions, detail: string) => unknown;

/** The kind of sketch: containment is measured by mod-m where nothing else was asked for. */
export function sketchNameOf(wish: SamplingWish, given: RunOptions): SketchName | SampleName {
  return wish.measure === 'containment' && given.sketch === undefined ? 'mod-m' : wish.sketch;
}

/**
 * The samples asked for; null where signatures are, and where a fault was told. Tells everything that does not go together;
 * bands and rows of signatures are not looked at.
 */
export function resolveSampling(
  wish: SamplingWish,
  given: RunOptions,
  report: Reporter,
): SampleParams | null {
  const { measure, verify, seed, hashes } = wish;
  const sketch = sketchNameOf(wish, given);
  if (measure === 'containment' && sketch !== 'mod-m') {
    report('sketch', `--sketch ${sketch}: expected mod-m with --measure containment`);
    return null;
  }
  if (measure === 'containment' && verify === 'signature') {
    const reason = 'containment is verified exactly';
    report('verify', `--verify signature: expected exact or none with --measure containment (${reason})`);
  }
  if (sketch !== 'mod-m' && given.modulus !== undefined) {
    report('modulus', `--modulus ${given.modulus}: expected together with --sketch mod-m only`);
  }
  if (sketch !== 'mod-m' && sketch !== 'min-s') return null;
  for (const key of ['bands', 'rows'] as const) {
    if (given[key] === undefined) continue;
    report(
      key,
      `--${key} ${given[key]}: expected with --sketch fss, classic or oph only, ${sketch} has no bands`,
    );
  }
  for (const key of OF_SIGNATURES) {
    if (given[key] === undefined || given[key] === OPTIONS[key].default) continue;
    report(
      key,
      `${flagName(key)} ${given[key]}: expected with --sketch fss, classic or oph only, not ${sketch}`,
    );
  }
  if (sketch === 'min-s') return reachable(wish, report) ? { sketch, hashes, seed } : null;
  if (given.hashes !== undefined) {
    const reason = 'a sample of mod-m is as long as --modulus makes it';
    report('hashes', `--hashes ${hashes}: expected with other sketches only (${reason})`);
  }
  return modSamples(wish, report);
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
