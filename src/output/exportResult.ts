/**
 * Exports tables of a finished result: reads rows of TSV and writes them as CSV, JSON lines, Parquet or Arrow, a limited number
 * at a time. Files are written under temporary names and get their own when all are whole.
 *
 * CSV and JSON lines hold ids unescaped, quoted by the rules of the format, and numbers with the digits of the result; Parquet
 * and Arrow have columns of strings, doubles, 64-bit integers and booleans. Outside TSV U+FFFD replaces bytes that are not UTF-8.
 */
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { unescapeBytes } from '../blocks/ids.js';
import { MinHashError } from '../errors.js';
import { EXPORT_OPTIONS, RESULT_TABLES } from '../options/resultOptions.js';
import type { Given } from '../options/runOptions.js';
import { isPath, shownValue, usableValues } from '../options/values.js';
import { binaryOf, textOf } from '../readers/list/pathIds.js';
import { parser } from '../readers/parsers/load.js';
import type { ColumnKind, ColumnValue } from '../readers/parsers/parquetTable.js';
import { DiskRoom } from '../store/disk.js';
import { NODE_FILES } from '../store/fileDoor.js';
import { AtomicFile, guardWrite, makeFolders } from '../store/files.js';
import { besideResult, type ExportFormat, liesInResult, type ResultTable } from './fileNames.js';
import type { Manifest } from './manifest.js';
import { readManifest } from './readManifest.js';
import { filesOfTable, readCells } from './readResult.js';
import { csvCell, placeText } from './tables/escaping.js';
import { checkFiles } from './verifyResult.js';

const { table: TABLE, ...OWN } = EXPORT_OPTIONS;

/** Options of an export. */
export interface ExportOptions extends Omit<Given<typeof OWN>, 'format'> {
  readonly format: ExportFormat;
  /** Default: all tables that the result has. */
  readonly tables?: readonly ResultTable[];
}

/** The outcome of an export. */
export interface ExportReport {
  readonly out: string;
  readonly files: readonly {
    readonly file: string;
    readonly table: ResultTable;
    readonly rows: number;
    readonly bytes: number;
  }[];
  /** Cells with U+FFFD for bytes that are not UTF-8; a column `place` has them as `\xNN`. */
  readonly replacedCells: number;
}

/** The kinds of columns; columns that are not named here hold strings, escaped like ids. */
const KINDS: Readonly<Record<string, Exclude<ColumnKind, 'string'> | 'place'>> = {
  agreement: 'number',
  jaccard: 'number',
  similarity: 'number',
  containment: 'number',
  containment_a_in_b: 'number',
  containment_b_in_a: 'number',
  cluster: 'integer',
  documents: 'integer',
  accepted: 'boolean',
  place: 'place',
};

type Cell = { readonly name: string; readonly kind: ColumnKind | 'place' };

/** The columns of a table with their kinds. The column `document` of skipped.tsv holds places. */
function columnsOf(table: ResultTable, names: readonly string[]): Cell[] {
  return names.map((name) => {
    const kind = KINDS[name] ?? (table === 'skipped' && name === 'document' ? 'place' : 'string');
    return { name, kind };
  });
}

/** The text of a cell that holds an id or a place. */
type TextOf = (cell: string, kind: Cell['kind']) => string;

/** Encodes rows, given as cells of the result; its bytes go to the sink that it was made with. */
interface Encoder {
  row(cells: readonly string[]): void;
  finish(): void;
}

type Sink = (bytes: Uint8Array) => void;

/** Numbers of characters and of rows that are collected before they are written. */
const MOST_TEXT = 1 << 20;
const MOST_ROWS = 1 << 16;

/** Cells of printable ASCII without a backslash, which are their own text. */
const STANDS_FOR_ITSELF = /^[\x20-\x5b\x5d-\x7e]*$/;

const isText = (kind: Cell['kind']): boolean => kind === 'string' || kind === 'place';

/** Encodes CSV and JSON lines: a line per row. */
class LineEncoder implements Encoder {
  readonly #lineOf: (cells: readonly string[]) => string;
  readonly #sink: Sink;
  #text = '';

