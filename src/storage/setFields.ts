/**
 * Which fields of a line say the set, the element and the weight: by number, or by the names in a file's first line.
 *
 * Floor 2; never opens a file.
 */
import type { SetsParams } from '../sketch/params.js';
import { textOf } from './ids.js';
import { startAfterMark } from './jsonRecords.js';

/** The fields of a file's lines, counted from 0. JSON. */
export interface SetFields {
  readonly set: number;
  readonly element: number;
  /** -1: lines have none. */
  readonly weight: number;
  /** Fields are separated by commas and may be quoted, as in RFC 4180; else by tabs, and nothing is quoted. */
  readonly comma: boolean;
  /** The first line of the file names the fields, and is no row. */
  readonly header: boolean;
}

const QUOTE = 0x22;
const CARRIAGE_RETURN = 0x0d;

/** Whether a file's fields are separated by commas: by its name, without `.gz`. */
export function isCommaSeparated(id: string): boolean {
  return /\.csv(\.gz)?$/i.test(id);
}

/** Where the contents of a line end: before its line end, if it has one. */
export function contentEnd(bytes: Uint8Array, from: number, to: number): number {
  let end = to;
  if (end > from && bytes[end - 1] === 0x0a) end--;
  if (end > from && bytes[end - 1] === CARRIAGE_RETURN) end--;
  return end;
}

/**
 * The fields that `--columns` asks for, or null where the first line does not name them. Of a name that stands there
 * twice the first field is meant.
 *
 * @param firstLine the first line of the file, read only where fields are named; may begin with a byte order mark
 */
export function setFieldsOf(
  { columns, named }: Pick<SetsParams, 'columns' | 'named'>,
  id: string,
  firstLine: () => Uint8Array,
): SetFields | null {
  const comma = isCommaSeparated(id);
  let places: number[];
  if (named) {
    const names = fieldNamesOf(firstLine(), comma);
    places = columns.map((name) => names.indexOf(name));
    if (places.includes(-1)) return null;
  } else {
    places = columns.map((number) => Number(number) - 1);
  }
  return { set: places[0]!, element: places[1]!, weight: places[2] ?? -1, comma, header: named };
}

/** The names of fields in a first line, which may begin with a byte order mark. */
export function fieldNamesOf(line: Uint8Array, comma: boolean): string[] {
  const bytes = line.subarray(startAfterMark(line));
  const end = contentEnd(bytes, 0, bytes.length);
  const text = textOf(Buffer.from(bytes.subarray(0, end)).toString('latin1'));
  if (!comma) return text.split('\t');
  const names: string[] = [];
  for (let at = 0; at <= text.length; ) {
    const quoted = text.charCodeAt(at) === QUOTE ? /^"((?:[^"]|"")*)"/.exec(text.slice(at)) : null;
    const next = text.indexOf(',', at + (quoted?.[0].length ?? 0));
    const to = next < 0 ? text.length : next;
    names.push(quoted === null ? text.slice(at, to) : quoted[1]!.replaceAll('""', '"'));
    at = to + 1;
  }
  return names;
}
