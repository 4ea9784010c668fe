/**
 * The options of a filter: those of a run that say what is alike and how records are read, and what they are compared with.
 * All that is wrong is told at once.
 */
import type { Fault } from '../../errors.js';
import { checkEachOption, checkOptions, type OptionFault, type RunOptions } from '../../options/check.js';
import { flagName, OPTION_KEYS } from '../../options/table.js';
import { shownValue } from '../../options/values.js';
import { type Inputs, listInputs } from '../../readers/list/inputs.js';
import { resolveRoots } from '../../readers/list/roots.js';
import type { ResultParams } from '../../sketch/params.js';
import { refuseNoFiles } from '../sketch/nothingRead.js';

/** The options that say how documents under PATHs are found and read. */
const OF_PATHS = ['input', 'include', 'exclude'] as const satisfies readonly (keyof RunOptions)[];

/** Options of a run that a filter has, too. */
const OF_RUNS = [
  'shingle',
  'stopWords',
  'bag',
  'threshold',
  'sketch',
  'hashes',
  'bands',
  'rows',
  'recall',
  'hotBucket',
  'verify',
  'seed',
  'textField',
  'idField',
  'maxDocument',
  'onError',
  'memory',
  ...OF_PATHS,
] as const satisfies readonly (keyof RunOptions)[];

/** What a filter has of the options of a run, with the same values, ranges and defaults. */
export interface FilterRules extends Pick<RunOptions, (typeof OF_RUNS)[number]> {
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

/** The checked options, and everything that is wrong with them: with a fault they are good for showing alone. */
export function checkFilter(rules: FilterRules): { readonly setup: FilterSetup; readonly faults: Fault[] } {
  const { against, ...options } = rules;
  const faults: Fault[] = [];
  const say = (detail: string): unknown => faults.push({ code: 'OPTION_INVALID', detail });
  const { sketch, ...others } = options;
  const hasBands = sketch !== 'min-s' && sketch !== 'mod-m';
  if (!hasBands) say(`--sketch ${sketch}: expected fss, classic or oph, which have bands`);
  const each = checkEachOption(options);
  // One thread: the least memory is told for that.
  const { resolved, faults: more } = checkOptions({ ...(hasBands ? options : others), threads: 1 });
  faults.push(...each, ...more.filter((fault) => isOurs(fault, each)));
  for (const key of Object.keys(options)) {
    const isOfRuns = (OPTION_KEYS as readonly string[]).includes(key);
    if (isOfRuns && !(OF_RUNS as readonly string[]).includes(key))
      say(`${flagName(key)}: expected with run only`);
  }
  if (options.verify === 'none') say('--verify none: expected exact or signature');
  if (options.input === 'sets') say('--input sets: expected documents');
  const paths = checkAgainst(against, say, faults);
  for (const key of OF_PATHS) {
    if (options[key] !== undefined && paths.length === 0)
      say(`${flagName(key)}: expected together with --against only`);
  }
  const { params, execution } = resolved;
  return { setup: { params, memory: execution.memory, against: paths }, faults };
}

function isOurs(fault: OptionFault, told: readonly OptionFault[]): boolean {
  return fault.code !== 'NO_INPUT' && !told.some(({ detail }) => detail === fault.detail);
}

function checkAgainst(given: unknown, say: (detail: string) => unknown, faults: Fault[]): readonly string[] {
  if (given === undefined) return [];
  if (!Array.isArray(given) || given.length === 0 || given.some((path) => typeof path !== 'string')) {
    say(`--against ${shownValue(given)}: expected a list of files and directories`);
    return [];
  }
  const paths = given as readonly string[];
  if (paths.includes('-'))
    say('--against -: expected files and directories, standard input is what is filtered');
  const named = paths.filter((path) => path !== '-');
  if (named.length > 0) faults.push(...resolveRoots(named, null).faults);
  return paths;
}

/** The files under the PATHs; null where there are none. @throws MinHashError NOTHING_READ where they hold no file */
export function inputsOf({ params, against }: FilterSetup): Inputs | null {
  if (against.length === 0) return null;
  const inputs = listInputs({ paths: against, outFolder: null, params });
  refuseNoFiles({ params, inputs });
  return inputs;
}
