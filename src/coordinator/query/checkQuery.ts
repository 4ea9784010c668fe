/** Checks the options of a query: returns them with their defaults, or all their problems. */

import type { MethodName, MethodParams } from '../../analysis/methods/method.js';
import { methodNamed } from '../../analysis/methods/table.js';
import type { Problem } from '../../errors.js';
import { checkOptions, type Execution, stopWordList } from '../../options/check.js';
import { type Conflict, conflictsIn } from '../../options/conflicts.js';
import { meantName } from '../../options/nearestName.js';
import {
  METHOD_CONFLICTS,
  METHOD_OPTIONS,
  methodSettings,
  QUERY_OPTIONS,
  type QueryOptions,
} from '../../options/queryOptions.js';
import type { RunOptions } from '../../options/runOptions.js';
import { type KeyAlsoIn, keysAlsoIn } from '../../options/table.js';
import { callWith, shownValue, usableValues } from '../../options/values.js';
import type { ResultParams } from '../../sketch/params.js';

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

/** Options of a run that have the same meaning in a query. */
const OF_RUNS = keysAlsoIn('query');

type OwnValues = Required<Omit<QueryOptions, KeyAlsoIn<'query'> | 'threshold'>> &
  Pick<QueryOptions, 'threshold'>;

/** The options with their defaults, and all their problems. PATHs are `paths` and are not checked. */
export function checkQueryOptions(given: QueryOptions & Pick<RunOptions, 'paths'>): {
  readonly resolved: ResolvedQuery;
  readonly problems: readonly Problem[];
} {
  const problems: Problem[] = [];
  const say: Say = (detail) => problems.push({ code: 'OPTION_INVALID', detail });
  const call = callWith(given, "{ method: 'containment' }");
  call.problems.forEach(say);
  if (problems.length > 0) return { ...checkQueryOptions({}), problems };
  const values = ownValues(given, say);
  const { stopWords, ...shared } = sharedOptions(given, say);
  const ofShingles = isOfStopWords({ given });
  const checked = checkOptions(
    { ...shared, ...(ofShingles && stopWords !== undefined ? { stopWords } : {}) },
    // Bands are not used, but the check of a run requires some.
    { bands: 1, rows: 1 },
  );
  problems.push(...checked.problems);
  const { params, execution } = checked.resolved;
  if (params.input === 'sets') say('--input sets: expected documents; a query compares texts');
  const ofMethod = {
    given,
    methods: [values.method],
    settings: usableValues(METHOD_OPTIONS, { ...given }, () => {}),
  };
  const conflicts = [
    ...conflictsIn(CONFLICTS, { ...values, given }),
    ...conflictsIn(METHOD_CONFLICTS, ofMethod),
  ];
  for (const { detail } of conflicts) say(detail);
  const { method, distinct, explain, top } = values;
  const list = ofShingles ? params.shingle.stopWords : stopWordsOf(stopWords, say);
  const resolved = {
    ...{ params, execution, method, distinct, explain },
    methodParams: { shingle: { ...params.shingle, stopWords: list }, ...methodSettings(values) },
    threshold: values.threshold ?? methodNamed(method).threshold,
    top: top === 'all' ? null : top,
  };
  return { resolved, problems };
}

type Say = (detail: string) => unknown;

/** Stop words that methods leave out, independent of the unit of shingles. */
function stopWordsOf(given: unknown, say: Say): readonly string[] {
  const { stopWords = null } = usableValues(
    { stopWords: { kind: { kind: 'words' } } },
    { stopWords: given },
    (_, detail) => say(detail),
  );
  return stopWordList(stopWords, (_, detail) => say(detail));
}

/** The sets of this many answers are kept for comparison with others. */
const MOST_DISTINCT = 10_000;

interface Seen extends OwnValues {
  readonly given: QueryOptions;
}

const isOfStopWords = ({ given: { shingle } }: Pick<Seen, 'given'>): boolean =>
  typeof shingle === 'string' && shingle.startsWith('stopwords:');

const CONFLICTS: readonly Conflict<Seen, keyof QueryOptions>[] = [
  {
    when: ['threshold'],
    with: ({ threshold = 0, method }) => threshold > 1 && methodNamed(method).isUnbounded !== true,
    remedy: ({ method }) => `expected at most 1, for ${methodNamed(method).measures[0]} is`,
  },
  {
    when: ['top'],
    with: ({ distinct, top }) => distinct && (top === 'all' || top > MOST_DISTINCT),
    remedy: `expected at most ${MOST_DISTINCT} with --distinct; run finds the near-duplicates of all`,
  },
  {
    when: ['shingle'],
    with: ({ method, distinct, explain }) =>
      method !== 'resemblance' && method !== 'containment' && !distinct && !explain,
    bare: true,
    remedy: 'expected together with --method resemblance or containment, --distinct or --explain only',
  },
  {
    when: ['stopWords'],
    with: (seen) => methodNamed(seen.method).leavesOutStopWords !== true && !isOfStopWords(seen),
    bare: true,
    remedy: 'expected together with --method sswf or scam, or --shingle stopwords:k only',
  },
];

function ownValues(given: QueryOptions, say: Say): OwnValues {
  const own = usableValues(QUERY_OPTIONS, { ...given }, (_, detail) => say(detail));
  const { method, top, distinct, explain } = QUERY_OPTIONS;
  return {
    ...{ method: method.default, top: top.default, distinct: distinct.default, explain: explain.default },
    ...own,
    ...methodSettings(own),
  };
}

/** The options shared with a run; unknown names are problems. */
function sharedOptions(given: QueryOptions & Pick<RunOptions, 'paths'>, say: Say): RunOptions {
  const own = Object.keys(QUERY_OPTIONS);
  const shared: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined || own.includes(key)) continue;
    if (key === 'paths' || (OF_RUNS as readonly string[]).includes(key)) shared[key] = value;
    else say(`${shownValue(key)}: no such option${meantName(key, [...own, ...OF_RUNS])}`);
  }
  return shared as RunOptions;
}
