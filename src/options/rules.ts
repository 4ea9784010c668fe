/**
 * Turns the options of m-of-n rules and sets into parameters.
 *
 * Each value is already checked on its own, and conflicts.ts checks combinations.
 */
import type { SetsParams } from '../sketch/params.js';
import type { OptionValues } from './runOptions.js';
import type { OptionKey } from './table.js';

/** Whether none of these options has an invalid value. */
export type AreValid = (...keys: OptionKey[]) => boolean;

/** Receives an error: the invalid option, and what is wrong with it. */
export type Reporter = (option: string | null, detail: string) => unknown;

/** The minimum Jaccard similarity of a reported pair: M/N for a rule of M of N slots, 1 for identical documents. */
export function thresholdOf({
  agree,
  threshold,
  hashes,
  exactDuplicates,
}: Pick<OptionValues, 'agree' | 'threshold' | 'hashes' | 'exactDuplicates'>): number {
  if (exactDuplicates) return 1;
  return agree === null ? threshold : Math.min(1, agree / hashes);
}

/** A probability rounded down to four decimals, so that the printed number is accepted as an option. */
export function roundedDown(probability: number): string {
  return (Math.floor(probability * 10_000) / 10_000).toFixed(4);
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
