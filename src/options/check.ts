/**
 * Turns user options into frozen parameters; reports all errors at once.
 *
 * Reads only the file of stop words and the number of cores; inputs and the output folder are checked elsewhere.
 */
import { availableParallelism } from 'node:os';
import type { Problem } from '../errors.js';
import { type BandingParams, type GroupRule, hasSignatures, type ResultParams } from '../sketch/params.js';
import { normalizing } from '../text/preparedText.js';
import { ENGLISH_STOP_WORDS, parseStopWords } from '../text/stopWords.js';
import { type ComparedBy, resolveSketch, signatureOf } from './bandingChoice.js';
import { conflictsAmong } from './conflicts.js';
import { memoryProblem, usualMemory } from './memory.js';
import { meantName } from './nearestName.js';
import { LARGEST_LIST, readOptionFile } from './optionFile.js';
import { presetOptions } from './presets.js';
import { removedFlag } from './removedFlags.js';
import { type Reporter, setsParamsOf, thresholdOf } from './rules.js';
import type { OptionValues, PlainKey, RunOptions } from './runOptions.js';
import { OPTION_KEYS, OPTIONS, type OptionKey, RUN_ROWS } from './table.js';
import { absentValue, checkValue, isPath, shownValue, usableValues } from './values.js';

/*
 * The stop words of `stopwords:k`: from a file, from a list, or the built-in ones.
 */

/** The stop words of the shingles; none if shingles start at any word. */
function stopWordsOf(
  values: Pick<OptionValues, 'shingle' | 'stopWords'>,
  report: (option: 'stopWords', detail: string) => unknown,
): readonly string[] {
  if (values.shingle.unit !== 'stopwords') return [];
  return stopWordList(values.stopWords, report);
}

/**
 * Stop words, distinct and sorted, so that their order and repetition do not change the result.
 *
 * @param given the name of a file, the words, or null for the built-in list
 */
export function stopWordList(
  given: string | readonly string[] | null,
  report: (option: 'stopWords', detail: string) => unknown,
): readonly string[] {
  if (given === null) return distinctSorted(ENGLISH_STOP_WORDS);
  const place = typeof given === 'string' ? `--stop-words ${shownValue(given)}` : '--stop-words';
  const read = typeof given === 'string' ? readOptionFile(given, LARGEST_LIST) : { text: given.join('\n') };
  if ('problem' in read) {
    report('stopWords', `${place}: ${read.problem}`);
    return [];
  }
  const { words, bad } = parseStopWords(read.text);
  if (bad.length > 0) {
    const more = bad.length > 1 ? ` and ${bad.length - 1} more` : '';
    report('stopWords', `${place}: ${shownValue(bad[0])}${more}: expected one word per line`);
  } else if (words.length === 0) {
    report('stopWords', `${place}: expected at least one word`);
  }
  return distinctSorted(words);
}

function distinctSorted(words: readonly string[]): readonly string[] {
  return [...new Set(words)].sort((a, b) => (a < b ? -1 : 1));
}

export type { RunOptions } from './runOptions.js';

/** The parameters that never change the output bytes. */
export interface Execution
  extends Omit<Pick<OptionValues, PlainKey<'execution'>>, 'against' | 'threads' | 'memory'> {
  /** As the user wrote them; `-` is standard input. */
  readonly paths: readonly string[];
  /** PATHs of the reference, as the user wrote them; empty without a reference. */
  readonly against: readonly string[];
  readonly threads: number;
  /** Bytes; at least `leastMemory(threads)`. */
  readonly memory: number;
  /** Null: worker threads of this machine. */
  readonly spark: SparkExecution | null;
}

/** How a run finds its Spark. */
export interface SparkExecution {
  /** Null: the master in Spark's own settings. */
  readonly master: string | null;
  readonly conf: Readonly<Record<string, string>>;
  /** A URI of a folder that all executors can read and write; null: `.work` of the output folder. */
  readonly work: string | null;
}

