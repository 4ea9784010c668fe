/**
 * Fields that an option names and no record has. If the first records of the files show it, this is a usage error before the run;
 * otherwise it ends the run after the first reading. The message lists the existing fields. If only some records lack the field, they are
 * skipped (text field) or counted (--keep).
 */

import type { Problem } from '../../errors.js';
import { nearestName } from '../../options/nearestName.js';
import { shellQuoted } from '../../options/shellWord.js';
import {
  type FirstRecords,
  fieldsOf,
  firstRecordsIn,
  firstRecordsOf,
  haveField,
  textIn,
  type Wrapper,
  wrapperOf,
} from '../../readers/firstRecords.js';
import { fieldNamed, textFieldsOf } from '../../readers/formats/fields.js';
import { type JsonRecord, MOST_JSON } from '../../readers/formats/json/json.js';
import type { InputFile } from '../../readers/list/fileList.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { type Format, formatNamed, formatOfKind, RECORD_NAMES } from '../../readers/list/formats.js';
import { textOf } from '../../readers/list/pathIds.js';
import { shown, shownNames } from '../../readers/setHeaders.js';
import type { LackedValues } from '../../result/manifest.js';
import { counted } from '../../result/wording/amounts.js';
import type { ResultParams } from '../../sketch/params.js';
import type { MissingLookup } from '../documentList.js';

/** The properties of a file that messages need. */
type RecordFile = Pick<InputFile, 'id' | 'format' | 'bytes'>;

/** A file, and its first records. */
interface Beginning {
  readonly file: RecordFile;
  readonly records: readonly JsonRecord[];
}

/** The files of a run, or those of one side of a reference. */
export interface Side {
  readonly files: FileTable;
  readonly isReference: boolean;
  /** The beginning of messages. */
  readonly name: string;
}

export function sidesOf(files: FileTable): readonly Side[] {
  if (!files.hasReference) return [{ files, isReference: false, name: '' }];
  return [
    { files: files.ofSide(false), isReference: false, name: 'the new documents: ' },
    { files: files.ofSide(true), isReference: true, name: '--against: ' },
  ];
}

/**
 * Yields the first records of each non-empty file of these kinds. `records`: null if they are not known.
 *
 * @param piped the first bytes of standard input; null: unknown
 */
export function* beginnings(
  files: FileTable,
  wanted: readonly Format['holds'][],
  params: ResultParams,
  piped: Uint8Array | null,
): Generator<{ readonly file: InputFile; readonly records: FirstRecords }> {
  for (const index of files.ofKind((kind) => wanted.includes(formatOfKind(kind).holds))) {
    const file = files.file(index);
    const ofStdin = (): FirstRecords => piped && firstRecordsIn(piped, file.format, params, true);
    const records = file.stdin ? ofStdin() : firstRecordsOf(file, params);
    if (records?.length !== 0) yield { file, records };
  }
}

/** Whether any file holds one of these. */
export const anyHolds = (files: FileTable, ...wanted: readonly Format['holds'][]): boolean =>
  files.ofKind((kind) => wanted.includes(formatOfKind(kind).holds)).next().done !== true;

/** The field of --keep; null: its value is not a field. */
const keptField = ({ keep, sets }: Pick<ResultParams, 'keep' | 'sets'>): string | null =>
  sets === undefined ? keep.field : null;

/** Before a run: the problem of a --keep with a field that no first record has; otherwise null. */
export function unknownField(files: FileTable, params: ResultParams): Problem | null {
  const field = keptField(params);
  if (field === null || files.length === 0) return null;
  let first: Beginning | null = null;
  for (const { file, records } of beginnings(files, ['records', 'either', 'texts'], params, null)) {
    const { holds } = formatNamed(file.format);
    if (records === null || holds === 'texts' || haveField(records, fieldNamed(field))) return null;
    const isText = holds === 'either' && textIn(records, params.textField) !== 'text';
    if (!isText) first ??= { file, records };
  }
  const detail = first === null ? noRecordsText(files) : nearText(field, first);
  return { code: 'FIELD_UNKNOWN', detail: `${optionText(field)}: ${detail}` };
}

