/**
 * Runs that read nothing: they fail, and replace no result.
 *
 * A document without text counts as read: a corpus of empty files has a result, which counts them. With a
 * reference, the reference and the new documents are two corpora: a run that reads nothing of one of them compares nothing.
 */

import { type ErrorCode, type Fault, MinHashError } from '../../errors.js';
import { nearestName } from '../../options/nearestName.js';
import { shellQuoted } from '../../options/shellWord.js';
import { counted } from '../../output/wording/amounts.js';
import { listed, nothingReadText } from '../../output/wording/wording.js';
import { MOST_SHOWN, shown } from '../../readers/ahead/columns.js';
import {
  type FirstRecords,
  firstRecordsIn,
  firstRecordsOf,
  type LinesHead,
} from '../../readers/ahead/firstRecords.js';
import { textFieldsOf } from '../../readers/formats/fields.js';
import type { InputFile } from '../../readers/list/fileList.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { type Format, formatOfKind, RECORD_NAMES } from '../../readers/list/formats.js';
import type { Inputs, LeftOut } from '../../readers/list/inputs.js';
import { binaryOf, textOf } from '../../readers/list/pathIds.js';
import type { InputFormat } from '../../sketch/formatNames.js';
import type { ResultParams } from '../../sketch/params.js';
import type { ColumnTable, Corpus, SkipList } from './corpus.js';

interface ListedInputs {
  readonly params: ResultParams;
  readonly inputs: Inputs;
}

const CODES: readonly ErrorCode[] = ['NOTHING_READ', 'TEXT_FIELD_MISSING', 'FIELD_MISSING'];

/** Whether a run ended because it read nothing: then nothing that it kept is worth resuming. */
export function hasReadNothing(error: unknown): boolean {
  return error instanceof MinHashError && CODES.includes(error.code);
}

/** Undefined where no file was looked for, as for standard input alone. */
export function leftOutOf({ roots, leftOut }: Inputs): LeftOut | undefined {
  return roots.some((root) => root !== '-') ? leftOut : undefined;
}

/** The fault of a run that read nothing and skipped so many places, by reason. */
export function nothingRead(
  { params, inputs }: ListedInputs,
  skipped: Readonly<Record<string, number>>,
): Fault {
  const { files } = inputs;
  // Where places were skipped, files with and without a skip are not told apart.
  const empty = Object.keys(skipped).length === 0 ? filesByFormat(files) : undefined;
  return { code: 'NOTHING_READ', detail: nothingReadText(skipped, params, leftOutOf(inputs), empty) };
}

