/**
 * Fields that an option names and no record has: before the run wrong use where the first records of the files show it, else the fault
 * that ends the run after the first reading. The message names the fields that exist. Where some records have the field, the others
 * are skipped where it is that of the text, and counted where --keep names it.
 */

import { type Fault, MinHashError } from '../../errors.js';
import { nearestName } from '../../options/nearestName.js';
import { shellQuoted } from '../../options/shellWord.js';
import { shown, shownNames } from '../../readers/ahead/columns.js';
import { firstRecordsIn, firstRecordsOf, type LinesHead } from '../../readers/ahead/firstRecords.js';
import type { ReadParams } from '../../readers/documentSink.js';
import { type FirstRecords, textFieldsOf } from '../../readers/formats/fields.js';
import type { FileKind, InputFile } from '../../readers/list/fileList.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { type Format, formatOfKind, RECORD_NAMES } from '../../readers/list/formats.js';
import { textOf } from '../../readers/list/pathIds.js';
import type { LackedValues } from '../../result/manifest.js';
import { counted } from '../../result/wording/amounts.js';
import { fieldsRead, type ResultParams } from '../../sketch/params.js';
import type { MissingLookup } from '../documentList.js';

/** A file, and its first records. */
interface Beginning {
  readonly file: Pick<InputFile, 'id' | 'format'>;
  readonly found: FirstRecords;
}

/**
 * Reads the first records of file after file, of formats that hold records and nothing else, or that may be one text (`either`).
 *
 * @param piped the first lines of standard input; null: unknown, as `found` is then
 */
function* beginnings(
  files: FileTable,
  wanted: readonly Format['holds'][],
  params: ReadParams,
  piped: LinesHead | null,
) {
  for (const index of files.ofKind((kind) => wanted.includes(formatOfKind(kind).holds))) {
    const file = files.file(index);
    const { holds } = formatOfKind(files.kinds[index]!);
    const ofStdin = (): FirstRecords | null => piped && firstRecordsIn(piped, file.format, params);
    yield { file, found: file.stdin ? ofStdin() : firstRecordsOf(file, params), holds };
  }
}

const holdRecords = (files: FileTable): boolean =>
  !files.ofKind((kind) => formatOfKind(kind).holds === 'records').next().done;

/** Whether any file is a text, or has texts in it. */
function holdTexts(files: FileTable): boolean {
  const isText = (kind: FileKind): boolean => ['text', 'texts'].includes(formatOfKind(kind).holds);
  return files.ofKind(isText).next().done !== true;
}

interface AskedField {
  readonly decides: LackedValues['decides'];
  readonly name: string;
}

/** The fields that options name, in the order of the options; a field may occur twice. */
function askedFieldsOf({ keep, sets }: Pick<ResultParams, 'keep' | 'sets'>): readonly AskedField[] {
  if (sets !== undefined) return [];
  return keep.field === null ? [] : [{ decides: 'keep', name: keep.field }];
}

/** The fields of the first records of the inputs. */
interface Met {
  /** The named fields that none of these records has. */
  readonly lacked: readonly string[];
  /** The first file with records, and the fields of these; null: no file holds records. */
  readonly first: Beginning | null;
}

/** Looks for every field. Null: only reading all records can tell. */
function firstMet(files: FileTable, params: ResultParams, piped: LinesHead | null): Met | null {
  const asked = { ...params, fields: fieldsRead(params) };
  let lacked = asked.fields;
  let first: Met['first'] = null;
  for (const { file, holds, found } of beginnings(files, ['records', 'either', 'texts'], asked, piped)) {
    if (found === null || holds === 'texts') return null;
    // A file that is a text after all, or that could not be read.
    if (found.seen === 'nothing' || (holds === 'either' && found.seen !== 'has')) continue;
    if (found.fields.length === 0) return null;
    first ??= { file, found };
    lacked = lacked.filter((name) => found.lackedFields.includes(name));
    if (lacked.length === 0) break;
  }
  return { lacked, first };
}

/** Before a run begins: a fault for every option that names a field which no first record has. */
export function unknownFields(files: FileTable, params: ResultParams): readonly Fault[] {
  const asked = askedFieldsOf(params);
  if (asked.length === 0 || files.length === 0) return [];
  const met = firstMet(files, params, null);
  if (met === null) return [];
  const { lacked, first } = met;
  return asked
    .filter(({ name }) => lacked.includes(name))
    .map((field) => ({
      code: 'FIELD_UNKNOWN',
      detail: `${optionText(field)}: ${first === null ? noRecordsText(files) : firstText(field, first)}`,
    }));
}

/**
 * After the first reading, refuses fields that no document has.
 *
 * @param input the files, for the message; null: documents in memory
 * @throws MinHashError FIELD_MISSING where documents were read and none has a named field
 */
