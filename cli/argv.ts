/**
 * Parses the words after the name of a command into flags with their values, and arguments.
 *
 * Parsing continues after an error, so that all errors are reported together. Commander, which prints the help, stops at the first
 * missing value, takes an option for a value (`--out --json`), allows one value per option, and rejects every word after an
 * unknown option, PATHs too.
 */
import { nearestName } from '../src/options/nearestName.js';
import { removedFlag } from '../src/options/removedFlags.js';
import { shownValue } from '../src/options/values.js';
import type { CommandFlag, ParsedFlags } from './flags.js';

/** An error and the key of its option; null if the word is not an option. */
export interface WordProblem {
  readonly option: string | null;
  readonly detail: string;
  /** The word after an unknown option: it counts as an argument, but may be the value of that option. */
  readonly leftWord?: string;
}

interface ReadWords {
  readonly words: readonly string[];
  /** By key: a text, a list of texts if the flag is repeatable or takes several words, or whether a switch is set. */
  readonly flags: ParsedFlags;
  readonly problems: readonly WordProblem[];
  readonly asksHelp: boolean;
}

/** The option that a name means. */
interface Named {
  readonly flag: CommandFlag;
  /** The whole name, with `--`. */
  readonly long: string;
  /** Number of values in the placeholder: two for `A B`, none for a switch. */
  readonly count: number;
  /** False for the `--no-` form of a switch. */
  readonly isSet: boolean;
}

type Names = ReadonlyMap<string, Named>;

/** A word that begins with `-`. */
interface Typed {
  /** The name as typed, without the value after `=`. */
  readonly name: string;
  readonly inline: string | null;
  /** Null if no option has a similar name. */
  readonly meant: Named | null;
  readonly known: boolean;
}

const HELP: readonly string[] = ['-h', '--help'];
const NEGATIVE_NUMBER = /^-(\d+|\d*\.\d+)(e[+-]?\d+)?$/;

function namesOf(flags: readonly CommandFlag[]): Names {
  const names = new Map<string, Named>();
  for (const flag of flags) {
    const { name, letter, placeholder, negatable } = flag;
    const meaning = { flag, long: name, count: placeholder?.split(' ').length ?? 0, isSet: true };
    names.set(name, meaning);
    if (letter !== null) names.set(letter, meaning);
    const unset = name.replace('--', '--no-');
    if (negatable) names.set(unset, { ...meaning, long: unset, isSet: false });
  }
  return names;
}

/**
 * Splits short options in one word into words: `-qt4` becomes `-q -t=4`. A word that does not begin with a short option stays
 * unchanged.
 */
function spreadLetters(word: string, names: Names): string[] {
  const spread: string[] = [];
  let rest = word;
  while (/^-[A-Za-z]./.test(rest) && rest[2] !== '=') {
    const letter = rest.slice(0, 2);
    const meaning = names.get(letter);
    if (meaning === undefined) break;
    if (meaning.count > 0) return [...spread, `${letter}=${rest.slice(2)}`];
    spread.push(letter);
    rest = `-${rest.slice(2)}`;
  }
  return [...spread, rest];
}

/**
 * Parses the words after the command's name. `--` ends the options.
 *
 * An option with one value takes the next word, unless that word is an option of the command or `--`; a value after `=` is always
 * taken. An option with several values takes as many words as its placeholder has, because ids may begin with `-`, except long
 * names of options. Repeating an option is an error, unless it collects values. A mistyped option is parsed as the nearest option,
 * so that its value is checked and causes no second error, but takes no word that begins with `-`.
 */
