/**
 * A finished result as data: its rows in order, the best pairs, one pair, one cluster. For `inspect` and the library.
 *
 * Floor 2. Streams the files that the manifest names; ids come and go as binary strings. Knows no texts.
 */
import type { Measure, ResultFormat } from '../../sketch/params.js';
import { bytesOf } from '../ids.js';
import { utf8SequenceLength } from './escaping.js';
import type { Manifest } from './manifest.js';
import { readManifest } from './readManifest.js';
import { listName, type PartFolder, partNumberOf } from './resultNames.js';
import {
  CANDIDATES,
  type CandidateRow,
  CLUSTERS,
  type ClusterRow,
  DROPS,
  type DropRow,
  PAIRS,
  type PairRow,
  type RowReading,
  SKIPPED,
  type SkippedRow,
} from './resultRows.js';
import { damaged, readRows } from './rowReader.js';

export type { CandidateRow, ClusterRow, DropRow, PairKind, PairRow, SkippedRow } from './resultRows.js';

/** A table of a result: its files in order, and how a row is read. */
interface Table<Row> {
  readonly dir: string;
  readonly format: ResultFormat;
  readonly parts: readonly string[];
  readonly reading: RowReading<Row>;
}

function tableOf<Row>(
  dir: string,
  manifest: Manifest,
  folder: PartFolder,
  reading: RowReading<Row>,
): Table<Row> {
  const parts = Object.keys(manifest.files)
    .filter((name) => partNumberOf(name, folder) >= 0)
    .sort((x, y) => partNumberOf(x, folder) - partNumberOf(y, folder));
  return { dir, format: manifest.parameters.format, parts, reading };
}

/** Rows from part number `from` on. */
async function* rowsOf<Row>({ dir, format, parts, reading }: Table<Row>, from = 0): AsyncGenerator<Row> {
  for (const part of parts.slice(from)) {
    for await (const rows of readRows(dir, part, format, reading.columns)) {
      for (const cells of rows) {
        const row = reading.rowOf(cells, format);
        if (row === null) throw damaged(part, `the row ${JSON.stringify(cells.join(' '))} cannot be read`);
        yield row;
      }
    }
  }
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
  const { format } = readManifest(dir).parameters;
  return { dir, format, parts: [listName(list, format)], reading };
}

/**
 * The first `limit` rows of `pairs/`, in the order of the files.
 *
 * @throws MinHashError RESULT_MISSING
 */
export async function* readPairs(dir: string, limit = Number.POSITIVE_INFINITY): AsyncGenerator<PairRow> {
  let left = limit;
  if (left <= 0) return;
  for await (const row of rowsOf(tableOf(dir, readManifest(dir), 'pairs', PAIRS))) {
    yield row;
    if (--left <= 0) return;
  }
}

/** A near pair by the measure of its run; 0 where it has none. */
function measured(row: PairRow, measure: Measure): number {
  if (measure === 'resemblance') return row.jaccard ?? 0;
  return Math.max(row.containmentAInB ?? 0, row.containmentBInA ?? 0);
}

/**
 * The `count` near pairs of greatest resemblance, or containment where that was measured; of equal ones those first in
 * (a, b). Holds at most `2 * count` rows.
 *
 * @throws MinHashError RESULT_MISSING
 */
export async function topPairs(dir: string, count: number): Promise<PairRow[]> {
  let best: PairRow[] = [];
  if (count <= 0) return best;
  const { measure } = readManifest(dir).parameters;
  // Sorting is stable, and rows arrive in (a, b) order: how often it is done shows in the time alone.
  const keepBest = (): void => {
    best = best.sort((x, y) => measured(y, measure) - measured(x, measure)).slice(0, count);
  };
  for await (const row of readPairs(dir)) {
    if (row.kind !== 'near') continue;
    best.push(row);
    if (best.length >= 2 * count) keepBest();
  }
  keepBest();
  return best;
}

/** U+FFFD in UTF-8, as a binary string: what CSV and JSON hold in the place of bytes that are not UTF-8. */
const REPLACED = '\xef\xbf\xbd';

/** Bytes that are not UTF-8, and U+FFFD: all alike, and one for as many as stand together. */
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

