/**
 * Options of `query` and `compare` that a run does not have, and which options of methods conflict. Types, checks, help and
 * defaults derive from the rows, and an editor shows the comment of a row for the option of the library. Data only, because
 * `--help` loads it.
 */

import { METHOD_NAMES, type MethodName } from '../analysis/methods/method.js';
import type { Conflict } from './conflicts.js';
import type { Given, RunOptions } from './runOptions.js';
import type { KeyAlsoIn, OptionEntry } from './table.js';

/** A row: an option that a run does not have. */
export interface OwnOption
  extends Pick<
    OptionEntry,
    'kind' | 'placeholder' | 'short' | 'long' | 'letter' | 'repeatable' | 'defaultText'
  > {
  /** Null or absent: the default depends on something else, which `defaultText` then describes. */
  readonly default?: boolean | number | string | null;
  /** The only method that uses the option. */
  readonly of?: MethodName;
}

export const METHOD_OPTIONS = {
  /** `sswf`: words to select, 1..1000. Default 70. */
  words: {
    of: 'sswf',
    kind: { kind: 'integer', least: 1, most: 1000 },
    placeholder: 'N',
    default: 70,
    short: 'sswf: number of words of a base to select',
  },
  /** `sswf`: pieces of the fingerprint of a base, 1..100. Default 1. */
  pieces: {
    of: 'sswf',
    kind: { kind: 'integer', least: 1, most: 100 },
    placeholder: 'N',
    default: 1,
    short: 'sswf: number of equal pieces that are searched for separately, for rearranged text',
  },
  /** `winnowing`: length of the shortest match that can be found, in letters, 1..63. Default 25. */
  noise: {
    of: 'winnowing',
    kind: { kind: 'integer', least: 1, most: 63 },
    placeholder: 'K',
    default: 25,
    short: 'winnowing: minimum length of a match, in letters',
  },
  /** `winnowing`: length from which a match is always found, in letters, at least `noise`. Default 50, or `noise` if larger. */
  guarantee: {
    of: 'winnowing',
    kind: { kind: 'integer', least: 1, most: 10_000 },
    placeholder: 'T',
    default: 50,
    defaultText: '50, or --noise if larger',
    short: 'winnowing: length from which matches are always found, in letters',
  },
} as const satisfies Readonly<Record<string, OwnOption>>;

export type MethodOption = keyof typeof METHOD_OPTIONS;

export const METHOD_OPTION_NAMES = Object.keys(METHOD_OPTIONS) as readonly MethodOption[];

/** The options of methods with their defaults: the noise threshold is at most the guarantee. */
export function methodSettings(
  given: Readonly<Partial<Record<MethodOption, number>>>,
): Record<MethodOption, number> {
  const settings = Object.fromEntries(
    METHOD_OPTION_NAMES.map((name) => [name, given[name] ?? METHOD_OPTIONS[name].default]),
  ) as Record<MethodOption, number>;
  return given.guarantee === undefined
    ? { ...settings, guarantee: Math.max(settings.guarantee, settings.noise) }
    : settings;
}

/** The sizes of the sketches from which `compare` estimates. */
export const ESTIMATE_OPTIONS = {
  /** s of MIN_s, 1..2^24. Default `hashes`. */
  samples: {
    kind: { kind: 'integer', least: 1, most: 2 ** 24 },
    placeholder: 'S',
    defaultText: '--hashes',
    short: 's of MIN_s, the smallest elements kept',
  },
  /** m of MOD_m, 1..2^32. Default 25, as Broder and others used for the web (1997). */
  modulus: {
    kind: { kind: 'integer', least: 1, most: 2 ** 32 },
    placeholder: 'M',
    default: 25,
    short: 'm of MOD_m, which keeps one element in m',
  },
  /** The unit of L_i, 1..2^24: a sketch keeps `levelUnit` to twice as many of the distinct shingles. Default 100. */
  levelUnit: {
    kind: { kind: 'integer', least: 1, most: 2 ** 24 },
    placeholder: 'N',
    // The paper's (Broder 1997, section 3).
    default: 100,
    short: 'L_i keeps N to 2N elements of a long document',
  },
} as const satisfies Readonly<Record<string, OwnOption>>;

export const QUERY_OPTIONS = {
  /** Default `resemblance`. */
  method: {
    kind: { kind: 'choice', choices: METHOD_NAMES },
    placeholder: 'NAME',
    default: 'resemblance',
    short: `how documents are compared with the base: ${METHOD_NAMES.join(', ')}`,
  },
  /** Number of best answers per base, 1..10^6, or `all`, which takes about 200 bytes of memory per answer. Default 10. */
  top: {
    kind: { kind: 'integer', least: 1, most: 1_000_000, word: 'all' },
    placeholder: 'N',
    default: 10,
    short: 'number of best answers per base, or all',
  },
  /** Minimum value of an answer in the first measure of the method. Default: depends on the method. */
  threshold: {
    kind: { kind: 'fraction', above: 0, most: 1e9 },
    placeholder: 'T',
    defaultText: 'by the method',
    short: 'minimum value of an answer, in the measure that ranks answers',
  },
  /** Omits answers that resemble a better answer (exact resemblance of 0.8 or more). Default false. */
  distinct: {
    ...{ kind: { kind: 'switch' }, placeholder: null, default: false },
    short: 'omit answers whose resemblance with a better one is 0.8 or more',
  },
  /** Answers list the passages that they share with the base. Default false. */
  explain: {
    ...{ kind: { kind: 'switch' }, placeholder: null, default: false },
    short: 'list the passages that base and answer share, and show them side by side',
  },
  ...METHOD_OPTIONS,
} as const satisfies Readonly<Record<string, OwnOption>>;

/** Options of `query`, as on the command line. One OPTION_INVALID error reports all invalid options. */
export interface QueryOptions extends Pick<RunOptions, KeyAlsoIn<'query'>>, Given<typeof QUERY_OPTIONS> {}

/** What conflicts between options of methods depend on. */
interface SeenMethods {
  readonly given: { readonly [Name in MethodOption | 'normalize']?: unknown };
  /** The requested methods. */
  readonly methods: readonly MethodName[];
  /** The valid values of the options that the user set. */
  readonly settings: { readonly [Name in MethodOption]?: number };
}

const noiseOf = ({ settings: { noise = METHOD_OPTIONS.noise.default } }: SeenMethods): number => noise;

export const METHOD_CONFLICTS: readonly Conflict<SeenMethods, MethodOption | 'normalize'>[] = [
  {
    when: ['normalize'],
    with: ({ methods, given }) => methods.includes('manber') && String(given.normalize) !== 'nfc',
    beside: '--method manber',
    remedy: 'expected only one of these: bytes are compared as they are',
  },
  {
    when: ['guarantee'],
    with: (seen) =>
      seen.methods.includes('winnowing') && (seen.settings.guarantee ?? Infinity) < noiseOf(seen),
    remedy: (seen) => `expected at least --noise, which is ${noiseOf(seen)}`,
  },
  ...METHOD_OPTION_NAMES.map(
    (name): Conflict<SeenMethods, MethodOption | 'normalize'> => ({
      when: [name],
      with: ({ methods }) => !methods.includes(METHOD_OPTIONS[name].of),
      bare: true,
      remedy: `expected together with --method ${METHOD_OPTIONS[name].of} only`,
    }),
  ),
];