/** The field of --keep that some documents lack, with the number of these documents. */
export function lackedValuesOf(
  { valuesMissing }: { readonly valuesMissing: MissingLookup },
  params: ResultParams,
): readonly LackedValues[] {
  const field = keptField(params);
  const documents = field === null ? 0 : valuesMissing(field);
  return field === null || documents === 0 ? [] : [{ field, decides: 'keep', documents }];
}

const optionText = (field: string): string => `--keep ${shown(`field:${field}`)}`;

/** The existing fields, and the one that is nearest to a field. */
function nearText(field: string, { file, records }: Beginning): string {
  const { fields } = fieldsOf(records);
  const near = fields.includes(field) ? null : nearestName(field, fields);
  const meant = near === null ? '' : `; did you mean ${shown(near)}?`;
  return `the first records of ${inputName(file.id)} have ${fieldsNamed(fields)}${meant}`;
}

function firstBeginning(files: FileTable, params: ResultParams, piped: Uint8Array | null): Beginning | null {
  for (const { file, records } of beginnings(files, ['records'], params, piped))
    if (records !== null) return { file, records };
  return null;
}

function noRecordsText(files: FileTable): string {
  const { length } = files;
  const more =
    length > 1 ? ` and ${counted(length - 1, 'more file')} are read as texts` : ' is read as a text';
  return (
    `no input holds records: ${inputName(files.id(0))}${more}; ` +
    `records are read from ${RECORD_NAMES.slice(0, -1).join(', ')} and ${RECORD_NAMES.at(-1)} files, or with --input`
  );
}

/** Before a run: why no file can have the text field, for each side of a reference. */
export function unknownTextFields(files: FileTable, params: ResultParams): readonly Problem[] {
  if (params.sets !== undefined || files.length === 0) return [];
  const problem = (detail: string): Problem => ({ code: 'TEXT_FIELD_UNKNOWN', detail });
  // If an option names the field, a `.json` holds records.
  if (params.textFieldGiven && !anyHolds(files, 'records'))
    return [problem(`${optionOfText(params)}: ${noRecordsText(files)}`)];
  return sidesOf(files).flatMap((side) => {
    const detail = recordsWithout(side.files, params);
    return detail === null ? [] : [problem(`${side.name}${optionOfText(params)}: ${detail}`)];
  });
}

/** Null: a file has the field, or this is not known yet, or no file holds records. */
function recordsWithout(files: FileTable, params: ResultParams): string | null {
  let first: Beginning | null = null;
  let without = 0;
  // Without a text among the inputs, files that may be either are records.
  const wanted = anyHolds(files, 'text', 'texts') ? (['records'] as const) : (['records', 'either'] as const);
  for (const { file, records } of beginnings(files, wanted, params, null)) {
    const state = records === null ? 'text' : textIn(records, params.textField);
    // The type of a column of Parquet is known; other records may have a text later.
    if (state === 'text' || (state === 'other' && file.format !== 'parquet')) return null;
    first ??= { file, records: records! };
    without++;
  }
  if (first === null) return null;
  const more = without > 1 ? `; ${counted(without - 1, 'more file')} of records without it` : '';
  return `the first records of ${inputName(first.file.id)} have ${fieldsText(first, params)}${more}`;
}

/** After the first reading, of which no record has the text field. @param piped the first bytes of standard input */
export function missingTextField(files: FileTable, params: ResultParams, piped: Uint8Array | null): Problem {
  return missingIn(firstBeginning(files, params, piped), params);
}

/** The problem if standard input of `filter`, which begins with `head`, has records and none has the text field. */
export function missingOnStream(head: Uint8Array, params: ResultParams): Problem {
  const records = firstRecordsIn(head, 'jsonl', params, true) ?? [];
  const first =
    records.length === 0 ? null : { file: { id: '-', format: 'jsonl', bytes: 0 } as const, records };
  return { ...missingIn(first, params), remedy: 'name a field of the records with --text-field' };
}

