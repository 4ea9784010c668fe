/**
 * Finds options that cannot be combined: one table and one loop over it.
 *
 * Each value is already checked on its own. bandingChoice.ts finds errors that need a calculation, such as a recall that no
 * banding reaches.
 */
import { flagName } from '../errors.js';
import { type InputKind, PIPED_KINDS } from '../sketch/formatNames.js';
import { type AreValid, columnsOf } from './rules.js';
import type { OptionValues, RunOptions } from './runOptions.js';
import { OPTION_KEYS, OPTIONS, type OptionKey } from './table.js';
import { shownValue } from './values.js';

/** The checked values (the default if an option was not set or is invalid), and the values as the user set them. */
interface Seen extends OptionValues {
  /** The options as the user set them. */
  readonly given: RunOptions;
}

/** A row of the table: each option of `when` that the user set is an error if `with` holds. */
export interface Conflict<View, Key extends string> {
  readonly when: readonly Key[];
  readonly with: (seen: View, option: Key) => boolean;
  /** Options that must have valid values; otherwise the row is skipped, because the user's intention is unknown. */
  readonly knowing?: readonly OptionKey[];
  /** The message shows the option without its value. */
  readonly bare?: true;
  /** The conflicting flags, which the message shows after the option. */
  readonly beside?: string | ((seen: View) => string);
  /** Follows the colon of the message; begins with "expected". */
  readonly remedy: string | ((seen: View) => string);
}

interface ConflictProblem<Key extends string> {
  readonly option: Key;
  readonly detail: string;
}

/** Options for finding and verifying candidates: without effect on containment and on documents with the same tokens. */
const OF_CANDIDATES: readonly OptionKey[] = [
  ...(['sketch', 'hashes', 'bands', 'rows', 'recall', 'hotBucket', 'candidates'] as const),
  ...(['verify', 'agree', 'cluster'] as const),
];
/** Options for finding near pairs: without effect if only documents with the same tokens are searched for. */
const OF_NEAR_PAIRS: readonly OptionKey[] = ['bag', 'measure', 'threshold', ...OF_CANDIDATES];

const isContainment = ({ measure }: Seen): boolean => measure === 'containment';
const isPiped = (input: InputKind): boolean => (PIPED_KINDS as readonly InputKind[]).includes(input);
const isDefault = ({ given }: Seen, option: OptionKey): boolean =>
  String(given[option]) === String(OPTIONS[option].default);
const isSets = ({ input }: Seen): boolean => input === 'sets';
/** Options that do not apply to sets. */
const OF_TEXTS = ['preset', 'shingle', 'normalize', 'textField', 'idField'] as const;
const ONE_OF_TWO = 'expected only one of these';

/** Conflicts of `normalize`, for runs and for functions of the library without PATHs and pairs. */
export const NORMALIZE_CONFLICTS: readonly Conflict<
  Pick<Seen, 'shingle' | 'normalize'> & { readonly given: Pick<Seen['given'], 'normalize'> },
  OptionKey
>[] = [
  {
    when: ['normalize'],
    with: ({ normalize }) => normalize.includes('nfc') && normalize.includes('nfkc'),
    knowing: ['normalize'],
    remedy: 'expected nfc or nfkc, got both',
  },
  {
    when: ['normalize'],
    with: ({ shingle, normalize }) =>
      shingle.unit === 'bytes' && normalize.join() !== OPTIONS.normalize.default,
    knowing: ['shingle', 'normalize'],
    beside: ({ shingle }) => `--shingle bytes:${shingle.size}`,
    remedy: 'expected only one of these: bytes are compared as they are',
  },
];

