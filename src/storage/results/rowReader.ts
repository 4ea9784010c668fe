/**
 * Result files back to rows, in any of the three formats, a piece at a time.
 *
 * Floor 2. The mirror of rowWriter.ts. Cells are binary strings as they stand in the file, without quotes but
 * with the escapes of ids (escaping.ts undoes those). Knows nothing of what the columns mean.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { MinHashError } from '../../errors.js';
import type { ResultFormat } from '../../sketch/params.js';
import { plainCauseOf, systemCodeOf } from './atomicFile.js';

const PIECE = 1 << 20;

/**
 * Where the record at `from` ends (its LF), or -1: the text stops inside. In CSV an LF in quotes is part of a
 * cell.
 */
function recordEnd(text: string, from: number, format: ResultFormat): number {
  let end = text.indexOf('\n', from);
  if (format !== 'csv') return end;
  let quoted = false;
  for (let at = from; end >= 0; end = text.indexOf('\n', end + 1)) {
    for (; at < end; at++) if (text.charCodeAt(at) === 0x22) quoted = !quoted;
    if (!quoted) return end;
  }
  return -1;
}

/** The cells of a CSV record (RFC 4180), or null where its quotes do not match. */
export function csvCells(record: string): string[] | null {
  const cells: string[] = [];
  for (let at = 0; ; at++) {
    let cell = '';
    if (record[at] === '"') {
      let end = at;
      do {
        // Two quotes in a row are one quote of the cell.
        if (end > at) cell += '"';
        const close = record.indexOf('"', end + 1);
        if (close < 0) return null;
        cell += record.slice(end + 1, close);
        end = close + 1;
      } while (record[end] === '"');
      at = end;
    } else {
      const comma = record.indexOf(',', at);
      const end = comma < 0 ? record.length : comma;
      cell = record.slice(at, end);
      at = end;
    }
    cells.push(cell);
    if (at >= record.length) return cells;
    if (record[at] !== ',') return null;
  }
}

function jsonCells(record: string, columns: readonly string[]): string[] | null {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(record, 'latin1').toString('utf8'));
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const row = value as Readonly<Record<string, unknown>>;
  const cells = columns.map((name) => row[name]);
  if (cells.includes(undefined)) return null;
  return cells.map((cell) => (cell === null ? '' : Buffer.from(String(cell), 'utf8').toString('latin1')));
}

/** The cells of a record, or null where it has not one for each column. */
export function cellsOf(record: string, format: ResultFormat, columns: readonly string[]): string[] | null {
  if (format === 'jsonl') return jsonCells(record, columns);
  const cells = format === 'csv' ? csvCells(record) : record.split('\t');
  return cells !== null && cells.length === columns.length ? cells : null;
}

/** A file of a result that cannot be read. */
export function damaged(file: string, what: string, cause?: unknown): MinHashError {
  return new MinHashError({ code: 'RESULT_MISSING', detail: `${file}: ${what}` }, { cause });
}

async function openResultFile(dir: string, file: string): Promise<FileHandle> {
  try {
    return await open(join(dir, file), 'r');
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === null) throw error;
    throw damaged(
      file,
      code === 'ENOENT' ? 'the manifest names it, but it is gone' : plainCauseOf(code),
      error,
    );
  }
}

/** The records of a file, those of one piece at a time. The last one must be whole. */
async function* recordPieces(dir: string, file: string, format: ResultFormat): AsyncGenerator<string[]> {
  const handle = await openResultFile(dir, file);
  try {
    const buffer = Buffer.allocUnsafe(PIECE);
    let rest = '';
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, PIECE, null);
      if (bytesRead === 0) break;
      rest += buffer.toString('latin1', 0, bytesRead);
      const records: string[] = [];
      let from = 0;
      for (let end = recordEnd(rest, 0, format); end >= 0; end = recordEnd(rest, from, format)) {
        records.push(rest.slice(from, end));
        from = end + 1;
      }
      rest = rest.slice(from);
      yield records;
    }
    if (rest !== '') throw damaged(file, 'its last row is cut off');
  } finally {
    await handle.close();
  }
}

/** What is wanted of each row, by the names of the first line. */
export interface WantedColumns {
  readonly names: readonly string[];
  /** Columns that a result may lack: their cells are empty then. */
  readonly optional?: readonly string[];
}

/** Where the wanted columns stand: positions, -1 for an optional one that is not there; null where one is missing. */
function positionsOf(header: readonly string[], { names, optional = [] }: WantedColumns): number[] | null {
  const needed = names.map((name) => header.indexOf(name));
  return needed.includes(-1) ? null : [...needed, ...optional.map((name) => header.indexOf(name))];
}

function splitCells(record: string, format: 'tsv' | 'csv'): string[] | null {
  return format === 'csv' ? csvCells(record) : record.split('\t');
}

/** Cells of a JSON row; what is missing and may be is null. */
function jsonRow(record: string, { names, optional = [] }: WantedColumns): string[] | null {
  const needed = jsonCells(record, names);
  if (needed === null || optional.length === 0) return needed;
  return [...needed, ...optional.map((name) => jsonCells(record, [name])?.[0] ?? '')];
}

/**
 * The rows of one result file in pieces, the cells of each in the order of the wanted columns. Columns are found by their
 * names, so a result with more of them, or in another order, is read as well. Stop early by leaving the loop.
 *
 * @throws MinHashError RESULT_MISSING: the file is gone, lacks a column, or has a row that cannot be read
 */
export async function* readRows(
  dir: string,
  file: string,
  format: ResultFormat,
  wanted: WantedColumns,
): AsyncGenerator<string[][]> {
  let line = 0;
  let width = 0;
  let positions: number[] = [];
  for await (const records of recordPieces(dir, file, format)) {
    const rows: string[][] = [];
    for (const record of records) {
      line++;
      const cells = format === 'jsonl' ? jsonRow(record, wanted) : splitCells(record, format);
      if (cells === null || (line > 1 && format !== 'jsonl' && cells.length !== width)) {
        throw damaged(file, `row ${line} cannot be read`);
      }
      if (format === 'jsonl') rows.push(cells);
      else if (line > 1) rows.push(positions.map((at) => (at < 0 ? '' : cells[at]!)));
      else {
        const found = positionsOf(cells, wanted);
        if (found === null) throw damaged(file, `its first line lacks ${missingIn(cells, wanted)}`);
        positions = found;
        width = cells.length;
      }
    }
    yield rows;
  }
  if (line === 0 && format !== 'jsonl') throw damaged(file, 'it is empty');
}

function missingIn(header: readonly string[], { names }: WantedColumns): string {
  return `the column ${names.filter((name) => !header.includes(name)).join(', ')}`;
}
