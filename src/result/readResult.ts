/**
 * Reads a finished result as data: its rows in order. Streams the files that the manifest lists; ids are binary strings.
 */

import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { unescapeBytes } from '../blocks/ids.js';
import { type ErrorCode, MinHashError, SKIP_CODES } from '../errors.js';
import type { Measure } from '../sketch/params.js';
import { plainCauseOf, systemCodeOf } from '../store/files.js';
import { isPartFolder, listName, partNumberOf, type ResultTable } from './fileNames.js';
import type { Manifest } from './manifest.js';
import { readManifest } from './readManifest.js';
import { PAIR_KINDS } from './tables/pairTable.js';

/**
 * The kind of a pair: the same text byte for byte, the same canonical tokens in other bytes, or similar by
 * the measure of the run.
 */
export type PairKind = (typeof PAIR_KINDS)[number];

/** The two documents of a row: their ids, which may repeat, and their locations, which identify them. */
export interface PairedDocuments {
  readonly a: string;
  readonly b: string;
  readonly aLocation: string;
  readonly bLocation: string;
}

/** A row of `pairs/`: an accepted pair, a before b in the keep order. Null is the empty cell. */
export interface PairRow extends PairedDocuments {
  /** Jaccard similarity, 0..1; the estimate in a result verified by signature. */
  readonly jaccard: number | null;
  /** Share of matching signature slots, 0..1; for samples of fingerprints the estimate. Null if there is no sketch. */
  readonly agreement: number | null;
  /** The share of a's shingles that b has, 0..1. Null unless the run verified exactly. */
  readonly containmentAInB: number | null;
  /** The share of b's shingles that a has, 0..1. Null unless the run verified exactly. */
  readonly containmentBInA: number | null;
  readonly kind: PairKind;
}

/** A row of `candidates/`: a candidate pair. Null is the empty cell. */
export interface CandidateRow extends PairedDocuments {
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
  /** The location of the document: its path, or `path#record`. */
  readonly place: string;
}

/** A row of the drop list: a document that can be dropped, and the kept one that replaces it. */
export interface DropRow {
  readonly document: string;
  readonly kept: string;
  /** Their Jaccard similarity, 0..1; null if the run measured containment. */
  readonly jaccard: number | null;
  /** The share of the document that is in the kept one, 0..1; null if the run measured resemblance. */
  readonly containment: number | null;
  /** The location of the document: its path, or `path#record`; the id in an edited list without locations. */
  readonly place: string;
  /** The location of the kept document. */
  readonly keptPlace: string;
  /** Where the row is in the file of an edited list, such as `drop list "mine.tsv", line 2`. */
  readonly at?: string;
}

/** A row of `skipped`: a document or location that was not compared, or was changed before the comparison, and why. */
export interface SkippedRow {
  /** A location: a path, or `path#record`. */
  readonly document: string;
  /** A code of the error table; null for a row without one. */
  readonly code: ErrorCode | null;
  /** As in the file: the code and its text. */
  readonly reason: string;
  /** The outcome, such as `skipped`; absent if the result has no such column. */
  readonly kind?: string;
}

/** The rows of each table. */
export interface TableRows {
  readonly pairs: PairRow;
  readonly candidates: CandidateRow;
  readonly clusters: ClusterRow;
  readonly duplicates: DropRow;
  readonly skipped: SkippedRow;
}

/** How the rows of a file are parsed, by the names of columns in its first line. */
interface RowReading<Row> {
  readonly columns: readonly string[];
  /** Optional columns: their cells are empty if the result lacks them. */
  readonly optional?: readonly string[];
  /** The row of cells in the order of the columns; null if they do not have the form that we write. */
  rowOf(cells: readonly string[]): Row | null;
}

/** A cell with a number from 0 to 1, or an empty one. */
export const FRACTION_CELL: RegExp = /^(0(\.\d+)?|1(\.0+)?)?$/;