export interface Resolved {
  readonly params: ResultParams;
  readonly execution: Execution;
}

/** An error and the key of its option; null if it concerns several options. */
export interface OptionProblem extends Problem {
  readonly option: string | null;
}

/** The banding of a run that finds only identical documents, and the placeholder for a banding that cannot be chosen. */
const NO_BANDING: BandingParams = { bands: 0, rows: 0 };

/** The largest allowed number of threads. */
const MOST_THREADS = 256;

/**
 * The resolved options and all their errors. `resolved` has the default in place of an invalid value: it can be shown, but not
 * run. PATHs are checked later, when inputs are listed.
 *
 * @param own values that replace options without a meaning for the caller; errors in those options are still reported
 */
export function checkOptions(
  options: RunOptions,
  own: RunOptions = {},
): {
  readonly resolved: Resolved;
  readonly problems: readonly OptionProblem[];
} {
  const problems: OptionProblem[] = [];
  const report: Reporter = (option, detail) => problems.push({ code: 'OPTION_INVALID', detail, option });
  const { paths, values } = checkAlone(options, own, report);
  const given = { ...options, ...own };
  const unusable = new Set(problems.map(({ option }) => option));
  const areValid = (...keys: OptionKey[]): boolean => !keys.some((key) => unusable.has(key));

  const stopWords = areValid('shingle', 'stopWords') ? stopWordsOf(values, report) : [];
  for (const { option, detail } of conflictsAmong(values, given, areValid)) report(option, detail);
  const compared = hasSignatures(values) ? resolveSketch(values, given, areValid, report) : null;

  const unsketched = { sketch: signatureOf(values, 'fss'), banding: NO_BANDING };
  const params = paramsOf(values, stopWords, compared ?? unsketched, options.textField !== undefined);
  const execution = executionOf(values, paths);
  const { memory } = values;
  const tooLittle =
    memory === null ? null : memoryProblem(memory, execution.threads, options.memory ?? memory);
  if (tooLittle !== null) report('memory', tooLittle);
  return { resolved: deepFrozen({ params, execution }), problems };
}

/** Checks the name and value of each option, and the PATHs. `own`: values that replace those of the options. */
function checkAlone(
  options: RunOptions,
  own: RunOptions,
  report: Reporter,
): { readonly paths: readonly string[]; readonly values: OptionValues } {
  checkNames(options, report);
  const paths = checkPaths(options, report);
  const values = { ...usableValues(RUN_ROWS, options, report), ...usableValues(RUN_ROWS, own, report) };
  const preset: RunOptions = presetOptions(values.preset);
  const inFull = OPTION_KEYS.map((key) => [key, values[key] ?? usualValue(key, preset[key])]);
  return { paths, values: Object.fromEntries(inFull) as OptionValues };
}

function checkNames(options: RunOptions, report: Reporter): void {
  const known = ['paths', ...OPTION_KEYS];
  for (const key of Object.keys(options)) {
    if (known.includes(key)) continue;
    const removed = removedFlag(key);
    const advice = removed === null ? meantName(key, known) : `: ${removed.instead}`;
    report(key, `${shownValue(key)}: no such option${advice}`);
  }
}

/** The PATHs; empty if the value is not a list of them. */
function checkPaths({ paths = [] }: RunOptions, report: Reporter): readonly string[] {
  const list: readonly unknown[] = Array.isArray(paths) ? paths : [paths];
  const bad = list.find((path) => !isPath(path));
  if (!Array.isArray(paths) || bad !== undefined) {
    const got = shownValue(Array.isArray(paths) ? bad : paths);
    report('paths', `PATH ${got}: expected a list of files and directories`);
    return [];
  }
  return paths as readonly string[];
}

/**
 * The errors of single options: unknown names, and values of the wrong kind or range. Missing options and conflicts are not
 * reported.
 */
