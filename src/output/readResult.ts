/**
 * Reads a finished result as data: its rows in order, the best pairs, one pair, one cluster. Streams the
 * files that the manifest names; ids are binary strings.
 */

import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { unescapeBytes } from '../blocks/ids.js';
import { type ErrorCode, MinHashError, SKIP_CODES } from '../errors.js';
import { bytesOf } from '../readers/list/pathIds.js';
import type { Measure } from '../sketch/params.js';
import { plainCauseOf, systemCodeOf } from '../store/files.js';
import { utf8SequenceLength } from '../text/unicode/utf8.js';
import { listName, type PartFolder, partNumberOf } from './fileNames.js';
import type { Manifest } from './manifest.js';
import { readManifest } from './readManifest.js';
import { PAIR_KINDS } from './tables/pairTable.js';

/**
 * The kind of a pair: the same text byte for byte, the same canonical tokens in other bytes, or similar by
 * the measure of the run.
 */
export type PairKind = (typeof PAIR_KINDS)[number];

/** A row of `pairs/`: an accepted pair, a before b in the input. Null is the empty cell. */
export interface PairRow {
  readonly a: string;
  readonly b: string;
  /** Jaccard similarity, 0..1; in a result verified by signature the signature similarity. */
  readonly jaccard: number | null;
  /**
   * Share of matching signature slots, 0..1; for samples of fingerprints the estimate. Null if there is no
   * sketch.
   */
  readonly agreement: number | null;
  /** The share of a's shingles that b has, 0..1. Null unless the run verified exactly. */
  readonly containmentAInB: number | null;
  /** The share of b's shingles that a has, 0..1. Null unless the run verified exactly. */
  readonly containmentBInA: number | null;
  readonly kind: PairKind;
}

/** A row of `candidates/`: a candidate pair. Null is the empty cell. */
export interface CandidateRow {
  readonly a: string;
  readonly b: string;
  /** Share of matching signature slots, 0..1. */
  readonly agreement: number | null;
  /** Exact Jaccard similarity, if it was computed. */
  readonly jaccard: number | null;
  readonly accepted: boolean;
}

/** A row of `clusters/`: one document of one cluster. */
export interface ClusterRow {
  /** From 1. */
  readonly cluster: number;
  readonly document: string;
  readonly role: 'representative' | 'member';
  /** Similarity to the representative, 0..1; 1 for itself. */
  readonly similarity: number | null;
  /** `estimate` if the pair of document and representative was not verified exactly. */
  readonly basis: 'exact' | 'estimate';
  /** Where the document is: its path, or `path#record`. Absent if the result has no such column. */
  readonly place?: string;
}

/** A row of the drop list: a document that can be dropped, and the kept one that replaces it. */
export interface DropRow {
  readonly document: string;
  readonly kept: string;
  /** Their Jaccard similarity, 0..1; null where the run measured containment. */
  readonly jaccard: number | null;
  /** The share of the document that is in the kept one, 0..1; null if the run measured resemblance. */
  readonly containment: number | null;
  /** The place to delete: its path, or `path#record`. Absent if the result has no such column. */
  readonly place?: string;
}

/** A row of `skipped`: a document or place that was not compared, or was changed before the comparison, and why. */
export interface SkippedRow {
  /** An id, or a place in a file. */
  readonly document: string;
  /** As in the error table; null for a row without one. */
  readonly code: ErrorCode | null;
  /** As in the file: the code and its text. */
  readonly reason: string;
  /** The outcome, such as `skipped`; absent if the result has no such column. */
  readonly kind?: string;
}

/** How the rows of a file are parsed. */
interface RowReading<Row> {
  readonly columns: SelectedColumns;
  /** The row of cells in the order of the columns; null: they are not in the form that we write. */
  rowOf(cells: readonly string[]): Row | null;
}

const numberOf = (cell: string): number | null => (cell === '' ? null : Number(cell));
/** An optional cell as a property; an empty cell gives none. */
const given = <Key extends string>(key: Key, text: string): { readonly [K in Key]?: string } =>
  (text === '' ? {} : { [key]: text }) as { readonly [K in Key]?: string };

const KINDS: readonly string[] = PAIR_KINDS;

