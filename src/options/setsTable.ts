/**
 * The part of the table of options that is about `--input sets`.
 *
 * Floor 4. Data only, like the table.
 */
import type { OptionEntry } from './entry.js';

const INPUT = { group: 'Input', decides: 'result' } as const;

export const SETS_OPTIONS = {
  columns: {
    ...INPUT,
    kind: { kind: 'columns' },
    placeholder: 'LIST',
    default: null,
    defaultText: '1,2,3',
    short: 'with --input sets: the fields of set, element and, if there is a third, weight or rating',
    long:
      'As numbers from 1, or as names that stand in the first line of every file. What is first is compared: ' +
      'user,item finds like users, item,user like items. A weight that a line lacks is 1; one of 0 is no element.',
  },
  ratings: {
    ...INPUT,
    kind: { kind: 'choice', choices: ['liked', 'liked-hated', 'stars'] },
    placeholder: 'RULE',
    default: null,
    defaultText: 'none: weights',
    short:
      'with --input sets: the third field is a rating, and elements are what is liked, liked-hated or stars',
    long:
      'liked: an item rated --liked-from or more. liked-hated: liked or hated, two elements of an item. ' +
      'stars: an item as often as it has stars, 1 to 5. Of repeated ratings of an item the highest counts.',
  },
  likedFrom: {
    ...INPUT,
    kind: { kind: 'fraction', above: 0, most: 1_000_000 },
    placeholder: 'N',
    default: null,
    defaultText: '4',
    short: 'with --ratings liked or liked-hated: the least rating that is liked',
  },
} as const satisfies Readonly<Record<string, OptionEntry>>;