export function checkEachOption(options: RunOptions): readonly OptionProblem[] {
  const problems: OptionProblem[] = [];
  checkAlone(options, {}, (option, detail) => problems.push({ code: 'OPTION_INVALID', detail, option }));
  return problems;
}

/** The default of an option, or the value of a preset, in checked form: tables have them as a user would write them. */
function usualValue(key: OptionKey, ofPreset: unknown): unknown {
  const { kind, default: ofTable } = OPTIONS[key];
  const usual = ofPreset ?? ofTable;
  const checked = checkValue(kind, usual);
  return checked.ok ? checked.value : absentValue(kind);
}

/** The keys of options that are parameters under their own names. */
function plainKeys<Decides extends 'result' | 'execution'>(decides: Decides): readonly PlainKey<Decides>[] {
  return OPTION_KEYS.filter(
    (key): key is PlainKey<Decides> => OPTIONS[key].decides === decides && OPTIONS[key].computed !== true,
  );
}

/** The compiler reports a row that is not a parameter of a result and not `computed`. */
const OF_RESULT = plainKeys('result') satisfies readonly (keyof ResultParams)[];
const OF_EXECUTION = plainKeys('execution');

function picked<Key extends OptionKey>(values: OptionValues, keys: readonly Key[]): Pick<OptionValues, Key> {
  return Object.fromEntries(keys.map((key) => [key, values[key]])) as Pick<OptionValues, Key>;
}

/** The parameters of the result. Computed here are those that depend on several options, or whose name differs from the option's. */
function paramsOf(
  values: OptionValues,
  stopWords: readonly string[],
  compared: ComparedBy,
  textFieldGiven: boolean,
): ResultParams {
  const { seed, shingle, minTokens, unit } = values;
  const isContained = values.measure === 'containment';
  return {
    ...picked(values, OF_RESULT),
    threshold: thresholdOf(values),
    shingle: { ...shingle, bag: values.bag, stopWords, seed, ...normalizing(values.normalize) },
    ...compared,
    recall:
      compared.banding === NO_BANDING || (values.bands !== null && values.rows !== null)
        ? null
        : values.recall,
    verify: values.exactDuplicates ? 'none' : values.verify,
    textFieldGiven,
    groups: groupsOf(values, isContained),
    // A cluster is a reference document with the documents that contain it; every candidate is a pair.
    ...(isContained && { cluster: 'greedy', candidates: 'none' }),
    minTokens: minTokens ?? (unit === 'document' ? 0 : shingle.size),
    ...setsParamsOf(values),
    ...(values.ignore !== null && { ignore: values.ignore }),
    ...(values.records !== null && { records: values.records }),
  };
}

function groupsOf(
  { against, onlyAgainst, againstInclude }: OptionValues,
  isContained: boolean,
): GroupRule | null {
  if (against === null) return null;
  const include = againstInclude.length === 0 ? {} : { include: againstInclude };
  return { by: 'against', only: isContained || onlyAgainst, ...include };
}

function executionOf(values: OptionValues, paths: readonly string[]): Execution {
  const threads = values.threads ?? Math.min(availableParallelism(), MOST_THREADS);
  return {
    ...picked(values, OF_EXECUTION),
    paths: [...paths],
    against: values.against ?? [],
    threads,
    memory: values.memory ?? usualMemory(threads),
    spark: sparkExecutionOf(values),
  };
}

function sparkExecutionOf({
  engine,
  sparkMaster,
  sparkConf,
  sparkWork,
}: OptionValues): SparkExecution | null {
  if (engine !== 'spark') return null;
  const conf = sparkConf.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]);
  return { master: sparkMaster, conf: Object.fromEntries(conf), work: sparkWork };
}

/** Freezes a JSON value with all its parts. Recursion is safe, because the type bounds the depth. */
export function deepFrozen<T extends object>(value: T): T {
  for (const part of Object.values(value))
    if (typeof part === 'object' && part !== null && !Object.isFrozen(part)) deepFrozen(part);
  return Object.freeze(value);
}
