/**
 * What goes together with `--input sets`, and what it comes to.
 *
 * Floor 4.
 */
import type { InputKind, SetsParams } from '../sketch/params.js';
import type { RatingRule } from '../sketch/rowRules.js';
import type { OptionKey } from './entry.js';
import type { RunOptions } from './runOptions.js';
import { flagName } from './table.js';

const OF_SETS = ['columns', 'ratings', 'likedFrom'] as const;
const OF_TEXTS = ['shingle', 'textField', 'idField', 'maxShingleDocuments'] as const;
const NUMBER = /^[1-9]\d{0,3}$/;

/** Fields that are all numbers are meant by their places; else all are names. */
function areNamed(fields: readonly string[]): boolean {
  return !fields.every((field) => NUMBER.test(field));
}

const USUAL_COLUMNS = ['1', '2', '3'];
const USUAL_LIKED_FROM = 4;

export interface SetsWish {
  readonly input: InputKind;
  /** Null: not given. */
  readonly columns: readonly string[] | null;
  readonly ratings: RatingRule | null;
  readonly likedFrom: number | null;
  readonly bag: boolean;
}

/** The parameters of sets, where the input is sets. */
export function setsParamsOf({ input, ratings, ...given }: SetsWish): { sets?: SetsParams } {
  if (input !== 'sets') return {};
  const columns = given.columns ?? USUAL_COLUMNS;
  const takesLiking = ratings === 'liked' || ratings === 'liked-hated';
  return {
    sets: {
      columns: [...columns],
      named: areNamed(columns),
      ratings,
      likedFrom: takesLiking ? (given.likedFrom ?? USUAL_LIKED_FROM) : null,
    },
  };
}

type Clash = readonly [option: OptionKey, detail: string];

/** Options that mean nothing beside the others. `sound`: whether none of these has a value that cannot be used. */
export function setsClashes(
  wish: SetsWish,
  given: RunOptions,
  sound: (...keys: OptionKey[]) => boolean,
): Clash[] {
  if (!sound('input')) return [];
  const isGiven = (option: keyof RunOptions): boolean => given[option] !== undefined;
  if (wish.input !== 'sets') {
    return OF_SETS.filter(isGiven).map((option) => {
      return [option, `${flagName(option)}: expected together with --input sets only`];
    });
  }
  const clashes: Clash[] = [];
  for (const option of OF_TEXTS.filter(isGiven)) {
    clashes.push([option, `${flagName(option)}: expected with texts, got --input sets`]);
  }
  if (!sound('ratings')) return clashes;
  if (wish.ratings === null) {
    if (isGiven('likedFrom'))
      clashes.push(['likedFrom', '--liked-from: expected together with --ratings only']);
    return clashes;
  }
  if (wish.ratings === 'stars' && isGiven('likedFrom')) {
    clashes.push(['likedFrom', '--liked-from: expected with --ratings liked or liked-hated, got stars']);
  }
  if (sound('columns') && (wish.columns ?? USUAL_COLUMNS).length < 3) {
    const detail = `--ratings ${wish.ratings}: expected a third field of --columns, the rating`;
    clashes.push(['ratings', detail]);
  }
  if (wish.bag) {
    clashes.push([
      'bag',
      `--bag: expected with weights, got --ratings ${wish.ratings}, which says how ratings count`,
    ]);
  }
  return clashes;
}
