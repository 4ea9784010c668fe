/**
 * The one table of options: kind, default, group, texts, and whether an option decides the output bytes.
 *
 * Floor 4. Checks, command line, help and the README's table derive from it. It is data only: it reads
 * nothing and imports nothing that takes time, because `--help` loads it.
 */
import type { FlagKey, OptionEntry, OptionKey } from './entry.js';
import { OUTPUT_AND_EXECUTION } from './executionTable.js';
import { RULE_OPTIONS } from './ruleTable.js';
import { SETS_OPTIONS } from './setsTable.js';
import { HASHES, MEASURE, MODULUS, SKETCH } from './sketchEntries.js';

const COMPARED = { group: 'What is compared', decides: 'result' } as const;
const PAIRS = { group: 'How pairs are found and verified', decides: 'result' } as const;
const INPUT = { group: 'Input', decides: 'result' } as const;
const SWITCH = { kind: { kind: 'switch' }, placeholder: null, default: false } as const;

export const OPTIONS: Readonly<Record<FlagKey, OptionEntry>> = {
  shingle: {
    ...COMPARED,
    kind: { kind: 'shingle' },
    placeholder: 'SPEC',
    default: 'words:5',
    short: 'what a document is a set of: words:k, chars:k, bytes:k, lines:k or stopwords:k',
    long:
      'k neighbouring tokens make one shingle, k from 1 to 63. ' +
      'stopwords:k is a stop word and the k-1 words after it.',
  },
  stopWords: {
    ...COMPARED,
    kind: { kind: 'words' },
    placeholder: 'FILE',
    default: null,
    defaultText: 'a built-in English list',
    short: 'the stop words of stopwords:k, one word a line',
    long: 'Blank lines and lines that begin with # are passed over.',
  },
  bag: {
    ...COMPARED,
    ...SWITCH,
    short: 'count repeated shingles: the n-th occurrence is an element of its own',
  },
  measure: MEASURE,
  threshold: {
    ...PAIRS,
    kind: { kind: 'fraction', above: 0, most: 1 },
    placeholder: 'T',
    default: 0.8,
    short: 'least Jaccard resemblance (or containment) of a reported pair, above 0 and at most 1',
  },
  sketch: SKETCH,
  hashes: HASHES,
  modulus: MODULUS,
  bands: {
    ...PAIRS,
    kind: { kind: 'integer', least: 1, most: 1024 },
    placeholder: 'B',
    default: null,
    defaultText: 'chosen for --recall',
    short: 'bands of a signature; B x R is at most N',
    long: 'Two documents are a candidate pair when they agree in all rows of at least one band.',
  },
  rows: {
    ...PAIRS,
    kind: { kind: 'integer', least: 1, most: 1024 },
    placeholder: 'R',
    default: null,
    defaultText: 'chosen for --recall',
    short: 'rows of a band',
    long: 'Not given: the largest R (fewest false candidates) that reaches --recall at the threshold.',
  },
  recall: {
    ...PAIRS,
    kind: { kind: 'fraction', above: 0, below: 1 },
    placeholder: 'P',
    default: 0.95,
    short: 'least probability 1-(1-T^R)^B that a pair at the threshold becomes a candidate, between 0 and 1',
    long:
      'Decides nothing when both --bands and --rows are given. ' +
      'The promise holds for --verify exact; --verify signature loses about half of the pairs right at T.',
  },
  hotBucket: {
    ...PAIRS,
    kind: { kind: 'integer', least: 2, most: 1_000_000 },
    placeholder: 'N',
    default: 256,
    short: 'documents of a bucket that are paired all with all, 2 to 1000000',
    long:
      'A larger bucket is paired linearly, and what was left out is counted. ' +
      'With min-s and mod-m a fingerprint in more documents pairs none of them.',
  },
  verify: {
    ...PAIRS,
    kind: { kind: 'choice', choices: ['exact', 'signature', 'none'] },
    placeholder: 'MODE',
    default: 'exact',
    short: 'how candidates are verified: exact, signature or none',
    long:
      'exact: by the Jaccard resemblance of the shingle sets, so every reported pair is true. ' +
      'signature: by the agreement of the signatures, an estimate. ' +
      'none: candidates only; clusters and drop list then come from documents with the same tokens alone.',
  },
  ...RULE_OPTIONS,
  seed: {
    ...PAIRS,
    kind: { kind: 'integer', least: 0, most: Number.MAX_SAFE_INTEGER },
    placeholder: 'N',
    default: 1,
    short: 'every hash function follows from it',
    long: 'From 0 to 9007199254740991.',
  },
  input: {
    ...INPUT,
    kind: { kind: 'choice', choices: ['auto', 'text', 'jsonl', 'json', 'sets'] },
    placeholder: 'KIND',
    default: 'auto',
    short: 'what the files hold: auto, text, jsonl, json or sets',
    long:
      'auto goes by the file name; a .json file without the text field is a text document, ' +
      'unless --text-field is given. sets: a set and one of its elements a line, in any order, separated by a TAB, ' +
      'in files named .csv by a comma; --bag counts how often, or by which weight, an element is given.',
  },
  ...SETS_OPTIONS,
  textField: {
    ...INPUT,
    kind: { kind: 'name' },
    placeholder: 'F',
    default: 'text',
    short: 'the field of a JSON record that holds the text',
  },
  idField: {
    ...INPUT,
    kind: { kind: 'name' },
    placeholder: 'F',
    default: 'id',
    short: 'the field of a JSON record that holds its id',
    long: 'A record without it, or whose id is empty, is called after its path: path, path#line (from 1) or path#index (from 0).',
  },
  encoding: {
    ...INPUT,
    kind: { kind: 'encoding' },
    placeholder: 'E',
    default: 'utf-8',
    short: 'the encoding of the files',
  },
  include: {
    ...INPUT,
    kind: { kind: 'globs' },
    placeholder: 'G',
    default: null,
    defaultText: 'all text',
    repeatable: true,
    short: 'read only files whose relative path matches; may be repeated',
  },
  exclude: {
    ...INPUT,
    kind: { kind: 'globs' },
    placeholder: 'G',
    default: null,
    defaultText: 'nothing',
    repeatable: true,
    short: 'pass over files whose relative path matches; may be repeated',
  },
  maxDocument: {
    ...INPUT,
    kind: { kind: 'size', least: 1 },
    placeholder: 'SIZE',
    default: '1 GB',
    short: 'larger texts are skipped and named',
    long:
      'Unpacked size for gzip; of a set 8 bytes an element. ' +
      '1 KB is 1000 bytes and 1 KiB is 1024; a plain number is bytes.',
  },
  onError: {
    ...INPUT,
    kind: { kind: 'choice', choices: ['skip', 'fail'] },
    placeholder: 'WHAT',
    default: 'skip',
    short: 'what an unreadable or malformed input does: skip or fail',
    long: 'skip: it is named in the skipped file and counted. fail: the run fails.',
  },
  ...OUTPUT_AND_EXECUTION,
};

export const FLAG_KEYS = Object.keys(OPTIONS) as readonly FlagKey[];
/** The keys of RunOptions other than `paths`, in table order. */
export const OPTION_KEYS = FLAG_KEYS.filter(
  (key) => OPTIONS[key].commandLineOnly !== true,
) as readonly OptionKey[];

/** `maxDocument` is `--max-document`. */
export function flagName(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
