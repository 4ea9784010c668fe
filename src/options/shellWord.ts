/**
 * Words of commands that users paste into a shell.
 *
 * Pure.
 */
import { flagName } from '../errors.js';
import type { RunOptions } from './runOptions.js';
import { OPTION_KEYS, OPTIONS, type OptionKey } from './table.js';

const PLAIN = /^[\w/.,:=@%+-]+$/;
/** Characters that a terminal does not show, or interprets. */
const UNSHOWN = /[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** A word for the shell: unquoted if that is safe, else in quotes; invisible characters become escapes of bash and zsh. */
export function shellQuoted(word: string): string {
  if (PLAIN.test(word)) return word;
  if (word.search(UNSHOWN) < 0) return `'${word.replaceAll("'", "'\\''")}'`;
  const escaped = word
    .replace(/[\\']/g, '\\$&')
    .replace(UNSHOWN, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `$'${escaped}'`;
}

/** A file or folder as a word for the shell that cannot be mistaken for an option. */
export function shellPath(path: string): string {
  return shellQuoted(path.startsWith('-') && path !== '-' ? `./${path}` : path);
}

/** Maximum number of words that are listed; further ones are only counted. */
const MOST_WORDS = 100;

/**
 * Options as a user types them: PATHs, then flags. An option whose value cannot be written on a command line (a list of stop
 * words) is shown without it.
 */
export function optionWords(options: RunOptions): string {
  const { paths = [] } = options;
  const more = paths.length > MOST_WORDS ? [`... (${paths.length - MOST_WORDS} more PATHs)`] : [];
  const flags = OPTION_KEYS.filter((key) => options[key] !== undefined).flatMap((key) =>
    flagWords(key, options[key]),
  );
  return [...paths.slice(0, MOST_WORDS).map(shellPath), ...more, ...flags].join(' ');
}

function flagWords(key: OptionKey, value: unknown): readonly string[] {
  const name = flagName(key);
  const { kind, repeatable } = OPTIONS[key];
  if (kind.kind === 'switch') return value === true ? [name] : [];
  if (kind.kind === 'words' && Array.isArray(value)) return [`${name} ...`];
  const values = (Array.isArray(value) ? value : [value]).map(String);
  // Settings may be secrets.
  if (kind.kind === 'settings') return values.map((one) => flagWord(name, `${one.split('=')[0]}=...`));
  return repeatable === true ? values.map((one) => flagWord(name, one)) : [flagWord(name, values.join())];
}

/** A flag with its value, after `=` if the value looks like a flag. */
const flagWord = (name: string, value: string): string =>
  `${name}${value.startsWith('-') ? '=' : ' '}${shellQuoted(value)}`;