  constructor(format: 'csv' | 'jsonl', columns: readonly Cell[], textOfCell: TextOf, sink: Sink) {
    this.#sink = sink;
    if (format === 'csv') {
      this.#text = `${columns.map(({ name }) => name).join(',')}\n`;
      this.#lineOf = (cells) =>
        cells
          .map((cell, i) => (isText(columns[i]!.kind) ? csvCell(textOfCell(cell, columns[i]!.kind)) : cell))
          .join(',');
      return;
    }
    const keys = columns.map(({ name }) => `${JSON.stringify(name)}:`);
    const jsonOf = (cell: string, kind: Cell['kind']): string => {
      if (isText(kind)) return JSON.stringify(textOfCell(cell, kind));
      if (kind === 'boolean') return `"${cell}"`;
      return cell === '' ? 'null' : cell;
    };
    this.#lineOf = (cells) =>
      `{${cells.map((cell, i) => keys[i]! + jsonOf(cell, columns[i]!.kind)).join(',')}}`;
  }

  row(cells: readonly string[]): void {
    this.#text += `${this.#lineOf(cells)}\n`;
    if (this.#text.length >= MOST_TEXT) this.finish();
  }

  finish(): void {
    this.#sink(Buffer.from(this.#text));
    this.#text = '';
  }
}

/** The writer that a file names, without a version, so that equal results give equal bytes. */
const CREATED_BY = 'mr-minhash';

/** Encodes Parquet and Arrow: groups of rows, as columns. */
class ColumnEncoder implements Encoder {
  readonly #columns: readonly Cell[];
  readonly #textOf: TextOf;
  readonly #table: { write(columns: readonly ColumnValue[][]): void; finish(): void };
  #values: ColumnValue[][];
  #text = 0;

  constructor(format: 'parquet' | 'arrow', columns: readonly Cell[], textOfCell: TextOf, sink: Sink) {
    this.#columns = columns;
    this.#textOf = textOfCell;
    this.#values = columns.map(() => []);
    const typed = columns.map(({ name, kind }) => ({ name, kind: kind === 'place' ? 'string' : kind }));
    this.#table =
      format === 'parquet'
        ? new (parser('parquetTable').ParquetTable)(typed, CREATED_BY, sink)
        : new (parser('arrowTable').ArrowTable)(typed, sink);
  }

  row(cells: readonly string[]): void {
    cells.forEach((cell, i) => {
      this.#values[i]!.push(this.#valueOf(cell, this.#columns[i]!.kind));
      this.#text += cell.length;
    });
    if (this.#values[0]!.length === MOST_ROWS || this.#text >= 16 * MOST_TEXT) this.#endGroup();
  }

  finish(): void {
    this.#endGroup();
    this.#table.finish();
  }

  #valueOf(cell: string, kind: Cell['kind']): ColumnValue {
    if (isText(kind)) return this.#textOf(cell, kind);
    if (kind === 'boolean') return cell === 'yes';
    if (cell === '') return null;
    return kind === 'integer' ? BigInt(cell) : Number(cell);
  }

