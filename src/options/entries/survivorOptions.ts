/**
 * The part of the table of options that says which documents stay, which are compared with each other, and in what units.
 *
 * Data only, as table.ts is.
 */
import { UNITS } from '../../sketch/params.js';

const SURVIVORS = { group: 'Which documents stay', decides: 'result' } as const;

export const SURVIVOR_OPTIONS = {
  keep: {
    ...SURVIVORS,
    kind: { kind: 'keep' },
    placeholder: 'RULE',
    default: 'first',
    short: 'which of near-duplicates stays: first, longest, shortest, newest, oldest or field:NAME',
    long:
      'longest, shortest: by bytes of text. newest, oldest: by when files were modified. field:NAME:max or :min: by a field of ' +
      'the records, max if neither is said. What --protect and --prefer name, and the order of PATHs, go before; of equal ones the ' +
      'first by id stays.',
  },
  prefer: {
    ...SURVIVORS,
    kind: { kind: 'globs', listed: true },
    placeholder: 'GLOBS',
    default: null,
    defaultText: 'none',
    repeatable: true,
    short:
      'sources in order of trust: none of their documents is dropped for one of a later or another source',
    long: 'Globs as of --include, separated by commas, over places of files and over their paths below PATH. They go before the order of PATHs.',
  },
  protect: {
    ...SURVIVORS,
    kind: { kind: 'globs', listed: true },
    placeholder: 'GLOBS',
    default: null,
    defaultText: 'none',
    repeatable: true,
    short: 'documents that are never dropped; others are dropped for them',
    long: 'Globs as of --prefer. Pairs of two protected documents stay and are counted.',
  },
  against: {
    ...SURVIVORS,
    kind: { kind: 'paths' },
    placeholder: 'PATH',
    default: null,
    defaultText: 'none',
    decides: 'execution',
    repeatable: true,
    short: 'find what the PATHs have of the documents there, and nothing else; may be repeated',
    long: 'Documents of PATH are a reference: never dropped, and never compared with each other. Nor are those of the PATHs.',
  },
  groupField: {
    ...SURVIVORS,
    kind: { kind: 'name' },
    placeholder: 'F',
    default: null,
    defaultText: 'none',
    short: 'compare only records with different values of this field',
  },
  groupBy: {
    ...SURVIVORS,
    kind: { kind: 'group' },
    placeholder: 'path:N',
    default: null,
    defaultText: 'none',
    short: 'compare only documents whose places differ in the first N parts, from 1',
  },
  unit: {
    ...SURVIVORS,
    kind: { kind: 'choice', choices: UNITS },
    placeholder: 'UNIT',
    default: 'document',
    short: 'what is compared: document, paragraph (separated by blank lines) or line',
  },
  minTokens: {
    ...SURVIVORS,
    kind: { kind: 'integer', least: 0, most: 1_000_000_000 },
    placeholder: 'N',
    default: null,
    defaultText: 'of documents 0, else k of --shingle',
    short: 'units of fewer tokens are left alone: neither compared nor dropped',
  },
} as const;
