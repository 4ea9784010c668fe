/**
 * Reads the words of a command line before Commander: a word that would stop Commander is taken out and becomes
 * a fault, which is reported together with all others.
 *
 * Commander's own reading is not enough: it throws at the first missing value, takes an option for a value
 * (`--out --json`), has no option with two values, and after an unknown option it treats every word, PATHs
 * too, as unknown. So faults could neither be reported together nor be checked further.
 *
 * This file knows of the options only what Commander knows.
 */
import type { Option } from 'commander';
import { INSTEAD_OF_OPTIONS, nearestName } from '../src/options/nearestName.js';
import { shownValue } from '../src/options/values.js';

/** A fault and the key of its option; null when it is about no option that exists. */
export interface WordFault {
  readonly option: string | null;
  readonly detail: string;
  /** The word behind an option that does not exist: it counts as an argument, though it may be the value of the option. */
  readonly leftWord?: string;
}

interface ReadWords {
  /** The words for Commander, which refuses none of them. */
  readonly argv: readonly string[];
  readonly faults: readonly WordFault[];
  /** By key, the words after options that take more than one; such options are not in `argv`. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
}

/** A word that begins with `-`. */
interface Flag {
  /** The name as typed, without the value after `=`. */
  readonly name: string;
  readonly inline: string | null;
  /** Null when no option is near. */
  readonly option: Option | null;
  readonly known: boolean;
}

const HELP: readonly string[] = ['-h', '--help'];
const NEGATIVE_NUMBER = /^-(\d+|\d*\.\d+)(e[+-]?\d+)?$/;

/**
 * Splits short options in one word into words: `-qt4` becomes `-q -t=4`. A word that does not begin with a short option stays
 * unchanged.
 */
function spreadLetters(word: string, options: readonly Option[]): string[] {
  const spread: string[] = [];
  let rest = word;
  while (/^-[A-Za-z]./.test(rest) && rest[2] !== '=') {
    const letter = rest.slice(0, 2);
    const option = optionOf(letter, options);
    if (option === undefined) break;
    if (valueCount(option) > 0) return [...spread, `${letter}=${rest.slice(2)}`];
    spread.push(letter);
    rest = `-${rest.slice(2)}`;
  }
  return [...spread, rest];
}

/**
 * Reads the words after the command's name. `--` ends the options.
 *
 * An option with one value takes the next word, unless that word is itself an option of the command or `--` (after `=` it is
 * always a value). An option with several values takes as many words as its placeholder names, because ids may begin with `-`; none of
 * them may be the long name of an option. An option with one value may be given once, unless it collects values: which of two values the
 * user means is unknown, and the wrong one would give a wrong answer. A mistyped option is read as the nearest option, but takes no
 * word that begins with `-`: so its value is checked, and no second fault follows from the typing error alone.
 */
export function readWords(typed: readonly string[], options: readonly Option[]): ReadWords {
  const words = [...typed];
  const argv: string[] = [];
  const faults: WordFault[] = [];
  const lists: Record<string, string[]> = {};
  const once = new Map<Option, string[]>();
  let at = 0;
  while (at < words.length && words[at] !== '--') {
    words.splice(at, 1, ...spreadLetters(words[at]!, options));
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
    const next = flag.option === null && values.length === 0 ? words[at] : undefined;
    const left = next === undefined || looksLikeFlag(next) ? {} : { leftWord: next };
    if (detail !== null) faults.push({ option: key, detail, ...left });
    if (flag.option === null || key === null) continue;
    const { long } = flag.option;
    if (valueCount(flag.option) > 1) lists[key] = [...(lists[key] ?? []), ...values];
    else if (valueCount(flag.option) === 0) argv.push(long!);
    // Flag and value are one word, so that Commander takes no value for an option.
    else if (values.length === 1) argv.push(`${long}=${values[0]}`);
    if (flag.known && valueCount(flag.option) === 1 && !isRepeatable(flag.option)) {
      once.set(flag.option, [...(once.get(flag.option) ?? []), ...values]);
    }
  }
  for (const [option, values] of once) if (values.length > 1) faults.push(repeated(option, values));
  return { argv: argv.concat(words.slice(at)), faults, lists };
}

/** Whether an option collects the values of several uses. */
function isRepeatable(option: Option): boolean {
  return option.parseArg !== undefined || option.variadic;
}

/** `--threshold .8 --threshold .9: expected once, got 2`. */
function repeated(option: Option, values: readonly string[]): WordFault {
  const all = values.map((value) => `${option.long} ${shownWord(value)}`).join(' ');
  return { option: option.attributeName(), detail: `${all}: expected once, got ${values.length}` };
}

/** A value for a message: a number as it was typed, else as `shownValue` quotes it. */
function shownWord(value: string): string {
  return /^[\d.+-]+$/.test(value) ? value : shownValue(value);
}

/** Whether a word looks like a flag. `-` is a PATH, and so is a negative number that is no value. */
function looksLikeFlag(word: string): boolean {
  return word.length > 1 && word.startsWith('-') && !NEGATIVE_NUMBER.test(word);
}

function flagOf(word: string, options: readonly Option[]): Flag {
  const equals = word.indexOf('=');
  const name = equals < 0 ? word : word.slice(0, equals);
  const inline = equals < 0 ? null : word.slice(equals + 1);
  const option = optionOf(name, options);
  if (option !== undefined) return { name, inline, option, known: true };
  const names = options.flatMap(({ long }) => long ?? []);
  const near = insteadOf(name) === null ? nearestName(name, names) : null;
  return { name, inline, option: near === null ? null : optionOf(near, options)!, known: false };
}

function optionOf(name: string, options: readonly Option[]): Option | undefined {
  return options.find(({ long, short }) => long === name || short === name);
}

function insteadOf(name: string): string | null {
  return INSTEAD_OF_OPTIONS[name.slice(2)] ?? null;
}

/** The number of values that the placeholder names: `<A B>` are two; a switch takes none. */
function valueCount(option: Option): number {
  const placeholder = /<(.*)>/.exec(option.flags)?.[1];
  return placeholder === undefined ? 0 : placeholder.split(' ').length;
}

/** The words that are the flag's values, the one after `=` first. */
function valuesOf(flag: Flag, words: readonly string[], at: number, options: readonly Option[]): string[] {
  const count = flag.option === null ? (insteadOf(flag.name) === null ? 0 : 1) : valueCount(flag.option);
  if (count === 0) return [];
  const values = flag.inline === null ? [] : [flag.inline];
  for (let next = at; next < words.length && values.length < count; next++) {
    const word = words[next]!;
    if (!flag.known && word.startsWith('-')) break;
    if (optionOf(word, options)?.long === word) break;
    if (count === 1 && (word === '--' || HELP.includes(word) || optionOf(word, options))) break;
    values.push(word);
  }
  return values;
}

/** The fault of the flag itself, or null; the command reports a wrong number of values. */
function faultOf({ name, inline, option, known }: Flag, values: readonly string[]): string | null {
  if (!known) {
    const near = option === null ? '' : `, did you mean ${option.long}?`;
    return `${shownValue(name)}: no such option${insteadOf(name) ?? near}`;
  }
  const count = valueCount(option!);
  if (count === 0 && inline !== null) return `${name} ${shownValue(inline)}: expected no value`;
  if (count === 1 && values.length === 0) return `${name}: no value, expected ${placeholderOf(option!)}`;
  return null;
}

/** `--out DIR`. */
function placeholderOf(option: Option): string {
  return option.flags.replace(/^-\w, /, '').replace(/[<>]/g, '');
}