const PAIRS: RowReading<PairRow> = {
  columns: {
    names: ['a', 'b', 'jaccard', 'agreement', 'containment_a_in_b', 'containment_b_in_a', 'kind'],
  },
  rowOf(cells) {
    if (!KINDS.includes(cells[6]!)) return null;
    return {
      a: unescapeBytes(cells[0]!),
      b: unescapeBytes(cells[1]!),
      jaccard: numberOf(cells[2]!),
      agreement: numberOf(cells[3]!),
      containmentAInB: numberOf(cells[4]!),
      containmentBInA: numberOf(cells[5]!),
      kind: cells[6] as PairKind,
    };
  },
};

const CANDIDATES: RowReading<CandidateRow> = {
  columns: { names: ['a', 'b', 'agreement', 'jaccard', 'accepted'] },
  rowOf: (cells) => ({
    a: unescapeBytes(cells[0]!),
    b: unescapeBytes(cells[1]!),
    agreement: numberOf(cells[2]!),
    jaccard: numberOf(cells[3]!),
    accepted: cells[4] === 'yes',
  }),
};

const CLUSTERS: RowReading<ClusterRow> = {
  columns: { names: ['cluster', 'document', 'role', 'similarity', 'basis'], optional: ['place'] },
  rowOf: (cells) => ({
    cluster: Number(cells[0]),
    document: unescapeBytes(cells[1]!),
    role: cells[2] === 'representative' ? 'representative' : 'member',
    similarity: numberOf(cells[3]!),
    basis: cells[4] === 'estimate' ? 'estimate' : 'exact',
    ...given('place', unescapeBytes(cells[5]!)),
  }),
};

const DROPS: RowReading<DropRow> = {
  columns: { names: ['document', 'kept'], optional: ['jaccard', 'containment', 'place'] },
  rowOf: (cells) => ({
    document: unescapeBytes(cells[0]!),
    kept: unescapeBytes(cells[1]!),
    jaccard: numberOf(cells[2]!),
    containment: numberOf(cells[3]!),
    ...given('place', unescapeBytes(cells[4]!)),
  }),
};

const SKIPPED: RowReading<SkippedRow> = {
  columns: { names: ['document', 'reason'], optional: ['kind'] },
  rowOf(cells) {
    const reason = cells[1]!;
    const code = reason.slice(0, Math.max(0, reason.indexOf(':')));
    return {
      document: unescapeBytes(cells[0]!),
      code: SKIP_CODES.find((known) => known === code) ?? null,
      reason,
      ...given('kind', cells[2]!),
    };
  },
};

const PIECE = 1 << 20;
const SMALL_PIECE = 1 << 14;

/** The error for a file of a result that cannot be read. */
function damaged(file: string, what: string, cause?: unknown): MinHashError {
  return new MinHashError({ code: 'RESULT_MISSING', detail: `${file}: ${what}` }, { cause });
}

/** The error for a file on which a system call failed; an error that is not the system's is thrown. */
function notReadable(file: string, error: unknown): MinHashError {
  const code = systemCodeOf(error);
  if (code === null) throw error;
  return damaged(
    file,
    code === 'ENOENT' ? 'the manifest names it, but it is gone' : plainCauseOf(code),
    error,
  );
}

async function openResultFile(dir: string, file: string): Promise<FileHandle> {
  try {
    return await open(join(dir, file), 'r');
  } catch (error) {
    throw notReadable(file, error);
  }
}

/** Reads bytes of a file from `at` on; returns their number. A folder opens without an error, and fails here. */
async function readPiece(handle: FileHandle, buffer: Buffer, file: string, at: number): Promise<number> {
  try {
    return (await handle.read(buffer, 0, buffer.length, at)).bytesRead;
  } catch (error) {
    throw notReadable(file, error);
  }
}

/**
 * The lines of a file from the byte `from`, where a line begins; yields the lines of one piece of bytes at a time. The last
 * line must be whole.
 *
 * @param first bytes of the first piece, which is small where few rows are needed
 */
