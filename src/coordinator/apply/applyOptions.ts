/** The options of `apply` and their conflicts. Types of the library must not need declarations of Node. */
import { checkObject, MinHashError, type Problem } from '../../errors.js';
import { type Conflict, conflictsIn } from '../../options/conflicts.js';
import { APPLY_OPTIONS } from '../../options/resultOptions.js';
import type { Given } from '../../options/runOptions.js';
import { usableValues } from '../../options/values.js';
import type { ApplyMode } from '../../result/report.js';
import type { Progress } from '../context.js';
import { type CorpusOption, corpusProblems } from '../resultPaths.js';

export type { ApplyMode, ApplyReport } from '../../result/report.js';

const { corpus: _, ...OWN } = APPLY_OPTIONS;

/** How a drop list is applied to its corpus. */
export interface ApplyOptions extends CorpusOption, Given<typeof OWN> {}

/** Which documents are listed. */
export type ListKind = NonNullable<ApplyOptions['list']>;

/** Callbacks and a signal; all optional. */
export interface ApplyHooks {
  /**
   * Called from time to time with the progress, in millions of bytes of the inputs. An error that it throws ends the
   * work.
   */
  onProgress?(progress: Progress): void;
  /** Receives locations of a list: bytes of whole lines, valid during the call; apply awaits the returned promise. */
  onList?(lines: Uint8Array): unknown;
  /** When it is aborted, apply ends with INTERRUPTED and leaves no corpus. */
  readonly signal?: AbortSignal;
}

/** @throws MinHashError INTERRUPTED */
export function refuseInterrupted({ signal }: Pick<ApplyHooks, 'signal'>): void {
  if (signal?.aborted === true) throw new MinHashError({ code: 'INTERRUPTED', detail: '' });
}

const CONFLICTS: readonly Conflict<{ readonly given: ApplyOptions }, keyof ApplyOptions>[] = [
  { when: ['to'], with: ({ given }) => given.to === '-', remedy: 'expected the path of a folder' },
  {
    when: ['list'],
    with: ({ given }) => given.to !== undefined,
    bare: true,
    beside: '--to',
    remedy: 'expected only one of these: a list writes no corpus',
  },
  {
    when: ['threshold'],
    with: ({ given }) => given.dropList !== undefined,
    bare: true,
    beside: '--drop-list',
    remedy: 'expected only one of these',
  },
  {
    when: ['dropped', 'annotate', 'keepEmpty', 'link'],
    with: ({ given }) => given.list !== undefined,
    bare: true,
    remedy: 'expected without --list, which writes nothing',
  },
  {
    when: ['force'],
    with: ({ given }) => given.list !== undefined && given.dropList === undefined,
    bare: true,
    remedy: 'expected without --list, which writes nothing',
  },
  {
    when: ['null'],
    with: ({ given }) => given.list === undefined,
    bare: true,
    remedy: 'expected together with --list only',
  },
  {
    when: ['annotate'],
    with: ({ given }) => given.dropped === true && given.list === undefined,
    bare: true,
    beside: '--dropped',
    remedy: 'expected only one of these',
  },
  {
    when: ['annotate'],
    with: ({ given }) => given.link === true && given.list === undefined,
    bare: true,
    beside: '--link',
    remedy: 'expected only one of these: every file is rewritten',
  },
];

export function checkApply(given: ApplyOptions): Problem[] {
  checkObject('options', given);
  const problems: Problem[] = [];
  const say = (detail: string): unknown => problems.push({ code: 'OPTION_INVALID', detail });
  for (const key of Object.keys(given)) if (!Object.hasOwn(APPLY_OPTIONS, key)) say(`${key}: no such option`);
  usableValues(OWN, { ...given }, (_, detail) => say(detail));
  problems.push(...corpusProblems(given));
  for (const { detail } of conflictsIn(CONFLICTS, { given })) say(detail);
  if (given.to === undefined && given.list === undefined)
    say('--to: expected the folder to write to (or --list kept, --list dropped)');
  return problems;
}

export function modeOf({ dropped, annotate }: ApplyOptions): ApplyMode {
  return annotate === true ? 'annotated' : dropped === true ? 'dropped' : 'kept';
}
