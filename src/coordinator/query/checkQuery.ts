/** The options of a query, checked: with their defaults, or everything that is wrong with them. */

import type { MethodName, MethodParams } from '../../analysis/methods/method.js';
import { methodNamed } from '../../analysis/methods/table.js';
import type { Fault } from '../../errors.js';
import { checkOptions, type Execution, stopWordList } from '../../options/check.js';
import {
  METHOD_DEFAULTS,
  METHOD_OF_OPTION,
  type MethodOption,
  QUERY_OPTIONS,
  type QueryOptions,
  SHARED_KEYS,
  usualGuarantee,
} from '../../options/entries/queryOptions.js';
import { nearestName } from '../../options/nearestName.js';
import type { RunOptions } from '../../options/runOptions.js';
import { flagName } from '../../options/table.js';
import { checkValue, shownValue } from '../../options/values.js';
import type { ResultParams } from '../../sketch/params.js';

/** A query in full, checked. */
export interface ResolvedQuery {
  readonly params: ResultParams;
  readonly execution: Execution;
  readonly method: MethodName;
  readonly methodParams: MethodParams;
  readonly threshold: number;
  /** Null: all answers. */
  readonly top: number | null;
  readonly distinct: boolean;
  readonly explain: boolean;
}

type OwnKey = keyof typeof QUERY_OPTIONS;
type OwnValues = Required<Omit<QueryOptions, (typeof SHARED_KEYS)[number] | 'threshold'>> &
  Pick<QueryOptions, 'threshold'>;

const DEFAULTS: OwnValues = {
  method: 'resemblance',
  top: 10,
  distinct: false,
  explain: false,
  ...METHOD_DEFAULTS,
};

/** The options in full beside all their faults; PATHs are `paths` of them and not looked at. */
export function checkQueryOptions(given: QueryOptions & Pick<RunOptions, 'paths'>): {
  readonly resolved: ResolvedQuery;
  readonly faults: readonly Fault[];
} {
  const faults: Fault[] = [];
  const say: Say = (detail) => faults.push({ code: 'OPTION_INVALID', detail });
  if (typeof given !== 'object' || given === null) {
    say(`options ${shownValue(given)}: expected an object such as { method: 'containment' }`);
    return { ...checkQueryOptions({}), faults };
  }
  const values = ownValues(given, say);
  const { stopWords, ...shared } = sharedOptions(given, say);
  const ofShingles = typeof shared.shingle === 'string' && shared.shingle.startsWith('stopwords:');
  const checked = checkOptions({
    ...shared,
    ...(ofShingles && stopWords !== undefined ? { stopWords } : {}),
    // Bands are not compared, but the check of a run asks for some.
    ...{ bands: 1, rows: 1 },
  });
  faults.push(...checked.faults.filter(({ code }) => code !== 'NO_INPUT'));
  const { params, execution } = checked.resolved;
  if (params.input === 'sets') say('--input sets: expected documents; a query compares texts');
  sayConflicts(given, values, say);
  const { method, words, pieces, noise, guarantee, distinct, explain, top } = values;
  const list = ofShingles ? params.shingle.stopWords : stopWordsOf(stopWords, say);
  const resolved = {
    ...{ params, execution, method, distinct, explain },
    methodParams: { shingle: { ...params.shingle, stopWords: list }, words, pieces, noise, guarantee },
    threshold: values.threshold ?? methodNamed(method).threshold,
    top: top === 'all' ? null : top,
  };
  return { resolved, faults };
}

type Say = (detail: string) => unknown;

/** Stop words that methods leave out, whatever shingles are made of. */
function stopWordsOf(given: unknown, say: Say): readonly string[] {
  const checked = checkValue({ kind: 'words' }, given);
  if (given !== undefined && !checked.ok)
    say(`--stop-words ${shownValue(given)}: expected ${checked.expected}`);
  return stopWordList(checked.ok ? (checked.value as string) : null, (_, detail) => say(detail));
}

/** Sets of so many answers are held to compare others with them. */
const MOST_DISTINCT = 10_000;

function sayConflicts(given: QueryOptions, values: OwnValues, say: Say): void {
  const { method, noise, guarantee, threshold = 0, distinct, explain, top } = values;
  const { isUnbounded, leavesOutStopWords, measures } = methodNamed(method);
  if (threshold > 1 && isUnbounded !== true)
    say(`--threshold ${threshold}: expected at most 1, for ${measures[0]} is`);
  if (distinct && (top === 'all' || top > MOST_DISTINCT))
    say(
      `--top ${top}: expected at most ${MOST_DISTINCT} with --distinct; run finds the near-duplicates of all`,
    );
  const isOfShingles = method === 'resemblance' || method === 'containment';
  if (given.shingle !== undefined && !isOfShingles && !distinct && !explain)
    say(
      '--shingle: expected together with --method resemblance or containment, --distinct or --explain only',
    );
  const isOfStopWords = typeof given.shingle === 'string' && given.shingle.startsWith('stopwords:');
  if (given.stopWords !== undefined && leavesOutStopWords !== true && !isOfStopWords)
    say('--stop-words: expected together with --method sswf or scam, or --shingle stopwords:k only');
  if (method === 'winnowing' && guarantee < noise)
    say(`--guarantee ${guarantee}: expected at least --noise, which is ${noise}`);
  for (const key of Object.keys(METHOD_OF_OPTION) as MethodOption[]) {
    const owner = METHOD_OF_OPTION[key];
    if (given[key] === undefined || method === owner) continue;
    say(`${flagName(key)}: expected together with --method ${owner} only`);
  }
}

function ownValues(given: QueryOptions, say: Say): OwnValues {
  const values: Partial<Record<OwnKey, unknown>> = {};
  for (const key of Object.keys(QUERY_OPTIONS) as OwnKey[]) {
    const value: unknown = given[key];
    if (value === undefined) continue;
    const checked = checkValue(QUERY_OPTIONS[key].kind, value);
    if (checked.ok) values[key] = checked.value;
    else say(`${flagName(key)} ${shownValue(value)}: expected ${checked.expected}`);
  }
  const own = values as Partial<OwnValues>;
  return { ...DEFAULTS, guarantee: usualGuarantee(own.noise ?? DEFAULTS.noise), ...own };
}

/** Those of a run; names that nobody knows are told. */
function sharedOptions(given: QueryOptions & Pick<RunOptions, 'paths'>, say: Say): RunOptions {
  const own = Object.keys(QUERY_OPTIONS);
  const shared: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined || own.includes(key)) continue;
    if (key === 'paths' || (SHARED_KEYS as readonly string[]).includes(key)) shared[key] = value;
    else {
      const near = nearestName(key, [...own, ...SHARED_KEYS]);
      say(`${shownValue(key)}: no such option${near === null ? '' : `, did you mean ${near}?`}`);
    }
  }
  return shared as RunOptions;
}
