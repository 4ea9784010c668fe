/**
 * User options -> frozen parameters; every fault is reported in one error.
 *
 * Has the stop-word file read and asks for the number of cores, nothing else; inputs and output folder
 * are not looked at here.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { type Fault, MinHashError } from '../errors.js';
import type {
  BandingParams,
  GroupRule,
  HtmlReading,
  KeepRule,
  ResultFormat,
  ResultParams,
  Unit,
} from '../sketch/params.js';
import { ENGLISH_STOP_WORDS, parseStopWords } from '../text/stopWords.js';
import { type ComparedBy, resolveSketch, signatureOf } from './bandingChoice.js';
import { type ConflictValues, conflictsAmong } from './conflicts.js';
import { memoryFault, usualMemory } from './memory.js';
import { nearestName } from './nearestName.js';
import { type Reporter, ruleParams, setsParamsOf, thresholdOf } from './rules.js';
import type { EngineName, RunOptions } from './runOptions.js';
import { flagName, OPTION_KEYS, OPTIONS, type OptionKey } from './table.js';
import { checkValue, expectedOfPart, isPath, refusedParts, type ShingleSpec, shownValue } from './values.js';

/*
 * The stop words of `stopwords:k`: from a file, from a list, or the built-in ones.
 */

/** The stop words of the shingles; none where shingles start at any word. */
function stopWordsOf(
  values: { readonly shingle: ShingleSpec; readonly stopWords: string | readonly string[] | null },
  report: (option: 'stopWords', detail: string) => unknown,
): readonly string[] {
  if (values.shingle.unit !== 'stopwords') return [];
  return stopWordList(values.stopWords, report);
}

/**
 * Stop words, distinct and sorted, so that neither their order nor repetition decides the result.
 *
 * @param given the name of a file, the words, or null for the built-in list
 */
export function stopWordList(
  given: string | readonly string[] | null,
  report: (option: 'stopWords', detail: string) => unknown,
): readonly string[] {
  if (given === null) return distinctSorted(ENGLISH_STOP_WORDS);
  const place = typeof given === 'string' ? `--stop-words ${shownValue(given)}` : '--stop-words';
  let text: string;
  try {
    text = typeof given === 'string' ? readFileSync(given, 'utf8') : given.join('\n');
  } catch {
    report('stopWords', `${place}: the file cannot be read`);
    return [];
  }
  const { words, bad } = parseStopWords(text);
  if (bad.length > 0) {
    const more = bad.length > 1 ? ` and ${bad.length - 1} more` : '';
    report('stopWords', `${place}: ${shownValue(bad[0])}${more}: expected one word a line`);
  } else if (words.length === 0) {
    report('stopWords', `${place}: expected at least one word`);
  }
  return distinctSorted(words);
}

function distinctSorted(words: readonly string[]): readonly string[] {
  return [...new Set(words)].sort((a, b) => (a < b ? -1 : 1));
}

export type { RunOptions } from './runOptions.js';

/** Switches that never change the output bytes. */
type ExecutionSwitches = Readonly<
  Record<
    'force' | 'resume' | 'keepWork' | 'failOnDuplicates' | 'json' | 'quiet' | 'verbose' | 'dryRun',
    boolean
  >
>;

/** What never changes the output bytes. */
export interface Execution extends ExecutionSwitches {
  /** As given; `-` is standard input. */
  readonly paths: readonly string[];
  /** As given: what is a reference; none where nothing is. */
  readonly against: readonly string[];
  readonly out: string;
  readonly shards: 'auto' | number;
  readonly threads: number;
  /** Milliseconds; 0: never. */
  readonly taskTimeout: number;
  /** Milliseconds from the start of the run; 0: at once. */
  readonly checkpointAfter: number;
  /** Bytes; at least `leastMemory(threads)`. */
  readonly memory: number;
  /** Null: where the environment says, else AWS. */
  readonly s3Endpoint: string | null;
  /** Where the corpus is written without what was dropped; null: nowhere. */
  readonly write: string | null;
  /** Null: worker threads. */
  readonly cluster: ClusterExecution | null;
}

/** How a run works on an engine that sorts. */
export interface ClusterExecution {
  readonly engine: Exclude<EngineName, 'threads'>;
  /** The command, as words: of Hadoop, or spark-sql. */
  readonly command: readonly string[];
  /** Properties or settings. */
  readonly conf: Readonly<Record<string, string>>;
  /** Of Spark; null: what its settings say. */
  readonly master: string | null;
  readonly shipNode: boolean;
  /** The folder that jobs share; null: `.work` of the output folder. */
  readonly work: string | null;
}

export interface Resolved {
  readonly params: ResultParams;
  readonly execution: Execution;
}

/** A fault and the key it is about: null when no single option is to blame. */
export interface OptionFault extends Fault {
  readonly option: string | null;
}

