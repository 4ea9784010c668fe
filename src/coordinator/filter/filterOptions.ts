/**
 * The options of a filter: options of a run that affect similarity and reading of records, and the reference. All
 * problems are reported at once.
 */
import { flagName, type Problem } from '../../errors.js';
import { readIndexManifest } from '../../index/indexManifest.js';
import { checkOptions, type Execution, type RunOptions } from '../../options/check.js';
import { type Conflict, conflictsIn } from '../../options/conflicts.js';
import { removedFlag } from '../../options/removedFlags.js';
import {
  type KeyAlsoIn,
  type KeysWith,
  keysAlsoIn,
  OPTION_KEYS,
  OPTIONS,
  type OptionKey,
} from '../../options/table.js';
import { shownValue } from '../../options/values.js';
import { resolveRoots } from '../../readers/list/roots.js';
import { holdsResult } from '../../readers/list/walk.js';
import type { ResultParams } from '../../sketch/params.js';
import { checkBesideIndex, NO_SOURCES, repeatedPortion } from '../index/indexOptions.js';
import { applyText } from '../resultPaths.js';
import type { IndexSetup } from './indexedDocuments.js';

/** Options of a run that a filter of the library has too. */
type FilterKey = Exclude<KeyAlsoIn<'filter'>, KeysWith<{ readonly terminal: true }>>;
const OF_RUNS = keysAlsoIn('filter').filter((key) => OPTIONS[key].terminal !== true);

/** The options that a filter shares with a run, with the same values, ranges and deproblems. */
export interface FilterRules extends Pick<RunOptions, FilterKey> {
  /**
   * Files and directories: a document passes if it resembles none of the documents there. Default: if it resembles no
   * document that passed before it.
   */
  readonly against?: readonly string[];
  /**
   * The folder of an index: a document passes if it resembles none of the documents there. The other options come from
   * the index.
   */
  readonly index?: string;
  /** With `index`: documents that pass are added to it as this portion when the stream ends, and later ones are compared with them. */
  readonly appendAs?: string;
}

/** Checked options. */
export interface FilterSetup {
  readonly params: ResultParams;
  readonly execution: Execution;
  /** PATHs as typed; empty: documents are compared with one another. */
  readonly against: readonly string[];
  /** Null: there is none. */
  readonly index: IndexSetup | null;
}

interface Seen {
  readonly given: RunOptions;
  readonly against: readonly string[];
}

const CONFLICTS: readonly Conflict<Seen, OptionKey>[] = [
  { when: ['verify'], with: ({ given }) => given.verify === 'none', remedy: 'expected exact or signature' },
  { when: ['input'], with: ({ given }) => given.input === 'sets', remedy: 'expected documents' },
  {
    // These options decide how documents under PATHs are listed and read.
    when: ['input', 'include', 'exclude'],
    with: ({ against }) => against.length === 0,
    bare: true,
    remedy: 'expected together with --against only',
  },
];

/** The checked options, and all problems. If there is a problem, the options are for messages only. */
export async function checkFilter(
  rules: FilterRules,
): Promise<{ readonly setup: FilterSetup; readonly problems: Problem[] }> {
  const { against, index, appendAs: append, ...given } = rules;
  // A filter uses one thread; messages about the least memory refer to that.
  const {
    params,
    execution,
    problems: ofOptions,
  } = index === undefined ? checkedAlone(given) : besideIndex(given, index, append);
  const problems: Problem[] = [...ofOptions];
  const say = (detail: string): unknown => problems.push({ code: 'OPTION_INVALID', detail });
  for (const key of Object.keys(given)) {
    const isOfRuns = (OPTION_KEYS as readonly string[]).includes(key);
    if (isOfRuns && !(OF_RUNS as readonly string[]).includes(key))
      say(`${flagName(key)}: ${removedFlag(key)?.instead ?? 'expected with run only'}`);
  }
  const paths = await checkAgainst(against, say, problems);
  for (const { detail } of conflictsIn(CONFLICTS, { given, against: paths })) say(detail);
  if (index !== undefined && paths.length > 0) say('--index: expected without --against');
  if (index !== undefined && given.verify !== undefined && given.verify !== 'exact')
    say(`--verify ${given.verify}: expected exact, as an index verifies`);
  if (index === undefined && append !== undefined) say('--append: expected together with --index');
  const setup = index === undefined ? null : { folder: index, portion: append ?? null };
  return { setup: { params, execution, against: paths, index: setup }, problems };
}

function checkedAlone(given: RunOptions) {
  const { resolved, problems } = checkOptions(given, { threads: 1 });
  return { ...resolved, problems };
}

/** @throws MinHashError INDEX_MISSING, INDEX_DAMAGED, INDEX_MISMATCH */
function besideIndex(given: RunOptions, index: string, append: string | undefined) {
  const { parameters, portions, sets } = readIndexManifest(index);
  const checked = checkBesideIndex({ ...given, threads: 1 }, parameters, index);
  return {
    ...checked,
    problems: [
      ...checked.problems,
      ...repeatedPortion(portions, append),
      ...(append !== undefined && !sets
        ? [{ code: 'INDEX_REFUSED', detail: `--append: ${NO_SOURCES}` } as const]
        : []),
    ],
  };
}

async function checkAgainst(
  given: unknown,
  say: (detail: string) => unknown,
  problems: Problem[],
): Promise<readonly string[]> {
  if (given === undefined) return [];
  if (!Array.isArray(given) || given.length === 0 || given.some((path) => typeof path !== 'string')) {
    say(`--against ${shownValue(given)}: expected a list of files and directories`);
    return [];
  }
  const paths = given as readonly string[];
  if (paths.includes('-')) say('--against -: expected files and directories, standard input is filtered');
  for (const path of paths.filter(holdsResult))
    say(`--against ${shownValue(path)}: expected documents, not a result; ${applyText(path)}`);
  const named = paths.filter((path) => path !== '-' && !holdsResult(path));
  if (named.length > 0) problems.push(...resolveRoots(named, null).problems);
  return paths;
}