/** Options of a run that mean the same on Spark. */
const ON_SPARK: readonly OptionKey[] = [
  ...(['preset', 'shingle', 'stopWords', 'bag', 'normalize', 'threshold', 'sketch', 'hashes'] as const),
  ...(['bands', 'rows', 'recall', 'hotBucket', 'candidates', 'verify', 'agree'] as const),
  ...(['exactDuplicates', 'seed', 'against', 'againstInclude', 'input', 'textField', 'idField'] as const),
  ...(['encoding', 'textFormat', 's3Endpoint'] as const),
  ...(['separator', 'quote', 'include', 'exclude', 'maxDocument', 'out', 'force'] as const),
  ...(['failOnDuplicates', 'json', 'quiet', 'verbose', 'dryRun', 'engine', 'onlyAgainst'] as const),
  ...(['sparkMaster', 'sparkConf', 'sparkWork'] as const),
];
const OTHER_ENGINE = 'remove it, or run without --engine spark';
/** Why an option is invalid on Spark, and what to do instead. */
const NOT_ON_SPARK: Readonly<Partial<Record<OptionKey, string>>> = {
  keep: `Spark always keeps the first document in input order; ${OTHER_ENGINE}`,
  write: 'Spark writes only the result; remove it, and run apply RESULT --to DIR afterwards',
  resume:
    'not needed with --engine spark; remove it: the same command continues from the tables in --spark-work',
  threads: 'Spark sets the number of tasks; remove it, and use --spark-master local[N] or --spark-conf',
  memory: 'Spark sets the memory; remove it, and use --spark-conf spark.executor.memory=SIZE',
  shards: 'Spark splits the work; remove it, and use --spark-conf spark.sql.shuffle.partitions=N',
};

/** The path of a folder for tables of Spark if it is in a local file system; null for HDFS or an object store. */
export function folderOfUri(uri: string | null): string | null {
  const [, path = null] = /^(?:file:(?=\/)(?:\/\/(?=\/))?)?(\/.*)$/.exec(uri ?? '') ?? [];
  return path;
}

const pathsOf = ({ paths = [], against = [] }: RunOptions): string[] => [...paths, ...against];