/** The values after their own checks; null where an option without a default was not given. */
interface Values extends ExecutionSwitches, ConflictValues {
  readonly stopWords: string | readonly string[] | null;
  readonly bands: number | null;
  readonly rows: number | null;
  readonly hotBucket: number;
  readonly textField: string;
  readonly idField: string;
  readonly encoding: string;
  readonly html: HtmlReading;
  readonly separator: string | null;
  readonly sql: string | null;
  readonly include: readonly string[] | null;
  readonly exclude: readonly string[] | null;
  readonly maxDocument: number;
  readonly onError: 'skip' | 'fail';
  readonly out: string;
  readonly format: ResultFormat;
  readonly expandIdentical: boolean;
  readonly keep: KeepRule;
  readonly prefer: readonly string[] | null;
  readonly protect: readonly string[] | null;
  readonly unit: Unit;
  readonly minTokens: number | null;
  readonly shards: 'auto' | number;
  readonly threads: number | null;
  readonly taskTimeout: number;
  readonly checkpointAfter: number;
  readonly memory: number | null;
  readonly s3Endpoint: string | null;
  readonly write: string | null;
  readonly engine: EngineName;
  readonly clusterWork: string | null;
  readonly hadoopCommand: string;
  readonly hadoopConf: readonly string[] | null;
  readonly shipNode: boolean;
  readonly sparkCommand: string;
  readonly sparkMaster: string | null;
  readonly sparkConf: readonly string[] | null;
}

/** Where only identical documents are looked for; also what stands in the place of one that cannot be had. */
const NO_BANDING: BandingParams = { bands: 0, rows: 0 };

/** The most threads that are allowed, however many cores there are. */
const MOST_THREADS = 256;

/**
 * Checks the options and fills in the defaults.
 *
 * @throws MinHashError with all faults at once: OPTION_INVALID, NO_INPUT
 */
export function resolveOptions(options: RunOptions): Resolved {
  const { resolved, faults } = checkOptions(options);
  if (faults.length > 0) throw new MinHashError(faults);
  return resolved;
}

/**
 * The resolved options beside all their faults. With a fault the resolved value holds defaults where the
 * fault is: good for showing, never for running.
 */
export function checkOptions(options: RunOptions): {
  readonly resolved: Resolved;
  readonly faults: readonly OptionFault[];
} {
  const faults: OptionFault[] = [];
  const report: Reporter = (option, detail) => faults.push({ code: 'OPTION_INVALID', detail, option });
  checkNames(options, report);
  const paths = checkPaths(options, faults);
  const values = checkValues(options, report);
  const unusable = new Set(faults.map(({ option }) => option));
  const sound = (...keys: OptionKey[]): boolean => !keys.some((key) => unusable.has(key));

  const stopWords = sound('shingle', 'stopWords') ? stopWordsOf(values, report) : [];
  for (const { option, detail } of conflictsAmong(values, options, sound)) report(option, detail);
  const compared = values.exactDuplicates ? null : resolveSketch(values, options, sound, report);

  const unsketched = { sketch: signatureOf(values, 'fss'), banding: NO_BANDING };
  const params = paramsOf(values, stopWords, compared ?? unsketched, options.textField !== undefined);
  const execution = executionOf(values, paths);
  const { memory } = values;
  const given = options.memory ?? memory ?? 0;
  const tooLittle = memory === null ? null : memoryFault(memory, execution.threads, given);
  if (tooLittle !== null) report('memory', tooLittle);
  return { resolved: deepFrozen({ params, execution }), faults };
}

function checkNames(options: RunOptions, report: Reporter): void {
  const known = ['paths', ...OPTION_KEYS];
  for (const key of Object.keys(options)) {
    if (known.includes(key)) continue;
    const near = nearestName(key, known);
    report(key, `${shownValue(key)}: no such option${near === null ? '' : `, did you mean ${near}?`}`);
  }
}

/** The rows of a query come as standard input does. */
function checkPaths({ paths, sql }: RunOptions, faults: OptionFault[]): readonly string[] {
  if (paths === undefined || (Array.isArray(paths) && paths.length === 0)) {
    if (sql !== undefined) return ['-'];
    faults.push({ code: 'NO_INPUT', detail: '', option: 'paths' });
    return [];
  }
  const list: readonly unknown[] = Array.isArray(paths) ? paths : [paths];
  const bad = list.find((path) => !isPath(path));
  if (!Array.isArray(paths) || bad !== undefined) {
    const got = shownValue(Array.isArray(paths) ? bad : paths);
    const detail = `PATH ${got}: expected a list of files and directories`;
    faults.push({ code: 'OPTION_INVALID', detail, option: 'paths' });
    return [];
  }
  return paths as readonly string[];
}