async function* linePieces(dir: string, file: string, from = 0, first = PIECE): AsyncGenerator<string[]> {
  const handle = await openResultFile(dir, file);
  try {
    let buffer = Buffer.allocUnsafe(first);
    let rest = '';
    for (let at = from; ; ) {
      const bytesRead = await readPiece(handle, buffer, file, at);
      if (bytesRead === 0) break;
      at += bytesRead;
      const lines = (rest + buffer.toString('latin1', 0, bytesRead)).split('\n');
      rest = lines.pop()!;
      yield lines;
      if (buffer.length < PIECE) buffer = Buffer.allocUnsafe(PIECE);
    }
    if (rest !== '') throw damaged(file, 'its last row is cut off');
  } finally {
    await handle.close();
  }
}

/** The columns to read, by the names of the first line. */
interface SelectedColumns {
  readonly names: readonly string[];
  /** Columns that a result may lack: their cells are empty then. */
  readonly optional?: readonly string[];
}

/** Positions of the wanted columns, -1 for an absent optional one; null if one is missing. */
function positionsOf(header: readonly string[], { names, optional = [] }: SelectedColumns): number[] | null {
  const needed = names.map((name) => header.indexOf(name));
  return needed.includes(-1) ? null : [...needed, ...optional.map((name) => header.indexOf(name))];
}

/**
 * The lines of one result file as cells, in pieces: binary strings with the escapes of ids (escaping.ts decodes them). The
 * first line names the columns. Leaving the loop closes the file.
 *
 * @throws MinHashError RESULT_MISSING: the file is missing, or has a row that cannot be read
 */
export async function* readCells(dir: string, file: string): AsyncGenerator<string[][]> {
  let line = 0;
  let width = 0;
  for await (const lines of linePieces(dir, file)) {
    const rows = lines.map((text) => text.split('\t'));
    if (line === 0 && rows.length > 0) width = rows[0]!.length;
    for (const cells of rows) {
      line++;
      if (cells.length !== width) throw damaged(file, `row ${line} cannot be read`);
    }
    yield rows;
  }
  if (line === 0) throw damaged(file, 'it is empty');
}

/**
 * The rows of one result file in pieces, the cells of each in the order of the wanted columns. Columns are
 * found by their names, so a result with more of them, or in another order, is read as well.
 *
 * @throws MinHashError RESULT_MISSING: as readCells; the file lacks a column
 */
async function* readRows(dir: string, file: string, wanted: SelectedColumns): AsyncGenerator<RowCells> {
  let positions: number[] | null = null;
  let from = 0;
  for await (const rows of readCells(dir, file)) {
    if (positions === null && rows.length > 0) {
      const header = rows.shift()!;
      positions = positionsIn(file, header, wanted);
      from = lineBytes(header);
    }
    const starts = rows.map((cells) => {
      const start = from;
      from += lineBytes(cells);
      return start;
    });
    yield { cells: rows.map((cells) => selected(cells, positions!)), starts };
  }
}

/** Rows as cells in the order of the wanted columns, and the byte of its file at which each begins. */
interface RowCells {
  readonly cells: readonly string[][];
  readonly starts: readonly number[];
}

/** The number of bytes of a line: its cells are binary strings, and a TAB or LF follows each. */
const lineBytes = (cells: readonly string[]): number =>
  cells.reduce((sum, { length }) => sum + length + 1, 0);

const selected = (cells: readonly string[], positions: readonly number[]): string[] =>
  positions.map((at) => (at < 0 ? '' : cells[at]!));

function positionsIn(file: string, header: readonly string[], wanted: SelectedColumns): number[] {
  const positions = positionsOf(header, wanted);
  if (positions === null) throw damaged(file, `its first line lacks ${missingIn(header, wanted)}`);
  return positions;
}

function missingIn(header: readonly string[], { names }: SelectedColumns): string {
  return `the column ${names.filter((name) => !header.includes(name)).join(', ')}`;
}

/** A table of a result: its files in order, and how a row is parsed. */
interface Table<Row> {
  readonly dir: string;
  readonly parts: readonly string[];
  readonly reading: RowReading<Row>;
}

function tableOf<Row>(
  dir: string,
  manifest: Manifest,
  folder: PartFolder,
  reading: RowReading<Row>,
): Table<Row> {
  return { dir, parts: partsOf(manifest, folder), reading };
}

