/**
 * Refuses a field that --keep or --group-field names and no record has: before the run as wrong use where the first records of the
 * files show it, else after the first reading. The message names the fields that exist. Where some records have the field, the
 * others are counted.
 */

import { type Fault, MinHashError } from '../../errors.js';
import { nearestName } from '../../options/nearestName.js';
import type { LackedValues } from '../../output/manifest.js';
import { counted } from '../../output/wording/amounts.js';
import { MOST_SHOWN, shown } from '../../readers/ahead/columns.js';
import { firstRecordsIn, firstRecordsOf, type LinesHead } from '../../readers/ahead/firstRecords.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { formatOfKind, RECORD_NAMES } from '../../readers/list/formats.js';
import { fieldsRead, type ResultParams } from '../../sketch/params.js';
import type { MissingLookup } from '../sketch/documentFields.js';
import { named } from '../sketch/nothingRead.js';

interface AskedField {
  /** Whether the field decides which copies stay, or the groups of documents. */
  readonly decides: LackedValues['decides'];
  readonly name: string;
}

/** The fields that options name, in the order of the options; a field may occur twice. */
function askedFieldsOf({
  keep,
  groups,
  sets,
}: Pick<ResultParams, 'keep' | 'groups' | 'sets'>): readonly AskedField[] {
  if (sets !== undefined) return [];
  return [
    ...keep.flatMap(({ field }) => (field === null ? [] : [{ decides: 'keep', name: field } as const])),
    ...(groups?.by === 'field' ? [{ decides: 'groups', name: groups.field } as const] : []),
  ];
}

/** The fields of the first records of the inputs. */
interface Met {
  /** The named fields that none of these records has. */
  readonly lacked: readonly string[];
  /** The first file with records, and the fields of these; null: no file holds records. */
  readonly first: { readonly id: string; readonly fields: readonly string[] } | null;
}

/** Reads the first records of file after file until every field is found. Null: only reading all records can tell. */
function firstMet(files: FileTable, params: ResultParams, piped: LinesHead | null): Met | null {
  const asked = { ...params, fields: fieldsRead(params) };
  let lacked = asked.fields;
  let first: Met['first'] = null;
  for (let index = 0; index < files.length && lacked.length > 0; index++) {
    const { holds } = formatOfKind(files.kinds[index]!);
    if (holds === 'text') continue;
    if (holds === 'texts') return null;
    const file = files.file(index);
    if (file.stdin && piped === null) return null;
    const found = file.stdin ? firstRecordsIn(piped!, file.format, asked) : firstRecordsOf(file, asked);
    // A file that is a text after all, or that could not be read.
    if (found.seen === 'nothing' || (holds === 'either' && found.seen !== 'has')) continue;
    if (found.fields.length === 0) return null;
    first ??= { id: file.id, fields: found.fields };
    lacked = lacked.filter((name) => found.lackedFields.includes(name));
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
 * A fault for every option that names a field which is not in `names`, the columns of all rows. `whose`: their source,
 * for messages.
 */
export function unknownNames(
  names: readonly string[],
  whose: string,
  params: ResultParams,
): readonly Fault[] {
  return askedFieldsOf(params)
    .filter(({ name }) => !names.includes(name))
    .map((field) => ({
      code: 'FIELD_UNKNOWN',
      detail: `${optionText(field)}: ${thereText(field, `${whose} has the`, names)}`,
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

const optionText = ({ decides, name }: AskedField): string =>
  decides === 'keep' ? `--keep ${shown(`field:${name}`)}` : `--group-field ${shown(name)}`;

function noRecordsText(files: FileTable): string {
  const { length } = files;
  const more =
    length > 1 ? ` and ${counted(length - 1, 'more file')} are read as texts` : ' is read as a text';
  return (
    `no input holds records: ${named(files.id(0))}${more}; ` +
    `records are read from ${RECORD_NAMES.slice(0, -1).join(', ')} and ${RECORD_NAMES.at(-1)} files, or where --input says so`
  );
}

function firstText(field: AskedField, { id, fields }: NonNullable<Met['first']>): string {
  return thereText(field, `the first records of ${named(id)} have the`, fields);
}

/** The text of the existing fields, and of the field that the user may have meant. */
function thereText({ name }: AskedField, begin: string, fields: readonly string[]): string {
  const seen = fields.slice(0, MOST_SHOWN).map(shown).join(', ');
  const rest = fields.length > MOST_SHOWN ? ` and ${fields.length - MOST_SHOWN} more` : '';
  const near = fields.includes(name) ? null : nearestName(name, fields);
  const meant = near === null ? '' : `; did you mean ${shown(near)}?`;
  return `${begin} ${fields.length === 1 ? 'field' : 'fields'} ${seen}${rest}${meant}`;
}