export function refuseMissingFields(
  { documents, valuesMissing }: { readonly documents: number; readonly valuesMissing: MissingLookup },
  params: ResultParams,
  input: { readonly files: FileTable; readonly piped: LinesHead | null } | null,
): void {
  const asked = askedFieldsOf(params);
  if (asked.length === 0 || documents === 0) return;
  const missing = asked.filter(({ name }) => valuesMissing(name) === documents);
  if (missing.length === 0) return;
  const met = input === null ? null : firstMet(input.files, params, input.piped);
  const first = met?.first ?? null;
  throw new MinHashError(
    missing.map((field) => {
      const there = first === null ? '' : `; ${firstText(field, first)}`;
      const none = `none of ${counted(documents, 'document')} has a value in it`;
      return { code: 'FIELD_MISSING', detail: `${optionText(field)}: ${none}${there}` };
    }),
  );
}

/** The fields that options name and some documents lack, with the number of these documents. */
export function lackedValuesOf(
  { valuesMissing }: { readonly valuesMissing: MissingLookup },
  params: ResultParams,
): readonly LackedValues[] {
  return askedFieldsOf(params)
    .map(({ decides, name }) => ({ field: name, decides, documents: valuesMissing(name) }))
    .filter(({ documents }) => documents > 0);
}

const optionText = ({ name }: AskedField): string => `--keep ${shown(`field:${name}`)}`;

function noRecordsText(files: FileTable): string {
  const { length } = files;
  const more =
    length > 1 ? ` and ${counted(length - 1, 'more file')} are read as texts` : ' is read as a text';
  return (
    `no input holds records: ${named(files.id(0))}${more}; ` +
    `records are read from ${RECORD_NAMES.slice(0, -1).join(', ')} and ${RECORD_NAMES.at(-1)} files, or where --input says so`
  );
}

function firstText(field: AskedField, { file, found }: Beginning): string {
  return thereText(field, `the first records of ${named(file.id)} have the`, found.fields);
}

/** The text of the existing fields, and of the field that the user may have meant. */
function thereText({ name }: AskedField, begin: string, fields: readonly string[]): string {
  const near = fields.includes(name) ? null : nearestName(name, fields);
  const meant = near === null ? '' : `; did you mean ${shown(near)}?`;
  return `${begin} ${fieldsNamed(fields)}${meant}`;
}

const fieldsNamed = (fields: readonly string[]): string =>
  `${fields.length === 1 ? 'field' : 'fields'} ${shownNames(fields)}`;

/*
 * The text field.
 */

/** Before a run begins; null also where no file holds records and the field was not named. */
export function unknownTextField(files: FileTable, params: ResultParams): Fault | null {
  if (params.sets !== undefined || files.length === 0) return null;
  // A `.json` holds records where the field was named, so all files are texts.
  if (params.textFieldGiven && !holdRecords(files))
    return { code: 'TEXT_FIELD_UNKNOWN', detail: `${wish(params)}: ${noRecordsText(files)}` };
  return recordsWithout(files, params);
}

/** Null: a file has the field, or it cannot be known yet, as for standard input, or no file holds records. */
export function recordsWithout(files: FileTable, params: ResultParams): Fault | null {
  let first: Beginning | null = null;
  let without = 0;
  // Without a text among the inputs, files that may be either are records.
  const hasTexts = holdTexts(files);
  for (const { file, found } of beginnings(
    files,
    hasTexts ? ['records'] : ['records', 'either'],
    params,
    null,
  )) {
    if (found === null || found.seen === 'has' || found.seen === 'unclear') return null;
    if (found.seen === 'nothing') continue;
    first ??= { file, found };
    without++;
  }
  if (first === null || (hasTexts && hasRecordAmongTexts(files, params))) return null;
  const more = without > 1 ? `; ${counted(without - 1, 'more file')} of records without it` : '';
  const detail = `${wish(params)}: the first records of ${named(first.file.id)} have ${fieldsText(first, params)}${more}`;
  return { code: 'TEXT_FIELD_UNKNOWN', detail };
}

/** Whether a file that may be a text or hold records has the field: then it is read as records. */
function hasRecordAmongTexts(files: FileTable, params: ResultParams): boolean {
  for (const { found } of beginnings(files, ['either'], params, null)) if (found?.seen === 'has') return true;
  return false;
}

/** What a run has read, after the first reading. */
interface AllRead {
  readonly files: FileTable;
  /** Whether a document is surely a record. Null: there is no document, and some skipped places may belong to other files. */
  readonly hasRecord: (() => boolean) | null;
  /** How many places were skipped, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
  /** The first lines of standard input; null where nothing came on it. */
  readonly piped: LinesHead | null;
}