/** The files of a table in parts, in their order. */
export function partsOf(manifest: Manifest, folder: PartFolder): string[] {
  return Object.keys(manifest.files)
    .filter((name) => partNumberOf(name, folder) >= 0)
    .sort((x, y) => partNumberOf(x, folder) - partNumberOf(y, folder));
}

/** All rows, part after part. */
async function* rowsOf<Row>(table: Table<Row>): AsyncGenerator<Row> {
  for await (const { rows } of placedRows(table)) yield* rows;
}

/** Consecutive rows of a part, and the byte of the part at which each begins. */
export interface RowsOfPart<Row> {
  readonly part: number;
  readonly rows: readonly Row[];
  readonly starts: readonly number[];
}

/** All rows in pieces of some thousand, with the offsets at which they can be read again. */
async function* placedRows<Row>({ dir, parts, reading }: Table<Row>): AsyncGenerator<RowsOfPart<Row>> {
  for (const [part, file] of parts.entries()) {
    for await (const { cells, starts } of readRows(dir, file, reading.columns)) {
      yield { part, rows: cells.map((row) => parsed(file, row, reading)), starts };
    }
  }
}

function parsed<Row>(file: string, cells: readonly string[], { rowOf }: RowReading<Row>): Row {
  const row = rowOf(cells);
  if (row === null) throw damaged(file, `the row ${JSON.stringify(cells.join(' '))} cannot be read`);
  return row;
}

/** A table in parts whose rows can be read again by part and byte; ids in rows are binary strings. */
export interface PlacedTable<Row> {
  all(): AsyncGenerator<RowsOfPart<Row>>;
  /** The rows of a part from the byte `start`, where a row begins; `count` at most. */
  from(part: number, start: number, count: number): Promise<Row[]>;
}

function placedTable<Row>(table: Table<Row>): PlacedTable<Row> {
  const { dir, parts, reading } = table;
  return {
    all: () => placedRows(table),
    from: async (part, start, count) => {
      const file = parts[part]!;
      const rows: Row[] = [];
      let positions: number[] = [];
      for await (const [header = ''] of linePieces(dir, file, 0, SMALL_PIECE)) {
        positions = positionsIn(file, header.split('\t'), reading.columns);
        break;
      }
      for await (const lines of linePieces(dir, file, start, SMALL_PIECE)) {
        for (const line of lines.slice(0, count - rows.length))
          rows.push(parsed(file, selected(line.split('\t'), positions), reading));
        if (rows.length >= count) break;
      }
      return rows;
    },
  };
}

/** The clusters of a result, whose rows can be read again by place. @throws MinHashError RESULT_MISSING */
export function placedClusters(dir: string): PlacedTable<ClusterRow> {
  return placedTable(tableOf(dir, readManifest(dir), 'clusters', CLUSTERS));
}

/** The accepted pairs of a result, whose rows can be read again by place. @throws MinHashError RESULT_MISSING */
export function placedPairs(dir: string): PlacedTable<PairRow> {
  return placedTable(tableOf(dir, readManifest(dir), 'pairs', PAIRS));
}

/** All rows of `candidates/`, in the order of the files. @throws MinHashError RESULT_MISSING */
export function readCandidates(dir: string): AsyncGenerator<CandidateRow> {
  return rowsOf(tableOf(dir, readManifest(dir), 'candidates', CANDIDATES));
}

/** All rows of `clusters/`, in the order of the files. @throws MinHashError RESULT_MISSING */
export function readClusters(dir: string): AsyncGenerator<ClusterRow> {
  return rowsOf(tableOf(dir, readManifest(dir), 'clusters', CLUSTERS));
}

/** All rows of the drop list, in the order of the file. @throws MinHashError RESULT_MISSING */
export function readDrops(dir: string): AsyncGenerator<DropRow> {
  return rowsOf(listOf(dir, 'duplicates', DROPS));
}

/** All rows of `skipped`, in the order of the file. @throws MinHashError RESULT_MISSING */
export function readSkipped(dir: string): AsyncGenerator<SkippedRow> {
  return rowsOf(listOf(dir, 'skipped', SKIPPED));
}

function listOf<Row>(dir: string, list: 'duplicates' | 'skipped', reading: RowReading<Row>): Table<Row> {
  // Throws unless the folder is a finished result.
  readManifest(dir);
  return { dir, parts: [listName(list)], reading };
}

