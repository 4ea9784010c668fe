/**
 * A text field that no record has: wrong use where the first records of every file show it, and the end of a run that only
 * then knows it; told with the fields that are there instead.
 *
 * Floor 4. Where some records have it, the others are skipped one by one.
 */
import type { Fault } from '../errors.js';
import { nearestName } from '../options/nearestName.js';
import { counted } from '../promiseText.js';
import type { ResultParams } from '../sketch/params.js';
import type { FileTable, InputFile } from '../storage/fileTable.js';
import {
  type FirstRecords,
  firstRecordsIn,
  firstRecordsOf,
  type LinesHead,
} from '../storage/firstRecords.js';
import { formatOfKind, type InputFormat } from '../storage/formats.js';
import { textOf } from '../storage/ids.js';
import type { ColumnTable } from './corpus.js';
import { MOST_SHOWN, shown } from './missingColumns.js';

/** A file whose records lack the field. */
interface Lacking extends Pick<FirstRecords, 'fields' | 'longest'> {
  /** Binary string. */
  readonly id: string;
}

/** Files that hold records and nothing else; a `json-or-text` without the text field is a text. */
const RECORDS: readonly InputFormat[] = ['jsonl', 'json'];

function* filesOf(files: FileTable, formats: readonly InputFormat[]): Generator<InputFile> {
  for (let index = 0; index < files.length; index++) {
    if (formats.includes(formatOfKind(files.kinds[index]!))) yield files.file(index);
  }
}

/**
 * Looks at the first records before a run begins, in file after file until one has the field. Null: one has, or it cannot be
 * told yet, as of standard input; or nothing holds records, and nobody named their field.
 */
export function unknownTextField(files: FileTable, params: ResultParams): Fault | null {
  if (params.sets !== undefined || files.length === 0) return null;
  let first: Lacking | null = null;
  let records = 0;
  let without = 0;
  for (const file of filesOf(files, RECORDS)) {
    records++;
    const found = file.stdin ? null : firstRecordsOf(file, params);
    if (found === null || found.seen === 'has' || found.seen === 'unclear') return null;
    if (found.seen === 'nothing') continue;
    first ??= { id: file.id, ...found };
    without++;
  }
  if (records === 0) return params.textFieldGiven ? onlyTexts(files, params) : null;
  if (first === null || hasRecordAmongTexts(files, params)) return null;
  const more = without > 1 ? `; ${counted(without - 1, 'more file')} of records without it` : '';
  const detail = `${wish(params)}: the first records of ${named(first.id)} have ${fieldsText(first, params)}${more}`;
  return { code: 'TEXT_FIELD_UNKNOWN', detail };
}

/** Whether any file that may be a text or hold records has the field: then it is read as records. */
function hasRecordAmongTexts(files: FileTable, params: ResultParams): boolean {
  for (const file of filesOf(files, ['json-or-text'])) {
    if (firstRecordsOf(file, params).seen === 'has') return true;
  }
  return false;
}

/** Where the field was named, a `.json` holds records: so these are texts. */
function onlyTexts(files: FileTable, params: ResultParams): Fault {
  const { length } = files;
  const more = length > 1 ? ` and ${counted(length - 1, 'more file')}` : '';
  const [are, texts] = length > 1 ? ['are', 'texts'] : ['is', 'a text'];
  const detail =
    `${wish(params)}: no input holds records: ${named(files.id(0))}${more} ${are} read as ${texts}; ` +
    'records are read from .jsonl, .ndjson and .json files, or where --input says so';
  return { code: 'TEXT_FIELD_UNKNOWN', detail };
}

/** What a run has met when all is read. */
export interface AllRead {
  readonly files: FileTable;
  /** Documents and skipped ones of equal ids, by column block. */
  readonly tables: readonly Pick<ColumnTable, 'columns'>[];
  /** How many places were skipped, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
  /** The first lines of standard input; null where nothing came on it. */
  readonly piped: LinesHead | null;
}

/** Where records were read and none had the field; else null. */
export function missingTextField(read: AllRead, params: ResultParams): Fault | null {
  const { files, tables, skipped, piped } = read;
  const records = skipped.JSON_NO_TEXT ?? 0;
  // A record with a bad id has a text, and one that is too large may have one.
  if (records === 0 || (skipped.JSON_BAD_ID ?? 0) > 0 || (skipped.TOO_LARGE ?? 0) > 0) return null;
  if (
    tables.some(({ columns }) => columns.file.some((file, i) => isRecord(files, file, columns.record[i]!)))
  ) {
    return null;
  }
  if (hasRecordAmongTexts(files, params)) return null;
  const lacking = firstLacking(files, piped, params);
  const none = `none of ${counted(records, 'record')} has it`;
  const fields =
    lacking === null ? '' : `; those of ${named(lacking.id)} have ${fieldsText(lacking, params)}`;
  return { code: 'TEXT_FIELD_MISSING', detail: `${wish(params)}: ${none}${fields}` };
}

/** Whether a document is surely a record: of a whole file that may be either it is not known. */
function isRecord(files: FileTable, file: number, record: number): boolean {
  const format = formatOfKind(files.kinds[file]!);
  return RECORDS.includes(format) || (format === 'json-or-text' && record >= 0);
}

function firstLacking(files: FileTable, piped: LinesHead | null, params: ResultParams): Lacking | null {
  for (const file of filesOf(files, RECORDS)) {
    const head = file.stdin ? piped && firstRecordsIn(piped, params) : firstRecordsOf(file, params);
    if (head !== null && head.fields.length > 0) return { id: file.id, ...head };
  }
  return null;
}

const named = (id: string): string => (id === '-' ? 'standard input' : JSON.stringify(textOf(id)));

function wish({ textField, textFieldGiven }: ResultParams): string {
  return textFieldGiven
    ? `--text-field ${shown(textField)}`
    : `--text-field ${shown(textField)} (the default)`;
}

/** The fields that are there, and which of them may have been meant. */
function fieldsText({ fields, longest }: Pick<Lacking, 'fields' | 'longest'>, params: ResultParams): string {
  const { textField } = params;
  if (fields.length === 0) return 'no field';
  const seen = fields.slice(0, MOST_SHOWN).map(shown).join(', ');
  const rest = fields.length > MOST_SHOWN ? ` and ${fields.length - MOST_SHOWN} more` : '';
  const text = `the ${fields.length === 1 ? 'field' : 'fields'} ${seen}${rest}`;
  if (fields.includes(textField)) return `${text}, and no string in ${shown(textField)}`;
  const near = nearestName(textField, fields);
  if (near !== null) return `${text}; did you mean ${shown(near)}?`;
  return longest === null ? text : `${text}; the longest string is in ${shown(longest)}`;
}