function missingIn(first: Beginning | null, params: ResultParams): Problem {
  const fields =
    first === null ? '' : `; those of ${inputName(first.file.id)} have ${fieldsText(first, params)}`;
  return { code: 'TEXT_FIELD_MISSING', detail: `${optionOfText(params)}: no record has it${fields}` };
}

const isJson = ({ format }: RecordFile): boolean => ['json', 'json-or-text', 'jsonl'].includes(format);

/** The records within the only record of a file; null: there are none. */
export const recordsWithin = ({ file, records }: Beginning): Wrapper | null =>
  isJson(file) ? wrapperOf(records) : null;

export const inputName = (id: string): string => (id === '-' ? 'standard input' : JSON.stringify(textOf(id)));

const fieldsNamed = (fields: readonly string[]): string =>
  `the ${fields.length === 1 ? 'field' : 'fields'} ${shownNames(fields)}`;

function optionOfText({ textField, textFieldGiven }: ResultParams): string {
  return `--text-field ${shown(textField)}${textFieldGiven ? '' : ' (the default)'}`;
}

/** The fields of a file, and those that the user may have meant. */
function fieldsText(beginning: Beginning, params: ResultParams): string {
  const { fields } = fieldsOf(beginning.records);
  if (fields.length > 0) return fieldsNamed(fields) + hintText(beginning, params);
  return "no field, because they are not objects: jq -c '.[] | {text: .}' FILE makes JSON lines of strings";
}

/** Longer fields of a first line are values, not names. */
const LONGEST_NAME = 60;
export const QUOTED = /^".*"$/s;

/** The most likely reason why records lack the text field, after the list of their fields. */
function hintText(beginning: Beginning, params: ResultParams): string {
  const { file, records } = beginning;
  const { fields, longest } = fieldsOf(records);
  const within = recordsWithin(beginning);
  if (within !== null) {
    const hasText = textIn(within.records, params.textField) === 'text';
    return `; ${withinText(within, file, hasText ? params.textField : fieldsOf(within.records).longest)}`;
  }
  const typed = textFieldsOf(params.textField).map(({ name }) => name);
  const empty = typed.filter((name) => fields.includes(name));
  if (empty.length > 0) return `, and no string in ${empty.map(shown).join(', ')}`;
  if (file.format === 'csv' || file.format === 'tsv') {
    if (fields.every((name) => QUOTED.test(name))) return `; did you mean --quote '"'?`;
    const separator = fields.length > 1 ? undefined : SEPARATORS.find(([mark]) => fields[0]!.includes(mark));
    if (separator !== undefined) return `; did you mean --separator ${separator[1]}?`;
    if (fields.some((name) => /^\d+$/.test(name) || name.length > LONGEST_NAME))
      return '; is it a table without a header? --text-field 2 is its second column';
  }
  const near = typed.map((name) => nearestName(name, fields)).find((name) => name !== null);
  if (near !== undefined) return `; did you mean ${asTyped(near)}?`;
  return longest === null ? '' : `; the longest string is in ${asTyped(longest)}`;
}

/** Separators, and how they are typed in a shell. */
const SEPARATORS = [
  ['\t', 'tab'],
  [';', "';'"],
  ['|', "'|'"],
  [',', "','"],
] as const;

/** How to compare the records within one record. `field`: the one with their texts; null: unknown. */
export function withinText({ path }: Wrapper, { id, bytes }: RecordFile, field: string | null): string {
  const typed = field === null || field === 'text' ? '' : ` ${asTyped(field)}`;
  const steps = path.split('.').map((name) => `[${JSON.stringify(name)}]`);
  const way =
    id === '-' || bytes > MOST_JSON
      ? `jq -c ${shellQuoted(`.${steps.join('')}[]`)}, as JSON lines`
      : `--records ${shellQuoted(path)}`;
  return `the records in ${shown(path)} are compared one by one with ${way}${typed}`;
}

/** The option that names a field, as it has to be typed. */
function asTyped(field: string): string {
  return `--text-field ${shellQuoted(field.includes(',') ? field.replace(/[\\,]/g, '\\$&') : field)}`;
}
