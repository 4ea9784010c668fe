/**
 * The kinds of values of options: which values are allowed, how messages describe them, and how text from a command line
 * becomes a value.
 */

import { flagName, kindOf } from '../errors.js';
import { KEEP_WORDS, type KeepRule } from '../sketch/params.js';
import { NORMALIZE_WORDS, type Normalization } from '../text/preparedText.js';
import type { ShingleUnit } from '../text/shingles.js';
import { Glob, GlobError } from './glob.js';
import { meantName } from './nearestName.js';

/*
 * The fields of lines of sets, as `--columns` takes them.
 */

const COLUMNS_EXPECTED =
  'two or three different fields, separated by commas, as numbers from 1 or as names, such as 1,2,3 or user,item';

/** The fields in a list `a,b` or `a,b,c`; null if the value is not such a list. */
function parseColumns(value: unknown): readonly string[] | null {
  const fields: unknown = typeof value === 'string' ? value.split(',') : value;
  if (!Array.isArray(fields) || fields.length < 2 || fields.length > 3) return null;
  if (!fields.every((field) => typeof field === 'string' && field !== '')) return null;
  // A number among names, or 0, is a mistake, not a name.
  const numbers = fields.filter((field) => /^\d+$/.test(field as string));
  if (numbers.length > 0 && (numbers.length < fields.length || numbers.some((field) => Number(field) === 0)))
    return null;
  return new Set(fields).size === fields.length ? [...(fields as string[])] : null;
}

/*
 * Spans of time as a user writes them.
 */

/** Milliseconds of a unit. */
const MILLISECONDS: Readonly<Record<string, number>> = {
  ms: 1,
  '': 1000,
  s: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
};
const DURATION = /^(\d+(?:\.\d+)?) ?(ms|s|m|min|h)?$/i;

/** The description of a duration, to follow "expected". */
const DURATION_EXPECTED = 'a duration such as 30s, 10m, 1.5h or a number of seconds, or 0';

/**
 * A duration in milliseconds, rounded; null if the value is not a duration. A duration is a number of seconds, or a text such as
 * `30s`, `10 m`, `1.5h`, `500ms`, `90`.
 */
function parseDuration(value: unknown): number | null {
  const match = DURATION.exec(
    typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '',
  );
  if (match === null) return null;
  const milliseconds = Math.round(Number(match[1]) * MILLISECONDS[(match[2] ?? '').toLowerCase()]!);
  return Number.isSafeInteger(milliseconds) ? milliseconds : null;
}

export type ValueKind =
  | { readonly kind: 'switch' }
  | {
      readonly kind: 'integer';
      readonly least: number;
      readonly most: number;
      readonly word?: 'auto' | 'all';
    }
  /** A number above `above`; below `below`, or at most `most`. */
  | { readonly kind: 'fraction'; readonly above: number; readonly below?: number; readonly most?: number }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  /** Several of them. */
  | { readonly kind: 'choices'; readonly choices: readonly string[] }
  | { readonly kind: 'size'; readonly least: number }
  | { readonly kind: 'duration' }
  | { readonly kind: 'shingle' }
  | { readonly kind: 'encoding' }
  /** One character. */
  | { readonly kind: 'separator' }
  /** One character, or `none`. */
  | { readonly kind: 'quote' }
  | { readonly kind: 'globs' }
  | { readonly kind: 'keep' }
  | { readonly kind: 'normalize' }
  | { readonly kind: 'columns' }
  | { readonly kind: 'path' }
  | { readonly kind: 'paths' }
  | { readonly kind: 'settings' }
  /** The address of a server, by http or https. */
  | { readonly kind: 'address' }
  /** The name of a file, or (library only) the words themselves. */
  | { readonly kind: 'words' }
  | { readonly kind: 'name' };

export interface ShingleSpec {
  readonly unit: ShingleUnit;
  readonly size: number;
}

