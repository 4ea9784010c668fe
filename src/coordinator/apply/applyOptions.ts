/** What `apply` is asked for, and what of it does not go together. Types of the library need no declarations of Node. */
import type { Fault } from '../../errors.js';
import { isPath, shownValue } from '../../options/values.js';
import type { ApplyMode } from '../../output/report.js';
import type { Progress } from '../context.js';
import { type CorpusOption, corpusFaults } from '../resultPaths.js';

export type { ApplyMode, ApplyReport } from '../../output/report.js';

/** How a drop list is applied to its corpus. */
export interface ApplyOptions extends CorpusOption {
  /** The folder that the corpus is written to: new or empty. Needed but with `list`. */
  readonly to?: string;
  /** Writes what was dropped instead of what is kept. Default false. */
  readonly dropped?: boolean;
  /** Writes everything, with fields `cluster`, `kept` and `similarity` added to JSON lines and Parquet. Default false. */
  readonly annotate?: boolean;
  /** Also writes files of records in which no record is left. Default false. */
  readonly keepEmpty?: boolean;
  /** Files that stay as they are become hard links of the inputs, not copies. Default false. */
  readonly link?: boolean;
  /** Writes nothing: the places of documents go to `onList`, one a line. */
  readonly list?: ListKind;
  /** A NUL ends a place in the list, not a line feed. Default false. */
  readonly null?: boolean;
  /** A file of decisions (docs/view.md), taken into the drop list of the result. */
  readonly decisions?: string;
  /** Replaces what `apply` wrote to the folder before, and nothing else. Default false. */
  readonly force?: boolean;
}

/** Which documents are listed. */
export type ListKind = 'kept' | 'dropped';

/** What a program has to do with it while it works; all optional. */
export interface ApplyHooks {
  /** Told now and then how far it is, in millions of bytes of the inputs. What it throws ends the work. */
  onProgress?(progress: Progress): void;
  /** Takes places of a list: bytes of whole lines, valid during the call; what it returns is waited for. */
  onList?(lines: Uint8Array): unknown;
  /** When it fires the work ends with INTERRUPTED, and nothing is written. */
  readonly signal?: AbortSignal;
}

type SwitchName = 'dropped' | 'annotate' | 'keepEmpty' | 'link' | 'null' | 'force';
const SWITCHES: readonly SwitchName[] = ['dropped', 'annotate', 'keepEmpty', 'link', 'null', 'force'];
const FLAGS: Readonly<Record<SwitchName, string>> = {
  dropped: '--dropped',
  annotate: '--annotate',
  keepEmpty: '--keep-empty',
  link: '--link',
  null: '--null',
  force: '--force',
};
/** Of writing: without a meaning where places are listed. */
const OF_WRITING: readonly SwitchName[] = ['dropped', 'annotate', 'keepEmpty', 'link', 'force'];
const NAMES: readonly string[] = [...SWITCHES, 'to', 'corpus', 'list', 'decisions'];

/** All faults of options. */
export function checkApply(options: ApplyOptions): Fault[] {
  const faults: Fault[] = [];
  const say = (detail: string): unknown => faults.push({ code: 'OPTION_INVALID', detail });
  for (const key of Object.keys(options)) if (!NAMES.includes(key)) say(`${key}: no such option`);
  for (const name of SWITCHES) {
    const value = options[name];
    if (value !== undefined && typeof value !== 'boolean')
      say(`${FLAGS[name]} ${shownValue(value)}: expected true or false`);
  }
  const { to, list, annotate, link, decisions } = options;
  if (to !== undefined && (!isPath(to) || to === '-'))
    say(`--to ${shownValue(to)}: expected the path of a folder`);
  faults.push(...corpusFaults(options));
  if (decisions !== undefined && !isPath(decisions))
    say(`--decisions ${shownValue(decisions)}: expected the path of a file`);
  if (list !== undefined) {
    if (list !== 'kept' && list !== 'dropped') say(`--list ${shownValue(list)}: expected kept or dropped`);
    if (to !== undefined) say('--list --to: expected one of the two: a list touches no file');
    for (const name of OF_WRITING)
      if (options[name] === true) say(`${FLAGS[name]}: expected without --list, which writes nothing`);
    return faults;
  }
  if (to === undefined) say('--to: expected the folder to write to (or --list kept, --list dropped)');
  if (options.null === true) say('--null: expected together with --list only');
  if (annotate === true && options.dropped === true) say('--annotate --dropped: expected one of the two');
  if (annotate === true && link === true)
    say('--annotate --link: expected one of the two: every file is written anew');
  return faults;
}

export function modeOf({ dropped, annotate }: ApplyOptions): ApplyMode {
  return annotate === true ? 'annotated' : dropped === true ? 'dropped' : 'kept';
}