/** All rows of `pairs/`, in the order of the files. @throws MinHashError RESULT_MISSING */
export function readPairs(dir: string): AsyncGenerator<PairRow> {
  return rowsOf(tableOf(dir, readManifest(dir), 'pairs', PAIRS));
}

/** The similarity of a near pair by the measure of its run; 0 if it has none. */
export function measured(row: PairRow, measure: Measure): number {
  if (measure === 'resemblance') return row.jaccard ?? 0;
  return Math.max(row.containmentAInB ?? 0, row.containmentBInA ?? 0);
}

/** U+FFFD in UTF-8, as a binary string: terminals and exports show it in place of bytes that are not UTF-8. */
const REPLACED = '\xef\xbf\xbd';

/** Replaces bytes that are not UTF-8, and U+FFFD, by one mark per run. */
function withoutInvalid(binary: string): string {
  const bytes = bytesOf(binary);
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = bytes[at]! < 0x80 ? 1 : utf8SequenceLength(bytes, at, bytes.length);
    const piece = length === 0 ? REPLACED : binary.slice(at, at + length);
    if (piece !== REPLACED || !text.endsWith(REPLACED)) text += piece;
    at += Math.max(1, length);
  }
  return text;
}

/** The test whether a found id is this one; U+FFFD in `id` also matches bytes that are not UTF-8. */
export function matcherOf(id: string): (found: string) => boolean {
  if (!id.includes(REPLACED)) return (found) => found === id;
  const wanted = withoutInvalid(id);
  return (found) => found === id || withoutInvalid(found) === wanted;
}

/** The row of two ids, in either order. Scans the rows, because ids are not sorted. */
async function findRow<Row extends { a: string; b: string }>(
  table: Table<Row>,
  one: string,
  other: string,
): Promise<Row | null> {
  const [isOne, isOther] = [matcherOf(one), matcherOf(other)];
  for await (const row of rowsOf(table)) {
    if ((isOne(row.a) && isOther(row.b)) || (isOne(row.b) && isOther(row.a))) return row;
  }
  return null;
}

/** The rows of a pair in a result; null for a missing one. */
interface PairFindings {
  readonly pair: PairRow | null;
  readonly candidate: CandidateRow | null;
}

/**
 * The rows of the pair of two ids (binary strings), in either order. Two documents of one exact-duplicate
 * group have a row only if one of them is the first of the group, or groups were expanded.
 *
 * @throws MinHashError RESULT_MISSING
 */
export async function findPair(dir: string, one: string, other: string): Promise<PairFindings> {
  const manifest = readManifest(dir);
  const pairs = tableOf(dir, manifest, 'pairs', PAIRS);
  const candidates = tableOf(dir, manifest, 'candidates', CANDIDATES);
  return { pair: await findRow(pairs, one, other), candidate: await findRow(candidates, one, other) };
}

/**
 * The rows of the cluster of a document (binary id); none if it is in no cluster of two or more.
 *
 * @throws MinHashError RESULT_MISSING
 */
export async function findCluster(dir: string, document: string): Promise<ClusterRow[]> {
  let rows: ClusterRow[] = [];
  let found = false;
  const isWanted = matcherOf(document);
  for await (const row of readClusters(dir)) {
    if (rows.length > 0 && rows[0]!.cluster !== row.cluster) {
      if (found) return rows;
      rows = [];
    }
    rows.push(row);
    found ||= isWanted(row.document);
  }
  return found ? rows : [];
}

/**
 * By id (binary string), the first of the documents with the same tokens, which alone represents them in near pairs; ids of
 * documents that are themselves the first are absent.
 *
 * @throws MinHashError RESULT_MISSING
 */
export async function findFirsts(dir: string, ids: readonly string[]): Promise<Map<string, string>> {
  const firsts = new Map<string, string>();
  const wanted = ids.map((id) => ({ id, isIt: matcherOf(id) }));
  // Rows are sorted by their first document, and the first of a group is the smallest.
  for await (const { a, b, kind } of readPairs(dir)) {
    if (kind === 'near') continue;
    for (const { id, isIt } of wanted) if (isIt(b) && !firsts.has(id)) firsts.set(id, a);
  }
  return firsts;
}