/** The fault where records were read and none had the field; else null. */
export function missingTextField(read: AllRead, params: ResultParams): Fault | null {
  const { files, skipped, piped, hasRecord } = read;
  const records = (skipped.JSON_NO_TEXT ?? 0) + (skipped.CSV_NO_TEXT ?? 0);
  // A record with a bad id has a text, and one that is too large may have one.
  if (records === 0 || (skipped.JSON_BAD_ID ?? 0) > 0 || (skipped.TOO_LARGE ?? 0) > 0) return null;
  if (hasRecord?.() || hasRecordAmongTexts(files, params)) return null;
  if (hasRecord === null && !holdRecords(files)) return null;
  for (const { file, found } of beginnings(files, ['records'], params, piped)) {
    if (found !== null && found.fields.length > 0)
      return missingIn(hasRecord && records, { file, found }, params);
  }
  return missingIn(hasRecord && records, null, params);
}

/** The fault where standard input had so many records, the first of them in `head`, and none had the field. */
export function missingOnStream(records: number, head: LinesHead, params: ResultParams): Fault {
  const found = firstRecordsIn(head, 'jsonl', params);
  const file = { id: '-', format: 'jsonl' } as const;
  return missingIn(records, found.fields.length === 0 ? null : { file, found }, params);
}

/** @param records null: it is not known how many there are */
function missingIn(records: number | null, lacking: Beginning | null, params: ResultParams): Fault {
  const none = records === null ? 'no record has it' : `none of ${counted(records, 'record')} has it`;
  const fields =
    lacking === null ? '' : `; those of ${named(lacking.file.id)} have ${fieldsText(lacking, params)}`;
  return { code: 'TEXT_FIELD_MISSING', detail: `${wish(params)}: ${none}${fields}` };
}

/** The number of files whose first records show which of several text fields they lack. */
const MOST_FILES = 100;

/**
 * Of several text fields those that none of the first records has, in their order: the run goes on without them and reports them. None
 * where a single name is given, because without it there were no result.
 *
 * @param piped the first lines of standard input
 */
export function lackedTextFields(
  files: FileTable,
  params: ResultParams,
  piped: LinesHead | null,
): readonly string[] {
  const names = textFieldsOf(params.textField).map(({ name }) => name);
  if (names.length === 1 || params.sets !== undefined) return [];
  let lacked = names;
  let looked = 0;
  for (const { found } of beginnings(files, ['records', 'either'], params, piped)) {
    if (found === null || found.fields.length === 0) continue;
    lacked = lacked.filter((name) => found.lacked.includes(name));
    if (++looked === MOST_FILES || lacked.length === 0) break;
  }
  return looked === 0 ? [] : lacked;
}

const named = (id: string): string => (id === '-' ? 'standard input' : JSON.stringify(textOf(id)));

function wish({ textField, textFieldGiven }: ResultParams): string {
  return textFieldGiven
    ? `--text-field ${shown(textField)}`
    : `--text-field ${shown(textField)} (the default)`;
}

/** The fields of the file, and those of them that may have been meant. */
function fieldsText({ file: { format }, found }: Beginning, params: ResultParams): string {
  const { fields, longest, held } = found;
  const wished = textFieldsOf(params.textField).map(({ name }) => name);
  if (fields.length === 0) return 'no field';
  const text = `the ${fieldsNamed(fields)}`;
  if (held) return `${text}, and ${held}, no strings, in ${wished.map(shown).join(', ')}`;
  const without = wished.filter((name) => fields.includes(name));
  if (without.length > 0) return `${text}, and no string in ${without.map(shown).join(', ')}`;
  const separator = format === 'csv' || format === 'tsv' ? separatorMeant(fields) : null;
  if (separator !== null) return `${text}; did you mean --separator ${separator}?`;
  const near = wished.map((name) => nearestName(name, fields)).find((name) => name !== null);
  if (near !== undefined) return `${text}; did you mean ${asTyped(near)}?`;
  return longest === null ? text : `${text}; the longest string is in ${shown(longest)}`;
}

/** A field in quotes; where --text-field would cut its name, as it has to be typed. */
function asTyped(field: string): string {
  if (!field.includes(',')) return shown(field);
  return `--text-field ${shellQuoted(field.replace(/[\\,]/g, '\\$&'))}`;
}

/** Separators as they are written for a shell. */
const SEPARATORS = [
  ['\t', 'tab'],
  [';', "';'"],
  ['|', "'|'"],
  [',', "','"],
] as const;

/** The separator between names that stand in the only field of a table; null: no usual one, or there are more fields. */
function separatorMeant([name = '', ...others]: readonly string[]): string | null {
  if (others.length > 0) return null;
  return SEPARATORS.find(([separator]) => name.includes(separator))?.[1] ?? null;
}
