/**
 * The words of a command line before Commander reads them: what Commander would stop at is taken out and told
 * as a fault, so that it is told together with all other faults.
 *
 * Knows of the options only what Commander knows of them.
 */
import { type Command, type Help, Option } from 'commander';
import { nearestName } from '../src/options/nearestName.js';
import type { RunOptions } from '../src/options/runOptions.js';
import {
  FLAG_KEYS,
  type FlagKey,
  flagName,
  GROUPS,
  OPTION_KEYS,
  OPTIONS,
  type OptionEntry,
  type OptionKey,
} from '../src/options/table.js';
import { checkValue, shownValue, type ValueKind, valueFromText } from '../src/options/values.js';

/** A fault and the key of the option it is about; null when it is about none that exists. */
export interface WordFault {
  readonly option: string | null;
  readonly detail: string;
}

interface ReadWords {
  /** For Commander: nothing that it refuses. */
  readonly argv: readonly string[];
  readonly faults: readonly WordFault[];
  /** By key, the words after options that take more than one; such options are not in `argv`. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
}

/** What one word that begins with `-` says. */
interface Flag {
  /** As typed, without the value after `=`. */
  readonly name: string;
  readonly inline: string | null;
  /** Null when no option is near. */
  readonly option: Option | null;
  readonly known: boolean;
}

const HELP: readonly string[] = ['-h', '--help'];
const NEGATIVE_NUMBER = /^-(\d+|\d*\.\d+)(e[+-]?\d+)?$/;

/**
 * Reads the words after the command's name. `--` ends the options.
 *
 * An option with one value takes the next word, unless that is itself an option of the command or `--` (`=`
 * says that it is a value); one with more takes as many words as its placeholder names, whatever they are,
 * for ids may begin with `-`. An option with one value may be given once, unless it collects values: which of two the user
 * means nobody knows, and the wrong one would be a wrong answer. A mistyped option stands for the nearest, but takes no word that begins with
 * `-`: so its value is checked, and no second fault is told that only follows from the slip.
 */
export function readWords(words: readonly string[], options: readonly Option[]): ReadWords {
  const argv: string[] = [];
  const faults: WordFault[] = [];
  const lists: Record<string, string[]> = {};
  const once = new Map<Option, string[]>();
  let at = 0;
  while (at < words.length && words[at] !== '--') {
    const word = words[at++]!;
    if (HELP.includes(word) || !looksLikeFlag(word)) {
      argv.push(word);
      continue;
    }
    const flag = flagOf(word, options);
    const values = valuesOf(flag, words, at, options);
    at += values.length - (flag.inline === null || values.length === 0 ? 0 : 1);
    const detail = faultOf(flag, values);
    const key = flag.option?.attributeName() ?? null;
    if (detail !== null) faults.push({ option: key, detail });
    if (flag.option === null || key === null) continue;
    const { long } = flag.option;
    if (valueCount(flag.option) > 1) lists[key] = [...(lists[key] ?? []), ...values];
    else if (valueCount(flag.option) === 0) argv.push(long!);
    // In one word, so that no value is taken for an option.
    else if (values.length === 1) argv.push(`${long}=${values[0]}`);
    if (flag.known && valueCount(flag.option) === 1 && !isRepeatable(flag.option)) {
      once.set(flag.option, [...(once.get(flag.option) ?? []), ...values]);
    }
  }
  for (const [option, values] of once) if (values.length > 1) faults.push(repeated(option, values));
  return { argv: argv.concat(words.slice(at)), faults, lists };
}

/** Such an option collects its values. */
function isRepeatable(option: Option): boolean {
  return option.parseArg !== undefined || option.variadic;
}

/** `--threshold .8 --threshold .9: expected once, got 2`. */
function repeated(option: Option, values: readonly string[]): WordFault {
  const typed = values.map((value) => `${option.long} ${shownWord(value)}`).join(' ');
  return { option: option.attributeName(), detail: `${typed}: expected once, got ${values.length}` };
}

/** A number as it was typed; else as it is quoted. */
function shownWord(value: string): string {
  return /^[\d.+-]+$/.test(value) ? value : shownValue(value);
}

/** `-` is a PATH, and so is a negative number where it is no value. */
function looksLikeFlag(word: string): boolean {
  return word.length > 1 && word.startsWith('-') && !NEGATIVE_NUMBER.test(word);
}

function flagOf(word: string, options: readonly Option[]): Flag {
  const equals = word.indexOf('=');
  const name = equals < 0 ? word : word.slice(0, equals);
  const inline = equals < 0 ? null : word.slice(equals + 1);
  const option = optionOf(name, options);
  if (option !== undefined) return { name, inline, option, known: true };
  const near = nearestName(
    name,
    options.flatMap(({ long }) => long ?? []),
  );
  return { name, inline, option: near === null ? null : optionOf(near, options)!, known: false };
}

function optionOf(name: string, options: readonly Option[]): Option | undefined {
  return options.find(({ long, short }) => long === name || short === name);
}

/** As many as the placeholder names: `<A B>` are two; a switch takes none. */
function valueCount(option: Option): number {
  const placeholder = /<(.*)>/.exec(option.flags)?.[1];
  return placeholder === undefined ? 0 : placeholder.split(' ').length;
}

/** The words that are the flag's values, the one after `=` first. */
function valuesOf(flag: Flag, words: readonly string[], at: number, options: readonly Option[]): string[] {
  const count = flag.option === null ? 0 : valueCount(flag.option);
  if (count === 0) return [];
  const values = flag.inline === null ? [] : [flag.inline];
  for (let next = at; next < words.length && values.length < count; next++) {
    const word = words[next]!;
    if (!flag.known && word.startsWith('-')) break;
    if (count === 1 && (word === '--' || HELP.includes(word) || optionOf(word, options))) break;
    values.push(word);
  }
  return values;
}

/** What is wrong with the flag itself, or null; too few values of several are the command's to tell. */
function faultOf({ name, inline, option, known }: Flag, values: readonly string[]): string | null {
  if (!known) {
    return `${shownValue(name)}: no such option${option === null ? '' : `, did you mean ${option.long}?`}`;
  }
  const count = valueCount(option!);
  if (count === 0 && inline !== null) return `${name} ${shownValue(inline)}: expected no value`;
  if (count === 1 && values.length === 0) return `${name}: no value, expected ${placeholderOf(option!)}`;
  return null;
}

/** `--out DIR`. */
function placeholderOf(option: Option): string {
  return option.flags.replace(/[<>]/g, '');
}

/*
 * The table of options as flags of the command line: Commander's options, the help, and the table of docs/flags.md.
 *
 * Nothing about a single option stands here; src/options/table.ts is the one place for that.
 */

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
 * Values stay texts and have no defaults here: src/options/check.ts checks all of them and fills in what is
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

/** The table of docs/flags.md: one Markdown table a group. */
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

/*
 * Numbers among the flags that a command has for itself, beside those of a run.
 *
 * The face. Knows how a value is checked and told, not what it is for.
 */

/** Reads the number of a flag by its key; null where it was not given, or is none: then `say` is told why. */
export function numberReader<Kinds extends Readonly<Record<string, ValueKind>>>(
  kinds: Kinds,
  flags: ParsedFlags,
  say: (detail: string) => void,
): (key: keyof Kinds & string) => number | null {
  return (key) => {
    const text = flags[key];
    if (text === undefined) return null;
    const kind = kinds[key]!;
    const value = valueFromText(kind, String(text));
    const checked = checkValue(kind, value);
    if (checked.ok) return checked.value as number;
    const flag = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    say(`--${flag} ${shownValue(value)}: expected ${checked.expected}`);
    return null;
  };
}
