/**
 * The options for other rules than the usual ones: m of n slots, exact duplicates alone, thinned sketches, greedy clusters.
 *
 * Floor 4. A part of the table of options, data only like the rest of it.
 */
import type { OptionEntry } from './entry.js';
import type { RuleOptions } from './runOptions.js';

const PAIRS = { group: 'How pairs are found and verified', decides: 'result' } as const;

export const RULE_OPTIONS: Readonly<Record<keyof RuleOptions, OptionEntry>> = {
  agree: {
    ...PAIRS,
    kind: { kind: 'integer', least: 1, most: 1024 },
    placeholder: 'M',
    default: null,
    defaultText: 'by --threshold',
    short: 'accept a candidate pair when at least M of the N slots of --hashes agree',
    long: 'With --verify signature only, and in the place of --threshold, which then is M/N.',
  },
};
