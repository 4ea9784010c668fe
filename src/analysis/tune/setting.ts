/**
 * The numbers of a setting of bands and rows: its S-curve, the position and slope of its rise, and its cost; and the
 * choice of a setting.
 *
 * Uses +, -, * and / only, so that the numbers are the same on every machine.
 */

import { checkBands, checkNumber } from '../../errors.js';
import { resolveBanding } from '../../options/bandingChoice.js';
import { type CurvePoint, passing, power, probabilityOfCandidate } from '../../sketch/banding.js';
import type { BandingParams } from '../../sketch/params.js';
import { binomialAtLeast } from '../../sketch/probability.js';

/** The effect of bands and rows, independent of the corpus. Resemblances and probabilities are 0..1. */
export interface Setting extends BandingParams {
  /** Slots that banding uses: bands x rows. */
  readonly slots: number;
  /** Bucket keys per document: one per band, 8 bytes each. */
  readonly keys: number;
  /** The probability that a pair at the threshold becomes a candidate: the recall there. */
  readonly atThreshold: number;
  /** The resemblance at which the S-curve is 0.1, 0.5 and 0.9. */
  readonly tenth: number;
  readonly half: number;
  readonly ninetieth: number;
  /** Slope of the S-curve at `half`: increase of the probability per unit of resemblance. */
  readonly slope: number;
}

/** A curve at 0, 0.05, ..., 1 and at another position (0..1), ascending: 21 points, or 22. */
function tableOf(place: number, probabilityAt: (similarity: number) => number): CurvePoint[] {
  const places = new Set([...Array.from({ length: 21 }, (_, step) => step / 20), place]);
  return [...places]
    .sort((a, b) => a - b)
    .map((similarity) => ({ similarity, probability: probabilityAt(similarity) }));
}

/**
 * The S-curve at 0, 0.05, ..., 1 and at the threshold (0..1), ascending: 21 points, or 22. 20 bands of 5
 * rows: figure 3.8 of MMDS shows a part of it.
 *
 * @throws MinHashError OPTION_INVALID for a number out of its range
 */
export function curveTable(bands: number, rows: number, threshold: number): CurvePoint[] {
  checkNumber('threshold', threshold, 'share');
  return tableOf(threshold, (similarity) => probabilityOfCandidate(similarity, bands, rows));
}

/**
 * The resemblance at which the S-curve passes `probability` (0..1, both exclusive): (1 - (1-p)^(1/b))^(1/r),
 * by bisection. At 1/2 it is the threshold of the setting in the sense of MMDS 3.4.2, which (1/b)^(1/r)
 * approximates: .5087 and .549 for 20 bands of 5 rows.
 *
 * @throws MinHashError OPTION_INVALID for a number out of its range
 */
export function similarityAt(probability: number, bands: number, rows: number): number {
  checkNumber('probability', probability, 'share');
  return passing(probability, (similarity) => probabilityOfCandidate(similarity, bands, rows));
}

/** The derivative of the S-curve at a resemblance (0..1): b r s^(r-1) (1 - s^r)^(b-1). */
export function slopeAt(similarity: number, bands: number, rows: number): number {
  const below = power(similarity, rows - 1);
  return bands * rows * below * power(1 - below * similarity, bands - 1);
}

/**
 * A setting (both whole numbers >= 1), evaluated at a threshold in (0, 1].
 *
 * @throws MinHashError OPTION_INVALID for a number out of its range
 */
export function settingOf(bands: number, rows: number, threshold: number): Setting {
  checkNumber('threshold', threshold, 'share');
  const half = similarityAt(0.5, bands, rows);
  return {
    bands,
    rows,
    slots: bands * rows,
    keys: bands,
    atThreshold: probabilityOfCandidate(threshold, bands, rows),
    tenth: similarityAt(0.1, bands, rows),
    half,
    ninetieth: similarityAt(0.9, bands, rows),
    slope: slopeAt(half, bands, rows),
  };
}

/** The effect of a setting on pairs of exactly this resemblance. */
export interface Miss {
  readonly similarity: number;
  /** Share of the pairs that never become candidates. At the threshold and above these pairs are lost. */
  readonly missed: number;
  /** Share of the pairs that become candidates. Below the threshold these comparisons are wasted. */
  readonly seen: number;
}

/**
 * The shares of pairs that a setting misses from the threshold on and compares needlessly below: at the threshold, at
 * up to two points above it in steps of 0.05, and at up to three below in steps of 0.1, between 0 and 1 (both
 * exclusive; the threshold itself may be 1).
 *
 * @throws MinHashError OPTION_INVALID for a number out of its range
 */
export function missesOf(bands: number, rows: number, threshold: number): Miss[] {
  checkNumber('threshold', threshold, 'share');
  checkBands(bands, rows);
  const twentieths = Math.round(threshold * 1e6) / 5e4;
  const places = [threshold];
  for (const more of [1, 2]) places.push((Math.floor(twentieths) + more) / 20);
  for (const less of [2, 4, 6]) places.unshift((Math.ceil(twentieths) - less) / 20);
  return places
    .filter((similarity) => similarity > 0 && (similarity < 1 || similarity === threshold))
    .map((similarity) => {
      const seen = probabilityOfCandidate(similarity, bands, rows);
      // Computed directly, because 1 - P loses digits if it is tiny.
      return { similarity, missed: power(1 - power(similarity, rows), bands), seen };
    });
}

