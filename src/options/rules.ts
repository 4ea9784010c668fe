/**
 * Turns the options of m-of-n rules, samples of fingerprints and sets into parameters.
 *
 * Each value is already checked by itself, and conflicts.ts checks them together.
 */
import type { SampleName, SampleParams, SetsParams, SketchName } from '../sketch/params.js';
import { leastShared, sharedProbability, wholeBelowOf } from '../sketch/samples/sampleRule.js';
import type { OptionValues, RunOptions } from './runOptions.js';
import { type OptionKey, USUAL_MODULUS } from './table.js';

/** Whether none of these options has an invalid value. */
export type Soundness = (...keys: OptionKey[]) => boolean;

/** Receives a fault: the option at fault, and what is wrong. */
export type Reporter = (option: string | null, detail: string) => unknown;

/** The least Jaccard similarity of a reported pair: M/N for a rule of M of N slots, 1 for identical documents. */
export function thresholdOf({
  agree,
  threshold,
  hashes,
  exactDuplicates,
}: Pick<OptionValues, 'agree' | 'threshold' | 'hashes' | 'exactDuplicates'>): number {
  if (exactDuplicates) return 1;
  return agree === null ? threshold : Math.min(1, agree / hashes);
}

/*
 * Sketches that are samples of fingerprints. The mathematics is in src/sketch/samples/sampleRule.ts.
 */

/** The options that decide samples; the default where a value is invalid. */
export type SampleOptions = Pick<
  OptionValues,
  'method' | 'measure' | 'sketch' | 'hashes' | 'modulus' | 'threshold' | 'recall' | 'verify' | 'seed'
>;

/**
 * The kind of sketch; mod-m where containment is measured, whatever sketch was requested. Null where an invalid option decides
 * it, and where documents are not sketched, but compared by their common words.
 */
export function sketchNameOf(
  { method, measure, sketch }: Pick<SampleOptions, 'method' | 'measure' | 'sketch'>,
  given: RunOptions,
  sound: Soundness,
): SketchName | SampleName | null {
  if (method === 'sswf') return null;
  if (measure === 'containment') return 'mod-m';
  const isDecided = sound('sketch') && (sound('measure') || given.sketch !== undefined);
  return isDecided ? sketch : null;
}

export function isSample(name: SketchName | SampleName): name is SampleName {
  return name === 'min-s' || name === 'mod-m';
}

/** The requested samples; null where a fault was reported, or where an option that decides them is invalid. */
export function resolveSampling(
  name: SampleName,
  wish: SampleOptions,
  sound: Soundness,
  report: Reporter,
): SampleParams | null {
  if (!sound('threshold', 'recall', name === 'min-s' ? 'hashes' : 'modulus')) return null;
  if (name === 'mod-m') return modSamples(wish, report);
  const { hashes, seed } = wish;
  return reachable(wish, report) ? { sketch: name, hashes, seed } : null;
}

/** A probability rounded down to four decimals, so that a user who requests the printed number is not refused again. */
export function roundedDown(probability: number): string {
  return (Math.floor(probability * 10_000) / 10_000).toFixed(4);
}

function reachable({ hashes, recall, threshold, measure }: SampleOptions, report: Reporter): boolean {
  const best = sharedProbability(threshold, hashes, { threshold, recall, measure });
  if (best >= recall) return true;
  const least = leastShared(hashes, { threshold, recall });
  const detail =
    `--threshold ${threshold}: --recall ${recall} is not reachable with --sketch min-s --hashes ${hashes}, ` +
    `whose pairs share at least ${least}: the best is ${roundedDown(best)}; ` +
    'lower --recall, or raise --hashes or --threshold';
  report('threshold', detail);
  return false;
}

function modSamples(
  { threshold, recall, seed, ...wish }: SampleOptions,
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

/*
 * The parameters of `--input sets`.
 */

const NUMBER = /^[1-9]\d{0,3}$/;

/** Whether fields are names: fields that are all numbers are positions. */
function areNamed(fields: readonly string[]): boolean {
  return !fields.every((field) => NUMBER.test(field));
}

const USUAL_COLUMNS = ['1', '2', '3'];
const USUAL_LIKED_FROM = 4;

/** The fields of set, element and, if there is a third, weight or rating. */
export function columnsOf({ columns }: Pick<OptionValues, 'columns'>): readonly string[] {
  return columns ?? USUAL_COLUMNS;
}

export function setsParamsOf(values: OptionValues): { sets?: SetsParams } {
  const { input, ratings, likedFrom } = values;
  if (input !== 'sets') return {};
  const columns = columnsOf(values);
  const takesLiking = ratings === 'liked' || ratings === 'liked-hated';
  return {
    sets: {
      columns: [...columns],
      named: areNamed(columns),
      ratings,
      likedFrom: takesLiking ? (likedFrom ?? USUAL_LIKED_FROM) : null,
    },
  };
}
