/**
 * The calculator: bands and rows for a threshold, the pairs they miss, and the length of a signature.
 * src/analysis/tune/corpusEstimate.ts does the same for a given corpus.
 */
import { checkBands, checkNumber, checkObject, kindOf, MinHashError } from '../../errors.js';
import { checkEachOption } from '../../options/check.js';
import type { CurvePoint } from '../../sketch/banding.js';
import type { BandingParams, SketchName } from '../../sketch/params.js';
import { agreementShare } from '../../sketch/probability.js';
import { leastSlots, type SampleSize, sampleSizes } from './sampleSize.js';
import {
  type Choice,
  chooseSetting,
  curveTable,
  type Miss,
  missesOf,
  type Setting,
  settingOf,
} from './setting.js';

/** The requirements; defaults as for `run`. */
export interface TuneWish {
  /** Resemblance in (0, 1]; default 0.8. */
  readonly threshold?: number;
  /** Least probability, in (0, 1), that a pair at the threshold becomes a candidate; default 0.95. */
  readonly recall?: number;
  /** Signature length, 16..1024; default 128. */
  readonly hashes?: number;
  /** Default `fss`. */
  readonly sketch?: SketchName;
  readonly bands?: number;
  readonly rows?: number;
}

/** A choice, its S-curve, and the pairs it misses. */
export interface Tuning extends Choice {
  readonly sketch: SketchName;
  readonly threshold: number;
  readonly recall: number;
  /** At 0, 0.05, ..., 1 and at the threshold. */
  readonly curve: readonly CurvePoint[];
  /** Around the threshold, by resemblance. */
  readonly misses: readonly Miss[];
  /**
   * P(signature similarity >= threshold) of a pair at the threshold, about one half: `verify: 'signature'`
   * reports this share of the candidates there.
   */
  readonly signatureShare: number;
}

/**
 * Bands and rows that meet the requirements, as `run` would choose them, and their effect.
 *
 * @throws MinHashError OPTION_INVALID: a value out of range, or requirements that cannot be met
 */
export function tune(requirements: TuneWish = {}): Tuning {
  checkObject('options of tune', requirements);
  const problems = checkEachOption(requirements);
  if (problems.length > 0) throw new MinHashError(problems);
  const { threshold = 0.8, recall = 0.95, hashes = 128, sketch = 'fss' } = requirements;
  const choice = chooseSetting({ ...requirements, threshold, recall, hashes }, { ...requirements });
  if ('detail' in choice) throw new MinHashError({ code: 'OPTION_INVALID', detail: choice.detail });
  const { bands, rows } = choice.setting;
  return {
    ...choice,
    sketch,
    threshold,
    recall,
    curve: curveTable(bands, rows, threshold),
    misses: missesOf(bands, rows, threshold),
    signatureShare: agreementShare(threshold, choice.hashes),
  };
}

/** A setting with its S-curve. */
export interface ComparedSetting extends Setting {
  readonly curve: readonly CurvePoint[];
}

/**
 * Settings side by side, evaluated at a threshold in (0, 1]; bands and rows are whole numbers from 1 to 65536.
 *
 * @throws MinHashError OPTION_INVALID for any other value
 */
export function compareSettings(settings: readonly BandingParams[], threshold: number): ComparedSetting[] {
  const given: unknown = settings;
  if (!Array.isArray(given) || given.some((one) => typeof one !== 'object' || one === null))
    throw new MinHashError({
      code: 'OPTION_INVALID',
      detail: `settings: expected a list of { bands, rows }, got ${kindOf(given)}`,
    });
  checkNumber('threshold', threshold, 'share');
  for (const { bands, rows } of settings) checkBands(bands, rows);
  return settings.map(({ bands, rows }) => ({
    ...settingOf(bands, rows, threshold),
    curve: curveTable(bands, rows, threshold),
  }));
}

/** The requirements for a signature: the error of the resemblance that it estimates, and the confidence. */
export interface LengthWish {
  /** The length to evaluate, 16..1024; default 128. */
  readonly hashes?: number;
  /** Resemblance in [0, 1]; default 0.8. */
  readonly resemblance?: number;
  /** Largest error, in (0, 1); default 0.05. */
  readonly error?: number;
  /** In (0, 1); default 0.95. */
  readonly confidence?: number;
}

/** Signature lengths and their errors. */
export interface SignatureLengths extends Required<LengthWish> {
  readonly table: readonly SampleSize[];
  /** Fewest slots that keep the error with the confidence at this resemblance; null: more than 1024. */
  readonly least: number | null;
  /** Fewest such slots at resemblance 1/2, where estimates spread most; null: more than 1024. */
  readonly leastAtHalf: number | null;
}

/**
 * The error of each signature length with its probability (Broder 1997, section 4.2), and the length for an error and a
 * confidence.
 */
export function signatureLengths(requirements: LengthWish = {}): SignatureLengths {
  checkObject('options of signatureLengths', requirements);
  const { hashes = 128, resemblance = 0.8, error = 0.05, confidence = 0.95 } = requirements;
  return {
    ...{ hashes, resemblance, error, confidence },
    table: sampleSizes(hashes, resemblance, error),
    least: leastSlots(resemblance, error, confidence),
    leastAtHalf: leastSlots(0.5, error, confidence),
  };
}
