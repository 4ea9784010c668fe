/**
 * A finished result as data: pairs, the best of them, one pair, one cluster. For `inspect` and the library.
 *
 * Floor 2. Streams the part files that the manifest names; ids come out as binary strings. Knows no texts.
 */
import type { Measure, ResultFormat } from '../../sketch/params.js';
import { CANDIDATE_COLUMNS } from './candidateParts.js';
import { CLUSTER_COLUMNS } from './clusterParts.js';
import { unescapeBytes, unescapePlace } from './escaping.js';
import type { Manifest } from './manifest.js';
import { PAIR_COLUMNS } from './pairParts.js';
import { readManifest } from './readManifest.js';
import { type PartFolder, partNumberOf } from './resultNames.js';
import { readRows } from './rowReader.js';

/** A row of `pairs/`; null is the empty cell. */
export interface PairRow {
  readonly a: string;
  readonly b: string;
  readonly jaccard: number | null;
  readonly agreement: number | null;
  readonly containmentAB: number | null;
  readonly containmentBA: number | null;
  readonly kind: 'identical' | 'near';
}

/** A row of `candidates/`. */
export interface CandidateRow {
  readonly a: string;
  readonly b: string;
  readonly agreement: number | null;
  readonly jaccard: number | null;
  readonly accepted: boolean;
}

/** A row of `clusters/`. */
export interface ClusterRow {
  readonly cluster: number;
  readonly document: string;
  readonly role: 'representative' | 'member';
  readonly similarity: number | null;
  readonly basis: 'exact' | 'estimate';
  /** What to find the document by, whatever its id. */
  readonly place: string;
}

const numberOf = (cell: string): number | null => (cell === '' ? null : Number(cell));

function pairRow(cells: readonly string[], format: ResultFormat): PairRow {
  return {
    a: unescapeBytes(cells[0]!, format),
    b: unescapeBytes(cells[1]!, format),
    jaccard: numberOf(cells[2]!),
    agreement: numberOf(cells[3]!),
    containmentAB: numberOf(cells[4]!),
    containmentBA: numberOf(cells[5]!),
    kind: cells[6] === 'identical' ? 'identical' : 'near',
  };
}

function candidateRow(cells: readonly string[], format: ResultFormat): CandidateRow {
  return {
    a: unescapeBytes(cells[0]!, format),
    b: unescapeBytes(cells[1]!, format),
    agreement: numberOf(cells[2]!),
    jaccard: numberOf(cells[3]!),
    accepted: cells[4] === 'yes',
  };
}

function clusterRow(cells: readonly string[], format: ResultFormat): ClusterRow {
  return {
    cluster: Number(cells[0]),
    document: unescapeBytes(cells[1]!, format),
    role: cells[2] === 'representative' ? 'representative' : 'member',
    similarity: numberOf(cells[3]!),
    basis: cells[4] === 'estimate' ? 'estimate' : 'exact',
    place: unescapePlace(cells[5]!, format),
  };
}

/** A table of a result: its parts in order, and how a row is read. */
interface Table<Row> {
  readonly dir: string;
  readonly format: ResultFormat;
  readonly parts: readonly string[];
  readonly columns: readonly string[];
  readonly rowOf: (cells: readonly string[], format: ResultFormat) => Row;
}

function tableOf<Row>(
  dir: string,
  manifest: Manifest,
  folder: PartFolder,
  columns: readonly string[],
  rowOf: Table<Row>['rowOf'],
): Table<Row> {
  const parts = Object.keys(manifest.files)
    .filter((name) => partNumberOf(name, folder) >= 0)
    .sort((x, y) => partNumberOf(x, folder) - partNumberOf(y, folder));
  return { dir, format: manifest.parameters.format, parts, columns, rowOf };
}

/** Rows from part number `from` on. */
async function* rowsOf<Row>(table: Table<Row>, from = 0): AsyncGenerator<Row> {
  for (const part of table.parts.slice(from)) {
    for await (const rows of readRows(table.dir, part, table.format, table.columns)) {
      for (const cells of rows) yield table.rowOf(cells, table.format);
    }
  }
}

/**
 * The first `limit` rows of `pairs/`, in the order of the files.
 *
 * @throws MinHashError RESULT_MISSING
 */
export async function* readPairs(dir: string, limit = Number.POSITIVE_INFINITY): AsyncGenerator<PairRow> {
  let left = limit;
  if (left <= 0) return;
  for await (const row of rowsOf(tableOf(dir, readManifest(dir), 'pairs', PAIR_COLUMNS, pairRow))) {
    yield row;
    if (--left <= 0) return;
  }
}

/** A near pair by the measure of its run; 0 where it has none. */
function measured(row: PairRow, measure: Measure): number {
  if (measure === 'resemblance') return row.jaccard ?? 0;
  return Math.max(row.containmentAB ?? 0, row.containmentBA ?? 0);
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
  // Sorting is stable, and rows arrive in (a, b) order.
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

const before = (x: { a: string; b: string }, a: string, b: string): boolean =>
  x.a < a || (x.a === a && x.b < b);

/** The first row from part number `part` on. Leaving the loop closes the file. */
async function firstRow<Row>(table: Table<Row>, part: number): Promise<Row | null> {
  for await (const row of rowsOf(table, part)) return row;
  return null;
}

/**
 * The row (a, b) of a table sorted by (a, b): a binary search over first rows of parts, then through one
 * part.
 */
async function findRow<Row extends { a: string; b: string }>(
  table: Table<Row>,
  a: string,
  b: string,
): Promise<Row | null> {
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
    if (!before(row, a, b)) return row.a === a && row.b === b ? row : null;
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
    return { ...row, a, b, containmentAB: row.containmentBA, containmentBA: row.containmentAB };
  }
  return null;
}

/** What a result says of a pair; null where it has no such row. */
export interface PairFindings {
  readonly pair: PairRow | null;
  readonly candidate: CandidateRow | null;
}

/**
 * The rows of the pair of two ids (binary strings), given in either order. Two identical documents have a row
 * only if one of them is the first of their class, or classes were expanded.
 *
 * @throws MinHashError RESULT_MISSING
 */
export async function findPair(dir: string, one: string, other: string): Promise<PairFindings> {
  // Binary strings compare as their bytes do.
  const [a, b] = one < other ? [one, other] : [other, one];
  const manifest = readManifest(dir);
  const pairs = tableOf(dir, manifest, 'pairs', PAIR_COLUMNS, pairRow);
  const candidates = tableOf(dir, manifest, 'candidates', CANDIDATE_COLUMNS, candidateRow);
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
  const table = tableOf(dir, readManifest(dir), 'clusters', CLUSTER_COLUMNS, clusterRow);
  for await (const row of rowsOf(table)) {
    if (rows.length > 0 && rows[0]!.cluster !== row.cluster) {
      if (found) return rows;
      rows = [];
    }
    rows.push(row);
    found ||= row.document === document;
  }
  return found ? rows : [];
}

/**
 * By id (binary string): the first of the documents that are identical to it, where that is another one; such a document
 * alone stands in near pairs for all of them.
 *
 * @throws MinHashError RESULT_MISSING
 */
export async function findFirsts(dir: string, ids: readonly string[]): Promise<Map<string, string>> {
  const firsts = new Map<string, string>();
  // Rows are in the order of their first document, and the first of a class is the least.
  for await (const { a, b, kind } of readPairs(dir)) {
    if (kind === 'identical' && ids.includes(b) && !firsts.has(b)) firsts.set(b, a);
  }
  return firsts;
}
