/**
 * Bands and rows from what was asked for: given, half given, or chosen for the recall.
 *
 * Floor 4. The mathematics is in src/sketch/banding.ts; here are the faults.
 */
import { chooseBands } from '../sketch/banding.js';
import type { BandingParams } from '../sketch/params.js';

export interface BandingWish {
  readonly threshold: number;
  readonly recall: number;
  readonly hashes: number;
  readonly bands: number | null;
  readonly rows: number | null;
}

/** Either bands and rows, or the fault: which option, and what is wrong with it. */
export type BandingChoice =
  | { readonly banding: BandingParams }
  | { readonly option: 'bands' | 'rows' | 'recall'; readonly detail: string };

/** Bands and rows for a wish whose values are each in range. */
export function resolveBanding(wish: BandingWish): BandingChoice {
  const { threshold, recall, hashes, bands, rows } = wish;
  if ((bands ?? 1) * (rows ?? 1) > hashes) return tooMany(hashes, bands, rows);
  const chosen = chooseBands({
    threshold,
    recall,
    hashes,
    ...(bands === null ? {} : { bands }),
    ...(rows === null ? {} : { rows }),
  });
  const banding = { bands: chosen.bands, rows: chosen.rows };
  if ((bands !== null && rows !== null) || chosen.probability >= recall) return { banding };
  return unreachable(wish, banding, chosen.probability);
}

function tooMany(hashes: number, bands: number | null, rows: number | null): BandingChoice {
  if (bands === null) {
    return { option: 'rows', detail: `--rows ${rows}: expected at most the ${hashes} of --hashes` };
  }
  if (rows === null) {
    return { option: 'bands', detail: `--bands ${bands}: expected at most the ${hashes} of --hashes` };
  }
  const product = `B x R is ${bands * rows}`;
  const detail = `--bands ${bands} --rows ${rows}: ${product}, expected at most the ${hashes} of --hashes`;
  return { option: 'bands', detail };
}

function unreachable(wish: BandingWish, best: BandingParams, probability: number): BandingChoice {
  const fixed =
    wish.bands !== null ? `, --bands ${wish.bands}` : wish.rows !== null ? `, --rows ${wish.rows}` : '';
  const detail =
    `--recall ${wish.recall}: not reachable at --threshold ${wish.threshold} ` +
    `with --hashes ${wish.hashes}${fixed}; ` +
    `the best is ${roundedDown(probability)} with --bands ${best.bands} --rows ${best.rows}`;
  return { option: 'recall', detail };
}

/** Rounded down, so that asking for the number named is never refused again. */
function roundedDown(probability: number): string {
  return (Math.floor(probability * 10_000) / 10_000).toFixed(4);
}
