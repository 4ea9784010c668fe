/**
 * The index of a result for `view`, as columns of numbers: the cluster of each document, the document that replaces it, and the pairs
 * with their similarities.
 *
 * The index is built in one pass over the tables. Its columns are in shared memory, so that all threads of `view` use the same: about
 * 60 bytes per document of a cluster and 35 per pair.
 *
 * A document's number is the position of its row in `clusters/`. Within a cluster that is the order of the run's own numbers,
 * and no rule of the drop list looks beyond a cluster. Documents that are in pairs only follow, which greedy clustering allows.
 */
import { ByteColumn, Uint32Column } from '../arrays/growable.js';
import { firstWhere } from '../arrays/search.js';
import { sortByKey64 } from '../arrays/sort.js';
import { IdIndex, type IdTable } from '../blocks/ids.js';
import { binaryOfBytes, bytesOf } from '../readers/list/pathIds.js';
import type { Manifest } from './manifest.js';
import { type ClusterRow, measured, type PairRow, tablePieces } from './readResult.js';
import { PAIR_KINDS } from './tables/pairTable.js';
import { checkFiles } from './verifyResult.js';

/** Instead of a document's number: no document. */
export const NONE = 0xffffffff;
/** Instead of a document's number: a document that is not in clusters or pairs. */
export const ELSEWHERE = 0xfffffffe;

/** The kind of near pairs, as a number. */
export const NEAR = PAIR_KINDS.indexOf('near');

/** Pairs, sorted by (a, b): numbers of documents, a < b. */
interface IndexedPairs {
  readonly count: number;
  readonly a: Uint32Array;
  readonly b: Uint32Array;
  /** Similarity, or containment if the run measured it. */
  readonly value: Float32Array;
  /** Index into PAIR_KINDS. */
  readonly kind: Uint8Array;
}

/** The cells of pairs; NaN is the empty cell. */
interface PairCells {
  readonly jaccard: Float32Array;
  readonly agreement: Float32Array;
  readonly containmentAInB: Float32Array;
  readonly containmentBInA: Float32Array;
}

/** The keys by which clusters are sorted. */
export type ClusterKey = 'size' | 'drops' | 'least';

/** The columns of an index. */
export interface IndexColumns {
  /** Documents in clusters have numbers below this. */
  readonly clustered: number;
  readonly ids: IdTable;
  /** Locations, which identify documents; the same table as `ids` if every id is a location. */
  readonly locations: IdTable;
  /** Cluster c (from 1) has the documents from `starts[c - 1]` to `starts[c]`. */
  readonly starts: Uint32Array;
  /** By document, the document that replaces it, or ELSEWHERE; NONE if it is kept. */
  readonly keeper: Uint32Array;
  /** By document of a cluster: its similarity to the representative (NaN if unknown), and whether that is an estimate. */
  readonly similarity: Float32Array;
  readonly isEstimate: Uint8Array;
  /** By cluster (from 0): the number of documents that can be dropped, and the least similarity to the representative. */
  readonly drops: Uint32Array;
  readonly least: Float32Array;
  /** Clusters (from 0), by key: most documents, most drops, or least similarity first; ties by number. */
  readonly order: Readonly<Record<ClusterKey, Uint32Array>>;
  readonly pairs: IndexedPairs & PairCells;
  /** Pairs, the most similar first; ties by number. */
  readonly byValue: Uint32Array;
}

/** The index of a result. */
export interface ResultIndex extends IndexColumns {
  readonly manifest: Manifest;
  readonly documents: number;
  /** The number of the document at a location (binary string); -1 if it is in no row. */
  find(location: string): number;
}

/** Clusters, for the rules of the drop list; documents are numbered within them. */
export interface IndexPart {
  readonly documents: number;
  readonly keeper: Uint32Array;
  readonly pairs: IndexedPairs;
}

/** Called with the share of the rows that is read, 0..1. */
export type IndexProgress = (share: number) => void;

/** A copy of a column in shared memory. */
function shared<T extends Uint8Array | Uint32Array | Float32Array>(column: T): T {
  const Type = column.constructor as new (memory: SharedArrayBuffer) => T;
  const copy = new Type(new SharedArrayBuffer(column.byteLength));
  copy.set(column);
  return copy;
}

const sharedTable = ({ offsets, bytes }: IdTable): IdTable => ({
  offsets: shared(offsets),
  bytes: shared(bytes),
});