function filesByFormat({ kinds, length }: FileTable): ReadonlyMap<InputFormat, number> {
  const counts = new Map<InputFormat, number>();
  for (let index = 0; index < length; index++) {
    const { name } = formatOfKind(kinds[index]!);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** The reference, or the documents that are compared with it. */
interface Side {
  readonly isReference: boolean;
  /** The PATHs, for a message. */
  readonly paths: string;
  readonly inputs: Inputs;
  /** Whether a skipped place, a binary string, may belong to this side: of a record with an id nothing else is known. */
  mayHave(place: string): boolean;
}

/** The two sides of a run against a reference; none of any other run. */
function sidesOf({ params, inputs }: ListedInputs): readonly Side[] {
  if (params.groups?.by !== 'against') return [];
  const placesOf = (isReference: boolean) =>
    inputs.places.filter((place) => (place.isReference === true) === isReference);
  return [false, true].map((isReference) => {
    const others = placesOf(!isReference).map(({ prefix }) => binaryOf(prefix));
    const isOfOther = (place: string): boolean =>
      others.some((begin) => place.startsWith(begin) && !isName(place[begin.length]));
    const typed = listed(placesOf(isReference).map(({ path }) => path));
    return {
      isReference,
      paths: `${isReference ? '--against' : 'what is new'}, ${typed}`,
      mayHave: (place) => !isOfOther(place),
      inputs: { ...inputs, files: inputs.files.ofSide(isReference) },
    };
  });
}

/** Whether a character continues a name: a place ends there, or a part, a number or a unit follows. */
const isName = (next: string | undefined): boolean => next !== undefined && next !== '/' && next !== '#';

/** The fault, saying which of two sides it is about. */
function faultOf({ paths }: Side, { detail, ...fault }: Fault): Fault {
  return { ...fault, detail: `${paths}: ${detail}` };
}

/** Before anything is read. @throws MinHashError NOTHING_READ where there is no file, or none on one side of a reference */
export function refuseNoFiles(prepared: ListedInputs): void {
  const { inputs, params } = prepared;
  const skippedAt = (isThere: (place: string) => boolean): Record<string, number> => {
    const skipped: Record<string, number> = {};
    for (const { place, code } of inputs.skipped) {
      if (isThere(place)) skipped[code] = (skipped[code] ?? 0) + 1;
    }
    return skipped;
  };
  const all =
    inputs.files.length === 0
      ? nothingRead(
          prepared,
          skippedAt(() => true),
        )
      : null;
  if (all !== null) throw new MinHashError(all);
  for (const side of sidesOf(prepared)) {
    if (side.inputs.files.length > 0) continue;
    const fault = nothingRead({ params, inputs: side.inputs }, skippedAt(side.mayHave));
    throw new MinHashError(faultOf(side, fault));
  }
}

/**
 * After both readings.
 *
 * @param piped the first lines of standard input, for a message
 * @throws MinHashError TEXT_FIELD_MISSING where there were records and none had the text field, NOTHING_READ where no
 *   document is left; both also of a reference, and of what is compared with it
 */
export function refuseNothing(
  prepared: ListedInputs,
  read: ReadCorpus,
  skipped: Pick<SkipList, 'counts'>,
  piped: LinesHead | null,
): void {
  const { corpus, outcome } = read;
  const { params, inputs } = prepared;
  // Texts were read, but none of them is compared.
  const hasOthers = corpus.withoutRow.tooShort + corpus.withoutRow.cut > 0;
  if (params.groups?.by !== 'against') {
    if (hasOthers) return;
    const hasRecord = (): boolean => someRecord(corpus.tables, inputs.files);
    const found = { files: inputs.files, skipped: skipped.counts(), piped, hasRecord };
    const missing = params.sets === undefined ? missingTextField(found, params) : null;
    if (missing !== null) throw new MinHashError(missing);
    if (!outcome.withdrawn.includes(0)) throw new MinHashError(nothingRead(prepared, skipped.counts()));
    return;
  }
  for (const side of sidesOf(prepared)) {
    // A reference without a compared document gives no answer, whatever was read of it.
    if (isLeftOf(side, read) || (hasOthers && !side.isReference)) continue;
    const found = { files: side.inputs.files, skipped: skipped.counts(side.mayHave), piped, hasRecord: null };
    const fault =
      missingTextField(found, params) ?? nothingRead({ params, inputs: side.inputs }, found.skipped);
    throw new MinHashError(faultOf(side, fault));
  }
}

interface RecordTable {
  readonly columns: Pick<ColumnTable['columns'], 'file' | 'record'>;
}

/** The documents that were read, and those that are withdrawn. */
interface ReadCorpus {
  readonly corpus: Pick<Corpus, 'withoutRow' | 'group'> & { readonly tables: readonly RecordTable[] };
  readonly outcome: { readonly withdrawn: Uint8Array };
}

/** Whether a side has a document left: documents of the reference are group 0. */
function isLeftOf({ isReference }: Side, { corpus: { group }, outcome: { withdrawn } }: ReadCorpus): boolean {
  return withdrawn.some((gone, d) => gone === 0 && (group?.[d] === 0) === isReference);
}

function someRecord(tables: readonly RecordTable[], files: FileTable): boolean {
  return tables.some(({ columns }) =>
    columns.file.some((file, i) => isRecord(files, file, columns.record[i]!)),
  );
}

interface Lacking extends Pick<FirstRecords, 'fields' | 'longest' | 'held'> {
  /** Binary string. */
  readonly id: string;
  readonly format: InputFormat;
}

/** Files of the formats that hold records and nothing else, or that may be one text (`either`). */
function* filesThatHold(holds: Format['holds'], files: FileTable): Generator<InputFile> {
  for (const index of files.ofKind((kind) => formatOfKind(kind).holds === holds)) yield files.file(index);
}

/** Before a run begins: the faults of `unknownTextField` for all inputs, else for each side of a reference. */
export function unknownTextFields(prepared: ListedInputs): readonly Fault[] {
  const { params, inputs } = prepared;
  const unknown = unknownTextField(inputs.files, params);
  if (unknown !== null) return [unknown];
  return sidesOf(prepared).flatMap((side) => {
    const fault = recordsWithout(side.inputs.files, params);
    return fault === null ? [] : [faultOf(side, fault)];
  });
}

/** Null also where no file holds records and the field was not named. */
function unknownTextField(files: FileTable, params: ResultParams): Fault | null {
  if (params.sets !== undefined || files.length === 0) return null;
  if (params.textFieldGiven && filesThatHold('records', files).next().done) return onlyTexts(files, params);
  return recordsWithout(files, params);
}

/**
 * Reads the first records of file after file until one has the field. Null: one has it, or it cannot be known yet, as for standard
 * input, or no file holds records.
 */
function recordsWithout(files: FileTable, params: ResultParams): Fault | null {
  let first: Lacking | null = null;
  let without = 0;
  for (const file of filesThatHold('records', files)) {
    const found = file.stdin ? null : firstRecordsOf(file, params);
    if (found === null || found.seen === 'has' || found.seen === 'unclear') return null;
    if (found.seen === 'nothing') continue;
    first ??= { id: file.id, format: file.format, ...found };
    without++;
  }
  if (first === null || hasRecordAmongTexts(files, params)) return null;
  const more = without > 1 ? `; ${counted(without - 1, 'more file')} of records without it` : '';
  const detail = `${wish(params)}: the first records of ${named(first.id)} have ${fieldsText(first, params)}${more}`;
  return { code: 'TEXT_FIELD_UNKNOWN', detail };
}

/** Whether a file that may be a text or hold records has the field: then it is read as records. */
function hasRecordAmongTexts(files: FileTable, params: ResultParams): boolean {
  for (const file of filesThatHold('either', files)) {
    if (firstRecordsOf(file, params).seen === 'has') return true;
  }
  return false;
}

/** A `.json` holds records where the field was named, so these files are texts. */
function onlyTexts(files: FileTable, params: ResultParams): Fault {
  const { length } = files;
  const more = length > 1 ? ` and ${counted(length - 1, 'more file')}` : '';
  const [are, texts] = length > 1 ? ['are', 'texts'] : ['is', 'a text'];
  const detail =
    `${wish(params)}: no input holds records: ${named(files.id(0))}${more} ${are} read as ${texts}; ` +
    `records are read from ${RECORD_NAMES.slice(0, -1).join(', ')} and ${RECORD_NAMES.at(-1)} files, or where --input says so`;
  return { code: 'TEXT_FIELD_UNKNOWN', detail };
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
function missingTextField(read: AllRead, params: ResultParams): Fault | null {
  const { files, skipped, piped } = read;
  const records = (skipped.JSON_NO_TEXT ?? 0) + (skipped.CSV_NO_TEXT ?? 0);
  // A record with a bad id has a text, and one that is too large may have one.
  if (records === 0 || (skipped.JSON_BAD_ID ?? 0) > 0 || (skipped.TOO_LARGE ?? 0) > 0) return null;
  if (read.hasRecord?.()) return null;
  if (hasRecordAmongTexts(files, params)) return null;
  const lacking = firstLacking(files, piped, params);
  const isSure = read.hasRecord !== null;
  if (!isSure && filesThatHold('records', files).next().done) return null;
  const none = isSure ? `none of ${counted(records, 'record')} has it` : 'no record has it';
  const fields =
    lacking === null ? '' : `; those of ${named(lacking.id)} have ${fieldsText(lacking, params)}`;
  return { code: 'TEXT_FIELD_MISSING', detail: `${wish(params)}: ${none}${fields}` };
}

/** The fault where standard input had so many records, the first of them in `head`, and none had the field. */
export function missingOnStream(records: number, head: LinesHead, params: ResultParams): Fault {
  const found = firstRecordsIn(head, 'jsonl', params);
  const fields =
    found.fields.length === 0
      ? ''
      : `; those of standard input have ${fieldsText({ ...found, format: 'jsonl' }, params)}`;
  return {
    code: 'TEXT_FIELD_MISSING',
    detail: `${wish(params)}: none of ${counted(records, 'record')} has it${fields}`,
  };
}

/** Whether a document is surely a record: a whole file may be either. */
function isRecord(files: FileTable, file: number, record: number): boolean {
  const { holds } = formatOfKind(files.kinds[file]!);
  return holds === 'records' || (holds === 'either' && record >= 0);
}

function firstLacking(files: FileTable, piped: LinesHead | null, params: ResultParams): Lacking | null {
  for (const file of filesThatHold('records', files)) {
    const head = file.stdin
      ? piped && firstRecordsIn(piped, file.format, params)
      : firstRecordsOf(file, params);
    if (head !== null && head.fields.length > 0) return { id: file.id, format: file.format, ...head };
  }
  return null;
}

export const named = (id: string): string => (id === '-' ? 'standard input' : JSON.stringify(textOf(id)));

export function wish({ textField, textFieldGiven }: ResultParams): string {
  return textFieldGiven
    ? `--text-field ${shown(textField)}`
    : `--text-field ${shown(textField)} (the default)`;
}

/** The fields of the file, and those of them that may have been meant. */
function fieldsText({ fields, longest, held, format }: Omit<Lacking, 'id'>, params: ResultParams): string {
  const wished = textFieldsOf(params.textField).map(({ name }) => name);
  if (fields.length === 0) return 'no field';
  const seen = fields.slice(0, MOST_SHOWN).map(shown).join(', ');
  const rest = fields.length > MOST_SHOWN ? ` and ${fields.length - MOST_SHOWN} more` : '';
  const text = `the ${fields.length === 1 ? 'field' : 'fields'} ${seen}${rest}`;
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
