/**
 * Bands and rows for what is wanted: a recall at a threshold, within a signature, within so many bucket keys, or with
 * the shortest signature that also keeps unlike pairs out.
 *
 * Floor 4. Pure. Without more than a recall it chooses what a run chooses, through the same function.
 */
import { resolveBanding } from '../options/banding.js';
import { candidateCurve, probabilityOfCandidate, type SlotParams } from '../sketch/banding.js';
import type { SketchName } from '../sketch/params.js';
import { type Setting, settingOf } from './setting.js';

/** Pairs at resemblance `similarity` shall become candidates with at most this probability. */
export interface Ceiling {
  readonly similarity: number;
  readonly probability: number;
}

/** What is wanted. At most one of `bands`/`rows`, `keys` and `ceiling`; values are each in range. */
export interface ChoiceWish {
  /** Resemblance in (0, 1]. */
  readonly threshold: number;
  /** Least probability of becoming a candidate at the threshold, in (0, 1). */
  readonly recall: number;
  /** Length of the signature, 16..1024. Sought where a ceiling is given. */
  readonly hashes: number;
  /** Default `fss`. */
  readonly sketch?: SketchName;
  readonly bands?: number | null;
  readonly rows?: number | null;
  /** At most so many bands, which is so many bucket keys a document. */
  readonly keys?: number | null;
  readonly ceiling?: Ceiling | null;
}

/** Why bands and rows are what they are. */
export type ChoiceReason = 'given' | 'recall' | 'keys' | 'ceiling';

/** A choice, and what else could have been chosen: the neighbours in rows, ascending, the choice among them. */
export interface Choice {
  readonly reason: ChoiceReason;
  /** Length of the signature; slots that banding leaves over still make the estimate better. */
  readonly hashes: number;
  readonly setting: Setting;
  readonly neighbours: readonly Setting[];
}

/** A wish that cannot be met: the option to blame, and what is wrong. */
export interface Refusal {
  readonly option: string;
  readonly detail: string;
}

const LEAST_HASHES = 16;
const MOST_HASHES = 1024;

/**
 * The choice for a wish.
 *
 * - Bands and rows given: these. One of them or none: as `run` chooses, the largest `rows` (fewest false candidates)
 *   that reaches the recall.
 * - `keys`: the same with at most so many bands.
 * - `ceiling`: the fewest slots B x R with which both the recall and the ceiling hold.
 */
export function chooseSetting(
  wish: ChoiceWish,
  given: Readonly<Record<string, unknown>> = {},
): Choice | Refusal {
  if (wish.ceiling) return chooseUnder(wish, wish.ceiling);
  const { threshold, hashes, sketch = 'fss', bands = null, rows = null } = wish;
  if (wish.keys) return chooseWithin(wish, wish.keys);
  const chosen = resolveBanding({ threshold, recall: wish.recall, hashes, sketch, bands, rows }, given);
  if ('detail' in chosen) return { option: chosen.option, detail: chosen.detail };
  const { banding } = chosen;
  const setting = settingOf(banding.bands, banding.rows, threshold, slotsOf(wish));
  if (bands !== null && rows !== null) return { reason: 'given', hashes, setting, neighbours: [] };
  // The textbook's b r = n is what the other numbers of rows are compared by; given bands stay.
  const bandsFor = (r: number): number => bands ?? Math.floor(hashes / r);
  return {
    reason: 'recall',
    hashes,
    setting,
    neighbours: rows === null ? around(setting, wish, bandsFor) : [],
  };
}

/** The settings with up to two rows fewer and more that fit the signature. */
function around(setting: Setting, wish: ChoiceWish, bandsFor: (rows: number) => number): Setting[] {
  const neighbours: Setting[] = [];
  for (let rows = Math.max(1, setting.rows - 2); rows <= setting.rows + 2; rows++) {
    const bands = bandsFor(rows);
    if (bands < 1 || bands * rows > wish.hashes) continue;
    neighbours.push(settingOf(bands, rows, wish.threshold, slotsOf(wish)));
  }
  return neighbours;
}

/** The slots of a wish, or of a signature of another length. */
function slotsOf({ sketch = 'fss', hashes }: ChoiceWish, length = hashes): SlotParams {
  return { sketch, hashes: length };
}

