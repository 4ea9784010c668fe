/** Records of CSV as strings: lines that name fields. */
import { ALL_FIELDS, CsvRecord } from './csvRecord.js';
import { MOST_QUOTED } from './quotes.js';

/** Where a header has a name: the first field of that very name, else the first that has it with blanks around; -1: none. */
export function placeNamed(names: readonly string[], name: string): number {
  const exact = names.indexOf(name);
  return exact >= 0 ? exact : names.findIndex((one) => one.trim() === name.trim());
}

/** The fields of a record, and where the next one begins. */
interface CsvCells {
  readonly cells: readonly string[];
  readonly end: number;
}

/**
 * The first record of some bytes that is no blank line, as its fields; where its quotes do not match, as they stand. Null: there
 * is none.
 *
 * @param endsAtReturns whether a CR alone ends a record, too
 */
export function firstCells(
  bytes: Buffer,
  from: number,
  separator: number,
  endsAtReturns: boolean,
): CsvCells | null {
  const record = new CsvRecord({ separator, wanted: ALL_FIELDS, mostQuoted: MOST_QUOTED, endsAtReturns });
  record.open(bytes);
  for (let at = from; at < bytes.length; ) {
    const end = record.read(at);
    if (!record.isBlank) return { cells: cellsOf(record, bytes, at, end, separator), end };
    at = end;
  }
  return null;
}

function cellsOf(record: CsvRecord, bytes: Buffer, from: number, end: number, separator: number): string[] {
  if (record.isBroken) {
    const line = bytes.toString('utf8', from, end).replace(/\r?\n?$/, '');
    return line.split(String.fromCharCode(separator));
  }
  return Array.from({ length: record.fields }, (_, i) => {
    const cell = bytes.toString('utf8', record.starts[i], record.ends[i]);
    return record.doubled[i] === 1 ? cell.replaceAll('""', '"') : cell;
  });
}
