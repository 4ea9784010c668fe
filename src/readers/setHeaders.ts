/**
 * The fields of lines of sets, by the first line of a file. If no file has the fields of `--columns`, that is a usage error, reported with
 * the existing fields. If some files have them, the others are skipped.
 */
import type { Block } from '../blocks/block.js';
import type { ErrorCode, Problem } from '../errors.js';
import type { ResultParams } from '../sketch/params.js';
import { isBinaryTable } from './bytes/binaryKinds.js';
import { isStream } from './bytes/chunks.js';
import { isUtf8 } from './bytes/encodings.js';
import { type ReadParams, refusesBinary } from './documentSink.js';
import { TAB } from './formats/csv/csvRecord.js';
import { fieldNamesOf, type SetFields, separatorOfSets, setFieldsOf } from './formats/setLines.js';
import type { FileTable } from './list/fileTable.js';
import { textOf } from './list/pathIds.js';
import { firstLineOf, readFirstLine } from './reader.js';
import type { LinesSplit } from './split.js';

/** The number of fields in a message. */
const MOST_SHOWN = 10;
const LONGEST_SHOWN = 40;

type HeaderParams = ReadParams & Pick<ResultParams, 'sets'>;

/** A file without the fields. */
interface Unnamed {
  /** Binary string. */
  readonly id: string;
  readonly firstLine: Uint8Array;
}

/** The problem of the first of `files` files without the fields. */
function columnsProblem(params: HeaderParams, { id, firstLine }: Unnamed, files: number): Problem {
  const { columns } = params.sets!;
  const separator = separatorOfSets(id, params.separator);
  const names = fieldNamesOf(firstLine, separator);
  const missing = columns.filter((name) => !names.includes(name)).map(shown);
  const others = files > 1 ? `; ${files - 1} more ${files === 2 ? 'file is' : 'files are'} without them` : '';
  const hint =
    names.length > 1 || separator !== TAB
      ? ''
      : ' (one field: fields are separated by TABs, in .csv files by commas, or by --separator)';
  const detail =
    `--columns ${columns.join(',')}: the first line of ${JSON.stringify(textOf(id))} has no ${missing.join(', ')}; ` +
    `its fields are ${shownNames(names)}${hint}${others}`;
  return { code: 'COLUMNS_UNKNOWN', detail };
}

/** A name of a field in quotes; long names are cut. */
export function shown(name: string): string {
  return JSON.stringify(name.length > LONGEST_SHOWN ? `${name.slice(0, LONGEST_SHOWN - 1)}…` : name);
}

/** The first names, and how many more there are. */
export function shownNames(names: readonly string[]): string {
  const rest = names.length > MOST_SHOWN ? ` and ${names.length - MOST_SHOWN} more` : '';
  return names.slice(0, MOST_SHOWN).map(shown).join(', ') + rest;
}

/** Fields for a file that cannot be read: its task reports why. */
const ANY_FIELDS: SetFields = { set: 0, element: 1, weight: -1, separator: TAB, header: true };

/** The fields of the lines of files, looked up once per file. */
export class SetHeaders {
  /** Whether some file has the fields. */
  hasFields = false;
  private readonly params: HeaderParams;
  /** By number of the file; null: the file lacks the fields, or is empty. */
  private readonly known = new Map<number, SetFields | null>();
  private readonly refused: (file: number) => void;
  /** The first file without the fields, and how many there are. */
  private unnamed: Unnamed | null = null;
  private without = 0;

  /** @param refused called once for every file whose first line does not name the fields */
  constructor(params: HeaderParams, refused: (file: number) => void = () => {}) {
    this.params = params;
    this.refused = refused;
  }

  /** The problem if all files so far lack the fields; else null. */
  get problem(): Problem | null {
    if (this.unnamed === null || this.hasFields) return null;
    return columnsProblem(this.params, this.unnamed, this.without);
  }

  /** The fields of a split; null: the split is not read. */
  of(split: LinesSplit, block: () => Block): SetFields | null {
    const { index, file } = split;
    const known = this.known.get(index);
    if (known !== undefined) return known;
    const fields = this.look(index, file.id, () => firstLineOf(split, block));
    this.known.set(index, fields);
    return fields;
  }

  /** The fields of a file by its first line; null: the file lacks them, or is empty. */
  look(index: number, id: string, firstLine: () => Uint8Array | ErrorCode): SetFields | null {
    const { separator } = this.params;
    const sets = this.params.sets!;
    if (!sets.named) return setFieldsOf(sets, id, () => new Uint8Array(0), separator)!;
    const line = firstLine();
    if (typeof line === 'string') return ANY_FIELDS;
    if (line.length === 0) return null;
    if (refusesBinary(this.params) && isBinaryTable(line)) return ANY_FIELDS;
    const fields = setFieldsOf(sets, id, () => line, separator);
    if (fields !== null) this.hasFields = true;
    else {
      this.unnamed ??= { id, firstLine: line.slice() };
      this.without++;
      this.refused(index);
    }
    return fields;
  }
}

/**
 * Looks for the fields before a run begins, until a file has them. Null: one has, or it is unknown because the first line of a compressed,
 * transcoded or piped file cannot be read here.
 */
export function missingColumns(files: FileTable, params: ResultParams): Problem | null {
  if (params.sets?.named !== true || !isUtf8(params.encoding)) return null;
  const headers = new SetHeaders(params);
  for (let index = 0; index < files.length && !headers.hasFields; index++) {
    const file = files.file(index);
    if (isStream(file, params)) return null;
    headers.look(index, file.id, () => readFirstLine(file.path));
  }
  return headers.problem;
}