function chooseWithin(wish: ChoiceWish, keys: number): Choice | Refusal {
  const { threshold, recall, hashes } = wish;
  const bandsFor = (rows: number): number => Math.min(keys, Math.floor(hashes / rows));
  for (let rows = hashes; rows >= 1; rows--) {
    if (probabilityOfCandidate(threshold, bandsFor(rows), rows) < recall) continue;
    const setting = settingOf(bandsFor(rows), rows, threshold, slotsOf(wish));
    if (setting.atThreshold < recall) continue;
    return { reason: 'keys', hashes, setting, neighbours: around(setting, wish, bandsFor) };
  }
  const best = candidateCurve({ bands: bandsFor(1), rows: 1 }, slotsOf(wish))(threshold);
  const detail =
    `--keys ${keys}: --recall ${recall} is not reachable at --threshold ${threshold} with so few bands; ` +
    `the best is ${roundedDown(best)} with one row; raise --keys, or lower --recall`;
  return { option: 'keys', detail };
}

/**
 * For each number of rows the fewest bands that reach the recall: they also let the fewest unlike pairs through. Of
 * those within the ceiling the one with the fewest slots (ties: more rows).
 */
function chooseUnder(wish: ChoiceWish, ceiling: Ceiling): Choice | Refusal {
  const { threshold, recall } = wish;
  const settings: (readonly [bands: number, rows: number])[] = [];
  let best = 1;
  let shortest: readonly [number, number] | null = null;
  for (let rows = 1; rows <= MOST_HASHES; rows++) {
    const least = fewestBands(threshold, recall, rows);
    if (least === null) continue;
    const passes = (bands: number): boolean => {
      const passed = probabilityOfCandidate(ceiling.similarity, bands, rows);
      best = Math.min(best, passed);
      return passed <= ceiling.probability;
    };
    const isShort = (bands: number): boolean =>
      shortest === null || bands * rows <= shortest[0] * shortest[1];
    settings.push([least, rows]);
    // Dependent slots take more bands, which are never fewer slots and never let fewer pairs through.
    if (!passes(least) || !isShort(least)) continue;
    const bands = enoughBands(wish, least, rows);
    if (bands !== null && passes(bands) && isShort(bands)) shortest = [bands, rows];
  }
  if (shortest === null) return outOfReach(wish, ceiling, settings.length === 0 ? null : best);
  const [bands, rows] = shortest;
  const seen = (b: number, r: number): Setting => settingOf(b, r, threshold, slotsOf(wish, lengthFor(b, r)));
  const neighbours = settings.filter(([, r]) => Math.abs(r - rows) <= 2);
  return {
    reason: 'ceiling',
    hashes: lengthFor(bands, rows),
    setting: seen(bands, rows),
    neighbours: neighbours.map(([b, r]) => seen(r === rows ? bands : (enoughBands(wish, b, r) ?? b), r)),
  };
}

/** The shortest signature for so many bands and rows. */
function lengthFor(bands: number, rows: number): number {
  return Math.max(LEAST_HASHES, bands * rows);
}

/** The fewest bands, `least` or more, that reach the recall with the slots of the sketch; null: too many slots. */
function enoughBands(wish: ChoiceWish, least: number, rows: number): number | null {
  for (let bands = least; bands * rows <= MOST_HASHES; bands++) {
    const curve = candidateCurve({ bands, rows }, slotsOf(wish, lengthFor(bands, rows)));
    // Independent slots reach it by construction, up to the last digit.
    if (wish.sketch !== 'oph' || curve(wish.threshold) >= wish.recall) return bands;
  }
  return null;
}

/** The fewest bands of so many rows of independent slots that reach the recall within the longest signature, or null. */
function fewestBands(threshold: number, recall: number, rows: number): number | null {
  let allRows = 1;
  for (let i = 0; i < rows; i++) allRows *= threshold;
  let none = 1;
  for (let bands = 1; bands * rows <= MOST_HASHES; bands++) {
    none *= 1 - allRows;
    if (1 - none >= recall) return bands;
  }
  return null;
}

function outOfReach(wish: ChoiceWish, ceiling: Ceiling, best: number | null): Refusal {
  const { threshold, recall } = wish;
  const subject = `--ceiling ${ceiling.similarity} ${ceiling.probability}: not reachable with ${MOST_HASHES} slots`;
  const goals = `at --threshold ${threshold} and --recall ${recall}`;
  const least = best === null ? 'the recall itself is not' : `the lowest is ${best.toPrecision(2)}`;
  return {
    option: 'ceiling',
    detail: `${subject} ${goals}; ${least}; raise the probability, lower the resemblance, or lower --recall`,
  };
}

/** Rounded down, so that asking for the number named is never refused again. */
function roundedDown(probability: number): string {
  return (Math.floor(probability * 10_000) / 10_000).toFixed(4);
}
