/**
 * The one table of options: kind, default, group, texts, and whether an option decides the output bytes.
 *
 * Checks, command line, help and the table of docs/flags.md derive from it. It is data only: it reads
 * nothing and imports nothing that takes time, because `--help` loads it.
 */
import { INPUT_KINDS, RUN_METHODS, SAMPLE_NAMES, SIGNATURE_NAMES } from '../sketch/params.js';
import { ENGINE_OPTIONS } from './entries/engineOptions.js';
import { OUTPUT_AND_EXECUTION, SWITCH } from './entries/outputOptions.js';
import { SURVIVOR_OPTIONS } from './entries/survivorOptions.js';
import type { RuleOptions, RunOptions } from './runOptions.js';
import type { ValueKind } from './values.js';

/*
 * The options for other rules than the usual ones: m of n slots, exact duplicates alone, thinned sketches, greedy clusters.
 */

const PAIRS = { group: 'How pairs are found and verified', decides: 'result' } as const;

const RULE_OPTIONS: Readonly<Record<keyof RuleOptions, OptionEntry>> = {
  agree: {
    ...PAIRS,
    kind: { kind: 'integer', least: 1, most: 1024 },
    placeholder: 'M',
    default: null,
    defaultText: 'by --threshold',
    short: 'accept a candidate pair when at least M of the N slots of --hashes agree',
    long: 'With --verify signature only, and in the place of --threshold, which then is M/N.',
  },
  exactDuplicates: {
    ...PAIRS,
    ...SWITCH,
    short: 'look for documents with the same tokens alone: no sketches, no candidates',
    long:
      'What the tokens are follows from --shingle: words, characters, lines or bytes; ' +
      'the kind of a pair says whether the texts are the same bytes, too. ' +
      'Excludes every other option about pairs but --seed.',
  },
  sample: {
    ...PAIRS,
    kind: { kind: 'integer', least: 1, most: 65_536 },
    placeholder: 'N',
    default: 1,
    short: 'sketch only shingles whose hash is 0 mod N, about one in N, 1 to 65536',
    long:
      'Decides which pairs are candidates; --verify exact compares the full sets of all of them, and --verify signature ' +
      'the samples. A document without a sampled shingle is found by identity alone, and counted.',
  },
  maxShingleDocuments: {
    ...PAIRS,
    kind: { kind: 'integer', least: 2, most: 1_000_000_000 },
    placeholder: 'N',
    default: null,
    defaultText: 'no limit',
    short: 'sketch no shingle that occurs in more than N documents, 2 to 1000000000',
    long:
      'They are counted first, which reads the input twice more, so it cannot be standard input, and listed in the ' +
      'file eliminated. Decides which pairs are candidates, as --sample does.',
  },
  cluster: {
    ...PAIRS,
    kind: { kind: 'choice', choices: ['components', 'greedy'] },
    placeholder: 'KIND',
    default: 'components',
    short: 'how clusters are made: components or greedy',
    long:
      'components: connected ones, which can chain. greedy: in the order of survivors a document joins the cluster whose ' +
      'representative it resembles most, where the estimate of its sketch reaches the threshold, else it founds one. ' +
      'Pairs and drop list are the same.',
  },
  representative: {
    ...PAIRS,
    kind: { kind: 'choice', choices: ['first', 'popular'] },
    placeholder: 'WHAT',
    default: null,
    defaultText: 'first',
    short: 'what stands for a greedy cluster: its first member, or its popular fingerprints',
    long: 'popular: as many of its most popular fingerprints as a signature has slots. With --cluster greedy only.',
  },
};

/*
 * The part of the table of options that is about `--input sets`.
 */

const INPUT = { group: 'Input', decides: 'result' } as const;