/** The requirements; each value is in range. */
export interface ChoiceWish {
  /** Resemblance in (0, 1]. */
  readonly threshold: number;
  /** Least probability of becoming a candidate at the threshold, in (0, 1). */
  readonly recall: number;
  /** Length of the signature, 16..1024. */
  readonly hashes: number;
  readonly bands?: number | null;
  readonly rows?: number | null;
}

/** The reason for the bands and rows. */
export type ChoiceReason = 'given' | 'recall';

/** A choice, and the alternatives: settings with similar rows, ascending, including the choice. */
export interface Choice {
  readonly reason: ChoiceReason;
  /** Length of the signature; slots that banding does not use still improve the estimate. */
  readonly hashes: number;
  readonly setting: Setting;
  readonly neighbours: readonly Setting[];
}

/** A requirement that cannot be met: the option at fault, and the reason. */
export interface Refusal {
  readonly option: string;
  readonly detail: string;
}

/**
 * The bands and rows that meet the requirements: those that are set, otherwise as `run` chooses, the largest `rows`
 * (fewest false candidates) that reaches the recall.
 */
export function chooseSetting(
  requirements: ChoiceWish,
  given: Readonly<Record<string, unknown>> = {},
): Choice | Refusal {
  const { threshold, hashes, bands = null, rows = null } = requirements;
  const chosen = resolveBanding({ threshold, recall: requirements.recall, hashes, bands, rows }, given);
  if ('detail' in chosen) return { option: chosen.option, detail: chosen.detail };
  const { banding } = chosen;
  const setting = settingOf(banding.bands, banding.rows, threshold);
  if (bands !== null && rows !== null) return { reason: 'given', hashes, setting, neighbours: [] };
  // The alternatives use b r = n as in MMDS; a requested number of bands is kept.
  const bandsFor = (r: number): number => bands ?? Math.floor(hashes / r);
  return {
    reason: 'recall',
    hashes,
    setting,
    neighbours: rows === null ? around(setting, requirements, bandsFor) : [],
  };
}

/** The settings with up to two rows fewer or more that fit the signature. */
function around(setting: Setting, requirements: ChoiceWish, bandsFor: (rows: number) => number): Setting[] {
  const neighbours: Setting[] = [];
  for (let rows = Math.max(1, setting.rows - 2); rows <= setting.rows + 2; rows++) {
    const bands = bandsFor(rows);
    if (bands < 1 || bands * rows > requirements.hashes) continue;
    neighbours.push(settingOf(bands, rows, requirements.threshold));
  }
  return neighbours;
}

/** p(r) = P(Bin(n, r) >= m) at a resemblance. */
export type RulePoint = CurvePoint;

/**
 * The m-of-n rule, without banding: two documents are similar when at least `agree` of `hashes` slots match,
 * 0 <= agree <= hashes. Slots are taken as independent, as in `classic`.
 */
export interface AgreeRule {
  readonly agree: number;
  readonly hashes: number;
  /** At 0, 0.05, ..., 1 and at agree/hashes, ascending. */
  readonly points: readonly RulePoint[];
  /** Resemblances at which p is 0.01, 0.5 and 0.99; all 0 if agree is 0. */
  readonly hundredth: number;
  readonly half: number;
  readonly ninetyNinth: number;
}

/**
 * p(r) = P(Bin(hashes, r) >= agree): the probability that two documents of resemblance r (0..1) pass the
 * rule. 90 of 100: .0057 at .8, .583 at .9, .9885 at .95.
 *
 * @throws MinHashError OPTION_INVALID for a number out of its range
 */
export function passesRule(similarity: number, agree: number, hashes: number): number {
  checkNumber('similarity', similarity, 'share');
  checkNumber('hashes', hashes, 'slots');
  checkNumber('agree', agree, 'count or 0');
  return binomialAtLeast(hashes, similarity, agree);
}

/**
 * The rule as a table.
 *
 * @throws MinHashError OPTION_INVALID for a number out of its range
 */
export function agreeRule(agree: number, hashes: number): AgreeRule {
  checkNumber('hashes', hashes, 'slots');
  checkNumber('agree', agree, 'count or 0');
  checkNumber('agree of hashes', agree / hashes, 'share');
  const probabilityAt = (similarity: number): number => passesRule(similarity, agree, hashes);
  const passedAt = (probability: number): number => (agree <= 0 ? 0 : passing(probability, probabilityAt));
  return {
    agree,
    hashes,
    points: tableOf(agree / hashes, probabilityAt),
    hundredth: passedAt(0.01),
    half: passedAt(0.5),
    ninetyNinth: passedAt(0.99),
  };
}