/** Whether a row's id is this one; one with U+FFFD is meant as its text: it is found where the bytes are known, too. */
function matcherOf(id: string): (found: string) => boolean {
  if (!id.includes(REPLACED)) return (found) => found === id;
  const wanted = withoutInvalid(id);
  return (found) => found === id || withoutInvalid(found) === wanted;
}

const before = (x: { a: string; b: string }, a: string, b: string): boolean =>
  x.a < a || (x.a === a && x.b < b);

/** Whether its place among the rows can be told: rows are in the order of bytes, which U+FFFD may stand for. */
const isPlaced = ({ a, b }: { a: string; b: string }): boolean =>
  !a.includes(REPLACED) && !b.includes(REPLACED);

/** The first row from part number `part` on whose place can be told. Leaving the loop closes the file. */
async function firstRow<Row extends { a: string; b: string }>(
  table: Table<Row>,
  part: number,
): Promise<Row | null> {
  for await (const row of rowsOf(table, part)) if (isPlaced(row)) return row;
  return null;
}

/**
 * The row (a, b) of a table sorted by (a, b): a binary search over first rows of parts, then through one
 * part. Where an id has U+FFFD every row is looked at.
 */
async function findRow<Row extends { a: string; b: string }>(
  table: Table<Row>,
  a: string,
  b: string,
): Promise<Row | null> {
  if (!isPlaced({ a, b })) return findAnywhere(table, a, b);
  let low = 0;
  let high = table.parts.length - 1;
  // The last part whose first row is not behind the row wanted.
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    const first = await firstRow(table, middle);
    if (first !== null && (before(first, a, b) || (first.a === a && first.b === b))) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  for await (const row of rowsOf(table, low)) {
    if (isPlaced(row) && !before(row, a, b)) return row.a === a && row.b === b ? row : null;
  }
  return null;
}

async function findAnywhere<Row extends { a: string; b: string }>(
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

/** The row of two ids where rows are not in the order of ids as they stand there: the first one, with a before b. */
async function seekRow<Row extends CandidateRow | PairRow>(
  table: Table<Row>,
  a: string,
  b: string,
): Promise<Row | null> {
  for await (const row of rowsOf(table)) {
    if (row.a === a && row.b === b) return row;
    if (row.a !== b || row.b !== a) continue;
    if (!('kind' in row)) return { ...row, a, b };
    return { ...row, a, b, containmentAInB: row.containmentBInA, containmentBInA: row.containmentAInB };
  }
  return null;
}

/** What a result says of a pair; null where it has no such row. */
export interface PairFindings {
  readonly pair: PairRow | null;
  readonly candidate: CandidateRow | null;
}

/**
 * The rows of the pair of two ids (binary strings), given in either order. Two documents of one class have a row
 * only if one of them is the first of their class, or classes were expanded.
 *
 * @throws MinHashError RESULT_MISSING
 */
export async function findPair(dir: string, one: string, other: string): Promise<PairFindings> {
  // Binary strings compare as their bytes do.
  const [a, b] = one < other ? [one, other] : [other, one];
  const manifest = readManifest(dir);
  const pairs = tableOf(dir, manifest, 'pairs', PAIRS);
  const candidates = tableOf(dir, manifest, 'candidates', CANDIDATES);
  // Rows are in the order of the ids themselves, which U+FFFD in their place need not have.
  if (manifest.counts.ids_replaced > 0) {
    return { pair: await seekRow(pairs, a, b), candidate: await seekRow(candidates, a, b) };
  }
  return { pair: await findRow(pairs, a, b), candidate: await findRow(candidates, a, b) };
}

/**
 * The rows of the cluster that holds a document (binary id); none where it is in no cluster of two or more.
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
 * By id (binary string): the first of the documents with the same tokens, where that is another one; such a document
 * alone stands in near pairs for all of them.
 *
 * @throws MinHashError RESULT_MISSING
 */
export async function findFirsts(dir: string, ids: readonly string[]): Promise<Map<string, string>> {
  const firsts = new Map<string, string>();
  const wanted = ids.map((id) => ({ id, isIt: matcherOf(id) }));
  // Rows are in the order of their first document, and the first of a class is the least.
  for await (const { a, b, kind } of readPairs(dir)) {
    if (kind === 'near') continue;
    for (const { id, isIt } of wanted) if (isIt(b) && !firsts.has(id)) firsts.set(id, a);
  }
  return firsts;
}
