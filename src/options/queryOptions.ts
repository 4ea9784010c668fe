/**
 * The options of a query, beside those that it shares with a run: kinds, defaults and texts. Data only, because `--help`
 * loads it; src/coordinator/query/checkQuery.ts checks them.
 */

import { METHOD_NAMES, type MethodName } from '../analysis/methods/method.js';
import type { RunOptions } from './runOptions.js';
import type { KeyAlsoIn, OptionEntry } from './table.js';

type OwnOption = Pick<OptionEntry, 'kind' | 'placeholder' | 'short' | 'defaultText'>;

/** What single methods are told: `compare` has these, too. */
export const METHOD_OPTIONS = {
  words: {
    kind: { kind: 'integer', least: 1, most: 1000 },
    placeholder: 'N',
    short: 'sswf: how many words of a base to select',
    defaultText: '70',
  },
  pieces: {
    kind: { kind: 'integer', least: 1, most: 100 },
    placeholder: 'N',
    short: 'sswf: equal pieces that are looked for each by itself, for text that was rearranged',
    defaultText: '1',
  },
  noise: {
    kind: { kind: 'integer', least: 1, most: 63 },
    placeholder: 'K',
    short: 'winnowing: shorter matches are never found, in letters',
    defaultText: '25',
  },
  guarantee: {
    kind: { kind: 'integer', least: 1, most: 10_000 },
    placeholder: 'T',
    short: 'winnowing: matches of so many letters are always found',
    defaultText: '50, or --noise if larger',
  },
} as const satisfies Readonly<Record<string, OwnOption>>;

/** The option of a single method. */
export type MethodOption = keyof typeof METHOD_OPTIONS;

export const METHOD_DEFAULTS = { words: 70, pieces: 1, noise: 25, guarantee: 50 } as const;

/** The guarantee threshold where none is given: a noise threshold is never above it. */
export const usualGuarantee = (noise: number): number => Math.max(METHOD_DEFAULTS.guarantee, noise);

/** Which method has a use for an option. */
export const METHOD_OF_OPTION = {
  words: 'sswf',
  pieces: 'sswf',
  noise: 'winnowing',
  guarantee: 'winnowing',
} as const satisfies Readonly<Record<MethodOption, MethodName>>;

const SWITCH = { kind: { kind: 'switch' }, placeholder: null } as const;

export const QUERY_OPTIONS = {
  method: {
    kind: { kind: 'choice', choices: METHOD_NAMES },
    placeholder: 'NAME',
    short: `how documents are compared with the base: ${METHOD_NAMES.join(', ')}`,
    defaultText: 'resemblance',
  },
  top: {
    kind: { kind: 'integer', least: 1, most: 1_000_000, word: 'all' },
    placeholder: 'N',
    short: 'how many answers to a base, the best, or all',
    defaultText: '10',
  },
  threshold: {
    kind: { kind: 'fraction', above: 0, most: 1e9 },
    placeholder: 'T',
    short: 'least value of an answer, of the measure that answers are ranked by',
    defaultText: 'by the method',
  },
  distinct: {
    ...SWITCH,
    short: 'leave out answers whose resemblance with a better one is 0.8 or more',
  },
  explain: {
    ...SWITCH,
    short: 'name the passages that base and answer share, and show them side by side',
  },
  ...METHOD_OPTIONS,
} as const satisfies Readonly<Record<string, OwnOption>>;

/** Options of `query`, as on the command line; whatever is wrong with them is told at once, as OPTION_INVALID. */
export interface QueryOptions extends Pick<RunOptions, KeyAlsoIn<'query'>> {
  /** Default `resemblance`. */
  readonly method?: MethodName;
  /** Answers to each base, the best, 1..10^6; `all`: about 200 bytes of memory each. Default 10. */
  readonly top?: number | 'all';
  /** Least value of an answer, of the first measure of the method. Default: by the method. */
  readonly threshold?: number;
  /** Answers that resemble a better one (0.8 or more, exactly) are left out. Default false. */
  readonly distinct?: boolean;
  /** Answers name the passages that they share with the base. Default false. */
  readonly explain?: boolean;
  /** `sswf`: words to select, 1..1000. Default 70. */
  readonly words?: number;
  /** `sswf`: pieces of the fingerprint of a base, 1..100. Default 1. */
  readonly pieces?: number;
  /** `winnowing`: letters of the shortest match that may be found, 1..63. Default 25. */
  readonly noise?: number;
  /** `winnowing`: letters from which on a match is surely found, from `noise` on. Default 50, or `noise` if larger. */
  readonly guarantee?: number;
}
