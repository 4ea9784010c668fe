/**
 * The table of options as flags of the command line: Commander's options, the help, and the README's table.
 *
 * Floor 5. Nothing about a single option stands here; src/options/table.ts is the one place for that.
 */
import { type Command, type Help, Option } from 'commander';
import { type FlagKey, GROUPS, type OptionEntry, type OptionKey } from '../src/options/entry.js';
import { valueFromText } from '../src/options/kinds.js';
import type { RunOptions } from '../src/options/runOptions.js';
import { FLAG_KEYS, flagName, OPTION_KEYS, OPTIONS } from '../src/options/table.js';

/** What Commander hands over: texts, lists of texts and switches by key. */
export type ParsedFlags = Readonly<Record<string, unknown>>;

/** Gives a command flags of the table, all unless said otherwise, under the headings of their groups. */
export function addFlags(command: Command, keys: readonly FlagKey[] = FLAG_KEYS): void {
  for (const group of GROUPS) {
    for (const key of FLAG_KEYS) {
      if (!keys.includes(key)) continue;
      if (OPTIONS[key].group !== group) continue;
      for (const option of commanderOptions(key)) command.addOption(option.helpGroup(`${group}:`));
    }
  }
}

/**
 * Values stay texts and have no defaults here: src/options.ts checks all of them and fills in what is
 * missing, so that all faults come at once. A switch also has a hidden `--no-` form, to unset what a config
 * file sets.
 */
function commanderOptions(key: FlagKey): Option[] {
  const entry = OPTIONS[key];
  const name = flagName(key);
  if (entry.placeholder === null) {
    const option = new Option(name, entry.short);
    if (entry.commandLineOnly === true) return [option];
    return [option, new Option(name.replace('--', '--no-'), entry.short).hideHelp()];
  }
  const option = new Option(`${name} <${entry.placeholder}>`, entry.short);
  if (entry.repeatable === true) {
    option.argParser((value: string, earlier: readonly string[] | undefined) => [...(earlier ?? []), value]);
  }
  return [option];
}

/**
 * The options that were given as flags; a text that should be a number and is none stays text, for the check
 * to name.
 */
export function optionsFromFlags(flags: ParsedFlags): RunOptions {
  const options: Partial<Record<OptionKey, unknown>> = {};
  for (const key of OPTION_KEYS) {
    const value = flags[key];
    if (value === undefined) continue;
    options[key] = typeof value === 'string' ? valueFromText(OPTIONS[key].kind, value) : value;
  }
  return options as RunOptions;
}

/** `--shards N`. */
export function flagTerm(key: FlagKey): string {
  const { placeholder } = OPTIONS[key];
  return placeholder === null ? flagName(key) : `${flagName(key)} ${placeholder}`;
}

/** The default as it is shown; null for a switch. */
export function defaultText(entry: OptionEntry): string | null {
  if (entry.kind.kind === 'switch') return null;
  return entry.defaultText ?? String(entry.default);
}

/** `short. Long. [default: x]`; without the long text unless it is asked for. */
export function flagDescription(key: FlagKey, full: boolean): string {
  const entry = OPTIONS[key];
  const usual = defaultText(entry);
  const text = full && entry.long !== undefined ? `${entry.short}. ${entry.long}` : entry.short;
  return usual === null ? text : `${text} [default: ${usual}]`;
}

/** How help shows options: in the words of the table. */
export function helpStyle(full: boolean): Partial<Help> {
  const keyOf = (option: Option): FlagKey | undefined =>
    FLAG_KEYS.find((key) => option.long === flagName(key) && OPTIONS[key].short === option.description);
  return {
    optionTerm: (option) => {
      const key = keyOf(option);
      return key === undefined ? option.flags : flagTerm(key);
    },
    optionDescription: (option) => {
      const key = keyOf(option);
      return key === undefined ? option.description : flagDescription(key, full);
    },
  };
}

/** The table for the README: one Markdown table a group. */
export function flagsAsMarkdown(): string {
  const lines: string[] = [];
  for (const group of GROUPS) {
    lines.push(`**${group}**`, '', '| flag | default | meaning | decides the result |', '|---|---|---|---|');
    for (const key of FLAG_KEYS) {
      const entry = OPTIONS[key];
      if (entry.group !== group) continue;
      const usual = defaultText(entry) ?? 'off';
      const meaning = entry.long === undefined ? entry.short : `${entry.short}. ${entry.long}`;
      const decides = entry.decides === 'result' ? 'yes' : 'no';
      lines.push(`| \`${flagTerm(key)}\` | ${cell(usual)} | ${cell(meaning)} | ${decides} |`);
    }
    lines.push('');
  }
  return lines.join('\n').trimEnd();
}

/** Markdown would read a bar as the end of the cell and stars as emphasis. */
function cell(text: string): string {
  return text.replace(/[|*]/g, (character) => `\\${character}`);
}