export function readWords(typed: readonly string[], known: readonly CommandFlag[]): ReadWords {
  const names = namesOf(known);
  const rest = [...typed];
  const words: string[] = [];
  const flags: Record<string, string | boolean | readonly string[]> = {};
  const lists: Record<string, readonly string[]> = {};
  const problems: WordProblem[] = [];
  const once = new Map<CommandFlag, readonly string[]>();
  let asksHelp = false;
  let at = 0;
  while (at < rest.length && rest[at] !== '--') {
    rest.splice(at, 1, ...spreadLetters(rest[at]!, names));
    const word = rest[at++]!;
    if (HELP.includes(word) || !looksLikeFlag(word, names)) {
      if (HELP.includes(word)) asksHelp = true;
      else words.push(word);
      continue;
    }
    const flag = typedFlag(word, names);
    const values = valuesOf(flag, rest, at, names);
    at += values.length - (flag.inline === null || values.length === 0 ? 0 : 1);
    const detail = problemOf(flag, values);
    const next = flag.meant === null && values.length === 0 ? rest[at] : undefined;
    const left = next === undefined || looksLikeFlag(next, names) ? {} : { leftWord: next };
    if (detail !== null) problems.push({ option: flag.meant?.flag.key ?? null, detail, ...left });
    if (flag.meant === null) continue;
    const { flag: own, count, isSet } = flag.meant;
    if (count === 0) flags[own.key] = isSet;
    else if (count > 1 || (own.repeatable && values.length > 0))
      lists[own.key] = [...(lists[own.key] ?? []), ...values];
    else if (values.length > 0) flags[own.key] = values[0]!;
    if (flag.known && count === 1 && !own.repeatable) once.set(own, [...(once.get(own) ?? []), ...values]);
  }
  for (const [flag, values] of once) if (values.length > 1) problems.push(repeated(flag, values));
  return { words: [...words, ...rest.slice(at + 1)], flags: { ...flags, ...lists }, problems, asksHelp };
}

/** `--threshold .8 --threshold .9: expected once, got 2`. */
function repeated({ name, key }: CommandFlag, values: readonly string[]): WordProblem {
  const typed = values.map((value) => `${name} ${shownWord(value)}`).join(' ');
  return { option: key, detail: `${typed}: expected once, got ${values.length}` };
}

/** A value for a message: a number as typed, anything else as quoted by `shownValue`. */
function shownWord(value: string): string {
  return /^[\d.+-]+$/.test(value) ? value : shownValue(value);
}

/** Whether a word looks like a flag. `-` is a PATH; a negative number is a value, unless it is a flag (`-0` may be one). */
function looksLikeFlag(word: string, names: Names): boolean {
  return names.has(word) || (word.length > 1 && word.startsWith('-') && !NEGATIVE_NUMBER.test(word));
}

function typedFlag(word: string, names: Names): Typed {
  const equals = word.indexOf('=');
  const name = equals < 0 ? word : word.slice(0, equals);
  const inline = equals < 0 ? null : word.slice(equals + 1);
  const meaning = names.get(name);
  if (meaning !== undefined) return { name, inline, meant: meaning, known: true };
  const long = [...names.keys()].filter((known) => known.startsWith('--'));
  const near = removedFlag(name) === null ? nearestName(name, long) : null;
  return { name, inline, meant: near === null ? null : names.get(near)!, known: false };
}

/** The words that are values of the flag; a value after `=` comes first. */
function valuesOf({ name, inline, meant, known }: Typed, rest: string[], at: number, names: Names): string[] {
  const count = meant?.count ?? (removedFlag(name)?.isSwitch === false ? 1 : 0);
  if (count === 0) return [];
  const values = inline === null ? [] : [inline];
  for (let next = at; next < rest.length && values.length < count; next++) {
    const word = rest[next]!;
    if (!known && word.startsWith('-')) break;
    if (word.startsWith('--') && names.has(word)) break;
    if (count === 1 && (word === '--' || HELP.includes(word) || names.has(word))) break;
    values.push(word);
  }
  return values;
}

/** The error of the flag itself, or null; the command reports a wrong number of values. */
function problemOf({ name, inline, meant, known }: Typed, values: readonly string[]): string | null {
  if (!known || meant === null) {
    const removed = removedFlag(name);
    const near = meant === null ? '' : `, did you mean ${meant.long}?`;
    return `${shownValue(name)}: no such option${removed === null ? near : `: ${removed.instead}`}`;
  }
  const { count, long, flag } = meant;
  if (count === 0 && inline !== null) return `${name} ${shownValue(inline)}: expected no value`;
  if (count === 1 && values.length === 0) return `${name}: no value, expected ${long} ${flag.placeholder}`;
  return null;
}