/** The types of a value before and after its check, for kinds whose name alone decides them. */
interface KindTypes {
  readonly switch: readonly [boolean, boolean];
  readonly integer: readonly [number, number];
  readonly fraction: readonly [number, number];
  readonly choice: readonly [string, string];
  readonly choices: readonly [readonly string[], readonly string[]];
  /** Becomes bytes. */
  readonly size: readonly [number | string, number];
  /** Becomes milliseconds. */
  readonly duration: readonly [number | string, number];
  readonly shingle: readonly [string, ShingleSpec];
  readonly encoding: readonly [string, string];
  readonly separator: readonly [string, string];
  readonly quote: readonly [string, string];
  readonly globs: readonly [string | readonly string[], readonly string[]];
  readonly keep: readonly [string, KeepRule];
  /** Becomes distinct words, in the order in which they are applied; both `nfc` and `nfkc` may be among them, which is a conflict. */
  readonly normalize: readonly [string | readonly string[], Normalization];
  /** Becomes two or three names, or numbers as texts. */
  readonly columns: readonly [string | readonly string[], readonly string[]];
  readonly path: readonly [string, string];
  readonly paths: readonly [readonly string[], readonly string[]];
  /** Becomes texts KEY=VALUE. */
  readonly settings: readonly [string | readonly string[], readonly string[]];
  readonly address: readonly [string, string];
  readonly words: readonly [string | readonly string[], string | readonly string[]];
  readonly name: readonly [string, string];
}

type TypesOf<Kind extends ValueKind> = Kind extends {
  readonly kind: infer Name;
  readonly choices: readonly (infer Choice)[];
}
  ? Name extends 'choice'
    ? readonly [Choice, Choice]
    : readonly [readonly Choice[], readonly Choice[]]
  : Kind extends { readonly word: infer Word }
    ? readonly [number | Word, number | Word]
    : KindTypes[Kind['kind']];

/** The type of a value of a kind before its check. */
export type GivenOf<Kind extends ValueKind> = TypesOf<Kind>[0];
/** A checked value of a kind. */
export type ValueOf<Kind extends ValueKind> = TypesOf<Kind>[1];

/** Kinds whose values are lists; the default is the empty list. */
const LIST_KINDS = ['globs', 'settings'] as const;
type ListKind = (typeof LIST_KINDS)[number];

/** The value of an option that is not set and has no default. */
export type AbsentOf<Kind extends ValueKind> = Kind['kind'] extends ListKind ? readonly string[] : null;

export function absentValue({ kind }: ValueKind): readonly string[] | null {
  return (LIST_KINDS as readonly string[]).includes(kind) ? [] : null;
}

/** The result of a check: the checked value, or what was expected. */
export type CheckedValue<Kind extends ValueKind = ValueKind> =
  | { readonly ok: true; readonly value: ValueOf<Kind> }
  | { readonly ok: false; readonly expected: string };

const SHINGLE = /^(words|chars|bytes|lines|stopwords):([1-9]\d?)$/;
const LARGEST_SHINGLE = 63;
const LARGEST_INTEGER = Number.MAX_SAFE_INTEGER;
const SIZE = /^(\d+(?:\.\d+)?) ?([a-z]*)$/i;
const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
};

/** The shingle specification `unit:k`; null if the text is not one. */
function parseShingle(text: string): ShingleSpec | null {
  const match = SHINGLE.exec(text);
  if (match === null || Number(match[2]) > LARGEST_SHINGLE) return null;
  return { unit: match[1] as ShingleUnit, size: Number(match[2]) };
}

/**
 * A size in bytes, such as `10MB`, `1 GB`, `512KiB`, `1000`; null if the text is not a size. Case does not matter.
 *
 * KB, MB, GB and TB count in thousands (1 KB = 1000 bytes), KiB, MiB, GiB and TiB in 1024s. Fractions of a
 * byte are rounded, but a plain number must be whole.
 */
export function parseSize(text: string): number | null {
  const match = SIZE.exec(text);
  if (match === null) return null;
  const unit = match[2]!.toLowerCase();
  const factor = Object.hasOwn(UNITS, unit) ? UNITS[unit]! : null;
  if (factor === null || (factor === 1 && match[1]!.includes('.'))) return null;
  const bytes = Math.round(Number(match[1]) * factor);
  return bytes <= LARGEST_INTEGER ? bytes : null;
}

/** A separator: one character of ASCII other than a quote and a line break; `tab` and `\\t` mean TAB, which is hard to type. */
function separatorOf(value: unknown): string | null {
  if (value === 'tab' || value === '\\t') return '\t';
  return typeof value === 'string' && /^[\t\x20-\x21\x23-\x7e]$/.test(value) ? value : null;
}

