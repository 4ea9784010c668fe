/**
 * Fields that an option refers to and no record has. If the first records of the files show it, this is a usage error
 * before the run; otherwise it ends the run after the first reading. The message lists the existing fields. If only
 * some records lack the field, they are skipped (text field) or counted (--keep).
 */

import { MinHashError, type Problem } from '../../errors.js';
import { nearestName } from '../../options/nearestName.js';
import { shellPath, shellQuoted } from '../../options/shellWord.js';
import type { ReadParams } from '../../readers/documentSink.js';
import {
  basketSeparator,
  type FirstRecords,
  fieldsOf,
  firstRecordsIn,
  firstRecordsOf,
  haveField,
  holdsJsonLines,
  textIn,
  type Wrapper,
  wrapperOf,
} from '../../readers/firstRecords.js';
import { fieldNamed, textFieldsOf } from '../../readers/formats/fields.js';
import { type JsonRecord, MOST_JSON } from '../../readers/formats/json/json.js';
import { type FileKind, type InputFile, STDIN } from '../../readers/list/fileList.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { type Format, formatOfKind, RECORD_NAMES } from '../../readers/list/formats.js';
import { textOf } from '../../readers/list/pathIds.js';
import { shown, shownNames } from '../../readers/setHeaders.js';
import type { LackedValues } from '../../result/manifest.js';
import { basketsText } from '../../result/warnings.js';
import { counted } from '../../result/wording/amounts.js';
import type { ResultParams } from '../../sketch/params.js';
import type { MissingLookup } from '../documentList.js';

/** A file, and its first records. */
interface Beginning {
  /** `command`: what reads standard input. */
  readonly file: Pick<InputFile, 'id' | 'format' | 'bytes'> & { readonly command?: 'filter' };
  readonly holds: Format['holds'];
  readonly records: readonly JsonRecord[];
}

/**
 * Yields the first records of each non-empty file of these kinds. `records`: null if they are not known.
 *
 * @param piped the first bytes of standard input; null: unknown
 */
function* beginnings(
  files: FileTable,
  wanted: readonly Format['holds'][],
  params: ReadParams,
  piped: Uint8Array | null,
): Generator<Omit<Beginning, 'records'> & { readonly records: FirstRecords }> {
  for (const index of files.ofKind((kind) => wanted.includes(formatOfKind(kind).holds))) {
    const file = files.file(index);
    const ofStdin = (): FirstRecords => piped && firstRecordsIn(piped, file.format, params, true);
    const records = file.stdin ? ofStdin() : firstRecordsOf(file, params);
    if (records?.length !== 0) yield { file, holds: formatOfKind(files.kinds[index]!).holds, records };
  }
}

const holdRecords = (files: FileTable): boolean =>
  !files.ofKind((kind) => formatOfKind(kind).holds === 'records').next().done;

/** Whether any file is a text or contains texts. */
function holdTexts(files: FileTable): boolean {
  const isText = (kind: FileKind): boolean => ['text', 'texts'].includes(formatOfKind(kind).holds);
  return files.ofKind(isText).next().done !== true;
}

/** The field of --keep; null: its value is not a field. */
const keptField = ({ keep, sets }: Pick<ResultParams, 'keep' | 'sets'>): string | null =>
  sets === undefined ? keep.field : null;

/** The first file with records; null if there is none, or `known` if a record may have the field of --keep. */
function firstWithout(
  files: FileTable,
  params: ResultParams,
  field: string,
  piped: Uint8Array | null,
): Beginning | null | 'known' {
  let first: Beginning | null = null;
  for (const { records, ...file } of beginnings(files, ['records', 'either', 'texts'], params, piped)) {
    if (records === null || file.holds === 'texts' || haveField(records, fieldNamed(field))) return 'known';
    // A file that turns out to be a text.
    if (file.holds === 'either' && textIn(records, params.textField) !== 'text') continue;
    first ??= { ...file, records };
  }
  return first;
}

