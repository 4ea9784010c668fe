/**
 * The options of a filter: those of a run that decide resemblance and how records are read, and the reference to compare with.
 * All faults are reported at once.
 */
import { type Fault, flagName } from '../../errors.js';
import { checkOptions, type RunOptions } from '../../options/check.js';
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
import type { ResultParams } from '../../sketch/params.js';

/** Options of a run that a filter of the library has, too. */
type FilterKey = Exclude<KeyAlsoIn<'filter'>, KeysWith<{ readonly terminal: true }>>;
const OF_RUNS = keysAlsoIn('filter').filter((key) => OPTIONS[key].terminal !== true);

/** The options that a filter shares with a run, with the same values, ranges and defaults. */
export interface FilterRules extends Pick<RunOptions, FilterKey> {
  /**
   * Files and directories: a document passes where it resembles none of the documents there. Default: where it resembles
   * none that passed before it.
   */
  readonly against?: readonly string[];
}

/** Checked. */
export interface FilterSetup {
  readonly params: ResultParams;
  /** Bytes. */
  readonly memory: number;
  /** PATHs as given; empty: documents are compared with one another. */
  readonly against: readonly string[];
}

interface Seen {
  readonly given: RunOptions;
  readonly against: readonly string[];
}

const CONFLICTS: readonly Conflict<Seen, OptionKey>[] = [
  { when: ['verify'], with: ({ given }) => given.verify === 'none', remedy: 'expected exact or signature' },
  { when: ['input'], with: ({ given }) => given.input === 'sets', remedy: 'expected documents' },
  {
    // They say how documents under PATHs are found and read.
    when: ['input', 'include', 'exclude'],
    with: ({ against }) => against.length === 0,
    bare: true,
    remedy: 'expected together with --against only',
  },
];

/** The checked options, and all faults: with a fault the options are for messages only. */
export async function checkFilter(
  rules: FilterRules,
): Promise<{ readonly setup: FilterSetup; readonly faults: Fault[] }> {
  const { against, ...given } = rules;
  // One thread: the least memory that a message names is for that.
  const { resolved, faults: ofOptions } = checkOptions(given, { threads: 1 });
  const faults: Fault[] = [...ofOptions];
  const say = (detail: string): unknown => faults.push({ code: 'OPTION_INVALID', detail });
  for (const key of Object.keys(given)) {
    const isOfRuns = (OPTION_KEYS as readonly string[]).includes(key);
    if (isOfRuns && !(OF_RUNS as readonly string[]).includes(key))
      say(`${flagName(key)}: ${removedFlag(key)?.instead ?? 'expected with run only'}`);
  }
  const paths = await checkAgainst(against, say, faults);
  for (const { detail } of conflictsIn(CONFLICTS, { given, against: paths })) say(detail);
  const { params, execution } = resolved;
  return { setup: { params, memory: execution.memory, against: paths }, faults };
}

async function checkAgainst(
  given: unknown,
  say: (detail: string) => unknown,
  faults: Fault[],
): Promise<readonly string[]> {
  if (given === undefined) return [];
  if (!Array.isArray(given) || given.length === 0 || given.some((path) => typeof path !== 'string')) {
    say(`--against ${shownValue(given)}: expected a list of files and directories`);
    return [];
  }
  const paths = given as readonly string[];
  if (paths.includes('-'))
    say('--against -: expected files and directories, standard input is what is filtered');
  const named = paths.filter((path) => path !== '-');
  if (named.length > 0) faults.push(...(await resolveRoots(named, null)).faults);
  return paths;
}