const SETS_OPTIONS = {
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

/*
 * The entries of the table of options that say what is measured, and by which sketch.
 */

/** About as much memory as signatures of the usual length, for texts of 5 KB. */
export const USUAL_MODULUS = 8;

export const SKETCH: OptionEntry = {
  group: 'How pairs are found and verified',
  decides: 'result',
  kind: { kind: 'choice', choices: [...SIGNATURE_NAMES, ...SAMPLE_NAMES] },
  placeholder: 'NAME',
  default: 'fss',
  short: 'how documents are sketched: fss, classic, oph, min-s or mod-m',
  long:
    'fss: Fast Similarity Sketching. classic: independent minhash functions. ' +
    'oph: one permutation hashing, densified after the last merge. ' +
    'min-s, mod-m: samples of fingerprints, the smallest N or one in M, paired by those they share. ' +
    'With --measure containment mod-m is the default.',
};

export const HASHES: OptionEntry = {
  group: 'How pairs are found and verified',
  decides: 'result',
  kind: { kind: 'integer', least: 16, most: 1024 },
  placeholder: 'N',
  default: 128,
  short: 'length of a signature or of a sample of min-s, 16 to 1024',
};

const METHOD: OptionEntry = {
  group: 'How pairs are found and verified',
  decides: 'result',
  kind: { kind: 'choice', choices: RUN_METHODS },
  placeholder: 'NAME',
  default: 'minhash',
  short: 'how candidates are found: minhash (by --sketch) or sswf (the same common words in the same order)',
  long:
    'sswf (Gupta and Singla): a document is the sequence in which 75 common English words occur in it, and documents ' +
    'with equal sequences are candidates. No recall is promised, and a document without such a word has none but ' +
    'identical ones. --shards then is 1.',
};

const MEASURE: OptionEntry = {
  group: 'How pairs are found and verified',
  decides: 'result',
  kind: { kind: 'choice', choices: ['resemblance', 'containment'] },
  placeholder: 'WHAT',
  default: 'resemblance',
  short: 'what makes a pair: resemblance (Jaccard similarity) or containment',
  long:
    'containment: the share of the shorter set that is in the longer one, found by samples (mod-m) and verified ' +
    'exactly; the drop list then drops only what a kept document contains.',
};

const MODULUS: OptionEntry = {
  group: 'How pairs are found and verified',
  decides: 'result',
  kind: { kind: 'integer', least: 1, most: 2 ** 20 },
  placeholder: 'M',
  default: null,
  defaultText: String(USUAL_MODULUS),
  short: 'mod-m keeps one fingerprint in M, 1 to 1048576',
  long: 'Of short documents all are kept. 1 keeps those of every document, so that nothing is estimated.',
};

const COMPARED = { group: 'What is compared', decides: 'result' } as const;

const GLOBS =
  'A glob without a slash (*.py) matches names in any folder, one with a slash (docs/*.py, /*.py) the path relative to ' +
  'its PATH, one that ends with a slash (docs/) all below such a folder. * stays within a folder, ** does not.';

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
  method: METHOD,
  measure: MEASURE,
  threshold: {
    ...PAIRS,
    kind: { kind: 'fraction', above: 0, most: 1 },
    placeholder: 'T',
    default: 0.8,
    short: 'least Jaccard similarity (or containment) of a reported pair, above 0 and at most 1',
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
      'With --sketch oph, whose slots depend on each other, it is the least over documents of all sizes. ' +
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
      'With min-s and mod-m it is documents that have a fingerprint and little else.',
  },
  verify: {
    ...PAIRS,
    kind: { kind: 'choice', choices: ['exact', 'signature', 'none'] },
    placeholder: 'MODE',
    default: 'exact',
    short: 'how candidates are verified: exact, signature or none',
    long:
      'exact: by the Jaccard similarity of the shingle sets, so every reported pair is true. ' +
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
    kind: { kind: 'choice', choices: INPUT_KINDS },
    placeholder: 'KIND',
    default: 'auto',
    short: 'what the files hold: auto, text, html, jsonl, json, csv, tsv, parquet, warc or sets',
    long:
      'auto goes by the file name, and by the first bytes of a file without an ending; a .json file without the text field is a text document, ' +
      'unless --text-field is given. sets: a set and one of its elements a line, in any order, separated by a TAB, ' +
      'in files named .csv by a comma; --bag counts how often, or by which weight, an element is given.',
  },
  ...SETS_OPTIONS,
  textField: {
    ...INPUT,
    kind: { kind: 'name' },
    placeholder: 'F',
    default: 'text',
    short: 'the field of a record that holds the text, or several, separated by commas',
    long: 'Several are joined by a line break. A name may be a dotted path (meta.title); a comma in a name is \\,; an array of strings is one text. A number is the place of a field in CSV and TSV without a header. A run that finds it in no record has failed, and says which fields are there.',
  },
  idField: {
    ...INPUT,
    kind: { kind: 'name' },
    placeholder: 'F',
    default: 'id',
    short: 'the field of a record that holds its id',
    long: 'A record without it, or whose id is empty, is called after its path: path, path#line or path#row (from 1) or path#index (from 0). A dotted path or a number, too, as --text-field.',
  },
  encoding: {
    ...INPUT,
    kind: { kind: 'encoding' },
    placeholder: 'E',
    default: 'utf-8',
    short: 'the encoding of the files',
    long: 'UTF-16 that begins with a byte order mark needs no flag; a page of HTML may name its own.',
  },
  html: {
    ...INPUT,
    kind: { kind: 'choice', choices: ['text', 'raw'] },
    placeholder: 'WHAT',
    default: 'text',
    short: 'what is compared of HTML: its visible text, or its source: text or raw',
  },
  separator: {
    ...INPUT,
    kind: { kind: 'separator' },
    placeholder: 'C',
    default: null,
    defaultText: 'by name',
    short: 'the character between the fields of CSV, TSV and sets: one character, or tab',
    long: 'By their names: a comma in .csv files, a TAB in all others.',
  },
  sql: {
    ...INPUT,
    kind: { kind: 'name' },
    placeholder: 'QUERY',
    default: null,
    defaultText: 'none',
    short: 'read the rows of a query, by DuckDB, in the place of PATHs',
    long: 'Its columns are the fields of records. Of several statements the last gives rows. Needs the package @duckdb/node-api.',
  },
  include: {
    ...INPUT,
    kind: { kind: 'globs' },
    placeholder: 'G',
    default: null,
    defaultText: 'all text',
    repeatable: true,
    short: 'read only files whose name or relative path matches; may be repeated',
    long: GLOBS,
  },
  exclude: {
    ...INPUT,
    kind: { kind: 'globs' },
    placeholder: 'G',
    default: null,
    defaultText: 'nothing',
    repeatable: true,
    short: 'pass over files and folders whose name or relative path matches; may be repeated',
    long: 'Globs as of --include; a folder that matches is passed over with all below it.',
  },
  maxDocument: {
    ...INPUT,
    kind: { kind: 'size', least: 1 },
    placeholder: 'SIZE',
    default: '1 GB',
    short: 'larger texts are skipped and named',
    long: 'Unpacked size of packed files; of a set 8 bytes an element. 1 KB is 1000 bytes and 1 KiB is 1024; a plain number is bytes.',
  },
  onError: {
    ...INPUT,
    kind: { kind: 'choice', choices: ['skip', 'fail'] },
    placeholder: 'WHAT',
    default: 'skip',
    short: 'what an unreadable or malformed input does: skip or fail',
    long: 'skip: it is named in the skipped file and counted. fail: the run fails.',
  },
  ...SURVIVOR_OPTIONS,
  ...OUTPUT_AND_EXECUTION,
  ...ENGINE_OPTIONS,
};