const numberOf = (cell: string): number | null => (cell === '' ? null : Number(cell));
// Rows are many, so their objects are made without spreading others into them.
const READINGS: { readonly [Name in keyof TableRows]: RowReading<TableRows[Name]> } = {
  pairs: {
    columns: [
      ...['a', 'b', 'jaccard', 'agreement', 'containment_a_in_b', 'containment_b_in_a', 'kind'],
      ...['a_location', 'b_location'],
    ],
    rowOf(cells) {
      const kind = PAIR_KINDS.find((known) => known === cells[6]);
      if (kind === undefined) return null;
      return {
        a: unescapeBytes(cells[0]!),
        b: unescapeBytes(cells[1]!),
        aLocation: unescapeBytes(cells[7]!),
        bLocation: unescapeBytes(cells[8]!),
        jaccard: numberOf(cells[2]!),
        agreement: numberOf(cells[3]!),
        containmentAInB: numberOf(cells[4]!),
        containmentBInA: numberOf(cells[5]!),
        kind,
      };
    },
  },
  candidates: {
    columns: ['a', 'b', 'agreement', 'jaccard', 'accepted', 'a_location', 'b_location'],
    rowOf: (cells) => ({
      a: unescapeBytes(cells[0]!),
      b: unescapeBytes(cells[1]!),
      aLocation: unescapeBytes(cells[5]!),
      bLocation: unescapeBytes(cells[6]!),
      agreement: numberOf(cells[2]!),
      jaccard: numberOf(cells[3]!),
      accepted: cells[4] === 'yes',
    }),
  },
  clusters: {
    columns: ['cluster', 'document', 'role', 'similarity', 'basis', 'place'],
    rowOf: (cells) => ({
      cluster: Number(cells[0]),
      document: unescapeBytes(cells[1]!),
      role: cells[2] === 'representative' ? 'representative' : 'member',
      similarity: numberOf(cells[3]!),
      basis: cells[4] === 'estimate' ? 'estimate' : 'exact',
      place: unescapeBytes(cells[5]!),
    }),
  },
  duplicates: {
    columns: ['document', 'kept', 'place', 'kept_place'],
    optional: ['jaccard', 'containment'],
    rowOf: (cells) => ({
      document: unescapeBytes(cells[0]!),
      kept: unescapeBytes(cells[1]!),
      place: unescapeBytes(cells[2]!),
      keptPlace: unescapeBytes(cells[3]!),
      jaccard: numberOf(cells[4]!),
      containment: numberOf(cells[5]!),
    }),
  },
  skipped: {
    columns: ['document', 'reason'],
    optional: ['kind'],
    rowOf([document, reason, kind]) {
      const code = reason!.slice(0, Math.max(0, reason!.indexOf(':')));
      return {
        document: unescapeBytes(document!),
        code: SKIP_CODES.find((known) => known === code) ?? null,
        reason: reason!,
        ...(kind !== '' && { kind: kind! }),
      };
    },
  },
};

const PIECE = 1 << 20;

/** The error for a file of a result that cannot be read. */
function damaged(path: string, what: string, cause?: unknown): MinHashError {
  return new MinHashError({ code: 'RESULT_DAMAGED', detail: `${path}: ${what}` }, { cause });
}

/** A step that reads a file; errors of the system include its path. */
async function reading<T>(path: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === null) throw error;
    const what = code === 'ENOENT' ? 'the manifest lists it, but it is missing' : plainCauseOf(code);
    throw damaged(path, what, error);
  }
}

/** The lines of a file, those of one piece of bytes at a time. The last line must be complete. */
async function* linePieces(path: string): AsyncGenerator<string[]> {
  const handle = await reading(path, () => open(path, 'r'));
  try {
    const buffer = Buffer.allocUnsafe(PIECE);
    let rest = '';
    for (;;) {
      // A folder is opened without an error, and fails here.
      const { bytesRead } = await reading(path, () => handle.read(buffer, 0, buffer.length, null));
      if (bytesRead === 0) break;
      const lines = (rest + buffer.toString('latin1', 0, bytesRead)).split('\n');
      rest = lines.pop()!;
      yield lines;
    }
    if (rest !== '') throw damaged(path, 'its last row is cut off');
  } finally {
    await handle.close();
  }
}