/** An address whose local copy executors cannot read. Addresses that no engine reads are reported with the other PATHs. */
function unsharedAddress({ given, sparkMaster, sparkWork }: Seen): string | undefined {
  if (/^local\b/.test(sparkMaster ?? '') || folderOfUri(sparkWork) !== null) return undefined;
  return pathsOf(given).find((path) => /^(https?|s3[an]?):\/\//i.test(path));
}

const CONFLICTS: readonly Conflict<Seen, OptionKey>[] = [
  {
    when: ['stopWords'],
    with: ({ shingle }) => shingle.unit !== 'stopwords',
    knowing: ['shingle', 'stopWords'],
    bare: true,
    remedy: 'expected together with --shingle stopwords:k only',
  },
  ...NORMALIZE_CONFLICTS,
  {
    when: ['ignore'],
    with: ({ bag, exactDuplicates }) => bag || exactDuplicates,
    knowing: ['bag', 'exactDuplicates'],
    beside: ({ bag }) => (bag ? '--bag' : '--exact-duplicates'),
    remedy: ONE_OF_TWO,
  },
  {
    // All of them are reported, because the user decides which of the two options to remove.
    when: OF_NEAR_PAIRS,
    with: ({ exactDuplicates }) => exactDuplicates,
    beside: '--exact-duplicates',
    remedy: 'expected only one of these: only documents with the same tokens are looked for',
  },
  {
    when: ['input'],
    with: ({ input, given: { paths } }) =>
      Array.isArray(paths) && paths.includes('-') && input !== 'auto' && !isPiped(input),
    knowing: ['input'],
    remedy: `expected ${PIPED_KINDS.slice(0, -1).join(', ')} or ${PIPED_KINDS.at(-1)} on standard input (-)`,
  },
  {
    when: ['records'],
    with: ({ input, given: { paths } }) =>
      !['auto', 'json', 'jsonl'].includes(input) || (Array.isArray(paths) && paths.includes('-')),
    knowing: ['input'],
    remedy: "expected files of JSON; on standard input: jq -c '.items[]' FILE | mr-minhash run -",
  },
  {
    when: ['write'],
    with: (seen) => isSets(seen) || (Array.isArray(seen.given.paths) && seen.given.paths.includes('-')),
    remedy: 'expected files of documents: standard input (-) and sets cannot be written again',
  },
  {
    when: ['cluster'],
    with: ({ cluster, verify }) => cluster === 'greedy' && verify === 'none',
    beside: '--verify none',
    remedy: 'expected another --verify: greedy clusters are made of candidates that are alike enough',
  },
  {
    when: ['measure'],
    with: (seen) => isContainment(seen) && (seen.against === null || isSets(seen)),
    remedy:
      'expected documents and --against REFERENCE: it finds the documents that contain a text of the reference; ' +
      'to compare two texts use compare, to find what contains one text use query',
  },
  {
    when: OF_CANDIDATES,
    with: (seen, option) => isContainment(seen) && !isDefault(seen, option),
    beside: '--measure containment',
    remedy: 'expected only one of these: containment is computed exactly, without sketches',
  },
  {
    when: ['agree'],
    with: ({ verify }) => verify !== 'signature',
    knowing: ['verify'],
    remedy: ({ verify, given }) =>
      'expected together with --verify signature, for it counts slots that agree; ' +
      `${given.verify === undefined ? 'the default ' : ''}--verify ${verify} ` +
      (verify === 'exact' ? 'decides by the shingle sets' : 'accepts nothing'),
  },
  {
    when: ['agree'],
    with: ({ agree, hashes }) => agree !== null && agree > hashes,
    knowing: ['hashes'],
    remedy: ({ hashes }) => `expected at most the ${hashes} of --hashes`,
  },
  {
    when: ['agree'],
    with: ({ given }) => given.threshold !== undefined,
    beside: ({ given }) => `--threshold ${shownValue(given.threshold)}`,
    remedy: ONE_OF_TWO,
  },
  {
    when: ['columns', 'ratings', 'likedFrom'],
    with: (seen) => !isSets(seen),
    knowing: ['input'],
    bare: true,
    remedy: 'expected together with --input sets only',
  },
  {
    when: OF_TEXTS,
    with: isSets,
    knowing: ['input'],
    bare: true,
    remedy: 'expected with texts, got --input sets',
  },
  {
    when: ['likedFrom'],
    with: (seen) => isSets(seen) && seen.ratings === null,
    knowing: ['input', 'ratings'],
    bare: true,
    remedy: 'expected together with --ratings only',
  },
  {
    when: ['likedFrom'],
    with: (seen) => isSets(seen) && seen.ratings === 'stars',
    knowing: ['input', 'ratings'],
    bare: true,
    remedy: 'expected with --ratings liked or liked-hated, got stars',
  },
  {
    when: ['ratings'],
    with: (seen) => isSets(seen) && columnsOf(seen).length < 3,
    knowing: ['input', 'ratings', 'columns'],
    remedy: 'expected a third field of --columns, the rating',
  },
  {
    when: ['bag'],
    with: (seen) => isSets(seen) && seen.bag && seen.ratings !== null,
    knowing: ['input', 'ratings'],
    remedy: ({ ratings }) => `expected with weights, got --ratings ${ratings}, which says how ratings count`,
  },
  {
    when: ['keep', 'against', 'unit', 'minTokens', 'ignore'],
    with: (seen, option) => isSets(seen) && !isDefault(seen, option),
    knowing: ['input'],
    remedy: 'expected with texts, got --input sets, whose lines may be in any file',
  },
  {
    when: ['onlyAgainst'],
    with: ({ onlyAgainst, against }) => onlyAgainst && against === null,
    bare: true,
    remedy: 'expected together with --against only',
  },
  {
    when: ['againstInclude'],
    with: ({ againstInclude, against }) => againstInclude.length > 0 && against === null,
    bare: true,
    remedy: 'expected together with --against only',
  },
  {
    when: ['quiet'],
    with: ({ quiet, verbose }) => quiet && verbose,
    beside: '--verbose',
    remedy: ONE_OF_TWO,
  },
  {
    when: ['sparkMaster', 'sparkConf', 'sparkWork'],
    with: ({ engine }) => engine !== 'spark',
    knowing: ['engine'],
    bare: true,
    remedy: 'expected together with --engine spark; add it, or remove this option',
  },
  {
    when: ['engine'],
    with: ({ engine, given }) => engine === 'spark' && pathsOf(given).includes('-'),
    remedy: 'executors cannot read standard input (-); write it to a file, and type its path',
  },
  {
    when: ['engine'],
    with: (seen) => seen.engine === 'spark' && unsharedAddress(seen) !== undefined,
    knowing: ['sparkMaster', 'sparkWork'],
    remedy: (seen) =>
      `executors cannot read the local copy of ${shownValue(unsharedAddress(seen))}; set --spark-work to a mounted folder that they share, and it is copied there`,
  },
  ...OPTION_KEYS.filter((key) => !ON_SPARK.includes(key)).map(
    (key): Conflict<Seen, OptionKey> => ({
      when: [key],
      with: (seen, option) => seen.engine === 'spark' && !isDefault(seen, option),
      knowing: ['engine'],
      remedy: NOT_ON_SPARK[key] ?? `runs on one machine only; ${OTHER_ENGINE}`,
    }),
  ),
];

/** All conflicts, in the order of the table. `areValid`: whether all these keys have valid values. */
export function conflictsAmong(
  values: OptionValues,
  given: RunOptions,
  areValid: AreValid,
): ConflictProblem<OptionKey>[] {
  const seen: Seen = { ...values, given };
  return conflictsIn(
    CONFLICTS.filter(({ knowing = [] }) => areValid(...knowing)),
    seen,
  );
}

/** All conflicts of a table: commands have their own tables for their own options. */
export function conflictsIn<
  View extends { readonly given: { readonly [Name in Key]?: unknown } },
  Key extends string,
>(conflicts: readonly Conflict<View, Key>[], seen: View): ConflictProblem<Key>[] {
  // A switch with the value false counts as not set: the command line can unset a switch of a config file.
  const isGiven = (option: Key): boolean => seen.given[option] !== undefined && seen.given[option] !== false;
  return conflicts.flatMap((conflict) =>
    conflict.when
      .filter((option) => isGiven(option) && conflict.with(seen, option))
      .map((option) => ({ option, detail: detailOf(conflict, option, seen) })),
  );
}

/** `--flag value --others: remedy`. */
function detailOf<View extends { readonly given: { readonly [Name in Key]?: unknown } }, Key extends string>(
  { bare, beside, remedy }: Conflict<View, Key>,
  option: Key,
  seen: View,
): string {
  const value = seen.given[option];
  const textIn = (text: string | ((seen: View) => string)): string =>
    typeof text === 'string' ? text : text(seen);
  const flag = flagName(option);
  const typed: readonly unknown[] = Array.isArray(value) && value.length > 0 ? value : [value];
  const words = [
    ...(bare === true || value === true ? [flag] : typed.map((one) => `${flag} ${shownValue(one)}`)),
    ...(beside === undefined ? [] : [textIn(beside)]),
  ];
  return `${words.join(' ')}: ${textIn(remedy)}`;
}

/** Options whose defaults a config file must not contain together with these options, because setting them would be an error. */
export function excludedBy(options: RunOptions): ReadonlySet<OptionKey> {
  const { agree, exactDuplicates, input } = options;
  const ofTexts = input === 'sets' ? OF_TEXTS : [];
  if (exactDuplicates === true) return new Set([...OF_NEAR_PAIRS, ...ofTexts]);
  return new Set<OptionKey>([...(agree === undefined ? [] : (['threshold'] as const)), ...ofTexts]);
}