function checkValues(options: RunOptions, report: Reporter): Values {
  const values: Partial<Record<OptionKey, unknown>> = {};
  for (const key of OPTION_KEYS) {
    const entry = OPTIONS[key];
    const given: unknown = options[key];
    const usual = entry.default === null ? null : usualValue(key);
    const checked = given === undefined ? null : checkValue(entry.kind, given);
    if (checked !== null && !checked.ok) {
      for (const part of refusedParts(entry.kind, given)) {
        const other = flagName(key === 'include' ? 'exclude' : 'include');
        const expected = expectedOfPart(entry.kind, part, other) ?? checked.expected;
        report(key, `${flagName(key)} ${shownValue(part)}: expected ${expected}`);
      }
    }
    values[key] = checked?.ok === true ? checked.value : usual;
  }
  return values as Values;
}

/**
 * The faults that options have each for itself: unknown names and values of the wrong kind or range. Nothing
 * is said of what is missing or does not go together.
 */
export function checkEachOption(options: RunOptions): readonly OptionFault[] {
  const faults: OptionFault[] = [];
  const report: Reporter = (option, detail) => faults.push({ code: 'OPTION_INVALID', detail, option });
  checkNames(options, report);
  checkPaths(options, faults);
  checkValues(options, report);
  return faults.filter((fault) => fault.code !== 'NO_INPUT');
}

/** The default of an option in checked form: defaults are written as a user would write them. */
function usualValue(key: OptionKey): unknown {
  const checked = checkValue(OPTIONS[key].kind, OPTIONS[key].default);
  return checked.ok ? checked.value : null;
}

function paramsOf(
  values: Values,
  stopWords: readonly string[],
  compared: ComparedBy,
  textFieldGiven: boolean,
): ResultParams {
  const { seed, shingle } = values;
  return {
    ...ruleParams(values),
    measure: values.measure,
    threshold: thresholdOf(values),
    shingle: { ...shingle, bag: values.bag, stopWords, seed },
    ...compared,
    recall:
      compared.banding === NO_BANDING ||
      compared.sketch.sketch === 'sswf' ||
      (values.bands !== null && values.rows !== null)
        ? null
        : values.recall,
    hotBucket: values.hotBucket,
    verify: values.exactDuplicates ? 'none' : values.verify,
    seed,
    input: values.input,
    textField: values.textField,
    idField: values.idField,
    textFieldGiven,
    encoding: values.encoding,
    html: values.html,
    separator: values.separator,
    sql: values.sql,
    include: [...(values.include ?? [])],
    exclude: [...(values.exclude ?? [])],
    maxDocument: values.maxDocument,
    onError: values.onError,
    expandIdentical: values.expandIdentical,
    format: values.format,
    ...survivorParams(values),
    ...setsParamsOf(values),
  };
}

/** Which documents stay, which are compared, and in what units. */
function survivorParams(
  values: Values,
): Pick<ResultParams, 'keep' | 'prefer' | 'protect' | 'groups' | 'unit' | 'minTokens'> {
  const { keep, prefer, protect, unit, minTokens, shingle } = values;
  return {
    keep,
    prefer: [...(prefer ?? [])],
    protect: [...(protect ?? [])],
    groups: groupRuleOf(values),
    unit,
    minTokens: minTokens ?? (unit === 'document' ? 0 : shingle.size),
  };
}

function groupRuleOf({ against, groupField, groupBy }: Values): GroupRule | null {
  if (against !== null) return { by: 'against' };
  if (groupField !== null) return { by: 'field', field: groupField };
  return groupBy === null ? null : { by: 'path', depth: groupBy };
}

function executionOf(values: Values, paths: readonly string[]): Execution {
  const threads = values.threads ?? Math.min(availableParallelism(), MOST_THREADS);
  return {
    paths: [...paths],
    against: values.against ?? [],
    out: values.out,
    shards: values.shards,
    threads,
    taskTimeout: values.taskTimeout,
    checkpointAfter: values.checkpointAfter,
    memory: values.memory ?? usualMemory(threads),
    s3Endpoint: values.s3Endpoint,
    write: values.write,
    cluster: clusterExecutionOf(values),
    force: values.force,
    resume: values.resume,
    keepWork: values.keepWork,
    failOnDuplicates: values.failOnDuplicates,
    json: values.json,
    quiet: values.quiet,
    verbose: values.verbose,
    dryRun: values.dryRun,
  };
}

/** Freezes plain data of fixed, small depth. */
function deepFrozen<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFrozen(part);
  return Object.freeze(value);
}

function clusterExecutionOf(values: Values): ClusterExecution | null {
  const { engine, clusterWork, shipNode } = values;
  if (engine === 'threads') return null;
  const isSpark = engine === 'spark';
  const command = isSpark ? values.sparkCommand : values.hadoopCommand;
  const settings = (isSpark ? values.sparkConf : values.hadoopConf) ?? [];
  return {
    engine,
    command: command.split(' ').filter((word) => word !== ''),
    conf: Object.fromEntries(
      settings.map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]),
    ),
    master: isSpark ? values.sparkMaster : null,
    shipNode,
    work: clusterWork,
  };
}
