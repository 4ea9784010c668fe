/**
 * Flags as data, for parser, help, man page and completions.
 *
 * src/options/table.ts has the flags of a run, cli/commandTable.ts those of single commands.
 */

import type { CorpusOption } from '../src/coordinator/resultPaths.js';
import { flagName } from '../src/errors.js';
import type { OwnOption } from '../src/options/queryOptions.js';
import type { RunOptions } from '../src/options/runOptions.js';
import { FLAG_KEYS, type FlagKey, GROUPS, MOST_USED, OPTIONS, RUN_ROWS } from '../src/options/table.js';
import { type ValueKind, valueFromText } from '../src/options/values.js';

/** A flag of a command, as parser, help, man page and completions need it. */
export interface CommandFlag {
  readonly key: string;
  /** `--max-document`. */
  readonly name: string;
  /** `-o`; null if it has no short form. */
  readonly letter: string | null;
  /** `-o, --out DIR`. */
  readonly term: string;
  /** The placeholder of the values in the help; null for a switch. */
  readonly placeholder: string | null;
  readonly kind: ValueKind;
  readonly repeatable: boolean;
  /** Whether it is a switch that a config file can set and `--no-` unsets. */
  readonly negatable: boolean;
  /** One line, without full stop and default. */
  readonly short: string;
  /** The full text, with the default. */
  readonly full: string;
}

export interface FlagGroup {
  readonly title: string;
  readonly flags: readonly CommandFlag[];
}

/** The values of flags by key, as typed: texts, lists of texts and switches. */
export type ParsedFlags = Readonly<Record<string, unknown>>;

/** All flags of a run under headings, each flag once. */
export const RUN_GROUPS: readonly FlagGroup[] = groupsOf(FLAG_KEYS);

/** The flags of a run in its short help. */
export const MOST_USED_GROUP: FlagGroup = { title: 'Options', flags: MOST_USED.map(runFlag) };

/** The chosen flags of a run, under their headings. */
export function groupsOf(keys: readonly FlagKey[]): FlagGroup[] {
  return GROUPS.map((title) => {
    const inGroup = FLAG_KEYS.filter((key) => keys.includes(key) && OPTIONS[key].group === title);
    return { title, flags: inGroup.map(runFlag) };
  }).filter(({ flags }) => flags.length > 0);
}

function runFlag(key: FlagKey): CommandFlag {
  const entry = OPTIONS[key];
  return { ...ownFlag(key, entry), negatable: entry.placeholder === null && entry.commandLineOnly !== true };
}

export function ownFlag(key: string, entry: OwnOption): CommandFlag {
  const { kind, placeholder, short, long, repeatable = false } = entry;
  const usual = defaultText(entry);
  const name = flagName(key);
  const letter = entry.letter === undefined ? null : `-${entry.letter}`;
  const term = [
    ...(letter === null ? [] : [`${letter},`]),
    name,
    ...(placeholder === null ? [] : [placeholder]),
  ];
  const text = long === undefined ? short : `${short}. ${long}`;
  const full = usual === null ? text : `${text} [default: ${usual}]`;
  return {
    key,
    name,
    letter,
    term: term.join(' '),
    placeholder,
    kind,
    repeatable,
    negatable: false,
    short,
    full,
  };
}

/** The default in the help; null for a switch, or if there is no default. */
export function defaultText(entry: OwnOption): string | null {
  if (entry.kind.kind === 'switch') return null;
  return entry.defaultText ?? (entry.default === undefined ? null : String(entry.default));
}

/** The possible values, if they are few, for completion. */
export function choicesOf({ kind }: CommandFlag): readonly string[] {
  if (kind.kind === 'choice' || kind.kind === 'choices') return kind.choices;
  return kind.kind === 'integer' && kind.word !== undefined ? [kind.word] : [];
}

/** Whether the value is a file or directory. */
export function takesFile({ kind }: CommandFlag): boolean {
  return kind.kind === 'path' || kind.kind === 'paths' || kind.kind === 'words';
}

/** `short [default: x]`. */
export function briefText({ short, full }: CommandFlag): string {
  const usual = / \[default: .*\]$/.exec(full)?.[0] ?? '';
  return `${short}${usual}`;
}

/**
 * The values of the options that were set as flags; a text that is not the expected number stays a text, so that the check
 * can quote it.
 */
export function valuesOf<Key extends string>(
  rows: Readonly<Record<Key, Pick<OwnOption, 'kind'>>>,
  flags: ParsedFlags,
): Partial<Record<Key, unknown>> {
  const values: Partial<Record<Key, unknown>> = {};
  for (const key of Object.keys(rows) as Key[]) {
    const value = flags[key];
    if (value !== undefined)
      values[key] = typeof value === 'string' ? valueFromText(rows[key].kind, value) : value;
  }
  return values;
}

/** The options of a run among flags. @param own the flags of the command, whose names may mean something else in a run */
export function optionsFromFlags(
  flags: ParsedFlags,
  own: Readonly<Record<string, OwnOption>> = {},
): RunOptions {
  const ofRun = Object.fromEntries(Object.entries(flags).filter(([key]) => !(key in own)));
  return valuesOf(RUN_ROWS, ofRun) as RunOptions;
}

/** The PATHs of --corpus, for commands that read the inputs of a result. */
export function corpusOf({ corpus }: ParsedFlags): CorpusOption {
  return Array.isArray(corpus) ? { corpus: corpus as readonly string[] } : {};
}
