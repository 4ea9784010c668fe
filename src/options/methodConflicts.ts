/** What single methods are told and what does not go together: for `query`, for `compare` and for the functions of the library. */
import type { MethodName } from '../analysis/methods/method.js';
import type { Conflict } from './conflicts.js';
import { METHOD_OPTION_NAMES, METHOD_OPTIONS, type MethodOption } from './queryOptions.js';

interface Seen {
  readonly given: { readonly [Name in MethodOption | 'normalize']?: unknown };
  /** Those that are asked for. */
  readonly methods: readonly MethodName[];
  /** The usable values of what is given. */
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