/** The forms of cells, by column; a cell of any other column is any text. */
const FORMS: ReadonlyMap<string, RegExp> = new Map([
  ['cluster', /^[1-9]\d{0,14}$/],
  ...['jaccard', 'agreement', 'similarity', 'containment', 'containment_a_in_b', 'containment_b_in_a'].map(
    (name) => [name, FRACTION_CELL] as const,
  ),
]);

/** The rows of a file in pieces. Columns are identified by name, so a result with more columns, or in another order, can be read. */
async function* rowPieces<Row>(
  path: string,
  { columns, optional = [], rowOf }: RowReading<Row>,
): AsyncGenerator<Row[]> {
  let positions: readonly number[] = [];
  let forms: readonly (readonly [cell: number, form: RegExp])[] = [];
  let [line, width] = [0, 0];
  for await (const lines of linePieces(path)) {
    const rows: Row[] = [];
    for (const text of lines) {
      const written = text.split('\t');
      if (line++ === 0) {
        const lacking = columns.filter((name) => !written.includes(name));
        if (lacking.length > 0) throw damaged(path, `its first line lacks the column ${lacking.join(', ')}`);
        const names = [...columns, ...optional];
        width = written.length;
        positions = names.map((name) => written.indexOf(name));
        forms = names.flatMap((name, i) => (FORMS.has(name) ? [[i, FORMS.get(name)!] as const] : []));
        continue;
      }
      // An optional column that the file lacks has empty cells.
      const cells = positions.map((at) => written[at] ?? '');
      const isValid = written.length === width && forms.every(([cell, form]) => form.test(cells[cell]!));
      const row = isValid ? rowOf(cells) : null;
      if (row === null) throw damaged(path, `row ${line} cannot be read: ${shownRow(text)}`);
      rows.push(row);
    }
    yield rows;
  }
  if (line === 0) throw damaged(path, 'it is empty');
}

/** Characters of a row in a message. */
const MOST_SHOWN = 100;

function shownRow(row: string): string {
  const text = row.replaceAll('\t', ' ');
  return JSON.stringify(text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}...` : text);
}

/** The files of a table, in order; none if the result lacks the table. */
function filesOfTable(manifest: Manifest, table: ResultTable): string[] {
  const names = Object.keys(manifest.files);
  if (!isPartFolder(table)) return names.filter((name) => name === listName(table));
  return names
    .filter((name) => partNumberOf(name, table) >= 0)
    .sort((x, y) => partNumberOf(x, table) - partNumberOf(y, table));
}

/**
 * The rows of a table of the finished result in `dir`, in the order of its files, some thousand at a time; ids in rows are binary
 * strings.
 *
 * @throws MinHashError RESULT_DAMAGED for a file that is missing, lacks a column, or has a row that cannot be read
 */
export async function* tablePieces<Name extends keyof TableRows>(
  dir: string,
  name: Name,
): AsyncGenerator<readonly TableRows[Name][]> {
  for (const file of filesOfTable(readManifest(dir), name)) yield* rowPieces(join(dir, file), READINGS[name]);
}

/** The same rows one by one. */
export async function* tableRows<Name extends keyof TableRows>(
  dir: string,
  name: Name,
): AsyncGenerator<TableRows[Name]> {
  for await (const rows of tablePieces(dir, name)) for (const row of rows) yield row;
}

/** The similarity of a near pair by the measure of its run; 0 if it has none. */
export function measured(row: PairRow, measure: Measure): number {
  if (measure === 'resemblance') return row.jaccard ?? 0;
  return Math.max(row.containmentAInB ?? 0, row.containmentBInA ?? 0);
}