  #endGroup(): void {
    if (this.#values[0]!.length === 0) return;
    this.#table.write(this.#values);
    this.#values = this.#columns.map(() => []);
    this.#text = 0;
  }
}

const tablesOf = (manifest: Manifest): ResultTable[] =>
  RESULT_TABLES.filter((table) => filesOfTable(manifest, table).length > 0);

/** The outcome of one exported table. */
interface TableReport {
  readonly rows: number;
  readonly replacedCells: number;
}

/**
 * Writes one table of a result to a sink, and waits for each of its writes.
 *
 * @throws MinHashError RESULT_MISSING, RESULT_DAMAGED; OPTION_INVALID where the result has no such table
 */
export async function exportTable(
  folder: string,
  table: ResultTable,
  format: ExportFormat,
  write: (bytes: Uint8Array) => unknown,
): Promise<TableReport> {
  const manifest = readManifest(folder);
  const files = filesOfTable(manifest, table);
  if (files.length === 0)
    throw invalid(`--table ${table}: ${folder} has none, expected one of ${tablesOf(manifest).join(', ')}`);
  await checkFiles(folder, manifest, files.length > 1 ? `${table}/` : files[0]!);
  const waiting: Uint8Array[] = [];
  const sink: Sink = (bytes) => waiting.push(Uint8Array.from(bytes));
  let replacedCells = 0;
  const textOfCell: TextOf = (cell, kind) => {
    if (STANDS_FOR_ITSELF.test(cell)) return cell;
    const id = unescapeBytes(cell);
    if (kind === 'place') return placeText(id);
    const text = textOf(id);
    // Cells are valid UTF-8; only escapes stand for bytes that are not.
    if (id !== cell && binaryOf(text) !== id) replacedCells++;
    return text;
  };
  let encoder: Encoder | null = null;
  let rows = 0;
  for (const file of files) {
    let isHead = true;
    for await (const lines of readCells(folder, file)) {
      for (const cells of lines) {
        if (isHead) {
          isHead = false;
          encoder ??= encoderOf(format, columnsOf(table, cells), textOfCell, sink);
        } else {
          encoder!.row(cells);
          rows++;
        }
      }
      for (const bytes of waiting.splice(0)) await write(bytes);
    }
  }
  encoder!.finish();
  for (const bytes of waiting) await write(bytes);
  return { rows, replacedCells };
}

function encoderOf(format: ExportFormat, columns: readonly Cell[], textOfCell: TextOf, sink: Sink): Encoder {
  if (format === 'csv' || format === 'jsonl') return new LineEncoder(format, columns, textOfCell, sink);
  return new ColumnEncoder(format, columns, textOfCell, sink);
}

function invalid(detail: string): MinHashError {
  return new MinHashError({ code: 'OPTION_INVALID', detail });
}

function faultsOf(folder: string, options: ExportOptions): string[] {
  const { format = null, out, force = false } = options;
  const faults: string[] = [];
  if (!isPath(folder)) faults.push(`folder ${shownValue(folder)}: expected the path of a result`);
  usableValues({ ...OWN, tables: TABLE }, { ...options, format }, (_, detail) => faults.push(detail));
  return faults.length > 0
    ? faults
    : placeFaults(folder, out ?? besideResult(folder, format!), format!, force);
}

function placeFaults(folder: string, out: string, format: ExportFormat, force: boolean): string[] {
  const shown = `--out ${shownValue(out)}`;
  if (liesInResult(folder, out))
    return [`${shown}: lies in the result, where verify would name it; choose a place beside it`];
  const found = statSync(out, { throwIfNoEntry: false });
  if (found === undefined) return [];
  if (!found.isDirectory()) return [`${shown}: not a folder; choose another place`];
  const there = RESULT_TABLES.map((table) => `${table}.${format}`).filter((file) =>
    existsSync(join(out, file)),
  );
  if (there.length === 0 || force) return [];
  return [`${shown}: holds ${there.join(', ')} already; choose another folder, or replace them with --force`];
}

/**
 * Writes tables of a finished result in another form, a file each: `pairs.csv` and so on.
 *
 * @throws MinHashError RESULT_MISSING, RESULT_DAMAGED; OPTION_INVALID: also where files of these names exist, and `force`
 * is not given; WRITE_FAILED, DISK_FULL. After an error no exported file has its name.
 */
export async function exportResult(folder: string, options: ExportOptions): Promise<ExportReport> {
  const details = faultsOf(folder, options);
  if (details.length > 0)
    throw new MinHashError(details.map((detail) => ({ code: 'OPTION_INVALID' as const, detail })));
  const { format } = options;
  const out = options.out ?? besideResult(folder, format);
  const manifest = readManifest(folder);
  const tables = options.tables ?? tablesOf(manifest);
  const root = resolve(out);
  guardWrite(out, () => makeFolders(root));
  const open: { readonly table: ResultTable; readonly rows: number; readonly file: AtomicFile }[] = [];
  let replacedCells = 0;
  try {
    for (const table of new Set(tables)) {
      const file = new AtomicFile(root, `${table}.${format}`, NODE_FILES, new DiskRoom(root));
      const written = { table, rows: 0, file };
      open.push(written);
      const { rows, replacedCells: replaced } = await exportTable(folder, table, format, (bytes) =>
        file.append(bytes),
      );
      written.rows = rows;
      replacedCells += replaced;
    }
    const files = open.map(({ table, rows, file }) => ({ ...file.finish(rows), table }));
    guardWrite(out, () => NODE_FILES.syncFolder(root));
    return {
      out,
      files: files.map(({ file, table, rows, bytes }) => ({ file, table, rows, bytes })),
      replacedCells,
    };
  } catch (error) {
    for (const { file } of open) file.abandon();
    throw error;
  }
}
