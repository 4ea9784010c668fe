/** Warnings about the first records and lines of inputs, which may not be read as the user expects. */

import { shellPath, shellQuoted } from '../../options/shellWord.js';
import { fieldsOf, firstSetRows, haveField, headOfLines, textIn } from '../../readers/firstRecords.js';
import { type FieldPath, textFieldsOf, valuesAt } from '../../readers/formats/fields.js';
import { isObject, type JsonRecord } from '../../readers/formats/json/json.js';
import { STDIN } from '../../readers/list/fileList.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { formatOfKind } from '../../readers/list/formats.js';
import { textOf } from '../../readers/list/pathIds.js';
import { basketsText } from '../../result/warnings.js';
import { counted } from '../../result/wording/amounts.js';
import type { ResultParams } from '../../sketch/params.js';
import { beginnings, inputName, QUOTED, recordsWithin, withinText } from './missingFields.js';

/** Files of records whose beginnings are read, and texts. */
const MOST_LOOKED = 32;

/** Warnings about the inputs of a run. @param piped the first bytes of standard input */
export function inputNotes(
  files: FileTable,
  params: ResultParams,
  piped: Uint8Array | null,
): readonly string[] {
  if (params.sets !== undefined) return basketNotes(files, params);
  const textFields = textFieldsOf(params.textField);
  // If the only text field is missing, there is no result.
  let lacked = textFields.length > 1 ? textFields : [];
  let looked = 0;
  const notes: string[] = [];
  for (const { file, records } of beginnings(files, ['records', 'either'], params, piped)) {
    if (records === null) continue;
    lacked = lacked.filter((path) => !haveField(records, path));
    if (file.format === 'tsv' && params.quote === null && hasQuotedColumn(records) && notes.length === 0)
      notes.push(
        `Fields of ${inputName(file.id)} begin and end with a quote, which is a part of them in TSV: --quote '"' removes it.`,
      );
    const within =
      params.records === undefined && files.length === 1 ? recordsWithin({ file, records }) : null;
    const inner = textFields.find(({ name }) => name.startsWith(`${within?.path}.`));
    const field = inner === undefined ? params.textField : inner.name.slice(within!.path.length + 1);
    if (within !== null && within.records.length > 1 && textIn(within.records, field) === 'text')
      notes.push(
        `All of ${inputName(file.id)} is one record, which is compared as one document: ${withinText(within, file, field)}.`,
      );
    const unread = textFields
      .flatMap((path) => unreadField(records, path) ?? [])
      .filter((name) => textFields.every((path) => path.name !== name));
    if (unread.length > 0 && notes.length === 0) {
      const names = unread.map((name) => name.replace(/[\\,]/g, '\\$&'));
      const typed = shellQuoted([params.textField, ...names].join(','));
      notes.push(
        `A text field of ${inputName(file.id)} also holds objects, which are not compared: --text-field ${typed} reads their texts, too.`,
      );
    }
    if (++looked === MOST_LOOKED) break;
  }
  if (looked === 0) lacked = [];
  return [
    ...lacked.map(
      ({ name }) => `None of the first records has the field ${JSON.stringify(name)} of --text-field.`,
    ),
    ...notes,
    ...linesNotes(files, params),
  ];
}

/** The field with the texts of the objects that a text field holds beside strings; null: there are no such objects. */
function unreadField(records: readonly JsonRecord[], path: FieldPath): string | null {
  const values = records.flatMap((record) => valuesAt(record, path)).flat();
  const { fields, longest } = fieldsOf(values.filter(isObject));
  if (longest === null || !values.some((value) => typeof value === 'string')) return null;
  return `${path.name}.${fields.includes('text') ? 'text' : longest}`;
}

function hasQuotedColumn(records: readonly JsonRecord[]): boolean {
  return Object.keys(records[0] ?? {}).some((name) => {
    const values = records.map((record) => record[name]).filter((value) => value !== '');
    return values.length > 0 && values.every((value) => typeof value === 'string' && QUOTED.test(value));
  });
}

/** Texts that are JSON lines by their content, but not by their names. */
function linesNotes(files: FileTable, params: ResultParams): readonly string[] {
  if (params.input !== 'auto') return [];
  const texts = [...files.ofKind((kind) => formatOfKind(kind).name === 'text' && (kind & STDIN) === 0)];
  const step = Math.ceil(texts.length / MOST_LOOKED);
  const areLines = (index: number): boolean => {
    const { path, codec } = files.file(index);
    return headOfLines(path, codec, params) !== null;
  };
  const lines = texts.filter((index, i) => i % step === 0 && areLines(index));
  if (lines.length === 0) return [];
  const more = lines.length === 1 ? ' holds' : ` and ${counted(lines.length - 1, 'more text')} hold`;
  return [
    `${inputName(files.id(lines[0]!))}${more} JSON lines, but each file is compared as one text: --input jsonl reads one document per line ` +
      "(with --include '*.ENDING' if there are other files).",
  ];
}

/** A set, an element and a weight. */
const MOST_SET_FIELDS = 3;
const DIGITS = /^\d+$/;

/** Files of sets whose lines are whole baskets, or whose first line names their fields. */
function basketNotes(files: FileTable, params: ResultParams): readonly string[] {
  if (params.sets?.named === true || files.length === 0 || (files.kinds[0]! & STDIN) !== 0) return [];
  const first = firstSetRows(files.file(0), params);
  if (first === null) return [];
  const counts = first.rows.map((row) => row.length);
  const most = Math.max(...counts);
  if (most > MOST_SET_FIELDS && Math.min(...counts) < most)
    return [basketsText(first.separator, shellPath(textOf(files.source(0))))];
  const [names = [], ...rows] = first.rows;
  const isName = (name: string, i: number): boolean =>
    !DIGITS.test(name) && rows.every((row) => DIGITS.test(row[i] ?? ''));
  if (!first.isUsual || rows.length === 0 || !names.slice(0, 2).some(isName)) return [];
  const columns = shellQuoted(names.slice(0, MOST_SET_FIELDS).join(','));
  return [
    `The first line of ${inputName(files.id(0))} is read as the set ${JSON.stringify(names[0])}: if it has the names of the fields, use --columns ${columns}.`,
  ];
}
