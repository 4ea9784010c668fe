/**
 * The options that a run notes in its folder, and the options that a run resumed without PATH takes from there.
 *
 * A stranger may have made a folder and its note. A note holds the values of some options (takenUpBy) and the names of the other
 * options of the run. A note with anything else is refused, and so is a note that others than the user may have written.
 */

import { lstatSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { flagName } from '../../errors.js';
import { checkEachOption, type OptionFault } from '../../options/check.js';
import type { RunOptions } from '../../options/runOptions.js';
import { resumeWords, typedAgain } from '../../options/shellWord.js';
import { OPTION_KEYS, type OptionKey, takenUpBy } from '../../options/table.js';
import { shownValue } from '../../options/values.js';
import { MARKER_NAME, NEW_NAME, STATS_NAME } from '../../output/fileNames.js';
import { outputStateOf } from '../../output/folder.js';
import { isObject, type JsonObject, ownJsonIn } from '../../output/replacement.js';
import { addressOf, shownPath } from '../../readers/bytes/remote/addresses.js';
import { whyFolderNotOurs, whyNotOurs } from '../../store/ownership.js';
import { MOST_DOCUMENT, MOST_NOTE, readPlainFile } from '../../store/plainFile.js';

/** Options of a note: JSON. */
export interface NotedOptions extends RunOptions {
  /** Options of the run whose values the note does not hold. */
  readonly typed?: readonly OptionKey[];
}

/**
 * The options to note: paths are absolute, since the run may be resumed from another directory. Empty where they are
 * too long.
 */
export function notedOptions(options: RunOptions): NotedOptions {
  const kept = OPTION_KEYS.filter((key) => takenUpBy(key) === 'note' && options[key] !== undefined);
  const { paths, against, stopWords } = options;
  const typed = Object.keys(typedAgain(options)) as OptionKey[];
  const noted: NotedOptions = {
    ...Object.fromEntries(kept.map((key) => [key, options[key]])),
    ...(paths === undefined ? {} : { paths: paths.map((path) => absolutePath(path)) }),
    ...(against === undefined ? {} : { against: against.map((path) => absolutePath(path)) }),
    ...(typeof stopWords === 'string' ? { stopWords: resolve(stopWords) } : {}),
    ...(typed.length > 0 && { typed }),
  };
  return JSON.stringify(noted).length > MOST_NOTE / 4 ? {} : noted;
}

/** A PATH that is valid in any directory and may be noted: absolute, `-` as it is, an address without secrets. */
export function absolutePath(path: string, folder = ''): string {
  if (path === '-') return path;
  return addressOf(path) === null ? resolve(folder, path) : shownPath(path);
}

/** Why an output folder holds no noted options, and what to do. */
function whyNone(out: string): string {
  const { kind } = outputStateOf(out);
  if (kind === 'absent') return `there is no folder ${out}; give the PATHs, and a run begins there`;
  if (kind === 'empty') return `${out} is empty; give the PATHs, and a run begins there`;
  if (kind === 'unfinished') {
    return `the unfinished run in ${out} notes none any more; give its PATHs and flags again, with --resume`;
  }
  if (kind === 'finished') {
    return `the finished result in ${out} has no ${STATS_NAME} that can be read; give its PATHs and flags again`;
  }
  return `${out} holds no run of mr-minhash`;
}

interface Note {
  readonly file: string;
  readonly options: JsonObject;
  /** Why others may have written it; empty: the user alone could. */
  readonly strangers: readonly string[];
}

/** The note in an output folder: of its unfinished run, or of its finished result. */
function noteIn(out: string): Note | null {
  // An unfinished run that is to replace a result comes first; the statistics beside it are of the earlier result.
  for (const folder of [join(out, NEW_NAME), out]) {
    const found = noteAt(out, folder, MARKER_NAME);
    if (found !== null) return found;
  }
  return noteAt(out, out, STATS_NAME);
}

/** The note in a file of a folder. The ownership is checked on the opened file that is read. */
function noteAt(out: string, folder: string, name: string): Note | null {
  const file = join(folder, name);
  const found = readPlainFile(file, name === STATS_NAME ? MOST_DOCUMENT : MOST_NOTE);
  if (found.bytes === null) return null;
  const content = ownJsonIn(found);
  if (!isObject(content?.options)) return null;
  const why = whyNotOurs(file, found.stats);
  const strangers = [...strangersAmong(out, [folder]), ...(why === null ? [] : [why])];
  return { file, options: content.options, strangers };
}

/** Why others may have written in an output folder and in folders below it; empty: only the user could. */
export function strangersAmong(out: string, folders: readonly string[]): readonly string[] {
  return [...new Set([out, ...folders])]
    .map((folder) => whyFolderNotOurs(folder, folder === out))
    .filter((why) => why !== null);
}

/** Why others may have written in `.work`, by the folder or its first such file; null: only the user could. */
export function strangersInWork(work: string): string | null {
  if (!lstatSync(work, { throwIfNoEntry: false })?.isDirectory()) return null;
  const files = readdirSync(work).map((name) => join(work, name));
  return [work, ...files].map((path) => whyNotOurs(path)).find((why) => why !== null) ?? null;
}

/** Why the note in an output folder is refused; empty: it is not, or there is none. */
export function strangersIn(out: string): readonly string[] {
  return noteIn(out)?.strangers ?? [];
}

/** Options that the note in an output folder names without their values; empty where there is no valid note. */
export function typedIn(out: string): readonly OptionKey[] {
  const typed = noteIn(out)?.options.typed;
  return areTyped(typed) ? typed : [];
}

const areTyped = (value: unknown): value is readonly OptionKey[] =>
  Array.isArray(value) &&
  value.every((key) => OPTION_KEYS.includes(key as OptionKey) && takenUpBy(key as OptionKey) === 'typing');

/** What to do about a note of the user's own that this version does not write. */
const OTHER_BUILD =
  'type the PATHs and flags of the run beside --resume, or make the result anew with --force: another version or build ' +
  'wrote the note, or it was changed';

export interface TakenNote {
  readonly file: string;
  readonly options: RunOptions;
}

/**
 * Takes the options of the note in an output folder, for a run that resumes it with the options `given`; or returns all faults. Reads
 * only the note, and no file that it names.
 */
export function takeNote(
  out: string,
  given: RunOptions,
): TakenNote | { readonly faults: readonly OptionFault[] } {
  const note = noteIn(out);
  if (note === null)
    return { faults: [{ code: 'NO_INPUT', detail: `--resume: ${whyNone(out)}`, option: 'paths' }] };
  const { file, strangers, options } = note;
  // The message repeats nothing of a stranger's note.
  if (strangers.length > 0)
    return { faults: strangers.map((detail) => ({ code: 'NOTE_REFUSED', detail, option: null })) };
  const refused = (detail: string): OptionFault => ({
    ...{ code: 'NOTE_REFUSED', detail, option: null },
    remedy: OTHER_BUILD,
  });
  const { typed = [], ...values } = options;
  const keys = Object.keys(values);
  const mayBe = (key: string): boolean =>
    key === 'paths' || (OPTION_KEYS.includes(key as OptionKey) && takenUpBy(key as OptionKey) === 'note');
  const taken = Object.fromEntries(keys.filter(mayBe).map((key) => [key, values[key]])) as RunOptions;
  const faults = [
    ...keys
      .filter((key) => !mayBe(key))
      .map((key) => refused(`${file} holds ${shownValue(key)}, which is never noted`)),
    ...(areTyped(typed) ? [] : [refused(`${file} names flags to type that are none: ${shownValue(typed)}`)]),
    ...checkEachOption(taken).map(({ detail }) => refused(`${file}: ${detail}`)),
    ...(areTyped(typed) ? lacking(out, given, typed) : []),
  ];
  return faults.length > 0 ? { faults } : { file, options: taken };
}

/** The fault for flags of the run that were not given again, with the command line to type; empty where all were. */
function lacking(out: string, given: RunOptions, typed: readonly OptionKey[]): OptionFault[] {
  const unknown = typed.filter((key) => given[key] === undefined);
  if (unknown.length === 0) return [];
  const { paths: _, out: __, resume: ___, ...flags } = given;
  const detail = `--resume: the run had ${unknown.map(flagName).join(', ')}, and its folder does not note the values`;
  return [
    {
      code: 'OPTION_INVALID',
      detail,
      remedy: `type them again: ${resumeWords(out, { given: flags, unknown })}`,
      option: null,
    },
  ];
}