/** A table of names that grows. */
class Names {
  readonly #bytes = new ByteColumn();
  readonly #offsets = new Uint32Column();

  constructor() {
    this.#offsets.push(0);
  }

  get table(): IdTable {
    return { offsets: this.#offsets.view, bytes: this.#bytes.view };
  }

  add(name: string): void {
    this.#bytes.appendBinary(name);
    this.#offsets.push(this.#bytes.length);
  }
}

/** The documents of rows, while the tables are read. */
class NamedDocuments {
  length = 0;
  /** Whether an id differs from its location. */
  hasIds = false;
  readonly ids = new Names();
  readonly locations = new Names();
  #index: IdIndex | null = null;

  add(id: string, location: string): void {
    this.hasIds ||= id !== location;
    this.ids.add(id);
    this.locations.add(location);
    this.#index = null;
    this.length++;
  }

  find(location: string): number {
    this.#index ??= IdIndex.of(this.locations.table);
    return this.#index.find(bytesOf(location));
  }
}

type OfClusters = Pick<IndexColumns, 'starts' | 'least' | 'similarity' | 'isEstimate'>;

async function readClusters(
  table: AsyncIterable<readonly ClusterRow[]>,
  documents: NamedDocuments,
  expected: number,
  onRows: (rows: number) => void,
): Promise<OfClusters> {
  const similarity = new Float32Array(expected).fill(Number.NaN);
  const isEstimate = new Uint8Array(expected);
  const starts = new Uint32Column();
  const least: number[] = [];
  let last = 0;
  const take = ({ cluster, document, place, similarity: own, basis }: ClusterRow): void => {
    if (cluster !== last) {
      starts.push(documents.length);
      least.push(1);
    }
    last = cluster;
    if (own !== null) {
      similarity[documents.length] = own;
      least[least.length - 1] = Math.min(own, least.at(-1)!);
    }
    isEstimate[documents.length] = Number(basis === 'estimate');
    documents.add(document, place);
  };
  for await (const rows of table) {
    rows.forEach(take);
    onRows(rows.length);
  }
  starts.push(documents.length);
  return { starts: starts.view, least: Float32Array.from(least), similarity, isEstimate };
}

async function readPairs(
  table: AsyncIterable<readonly PairRow[]>,
  { parameters }: Manifest,
  documents: NamedDocuments,
  expected: number,
  onRows: (rows: number) => void,
): Promise<IndexColumns['pairs']> {
  const [a, b] = [new Uint32Array(expected), new Uint32Array(expected)];
  const kind = new Uint8Array(expected);
  const cells = (): Float32Array => new Float32Array(expected);
  const [value, jaccard, agreement] = [cells(), cells(), cells()];
  const [containmentAInB, containmentBInA] = [cells(), cells()];
  const others = new Map<string, { readonly number: number; readonly id: string }>();
  const numberOf = (id: string, location: string): number => {
    const known = documents.find(location);
    if (known >= 0) return known;
    const number = others.get(location)?.number ?? documents.length + others.size;
    others.set(location, { number, id });
    return number;
  };
  let count = 0;
  const take = (row: PairRow): void => {
    const [x, y] = [numberOf(row.a, row.aLocation), numberOf(row.b, row.bLocation)];
    const [inB, inA] = [row.containmentAInB ?? Number.NaN, row.containmentBInA ?? Number.NaN];
    a[count] = Math.min(x, y);
    b[count] = Math.max(x, y);
    kind[count] = PAIR_KINDS.indexOf(row.kind);
    value[count] = row.kind === 'near' ? measured(row, parameters.measure) : 1;
    jaccard[count] = row.jaccard ?? Number.NaN;
    agreement[count] = row.agreement ?? Number.NaN;
    containmentAInB[count] = x < y ? inB : inA;
    containmentBInA[count] = x < y ? inA : inB;
    count++;
  };
  for await (const rows of table) {
    rows.forEach(take);
    onRows(rows.length);
  }
  for (const [location, { id }] of others) documents.add(id, location);
  const keys = new Uint32Array(2 * count);
  for (let i = 0; i < count; i++) {
    keys[2 * i] = b[i]!;
    keys[2 * i + 1] = a[i]!;
  }
  const order = Uint32Array.from({ length: count }, (_, i) => i);
  sortByKey64(keys, order, count);
  const sorted = <T extends Uint8Array | Uint32Array | Float32Array>(column: T): T => {
    const Type = column.constructor as new (memory: SharedArrayBuffer) => T;
    const copy = new Type(new SharedArrayBuffer(count * column.BYTES_PER_ELEMENT));
    for (let i = 0; i < count; i++) copy[i] = column[order[i]!]!;
    return copy;
  };
  return {
    ...{ count, a: sorted(a), b: sorted(b), value: sorted(value), kind: sorted(kind) },
    ...{ jaccard: sorted(jaccard), agreement: sorted(agreement) },
    ...{ containmentAInB: sorted(containmentAInB), containmentBInA: sorted(containmentBInA) },
  };
}

/** Rows sorted by keys (u32), the smallest first; ties by number. */
function orderBy(count: number, keyOf: (row: number) => number): Uint32Array {
  const keys = new Uint32Array(2 * count);
  for (let i = 0; i < count; i++) {
    keys[2 * i] = i;
    keys[2 * i + 1] = keyOf(i);
  }
  const order = Uint32Array.from({ length: count }, (_, i) => i);
  sortByKey64(keys, order, count);
  return shared(order);
}

/** Clusters sorted by a count, the greatest first; ties by number. */
function mostFirst(clusters: number, countOf: (cluster: number) => number): Uint32Array {
  return orderBy(clusters, (c) => NONE - Math.min(NONE, countOf(c)));
}

/** A value in whole millionths: results have six decimals. */
export const micros = (value: number): number => Math.round(value * 1e6);

/** Pairs sorted by their values, the greatest first; ties by number. */
export function mostAlikeFirst(values: Float32Array): Uint32Array {
  return orderBy(values.length, (pair) => 2e6 - micros(values[pair]!));
}

/** The tables that the index is built from, by the beginning of their names. */
const INDEXED = ['clusters/', 'pairs/', 'duplicates.'] as const;

/**
 * Reads a finished result into columns, after checking the files against the manifest.
 *
 * @throws MinHashError RESULT_MISSING, RESULT_DAMAGED
 */
export async function indexColumns(
  folder: string,
  manifest: Manifest,
  onProgress: IndexProgress = () => undefined,
): Promise<IndexColumns> {
  for (const start of INDEXED) await checkFiles(folder, manifest, start);
  const rowsOf = (start: string): number =>
    Object.entries(manifest.files).reduce(
      (sum, [name, { rows }]) => sum + (name.startsWith(start) ? rows : 0),
      0,
    );
  const [clusterRows, pairRows, dropRows] = INDEXED.map(rowsOf) as [number, number, number];
  let done = 0;
  const onRows = (rows: number): void => {
    done += rows;
    onProgress(Math.min(1, done / (clusterRows + pairRows + dropRows)));
  };
  const documents = new NamedDocuments();
  const ofClusters = await readClusters(tablePieces(folder, 'clusters'), documents, clusterRows, onRows);
  const { starts, least } = ofClusters;
  const clustered = documents.length;
  const pairs = await readPairs(tablePieces(folder, 'pairs'), manifest, documents, pairRows, onRows);
  const keeper = new Uint32Array(documents.length).fill(NONE);
  for await (const rows of tablePieces(folder, 'duplicates')) {
    onRows(rows.length);
    for (const { place, keptPlace } of rows) {
      const dropped = documents.find(place);
      if (dropped < 0) continue;
      const kept = documents.find(keptPlace);
      keeper[dropped] = kept < 0 ? ELSEWHERE : kept;
    }
  }
  const clusters = least.length;
  const drops = new Uint32Array(clusters);
  for (let c = 0; c < clusters; c++)
    for (let d = starts[c]!; d < starts[c + 1]!; d++) if (keeper[d] !== NONE) drops[c]!++;
  const ids = sharedTable(documents.ids.table);
  onProgress(1);
  return {
    ...{ clustered, ids, locations: documents.hasIds ? sharedTable(documents.locations.table) : ids },
    ...{ starts: shared(starts), least: shared(least), keeper: shared(keeper), drops: shared(drops) },
    ...{ similarity: shared(ofClusters.similarity), isEstimate: shared(ofClusters.isEstimate) },
    order: {
      size: mostFirst(clusters, (c) => starts[c + 1]! - starts[c]!),
      drops: mostFirst(clusters, (c) => drops[c]!),
      least: orderBy(clusters, (c) => micros(least[c]!)),
    },
    ...{ pairs, byValue: mostAlikeFirst(pairs.value) },
  };
}

/** The index over its columns. */
export function indexOf(manifest: Manifest, columns: IndexColumns): ResultIndex {
  let index: IdIndex | null = null;
  return {
    ...columns,
    manifest,
    documents: columns.ids.offsets.length - 1,
    find(location) {
      index ??= IdIndex.of(columns.locations);
      return index.find(bytesOf(location));
    },
  };
}

const nameIn = ({ bytes, offsets }: IdTable, document: number): string =>
  binaryOfBytes(bytes.subarray(offsets[document]!, offsets[document + 1]!));

/** The id of a document as a binary string. */
export const idIn = ({ ids }: Pick<ResultIndex, 'ids'>, document: number): string => nameIn(ids, document);

/** The location of a document as a binary string. */
export const locationIn = ({ locations }: Pick<ResultIndex, 'locations'>, document: number): string =>
  nameIn(locations, document);

/** The row of a pair, with a and b in the order of their numbers. */
export function pairRow(index: ResultIndex, pair: number): PairRow {
  const { pairs } = index;
  const [a, b] = [pairs.a[pair]!, pairs.b[pair]!];
  const cell = (column: Float32Array): number | null => {
    const value = column[pair]!;
    return Number.isNaN(value) ? null : value;
  };
  return {
    ...{ a: idIn(index, a), b: idIn(index, b) },
    ...{ aLocation: locationIn(index, a), bLocation: locationIn(index, b) },
    ...{ jaccard: cell(pairs.jaccard), agreement: cell(pairs.agreement) },
    containmentAInB: cell(pairs.containmentAInB),
    containmentBInA: cell(pairs.containmentBInA),
    kind: PAIR_KINDS[pairs.kind[pair]!]!,
  };
}

/** The first entry in [from, to) of an ascending column with a value of at least `value`; `to` if there is none. */
function lowerBoundOf(column: Uint32Array, from: number, to: number, value: number): number {
  return firstWhere(from, to, (entry) => column[entry]! >= value);
}

/** A cluster of a result: document d of the part is `first + d` of the result. It lacks pairs of two clusters. */
export function partOf(
  index: Pick<ResultIndex, 'starts' | 'keeper' | 'pairs'>,
  cluster: number,
): { readonly part: IndexPart; readonly first: number } {
  const [first, end] = [index.starts[cluster - 1]!, index.starts[cluster]!];
  const { pairs } = index;
  const [from, to] = pairsFrom(index, first, end);
  const rows = Uint32Array.from({ length: to - from }, (_, i) => from + i).filter(
    (row) => pairs.b[row]! < end,
  );
  const part = {
    documents: end - first,
    keeper: index.keeper
      .slice(first, end)
      .map((d) => (d >= ELSEWHERE ? d : d >= first && d < end ? d - first : ELSEWHERE)),
    pairs: {
      count: rows.length,
      a: rows.map((row) => pairs.a[row]! - first),
      b: rows.map((row) => pairs.b[row]! - first),
      value: Float32Array.from(rows, (row) => pairs.value[row]!),
      kind: Uint8Array.from(rows, (row) => pairs.kind[row]!),
    },
  };
  return { part, first };
}

export function clusterCount({ starts }: Pick<ResultIndex, 'starts'>): number {
  return starts.length - 1;
}

/** The cluster of a document, from 1; 0 if it is in none. */
export function clusterOf(
  { starts, clustered }: Pick<ResultIndex, 'starts' | 'clustered'>,
  document: number,
): number {
  return document >= clustered ? 0 : lowerBoundOf(starts, 0, starts.length, document + 1);
}

/** The range of pairs whose first document is in [from, to), such as the pairs of a cluster, which are consecutive. */
export function pairsFrom(
  { pairs }: Pick<ResultIndex, 'pairs'>,
  from: number,
  to: number,
): readonly [from: number, to: number] {
  const first = lowerBoundOf(pairs.a, 0, pairs.count, from);
  return [first, lowerBoundOf(pairs.a, first, pairs.count, to)];
}

/** The row of the pair of two documents; -1 if they are not a pair. */
export function pairOf(index: Pick<ResultIndex, 'pairs'>, x: number, y: number): number {
  const a = Math.min(x, y);
  const [from, to] = pairsFrom(index, a, a + 1);
  const row = lowerBoundOf(index.pairs.b, from, to, Math.max(x, y));
  return row < to && index.pairs.b[row] === Math.max(x, y) ? row : -1;
}
