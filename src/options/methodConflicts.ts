/** Checks options of single methods that do not go together: for `query`, `compare` and the functions of the library. */
import type { MethodName } from '../analysis/methods/method.js';
import type { Conflict } from './conflicts.js';
import { METHOD_OPTION_NAMES, METHOD_OPTIONS, type MethodOption } from './queryOptions.js';

interface Seen {
  readonly given: { readonly [Name in MethodOption | 'normalize']?: unknown };
  /** The requested methods. */
  readonly methods: readonly MethodName[];
  /** The valid values of the given options. */
  readonly settings: { readonly [Name in MethodOption]?: number };
}

const noiseOf = ({ settings: { noise = METHOD_OPTIONS.noise.default } }: Seen): number => noise;

export const METHOD_CONFLICTS: readonly Conflict<Seen, MethodOption | 'normalize'>[] = [
  {
    when: ['normalize'],
    with: ({ methods, given }) => methods.includes('manber') && String(given.normalize) !== 'nfc',
    beside: '--method manber',
    remedy: 'expected one of the two: bytes are compared as they are',
  },
  {
    when: ['guarantee'],
    with: (seen) =>
      seen.methods.includes('winnowing') && (seen.settings.guarantee ?? Infinity) < noiseOf(seen),
    remedy: (seen) => `expected at least --noise, which is ${noiseOf(seen)}`,
  },
  ...METHOD_OPTION_NAMES.map(
    (name): Conflict<Seen, MethodOption | 'normalize'> => ({
      when: [name],
      with: ({ methods }) => !methods.includes(METHOD_OPTIONS[name].of),
      bare: true,
      remedy: `expected together with --method ${METHOD_OPTIONS[name].of} only`,
    }),
  ),
];
