/**
 * Resolves bands and rows: both given, one given, or chosen for the recall.
 *
 * src/sketch/banding.ts has the mathematics; this file reports invalid options.
 */
import { chooseBands } from '../sketch/banding.js';
import type { BandingParams, ResultParams, SketchName, SketchParams } from '../sketch/params.js';
import { type AreValid, type Reporter, roundedDown, thresholdOf } from './rules.js';
import type { OptionValues, RunOptions } from './runOptions.js';

export interface BandOptions {
  readonly threshold: number;
  readonly recall: number;
  readonly hashes: number;
  readonly bands: number | null;
  readonly rows: number | null;
  /** Number of slots that must match, in place of a threshold; null or absent: the threshold decides. */
  readonly agree?: number | null;
}

/** The options that the user set; the others have defaults. */
type SetByUser = { readonly [Key in keyof BandOptions]?: unknown };

/** The invalid option, and what is wrong with it. */
interface BandingProblem {
  readonly option: keyof BandOptions;
  readonly detail: string;
}

/** Bands and rows, or why there are none. */
export type BandsOrProblem = { readonly banding: BandingParams } | BandingProblem;

const MOST_HASHES = 1024;

/** Bands and rows for options whose values are each in range. */
export function resolveBanding(options: BandOptions, given: SetByUser): BandsOrProblem {
  const { threshold, recall, hashes, bands, rows } = options;
  const tooLong = lengthProblem(options);
  if (tooLong !== null) return tooLong;
  const chosen = chooseBands({
    threshold,
    recall,
    hashes,
    ...(bands === null ? {} : { bands }),
    ...(rows === null ? {} : { rows }),
  });
  const banding = { bands: chosen.bands, rows: chosen.rows };
  if ((bands !== null && rows !== null) || chosen.probability >= recall) return { banding };
  return unreachable(options, given, banding, chosen.probability);
}

/** The error for bands and rows that need more slots than a signature has; null if they fit. */
function lengthProblem({
  hashes,
  bands,
  rows,
}: Pick<BandOptions, 'hashes' | 'bands' | 'rows'>): BandingProblem | null {
  if ((bands ?? 1) * (rows ?? 1) <= hashes) return null;
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

/**
 * The error for a recall that cannot be reached. It contains an option that the user set (not a default), the best possible
 * recall, and what to change.
 */
function unreachable(
  options: BandOptions,
  given: SetByUser,
  best: BandingParams,
  probability: number,
): BandsOrProblem {
  const keys: readonly (keyof BandOptions)[] = ['recall', 'threshold', 'bands', 'rows', 'hashes'];
  const option = keys.find((key) => given[key] !== undefined) ?? 'recall';
  const isRule = options.agree !== null && options.agree !== undefined;
  const name = (key: keyof BandOptions): string => {
    if (key === 'threshold' && isRule) return `--agree ${options.agree}`;
    return `${given[key] === undefined ? 'the default ' : ''}--${key} ${options[key]}`;
  };
  const others = keys.filter((key) => key !== option && key !== 'recall' && options[key] !== null);
  const subject = option === 'recall' ? '' : `${name('recall')} is `;
  const detail =
    `--${option} ${options[option]}: ${subject}not reachable with ${listed(others.map(name), ' and ')}; ` +
    `the best is ${roundedDown(probability)} with --bands ${best.bands} --rows ${best.rows}; ` +
    listed([...remedies(options), 'give both --bands and --rows'], ', or ');
  return { option, detail };
}

/** `a, b and c`. */
function listed(parts: readonly string[], last: ' and ' | ', or '): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')}${last}${parts.at(-1)}`;
}

/** Changes that raise the best possible recall, as imperatives. */
function remedies({ hashes, bands, rows }: BandOptions): string[] {
  const list = ['lower --recall'];
  if (bands !== null && bands < hashes) list.push('raise --bands');
  if (rows !== null && rows > 1) list.push('lower --rows');
  if ((bands === null || bands === hashes) && hashes < MOST_HASHES) list.push('raise --hashes');
  return list;
}

/*
 * The signature of documents, with its bands.
 */

export type ComparedBy = Pick<ResultParams, 'sketch' | 'banding'>;

type SketchOptions = Pick<
  OptionValues,
  'sketch' | 'hashes' | 'seed' | 'threshold' | 'recall' | 'bands' | 'rows' | 'agree' | 'exactDuplicates'
>;

export function signatureOf(
  { hashes, seed }: Pick<SketchOptions, 'hashes' | 'seed'>,
  sketch: SketchName,
): SketchParams {
  return { sketch, hashes, seed };
}

/**
 * The requested sketch with its banding; null if an error was reported, here or for an option that decides them. Everything
 * that depends on valid values only is calculated, so that all errors are reported at once.
 */
export function resolveSketch(
  options: SketchOptions,
  given: RunOptions,
  areValid: AreValid,
  report: Reporter,
): ComparedBy | null {
  if (!areValid('sketch', 'hashes', 'bands', 'rows')) return null;
  const tooLong = lengthProblem(options);
  if (tooLong !== null) report(tooLong.option, tooLong.detail);
  if (tooLong !== null || !hasOneThreshold(options, given, areValid)) return null;
  const choice = resolveBanding({ ...options, threshold: thresholdOf(options) }, given);
  if ('banding' in choice) return { sketch: signatureOf(options, options.sketch), banding: choice.banding };
  report(choice.option, choice.detail);
  return null;
}

/** Whether there is exactly one threshold: bands cannot be chosen for an invalid one, or if both --threshold and --agree give one. */
function hasOneThreshold({ agree, hashes }: SketchOptions, given: RunOptions, areValid: AreValid): boolean {
  if (!areValid('threshold', 'recall', 'agree')) return false;
  return agree === null || (given.threshold === undefined && agree <= hashes);
}
