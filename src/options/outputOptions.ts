/**
 * The options of the group Output: a part of the table of options.
 *
 * Floor 4. Data only, like the table.
 */
import type { OptionEntry } from './entry.js';

const OUTPUT = { group: 'Output', decides: 'execution' } as const;
const SWITCH = { kind: { kind: 'switch' }, placeholder: null, default: false } as const;

export const OUTPUT_OPTIONS = {
  out: {
    ...OUTPUT,
    kind: { kind: 'path' },
    placeholder: 'DIR',
    default: 'mr-minhash-out',
    short: 'the folder for the result',
  },
  force: {
    ...OUTPUT,
    ...SWITCH,
    short: 'replace a result or an unfinished run of mr-minhash in that folder',
    long: 'The old one goes before the new one is made. Never replaces anything else.',
  },
  resume: {
    ...OUTPUT,
    ...SWITCH,
    short: 'take up an unfinished run in that folder and do only what is missing',
    long:
      'Refused where the inputs, the flags that decide the result or the version are others than before; all other flags may ' +
      'change. Without PATH it has the PATHs and flags of the run. Where there is nothing to take up, the run begins.',
  },
  keepWork: {
    ...OUTPUT,
    ...SWITCH,
    short: 'keep the folder .work, which is removed when the result is finished',
  },
  format: {
    ...OUTPUT,
    kind: { kind: 'choice', choices: ['tsv', 'csv', 'jsonl'] },
    placeholder: 'F',
    default: 'tsv',
    decides: 'result',
    short: 'the form of the result files: tsv, csv or jsonl',
  },
  expandIdentical: {
    ...OUTPUT,
    ...SWITCH,
    decides: 'result',
    short: 'list every pair of identical documents, not only those with the first',
  },
  failOnDuplicates: {
    ...OUTPUT,
    ...SWITCH,
    short: 'end with exit code 3 when a pair was accepted',
  },
  json: {
    ...OUTPUT,
    ...SWITCH,
    short: 'print the summary (or the plan) as one JSON object',
  },
  quiet: {
    ...OUTPUT,
    ...SWITCH,
    short: 'print neither progress nor summary; errors stay',
    long: 'What --json, --dry-run or --print-config ask for is still printed.',
  },
  verbose: {
    ...OUTPUT,
    ...SWITCH,
    short: 'print the plan first, and the details of unexpected errors',
  },
} as const satisfies Readonly<Record<string, OptionEntry>>;
