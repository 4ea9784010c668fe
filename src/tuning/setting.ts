/**
 * One setting of bands and rows as numbers: its S-curve, where it rises, how steeply, and what it costs.
 *
 * Floor 4. Pure; knows no corpus and no option. What is found at a resemblance is, where the slots are said to be `oph`'s,
 * the least over sets of all sizes; where the curve rises and what it lets through below the threshold is told of
 * independent slots. Uses +, -, * and / only, so that the numbers are the same on every
 * machine.
 */
import {
  type CurvePoint,
  candidateCurve,
  probabilityOfCandidate,
  type SlotParams,
} from '../sketch/banding.js';
import type { BandingParams } from '../sketch/params.js';

/** What bands and rows do, whatever the corpus. Resemblances and probabilities are 0..1. */
export interface Setting extends BandingParams {
  /** Slots that banding uses: bands x rows. */
  readonly slots: number;
  /** Bucket keys a document has: one a band, 8 bytes each. */
  readonly keys: number;
  /** That a pair at the threshold becomes a candidate: the recall there. */
  readonly atThreshold: number;
  /** The resemblance at which the S-curve is 0.1, 0.5 and 0.9. */
  readonly tenth: number;
  readonly half: number;
  readonly ninetieth: number;
  /** Slope of the S-curve at `half`: by how much the probability grows per unit of resemblance. */
  readonly slope: number;
}

/** Probability of becoming a candidate, by resemblance; signatures are at least as long as the bands need. */
function curveOf(bands: number, rows: number, slots?: SlotParams): (similarity: number) => number {
  const { sketch = 'fss', hashes = 0 } = slots ?? {};
  return candidateCurve({ bands, rows }, { sketch, hashes: Math.max(hashes, bands * rows) });
}

/**
 * The S-curve at 0, 0.05, ..., 1 and at the threshold (0..1), ascending: 21 points, or 22. 20 bands of 5 rows: figure
 * 3.8 of MMDS is part of it.
 */
export function curveTable(bands: number, rows: number, threshold: number, slots?: SlotParams): CurvePoint[] {
  const curve = curveOf(bands, rows, slots);
  const steps = Array.from({ length: 21 }, (_, step) => step / 20);
  if (!steps.includes(threshold)) steps.push(threshold);
  return steps.sort((a, b) => a - b).map((similarity) => ({ similarity, probability: curve(similarity) }));
}

/**
 * The resemblance at which the S-curve passes `probability` (0..1, both exclusive): (1 - (1-p)^(1/b))^(1/r), by
 * bisection. At 1/2 it is what MMDS 3.4.2 calls the threshold of the setting, of which (1/b)^(1/r) is an
 * approximation: .5087 and .549 for 20 bands of 5 rows.
 */
export function similarityAt(probability: number, bands: number, rows: number): number {
  let low = 0;
  let high = 1;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (probabilityOfCandidate(middle, bands, rows) < probability) low = middle;
    else high = middle;
  }
  return high;
}

/** The derivative of the S-curve at a resemblance (0..1): b r s^(r-1) (1 - s^r)^(b-1). */
export function slopeAt(similarity: number, bands: number, rows: number): number {
  let below = 1;
  for (let i = 1; i < rows; i++) below *= similarity;
  const different = 1 - below * similarity;
  let none = 1;
  for (let i = 1; i < bands; i++) none *= different;
  return bands * rows * below * none;
}

/** A setting (both whole numbers >= 1) seen from a threshold in (0, 1]. */
export function settingOf(bands: number, rows: number, threshold: number, slots?: SlotParams): Setting {
  const half = similarityAt(0.5, bands, rows);
  return {
    bands,
    rows,
    slots: bands * rows,
    keys: bands,
    atThreshold: curveOf(bands, rows, slots)(threshold),
    tenth: similarityAt(0.1, bands, rows),
    half,
    ninetieth: similarityAt(0.9, bands, rows),
    slope: slopeAt(half, bands, rows),
  };
}

/** What a setting does to pairs of exactly this resemblance. */
export interface Miss {
  readonly similarity: number;
  /** Share that never becomes a candidate. At the threshold and above it is lost. */
  readonly missed: number;
  /** Share that becomes a candidate. Below the threshold it is compared in vain. */
  readonly seen: number;
}

/**
 * What a setting misses from the threshold on, and what it compares in vain below: at the threshold, up to two points of
 * 0.05 above it and up to three of 0.1 below, between 0 and 1 (both exclusive, the threshold itself may be 1).
 */
export function missesOf(bands: number, rows: number, threshold: number, slots?: SlotParams): Miss[] {
  const curve = slots?.sketch === 'oph' ? curveOf(bands, rows, slots) : null;
  const twentieths = Math.round(threshold * 1e6) / 5e4;
  const places = [threshold];
  for (const more of [1, 2]) places.push((Math.floor(twentieths) + more) / 20);
  for (const less of [2, 4, 6]) places.unshift((Math.ceil(twentieths) - less) / 20);
  return places
    .filter((similarity) => similarity > 0 && (similarity < 1 || similarity === threshold))
    .map((similarity) => {
      if (curve !== null && similarity >= threshold) {
        const found = curve(similarity);
        return { similarity, missed: 1 - found, seen: found };
      }
      const seen = probabilityOfCandidate(similarity, bands, rows);
      return { similarity, missed: missedShare(similarity, bands, rows), seen };
    });
}

/** (1 - s^r)^b itself, not 1 - P: no digits are lost where it is tiny. */
function missedShare(similarity: number, bands: number, rows: number): number {
  let all = 1;
  for (let i = 0; i < rows; i++) all *= similarity;
  let none = 1;
  for (let i = 0; i < bands; i++) none *= 1 - all;
  return none;
}
