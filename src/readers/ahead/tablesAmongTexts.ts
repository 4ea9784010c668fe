/**
 * Tables of data among texts: a file of records in a folder, whose records lack the text field while no option
 * names one, is a text, as a `.json` without it is.
 */

import type { Stepwise } from '../../arrays/stepwise.js';
import { packingOfKind } from '../bytes/packings.js';
import type { ReadParams } from '../documentSink.js';
import type { FirstRecords } from '../formats/fields.js';
import { type FileKind, STDIN } from '../list/fileList.js';
import type { FileTable } from '../list/fileTable.js';
import { fileKind, formatOf, formatOfKind } from '../list/formats.js';
import { firstRecordsOf } from './firstRecords.js';

/** A look costs as much as reading a small file: where there are more files of records, none is looked into. */
const MOST_TABLES = 4096;

/**
 * Notes in the table which of them are texts. Where there is no other file, the check of the fields refuses them and names the
 * fields that exist.
 */
export function* tellTables(
  files: FileTable,
  params: ReadParams & { readonly textFieldGiven: boolean },
): Stepwise<void> {
  if (params.input !== 'auto' || params.textFieldGiven) return;
  const mayBeTables = (kind: FileKind): boolean =>
    formatOfKind(kind).holds === 'records' && (kind & STDIN) === 0;
  if (files.ofKind(mayBeTables).next().done === true) return;
  const tables: number[] = [];
  // A reference, and what is compared with it, are two corpora.
  const others = [0, 0];
  const sideOf = (index: number): number => (files.isReference(index) ? 0 : 1);
  for (let index = 0; index < files.length; index++) {
    const kind = files.kinds[index]!;
    if (formatOfKind(kind).isBinary) continue;
    if (formatOfKind(kind).holds === 'either') continue;
    if (!mayBeTables(kind) || files.isNamed(index)) others[sideOf(index)]!++;
    else if (tables.push(index) > MOST_TABLES) return;
  }
  const without: number[] = [];
  for (const index of tables) {
    yield;
    if (firstRecordsOf(files.file(index), params).seen === 'lacks') without.push(index);
  }
  const isWithout = new Set(without);
  for (const index of tables) if (!isWithout.has(index)) others[sideOf(index)]!++;
  for (const index of without) {
    if (others[sideOf(index)]! > 0)
      files.kinds[index] = fileKind('records-as-text', packingOfKind(files.kinds[index]!));
  }
}

/** The fields of the first records of a file that is compared as a text. */
export function firstRecordsOfText(files: FileTable, index: number, params: ReadParams): FirstRecords {
  const file = files.file(index);
  if (file.format !== 'records-as-text') return firstRecordsOf(file, params);
  const { format } = formatOf(file.id, { input: 'auto', textFieldGiven: false });
  // Among formats without a name, first bytes tell only JSON lines from texts.
  return firstRecordsOf({ ...file, format: format === 'text' ? 'jsonl' : format }, params);
}
