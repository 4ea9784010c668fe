/**
 * Fields that `--columns` names and no file has: wrong use, reported with the fields that exist.
 *
 * Where some files have them, the others are skipped one by one (setMatrix.ts).
 */
import type { Fault } from '../../errors.js';
import type { ResultParams } from '../../sketch/params.js';
import { binaryCodeOf } from '../bytes/binaryKinds.js';
import { isStream } from '../bytes/chunks.js';
import { isUtf8 } from '../bytes/encodings.js';
import { refusesBinary } from '../documentSink.js';
import { TAB } from '../formats/csv/csvRecord.js';
import { fieldNamesOf, separatorOfSets, setFieldsOf } from '../formats/setLines.js';
import type { FileTable } from '../list/fileTable.js';
import { textOf } from '../list/pathIds.js';
import { readFirstLine } from '../reader.js';

/** The number of fields in a message. */
export const MOST_SHOWN = 10;
const LONGEST_SHOWN = 40;

/** A file without the fields. */
export interface Unnamed {
  /** Binary string. */
  readonly id: string;
  readonly firstLine: Uint8Array;
}

/** The fault of the first file without the fields, when so many files have not all of them, and none has. */
export function columnsFault(params: ResultParams, { id, firstLine }: Unnamed, files: number): Fault {
  const { columns } = params.sets!;
  const separator = separatorOfSets(id, params.separator);
  const names = fieldNamesOf(firstLine, separator);
  const missing = columns.filter((name) => !names.includes(name)).map(shown);
  const others = files > 1 ? `; ${files - 1} more ${files === 2 ? 'file is' : 'files are'} without them` : '';
  const hint =
    names.length > 1 || separator !== TAB
      ? ''
      : ' (one field: they are separated by TABs, by commas in .csv files, or by what --separator says)';
  const detail =
    `--columns ${columns.join(',')}: the first line of ${JSON.stringify(textOf(id))} has no ${missing.join(', ')}; ` +
    `its fields are ${shownNames(names)}${hint}${others}`;
  return { code: 'COLUMNS_UNKNOWN', detail };
}

/** A name of a field in quotes, cut where it is long. */
export function shown(name: string): string {
  return JSON.stringify(name.length > LONGEST_SHOWN ? `${name.slice(0, LONGEST_SHOWN - 1)}…` : name);
}

/** The first names, and how many more there are. */
export function shownNames(names: readonly string[]): string {
  const rest = names.length > MOST_SHOWN ? ` and ${names.length - MOST_SHOWN} more` : '';
  return names.slice(0, MOST_SHOWN).map(shown).join(', ') + rest;
}

/**
 * Looks for the fields before a run begins, in file after file until one has them. Null: one has, or it is not known yet:
 * the first line of a packed, transcoded or piped file cannot be read here.
 */
export function missingColumns(files: FileTable, params: ResultParams): Fault | null {
  const { sets, separator } = params;
  if (sets === undefined || !sets.named || !isUtf8(params.encoding)) return null;
  let first: Unnamed | null = null;
  let without = 0;
  for (let index = 0; index < files.length; index++) {
    const file = files.file(index);
    const { id, path } = file;
    if (isStream(file, params)) return null;
    const firstLine = readFirstLine(path);
    // A file that cannot be read, or has no lines, is reported when it is read.
    if (typeof firstLine === 'string' || firstLine.length === 0) continue;
    if (refusesBinary(params) && binaryCodeOf(firstLine) !== null) continue;
    if (setFieldsOf(sets, id, () => firstLine, separator) !== null) return null;
    first ??= { id, firstLine };
    without++;
  }
  return first === null ? null : columnsFault(params, first, without);
}