/** Before a run: the problem of a --keep with a field that no first record has; otherwise null. */
export function unknownField(files: FileTable, params: ResultParams): Problem | null {
  const field = keptField(params);
  const first = field === null || files.length === 0 ? 'known' : firstWithout(files, params, field, null);
  if (first === 'known') return null;
  const detail = first === null ? noRecordsText(files) : firstText(field!, first);
  return { code: 'FIELD_UNKNOWN', detail: `${optionText(field!)}: ${detail}` };
}

/**
 * After the first reading, rejects a field that no document has.
 *
 * @param input the files, for the message; null: documents in memory
 * @throws MinHashError FIELD_MISSING if documents were read and none has the field of --keep
 */
export function refuseMissingFields(
  { documents, valuesMissing }: { readonly documents: number; readonly valuesMissing: MissingLookup },
  params: ResultParams,
  input: { readonly files: FileTable; readonly piped: Uint8Array | null } | null,
): void {
  const field = keptField(params);
  if (field === null || documents === 0 || valuesMissing(field) < documents) return;
  let there = '';
  for (const { records, ...file } of input ? beginnings(input.files, ['records'], params, input.piped) : []) {
    if (records === null) continue;
    there = `; ${firstText(field, { ...file, records })}`;
    break;
  }
  const countText = `none of ${counted(documents, 'document')} has a value in it`;
  throw new MinHashError({ code: 'FIELD_MISSING', detail: `${optionText(field)}: ${countText}${there}` });
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

function noRecordsText(files: FileTable): string {
  const { length } = files;
  const more =
    length > 1 ? ` and ${counted(length - 1, 'more file')} are read as texts` : ' is read as a text';
  return (
    `no input holds records: ${inputName(files.id(0))}${more}; ` +
    `records are read from ${RECORD_NAMES.slice(0, -1).join(', ')} and ${RECORD_NAMES.at(-1)} files, or with --input`
  );
}

/** The existing fields, and the one that the user may have meant. */
function firstText(field: string, { file, records }: Beginning): string {
  const { fields } = fieldsOf(records);
  const near = fields.includes(field) ? null : nearestName(field, fields);
  const meant = near === null ? '' : `; did you mean ${shown(near)}?`;
  return `the first records of ${inputName(file.id)} have the ${fieldsNamed(fields)}${meant}`;
}

const fieldsNamed = (fields: readonly string[]): string =>
  `${fields.length === 1 ? 'field' : 'fields'} ${shownNames(fields)}`;

/*
 * The text field.
 */

/** Before a run; null also if no file holds records and the option is not set. */
export function unknownTextField(files: FileTable, params: ResultParams): Problem | null {
  if (params.sets !== undefined || files.length === 0) return null;
  // With the option set, a `.json` holds records, so here all files are texts.
  if (params.textFieldGiven && !holdRecords(files))
    return { code: 'TEXT_FIELD_UNKNOWN', detail: `${optionOfText(params)}: ${noRecordsText(files)}` };
  return recordsWithout(files, params);
}

/** Null: a file has the field, or this is not known yet (standard input), or no file holds records. */
export function recordsWithout(files: FileTable, params: ResultParams): Problem | null {
  let first: Beginning | null = null;
  let without = 0;
  // Without a text among the inputs, files that may be either are records.
  const hasTexts = holdTexts(files);
  const wanted = hasTexts ? (['records'] as const) : (['records', 'either'] as const);
  for (const { records, ...file } of beginnings(files, wanted, params, null)) {
    if (records === null || !isWithout(records, file.file, params)) return null;
    first ??= { ...file, records };
    without++;
  }
  if (first === null || (hasTexts && hasRecordAmongTexts(files, params))) return null;
  const more = without > 1 ? `; ${counted(without - 1, 'more file')} of records without it` : '';
  const detail = `${optionOfText(params)}: the first records of ${inputName(first.file.id)} have ${fieldsText(first, params)}${more}`;
  return { code: 'TEXT_FIELD_UNKNOWN', detail };
}

/** Whether records show that a file has no text. In Parquet the column type is known. */
function isWithout(
  records: readonly JsonRecord[],
  { format }: Pick<InputFile, 'format'>,
  { textField }: ReadParams,
): boolean {
  const state = textIn(records, textField);
  return state === 'none' || (state === 'other' && format === 'parquet');
}

/** Whether a file that may be a text or hold records has the field. If so, it is read as records. */
function hasRecordAmongTexts(files: FileTable, params: ResultParams): boolean {
  for (const { records } of beginnings(files, ['either'], params, null))
    if (records !== null && textIn(records, params.textField) === 'text') return true;
  return false;
}

/** What a run has read, after the first reading. */
interface AllRead {
  readonly files: FileTable;
  /**
   * Whether a document is certainly a record. Null: there is no document, and some skipped locations may belong to
   * other files.
   */
  readonly hasRecord: (() => boolean) | null;
  /** Skipped locations by reason. */
  readonly skipped: Readonly<Record<string, number>>;
  /** The first bytes of standard input; null if nothing came on it. */
  readonly piped: Uint8Array | null;
}

/** The problem if records were read and none had the field; otherwise null. */
export function missingTextField(read: AllRead, params: ResultParams): Problem | null {
  const { files, skipped, piped, hasRecord } = read;
  const records = (skipped.JSON_NO_TEXT ?? 0) + (skipped.CSV_NO_TEXT ?? 0);
  // A record that is too large may have a text.
  if (records === 0 || (skipped.TOO_LARGE ?? 0) > 0) return null;
  if (hasRecord?.() || hasRecordAmongTexts(files, params)) return null;
  if (hasRecord === null && !holdRecords(files)) return null;
  for (const { records: first, ...file } of beginnings(files, ['records'], params, piped))
    if (first !== null) return missingIn(hasRecord && records, { ...file, records: first }, params);
  return missingIn(hasRecord && records, null, params);
}

/** The problem if standard input, which begins with `head`, had this many records and none had the field. */
export function missingOnStream(records: number, head: Uint8Array, params: ResultParams): Problem {
  const firstRecords = firstRecordsIn(head, 'jsonl', params, true) ?? [];
  const file = { id: '-', format: 'jsonl', bytes: 0, command: 'filter' } as const;
  const lacking = { file, holds: 'records', records: firstRecords } as const;
  const remedy = 'name a field of the records with --text-field';
  return { ...missingIn(records, firstRecords.length === 0 ? null : lacking, params), remedy };
}

/** @param records null: their number is not known */
function missingIn(records: number | null, lacking: Beginning | null, params: ResultParams): Problem {
  const countText = records === null ? 'no record has it' : `none of ${counted(records, 'record')} has it`;
  const fields =
    lacking === null ? '' : `; those of ${inputName(lacking.file.id)} have ${fieldsText(lacking, params)}`;
  return { code: 'TEXT_FIELD_MISSING', detail: `${optionOfText(params)}: ${countText}${fields}` };
}

/** The number of files whose first records are checked for the text fields that they lack. */
const MOST_FILES = 100;

/**
 * Warnings about the inputs of a run: text fields, of several, that no first record has; records in the only record of all inputs; lines
 * of sets that are baskets.
 *
 * @param piped the first bytes of standard input
 */
export function inputNotes(
  files: FileTable,
  params: ResultParams,
  piped: Uint8Array | null,
): readonly string[] {
  if (params.sets !== undefined) {
    if (params.sets.named || files.length === 0 || (files.kinds[0]! & STDIN) !== 0) return [];
    const separator = basketSeparator(files.file(0), params);
    return separator === null ? [] : [basketsText(separator, shellPath(textOf(files.source(0))))];
  }
  return [
    ...lackedTextFields(files, params, piped),
    ...wrapperNotes(files, params),
    ...quotedNotes(files, params),
    ...linesNotes(files, params),
  ];
}

/** Files whose first lines are looked at. */
const MOST_LOOKED = 32;

/** Texts that are JSON lines by their content, but not by their names. */
function linesNotes(files: FileTable, params: ResultParams): readonly string[] {
  if (params.input !== 'auto') return [];
  const texts = [...files.ofKind((kind) => formatOfKind(kind).name === 'text' && (kind & STDIN) === 0)];
  const step = Math.ceil(texts.length / MOST_LOOKED);
  const found = texts.filter((index, i) => i % step === 0 && holdsJsonLines(files.file(index), params));
  if (found.length === 0) return [];
  const more = found.length === 1 ? ' holds' : ` and ${counted(found.length - 1, 'more text')} hold`;
  return [
    `${inputName(files.id(found[0]!))}${more} JSON lines, but each file is compared as one text: --input jsonl reads one document per line ` +
      "(with --include '*.ENDING' if there are other files).",
  ];
}

const QUOTED = /^".*"$/s;

/** TSV with a column in which all values are in quotes. */
function quotedNotes(files: FileTable, params: ResultParams): readonly string[] {
  if (params.quote !== null) return [];
  let looked = 0;
  for (const { file, records } of beginnings(files, ['records'], params, null)) {
    if (records === null || file.format !== 'tsv') continue;
    const columns = Object.keys(records[0] ?? {}).map((name) =>
      records.map((record) => record[name]).filter((value) => value !== ''),
    );
    const areQuoted = columns.some(
      (values) =>
        values.length > 0 && values.every((value) => typeof value === 'string' && QUOTED.test(value)),
    );
    if (areQuoted)
      return [
        `Fields of ${inputName(file.id)} begin and end with a quote, which is a part of them in TSV: --quote '"' removes it.`,
      ];
    if (++looked === MOST_LOOKED) break;
  }
  return [];
}

/** Empty if the option has a single field, because then there would be no result. */
function lackedTextFields(
  files: FileTable,
  params: ResultParams,
  piped: Uint8Array | null,
): readonly string[] {
  let lacked = textFieldsOf(params.textField);
  if (lacked.length === 1) return [];
  let looked = 0;
  for (const { records } of beginnings(files, ['records', 'either'], params, piped)) {
    if (records === null) continue;
    lacked = lacked.filter((path) => !haveField(records, path));
    if (++looked === MOST_FILES || lacked.length === 0) break;
  }
  if (looked === 0) return [];
  return lacked.map(
    ({ name }) => `None of the first records has the field ${JSON.stringify(name)} of --text-field.`,
  );
}

function wrapperNotes(files: FileTable, params: ResultParams): readonly string[] {
  if (params.records !== undefined || files.length !== 1) return [];
  for (const { file, records } of beginnings(files, ['records', 'either'], params, null)) {
    const wrapper = records === null || !isJson(file) ? null : wrapperOf(records);
    if (
      wrapper !== null &&
      wrapper.records.length > 1 &&
      textIn(wrapper.records, params.textField) === 'text'
    ) {
      const ways = unwrappingText(wrapper, file, params.textField);
      return [
        `${inputName(file.id)} is compared as one document, by its own text, without its ${wrapper.records.length} records: ${ways}.`,
      ];
    }
    const inner = textFieldsOf(params.textField).find(({ name }) => name.startsWith(`${wrapper?.path}.`));
    if (wrapper === null || inner === undefined || wrapper.records.length < 2) continue;
    const ways = unwrappingText(wrapper, file, inner.name.slice(wrapper.path.length + 1));
    return [
      `All of ${inputName(file.id)} is one record, so its ${wrapper.records.length} texts are compared as one document: ${ways}.`,
    ];
  }
  return [];
}

const isJson = ({ format }: Pick<InputFile, 'format'>): boolean =>
  ['json', 'json-or-text', 'jsonl'].includes(format);

const inputName = (id: string): string => (id === '-' ? 'standard input' : JSON.stringify(textOf(id)));

function optionOfText({ textField, textFieldGiven }: ResultParams): string {
  return textFieldGiven
    ? `--text-field ${shown(textField)}`
    : `--text-field ${shown(textField)} (the default)`;
}

/** Longer fields of a first line are values, not names. */
const LONGEST_NAME = 60;

/** The fields of the file, and those that the user may have meant. */
function fieldsText({ file, records }: Beginning, params: ResultParams): string {
  const { format } = file;
  const { fields, longest } = fieldsOf(records);
  const wrapper = isJson(file) ? wrapperOf(records) : null;
  if (wrapper !== null) {
    const hasText = textIn(wrapper.records, params.textField) === 'text';
    const text = hasText ? params.textField : fieldsOf(wrapper.records).longest;
    return `the ${fieldsNamed(fields)}; ${unwrappingText(wrapper, file, text)}`;
  }
  const wished = textFieldsOf(params.textField).map(({ name }) => name);
  if (fields.length === 0) return 'no field';
  const text = `the ${fieldsNamed(fields)}`;
  const without = wished.filter((name) => fields.includes(name));
  if (without.length > 0) return `${text}, and no string in ${without.map(shown).join(', ')}`;
  const isTable = format === 'csv' || format === 'tsv';
  if (isTable && fields.every((name) => QUOTED.test(name))) return `${text}; did you mean --quote '"'?`;
  const separator = isTable ? separatorMeant(fields) : null;
  if (separator !== null) return `${text}; did you mean --separator ${separator}?`;
  if (isTable && fields.some((name) => /^\d+$/.test(name) || name.length > LONGEST_NAME))
    return `${text}; is it a table without a header? --text-field 2 is its second column`;
  const near = wished.map((name) => nearestName(name, fields)).find((name) => name !== null);
  if (near !== undefined) return `${text}; did you mean ${asTyped(near)}?`;
  return longest === null ? text : `${text}; the longest string is in ${asTyped(longest)}`;
}

/** How to compare the records within one record. `field`: the one with their texts; null: it is not known. */
function unwrappingText(
  { path }: Wrapper,
  { id, bytes, command }: Beginning['file'],
  field: string | null,
): string {
  const typed = field === null || field === 'text' ? '' : ` ${asTyped(field)}`;
  const each = `the records in ${shown(path)} are compared one by one`;
  if (id !== '-' && bytes <= MOST_JSON) return `${each} with --records ${shellQuoted(path)}${typed}`;
  const steps = path
    .split('.')
    .map((name) => (/^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`));
  const query = shellQuoted(`${steps[0]!.startsWith('[') ? '.' : ''}${steps.join('')}[]`);
  if (id === '-')
    return `${each} as JSON lines: jq -c ${query} FILE | mr-minhash ${command ?? 'run -'}${typed}`;
  const file = textOf(id);
  const lines = file.replace(/(\.jsonl?)?$/, '-records.jsonl');
  return `${each} as JSON lines${typed === '' ? '' : ` with${typed}`}: jq -c ${query} ${shellQuoted(file)} > ${shellQuoted(lines)}`;
}

/** The option that names a field, as it has to be typed. */
function asTyped(field: string): string {
  return `--text-field ${shellQuoted(field.includes(',') ? field.replace(/[\\,]/g, '\\$&') : field)}`;
}

/** Separators as they are typed in a shell. */
const SEPARATORS = [
  ['\t', 'tab'],
  [';', "';'"],
  ['|', "'|'"],
  [',', "','"],
] as const;

/** The separator between names in the only field of a table; null: not a usual separator, or there are more fields. */
function separatorMeant([name = '', ...others]: readonly string[]): string | null {
  if (others.length > 0) return null;
  return SEPARATORS.find(([separator]) => name.includes(separator))?.[1] ?? null;
}