/** A quote: one character of ASCII other than a letter, a digit or white space; or `none`. */
function quoteOf(value: unknown): string | null {
  return typeof value === 'string' && /^(?:[!-/:-@[-`{-~]|none)$/.test(value) ? value : null;
}

/** The name of an encoding in TextDecoder, in lower case (`latin1` is `windows-1252`); null if it is unknown. */
function encodingName(label: string): string | null {
  try {
    return new TextDecoder(label).encoding.toLowerCase();
  } catch {
    return null;
  }
}

/** The description of the values of a kind, and the function that checks a value; null: the value is invalid. */
interface KindRules<Kind extends ValueKind> {
  readonly expected: string | ((kind: Kind) => string);
  usable(value: unknown, kind: Kind): unknown;
}

const PATH_EXPECTED = 'the path of a file or folder';
const NUMBERED_KEEP = 'field:NAME (the greatest value) or field:NAME:asc (the least)';

const KINDS: {
  readonly [Name in ValueKind['kind']]: KindRules<Extract<ValueKind, { readonly kind: Name }>>;
} = {
  switch: { expected: 'true or false', usable: (value) => (typeof value === 'boolean' ? value : null) },
  integer: {
    expected: ({ least, most, word }) => `an integer from ${least} to ${most}${word ? `, or ${word}` : ''}`,
    usable: (value, { least, most, word }) =>
      (word !== undefined && value === word) || isInteger(value, least, most) ? value : null,
  },
  fraction: {
    expected: ({ above, below, most }) =>
      `a number above ${above} and ${most ? `at most ${most}` : `below ${below}`}`,
    usable: (value, kind) => (isFraction(kind, value) ? value : null),
  },
  choice: {
    expected: ({ choices }) => `one of ${choices.join(', ')}`,
    usable: (value, { choices }) => (choices.includes(value as string) ? value : null),
  },
  choices: {
    expected: ({ choices }) => `one of ${choices.join(', ')}`,
    usable: (value, { choices }) =>
      isTextList(value) && value.every((one) => choices.includes(one)) ? value : null,
  },
  size: {
    expected: 'a size such as 10MB, 512KiB or a whole number of bytes, at least 1',
    usable: (value, { least }) => usableSize(least, value),
  },
  duration: { expected: DURATION_EXPECTED, usable: parseDuration },
  shingle: {
    expected: 'words:k, chars:k, bytes:k, lines:k or stopwords:k with k from 1 to 63',
    usable: (value) => (typeof value === 'string' ? parseShingle(value) : null),
  },
  encoding: {
    expected: 'the name of a text encoding, such as utf-8, latin1 or utf-16le',
    usable: (value) => (typeof value === 'string' ? encodingName(value) : null),
  },
  separator: {
    expected: 'one character of ASCII other than a quote or a line break, or tab',
    usable: separatorOf,
  },
  quote: {
    expected: 'one character of ASCII other than a letter, a digit or white space, or none',
    usable: quoteOf,
  },
  globs: {
    expected: 'a glob over relative paths, such as *.txt or docs/**',
    usable: usableGlobs,
  },
  keep: {
    expected: `${KEEP_WORDS.join(', ')}, ${NUMBERED_KEEP}`,
    usable: (value) => (typeof value === 'string' ? keepRuleOf(value) : null),
  },
  normalize: {
    expected: `${NORMALIZE_WORDS.join(', ')}, or several of them, separated by commas`,
    usable: parseNormalize,
  },
  columns: { expected: COLUMNS_EXPECTED, usable: parseColumns },
  path: { expected: PATH_EXPECTED, usable: (value) => (isPath(value) ? value : null) },
  paths: { expected: PATH_EXPECTED, usable: usablePaths },
  settings: { expected: 'KEY=VALUE', usable: usableSettings },
  address: {
    expected: 'an address that begins with http:// or https://',
    usable: (value) => (isAddress(value) ? value : null),
  },
  words: { expected: PATH_EXPECTED, usable: (value) => (isPath(value) || isTextList(value) ? value : null) },
  name: {
    expected: 'a name of at least one character',
    usable: (value) => (typeof value === 'string' && value !== '' ? value : null),
  },
};

/** The description of the values of this kind, to follow "expected". */
function expectation(kind: ValueKind): string {
  const { expected } = KINDS[kind.kind] as KindRules<ValueKind>;
  return typeof expected === 'string' ? expected : expected(kind);
}

/** Checks one value of an option; a string is never converted to a number. */
export function checkValue<Kind extends ValueKind>(kind: Kind, value: unknown): CheckedValue<Kind> {
  const usable = (KINDS[kind.kind] as KindRules<ValueKind>).usable(value, kind);
  if (usable === null) return { ok: false, expected: expectation(kind) };
  return { ok: true, value: usable as ValueOf<Kind> };
}

type KindRows = Readonly<Record<string, { readonly kind: ValueKind }>>;

/** The valid values of options by their rows; reports invalid ones, each part as it was typed. */
export function usableValues<Rows extends KindRows>(
  rows: Rows,
  given: { readonly [Key in keyof Rows]?: unknown },
  report: (key: keyof Rows & string, detail: string) => unknown,
): { [Key in keyof Rows]?: ValueOf<Rows[Key]['kind']> } {
  const values: { [Key in keyof Rows]?: ValueOf<Rows[Key]['kind']> } = {};
  for (const key of Object.keys(rows) as (keyof Rows & string)[]) {
    const value: unknown = given[key];
    if (value === undefined) continue;
    const { kind } = rows[key]!;
    const checked = checkValue(kind, value);
    if (checked.ok) values[key] = checked.value as ValueOf<Rows[typeof key]['kind']>;
    else
      for (const part of refusedParts(kind, value)) {
        const expected =
          expectedOfPart(kind, part, key === 'include' ? '--exclude' : '--include') ?? checked.expected;
        report(key, `${flagName(key)} ${shownValue(part)}: expected ${expected}${meantChoice(kind, part)}`);
      }
  }
  return values;
}

/** The suggestion for an unknown choice. */
function meantChoice(kind: ValueKind, part: unknown): string {
  const isChoice = kind.kind === 'choice' || kind.kind === 'choices';
  return isChoice && typeof part === 'string' ? meantName(part, kind.choices) : '';
}

/** The options of a call of the library (empty if they are not an object), and what is wrong with the call. */
interface Call<Options> {
  readonly options: Partial<Options>;
  readonly problems: readonly string[];
}

/**
 * Checks the parts of a call that are not values of options.
 *
 * @param example an object, for the message
 * @param hooks names of options that are functions
 */
export function callWith<Options extends object>(
  given: Options,
  example: string,
  hooks: readonly (keyof Options & string)[] = [],
): Call<Options & { readonly signal?: AbortSignal | undefined }> {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return { options: {}, problems: [`options ${shownValue(given)}: expected an object such as ${example}`] };
  const options: Partial<Options & { readonly signal?: AbortSignal | undefined }> = given;
  const { signal } = options;
  const isSignal = signal === undefined || typeof signal?.throwIfAborted === 'function';
  const problems = hooks
    .filter((name) => options[name] !== undefined && typeof options[name] !== 'function')
    .map((name) => `${name} ${shownValue(options[name])}: expected a function`);
  if (!isSignal) problems.unshift(`signal ${shownValue(signal)}: expected an AbortSignal`);
  return { options, problems };
}

function usablePaths(value: unknown): readonly string[] | null {
  const paths = textsOf(value);
  return paths?.every(isPath) === true ? paths : null;
}

function usableSettings(value: unknown): readonly string[] | null {
  const settings = textsOf(value);
  return settings?.every((one) => /^[^=\s]+=/.test(one)) === true ? settings : null;
}

function isAddress(value: unknown): boolean {
  return typeof value === 'string' && /^https?:\/\/[^/]/i.test(value) && URL.canParse(value);
}

/** Whether a value is a path that the platform accepts: not empty, no NUL. */
export function isPath(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !value.includes('\0');
}

function isInteger(value: unknown, least: number, most: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
}

function isFraction(kind: ValueKind & { kind: 'fraction' }, value: unknown): boolean {
  if (typeof value !== 'number' || !(value > kind.above)) return false;
  return value < (kind.below ?? Number.POSITIVE_INFINITY) && value <= (kind.most ?? Number.POSITIVE_INFINITY);
}

function usableSize(least: number, value: unknown): number | null {
  const bytes = typeof value === 'string' ? parseSize(value) : value;
  return isInteger(bytes, least, LARGEST_INTEGER) ? (bytes as number) : null;
}

function usableGlobs(value: unknown): readonly string[] | null {
  const globs = textsOf(value);
  if (globs === null) return null;
  return globs.every((glob) => globProblem(glob, '') === null) ? [...globs] : null;
}

const KEEP_FIELD = /^field:(.+?)(?::(asc|desc|min|max))?$/s;

function keepRuleOf(text: string): KeepRule | null {
  const word = KEEP_WORDS.find((name) => name === text);
  if (word !== undefined) return { by: word, field: null, best: null };
  const [whole, name, order] = KEEP_FIELD.exec(text) ?? [];
  // A name with a colon needs an order behind it: it may be a list of values, which is not supported.
  if (whole === undefined || (order === undefined && name!.includes(':'))) return null;
  return { by: 'field', field: name!, best: order === 'asc' || order === 'min' ? 'min' : 'max' };
}

/** The words of `--normalize`, which may be repeated; null if the value is invalid. */
function parseNormalize(value: unknown): Normalization | null {
  const given = textsOf(value);
  if (given === null || given.length === 0) return null;
  const words = given.flatMap((text) => text.split(','));
  const found = NORMALIZE_WORDS.filter((word) => words.includes(word));
  if (words.some((word) => !(NORMALIZE_WORDS as readonly string[]).includes(word))) return null;
  return found.includes('nfc') || found.includes('nfkc') ? found : ['nfc', ...found];
}

/** A rule as written for `--keep`. */
export function keepText({ by, field, best }: KeepRule): string {
  return by === 'field' ? `field:${field}:${best === 'max' ? 'desc' : 'asc'}` : by;
}

/** Kinds of lists whose parts are checked one by one. */
const IN_PARTS: readonly ValueKind['kind'][] = ['choices', 'globs', 'normalize', 'settings'];

/** A list may claim any length. */
const MOST_REFUSED = 100;

/** The parts of a value that `checkValue` rejected. A message may show only these, because valid parts may be secrets. */
export function refusedParts(kind: ValueKind, value: unknown): readonly unknown[] {
  if (!Array.isArray(value) || value.length === 0 || !IN_PARTS.includes(kind.kind)) return [value];
  const refused: unknown[] = [];
  for (let i = 0; i < value.length && refused.length < MOST_REFUSED; i++)
    if (!checkValue(kind, [value[i]]).ok) refused.push(value[i]);
  return refused;
}

/** A glob that matches no file: the root of the file system, or an empty name. */
const NAMELESS = /^\/(?:$|\/)/;

/** Why a glob is invalid; null if it is valid. `other`: the flag with the opposite meaning. */
function globProblem(glob: string, other: string): string | null {
  if (!isPath(glob) || NAMELESS.test(glob)) return expectation({ kind: 'globs' });
  if (glob.startsWith('!'))
    return `a glob of what is meant, got an exception by !; give ${shownValue(glob.slice(1))} to ${other} (\\! is a literal one)`;
  try {
    new Glob(glob);
  } catch (error) {
    if (error instanceof GlobError) return `${expectation({ kind: 'globs' })}; ${error.message}`;
    throw error;
  }
  return null;
}

/** What was expected of a part that `checkValue` rejected; null if the description of the kind is enough. */
function expectedOfPart(kind: ValueKind, part: unknown, other: string): string | null {
  if (kind.kind !== 'globs' || typeof part !== 'string') return null;
  return globProblem(part, other);
}

/** The texts of an option that may be repeated; null if the value is not a text or a list of texts. */
function textsOf(value: unknown): readonly string[] | null {
  const texts: unknown = typeof value === 'string' ? [value] : value;
  return isTextList(texts) ? texts : null;
}

function isTextList(value: unknown): value is readonly string[] {
  if (!Array.isArray(value)) return false;
  // `every` would skip the holes of a list, however many.
  for (let i = 0; i < value.length; i++) if (typeof value[i] !== 'string') return false;
  return true;
}

/**
 * The value of a text from the command line. A text that is not a number stays a text (`12abc`, ` 5`, `0x10`), so that the check
 * can show it.
 */
export function valueFromText(kind: ValueKind, text: string): unknown {
  if (kind.kind === 'integer') return /^[+-]?\d+$/.test(text) ? Number(text) : text;
  if (kind.kind === 'fraction')
    return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
  return text;
}

/** A value for a message: plain if that is unambiguous, else as JSON, cut after 80 characters. */
export function shownValue(value: unknown): string {
  const plain = typeof value === 'string' && /^[^\s"']+$/.test(value) && Number.isNaN(Number(value));
  const text = plain ? (value as string) : jsonText(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

function jsonText(value: unknown): string {
  try {
    // The beginning of a list, which may claim any length.
    return JSON.stringify(Array.isArray(value) ? value.slice(0, 100) : value) ?? String(value);
  } catch {
    // JSON has no big integers and no cycles, and a getter may fail.
    return kindOf(value);
  }
}