export const FLAG_KEYS = Object.keys(OPTIONS) as readonly FlagKey[];

/** What a first run asks for: the flags with which help begins. */
export const MOST_USED: readonly FlagKey[] = [
  'out',
  'force',
  'resume',
  'threshold',
  'shingle',
  'verify',
  'textField',
  'idField',
  'include',
  'threads',
];

/** The keys of RunOptions other than `paths`, in table order. */
export const OPTION_KEYS = FLAG_KEYS.filter(
  (key) => OPTIONS[key].commandLineOnly !== true,
) as readonly OptionKey[];

/** `maxDocument` is `--max-document`. */
export function flagName(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/*
 * What the table of options says of one option.
 */

export const GROUPS = [
  'What is compared',
  'How pairs are found and verified',
  'Which documents stay',
  'Input',
  'Output',
  'Execution',
  'Hadoop and Spark',
] as const;

export interface OptionEntry {
  readonly group: (typeof GROUPS)[number];
  readonly kind: ValueKind;
  /** Stands for the value in help; a switch has none. */
  readonly placeholder: string | null;
  /**
   * The value when none is given; null where it follows from something else, which `defaultText` then says.
   */
  readonly default: boolean | number | string | null;
  readonly defaultText?: string;
  /** The one-letter form, without its dash. */
  readonly letter?: string;
  /** Result parameters decide the output bytes; execution parameters never do. */
  readonly decides: 'result' | 'execution';
  /** The command line alone has it: no key of RunOptions. */
  readonly commandLineOnly?: true;
  /** May be given more than once. */
  readonly repeatable?: true;
  /** One line, no full stop. */
  readonly short: string;
  /** Further sentences. */
  readonly long?: string;
}

export type OptionKey = Exclude<keyof RunOptions, 'paths'>;
export type FlagKey = OptionKey | 'config' | 'printConfig';
