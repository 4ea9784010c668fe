/**
 * The index of a result, as columns of numbers: the cluster of each document, the document that replaces it, and the pairs.
 *
 * The index is built in one pass over the tables. During the pass, memory holds ids, their hashes and the numbers of pairs: about 60
 * bytes per document of a cluster and 30 per pair. indexFile.ts stores the index, and readers read its pages. Other cells of a row
 * are read from the files of the result, at the byte where the row begins.
 *
 * A document's number is the position of its row in `clusters/`. Within a cluster that is the order of the run's own numbers,
 * and no rule of the drop list looks beyond a cluster.
 */
import { randomInt } from 'node:crypto';
import { ByteColumn, Float64Column, Uint32Column } from '../arrays/growable.js';
import { firstWhere } from '../arrays/search.js';
import { sortByKey64 } from '../arrays/sort.js';
import { IdIndex, type IdTable, idHashes } from '../blocks/ids.js';
import { binaryOfBytes, bytesOf } from '../readers/list/pathIds.js';
import { type ColumnsBy, type ColumnTaker, columnsInMemory, type NumberColumn } from './columnFile.js';
import type { Manifest } from './manifest.js';
import { type ClusterRow, measured, type PairRow, type TableReader, tableIn } from './readResult.js';
import { PAIR_KINDS } from './tables/pairTable.js';
import { checkFiles } from './verifyResult.js';

/** Replaces a document's number: no document. */
export const NONE = 0xffffffff;
/** Replaces a document's number: a document that is not in clusters or pairs. */
export const ELSEWHERE = 0xfffffffe;

/** The kind of near pairs, as a number. */
export const NEAR = PAIR_KINDS.indexOf('near');

/** Columns by document (ids and locations of all documents, others of those in clusters), by cluster, and by pair, sorted by (a, b). */
export const INDEX_COLUMNS = {
  idOffsets: 'u32',
  idBytes: 'u8',
  // Locations; both are empty if every id is a location.
  placeOffsets: 'u32',
  placeBytes: 'u8',
  // Hashes of locations, ascending, and their documents.
  placeHash: 'u32',
  placeNumber: 'u32',
  keeper: 'u32',
  clusterRow: 'f64',
  starts: 'u32',
  drops: 'u32',
  least: 'f64',
  bySize: 'u32',
  byDrops: 'u32',
  byLeast: 'u32',
  a: 'u32',
  b: 'u32',
  value: 'f64',
  kind: 'u8',
  pairRow: 'f64',
  byValue: 'u32',
} as const;
export type IndexColumns = ColumnsBy<typeof INDEX_COLUMNS>;
type Taker = ColumnTaker<typeof INDEX_COLUMNS>;

/** Accepted pairs, sorted by (a, b): numbers of documents, a < b. */
interface IndexedPairs {
  readonly count: number;
  readonly a: NumberColumn<Uint32Array>;
  readonly b: NumberColumn<Uint32Array>;
  /** Similarity, or containment if the run measured it. */
  readonly value: NumberColumn<Float64Array>;
  /** Index into PAIR_KINDS. */
  readonly kind: NumberColumn<Uint8Array>;
}

/** Clusters with their pairs, in columns. */
interface IndexedClusters {
  /** Cluster c has the documents from `starts[c - 1]` to `starts[c]`. */
  readonly starts: NumberColumn<Uint32Array>;
  /** By document, the document that replaces it, or ELSEWHERE; NONE if it is kept. */
  readonly keeper: NumberColumn<Uint32Array>;
  readonly pairs: IndexedPairs;
}

/** Ids or locations by number. */
export interface IdColumns {
  readonly offsets: NumberColumn<Uint32Array>;
  readonly bytes: NumberColumn<Uint8Array>;
}

/** The keys by which clusters are sorted. */
export type ClusterKey = 'size' | 'drops' | 'least';

/** The index of a result. */
export interface ResultIndex extends IndexedClusters {
  readonly manifest: Manifest;
  /** Documents in clusters have numbers below this; the others are in pairs only, which greedy clustering allows. */
  readonly clustered: number;
  readonly documents: number;
  readonly ids: IdColumns;
  /** Locations, which identify documents. */
  readonly places: IdColumns;
  /** Whether an id differs from its location. */
  readonly hasIds: boolean;
  /** The number of the document at a location (binary string); -1 if it is in no row. */
  find(place: string): number;
  /** By cluster (from 0): the number of documents that can be dropped, and the least similarity to the representative. */
  readonly drops: NumberColumn<Uint32Array>;
  readonly least: NumberColumn<Float64Array>;
  /** Clusters (from 0), by key: most documents, most drops, or least similarity first; ties by number. */
  readonly order: Readonly<Record<ClusterKey, NumberColumn<Uint32Array>>>;
  /** Pairs, the most similar first; ties by number. */
  readonly byValue: NumberColumn<Uint32Array>;
  /** Reads `count` rows of `clusters/` again, from that of a document. */
  clusterRows(document: number, count: number): Promise<readonly ClusterRow[]>;
  pairRow(pair: number): Promise<PairRow>;
}

/** Clusters in memory, for the reducers; documents are numbered within them. */
export interface IndexPart {
  readonly documents: number;
  readonly keeper: Uint32Array;
  readonly pairs: {
    readonly count: number;
    readonly a: Uint32Array;
    readonly b: Uint32Array;
    readonly value: Float64Array;
    readonly kind: Uint8Array;
  };
}

/** `part * PART + byte` is the position of a row in a table as one number. */
const PART = 2 ** 40;

/** Called with the number of rows read, and of all rows. */
export type IndexProgress = (done: number, total: number) => void;

/** Names by number, while the tables are read. */
class Names {
  readonly #bytes: ByteColumn;
  readonly #offsets: Uint32Column;

  constructor(bytes = new ByteColumn(), offsets = new Uint32Column()) {
    this.#bytes = bytes;
    this.#offsets = offsets;
    if (offsets.length === 0) offsets.push(0);
  }

  get length(): number {
    return this.#offsets.length - 1;
  }

  add(name: string): void {
    this.#bytes.appendBinary(name);
    this.#offsets.push(this.#bytes.length);
  }

  /** The names as views of the growing columns, because a copy would double the memory. */
  get table(): IdTable {
    return { offsets: this.#offsets.view, bytes: this.#bytes.view };
  }
}

/** The documents of rows, while the tables are read: their ids, and locations from the first document with another location on. */
class NamedDocuments {
  readonly #ids: Names;
  #places: Names | null = null;
  #index: IdIndex | null = null;

  constructor(expected: number) {
    this.#ids = new Names(new ByteColumn(), new Uint32Column(expected + 1));
  }

  get length(): number {
    return this.#ids.length;
  }

  get ids(): IdTable {
    return this.#ids.table;
  }

  /** Null while every id is a location. */
  get places(): IdTable | null {
    return this.#places?.table ?? null;
  }

  add(id: string, place: string): void {
    if (id !== place && this.#places === null) {
      const { bytes, offsets } = this.#ids.table;
      const copy = { bytes: new ByteColumn(), offsets: new Uint32Column(offsets.length) };
      copy.bytes.append(bytes);
      for (const offset of offsets) copy.offsets.push(offset);
      this.#places = new Names(copy.bytes, copy.offsets);
    }
    this.#ids.add(id);
    this.#places?.add(place);
    this.#index = null;
  }

  find(place: string): number {
    this.#index ??= IdIndex.of(this.places ?? this.ids);
    return this.#index.find(bytesOf(place));
  }
}

/** Reads the rows of clusters into columns; returns where each cluster begins, and its least similarity. */
async function takeClusters(
  table: TableReader<ClusterRow>,
  documents: NamedDocuments,
  take: Taker,
  onRows: (rows: number) => void,
): Promise<{ readonly starts: Uint32Array; readonly least: Float64Array }> {
  const [starts, least] = [new Uint32Column(), new Float64Column()];
  let last = 0;
  for await (const { part, rows, starts: places } of table.pieces()) {
    take(
      'clusterRow',
      Float64Array.from(places, (place) => part * PART + place),
    );
    for (const { cluster, document, place, similarity: own } of rows) {
      if (cluster !== last) {
        starts.push(documents.length);
        least.push(1);
      }
      last = cluster;
      documents.add(document, place);
      const view = least.view;
      if (own !== null && own < view[view.length - 1]!) view[view.length - 1] = own;
    }
    onRows(rows.length);
  }
  starts.push(documents.length);
  return { starts: starts.view, least: least.view };
}

/** Reads pairs into columns, as numbers of documents; documents in no cluster get the next numbers. */
async function takePairs(
  table: TableReader<PairRow>,
  { parameters }: Manifest,
  documents: NamedDocuments,
  expected: number,
  take: Taker,
  onRows: (rows: number) => void,
): Promise<IndexPart['pairs']> {
  const [a, b] = [new Uint32Column(expected), new Uint32Column(expected)];
  const value = new Float64Column(expected);
  const kind = new ByteColumn(expected);
  const row = new Float64Column(expected);
  const others = new Map<string, { readonly number: number; readonly id: string }>();
  const numberOf = (id: string, place: string): number => {
    const known = documents.find(place);
    if (known >= 0) return known;
    const number = others.get(place)?.number ?? documents.length + others.size;
    others.set(place, { number, id });
    return number;
  };
  for await (const { part, rows, starts } of table.pieces()) {
    for (const [i, pair] of rows.entries()) {
      const [x, y] = [numberOf(pair.a, pair.aLocation), numberOf(pair.b, pair.bLocation)];
      a.push(Math.min(x, y));
      b.push(Math.max(x, y));
      value.push(pair.kind === 'near' ? measured(pair, parameters.measure) : 1);
      kind.push(PAIR_KINDS.indexOf(pair.kind));
      row.push(part * PART + starts[i]!);
    }
    onRows(rows.length);
  }
  for (const [place, { id }] of others) documents.add(id, place);
  const order = sortedOrder(a.view, b.view);
  take('pairRow', columnIn(row.view, order));
  const pairs = {
    count: order.length,
    a: columnIn(a.view, order),
    b: columnIn(b.view, order),
    value: columnIn(value.view, order),
    kind: columnIn(kind.view, order),
  };
  for (const name of ['a', 'b', 'value', 'kind'] as const) take(name, pairs[name]);
  take('byValue', mostAlikeFirst(pairs.value));
  return pairs;
}

/** The values of a column at the given rows. */
function columnIn<T extends Uint8Array | Uint32Array | Float64Array>(column: T, rows: Uint32Array): T {
  const Type = column.constructor as new (length: number) => T;
  const values = new Type(rows.length);
  for (let i = 0; i < rows.length; i++) values[i] = column[rows[i]!]!;
  return values;
}

function sortedOrder(a: Uint32Array, b: Uint32Array): Uint32Array {
  const keys = new Uint32Array(2 * a.length);
  for (let i = 0; i < a.length; i++) {
    keys[2 * i] = b[i]!;
    keys[2 * i + 1] = a[i]!;
  }
  const order = Uint32Array.from(a, (_, i) => i);
  sortByKey64(keys, order, order.length);
  return order;
}

/** The tables that the index is built from, by the beginning of their names. */
export const INDEXED = ['clusters/', 'pairs/', 'duplicates.'] as const;

/** Rows sorted by keys (u32), the smallest first; ties by number. */
function orderBy(count: number, keyOf: (row: number) => number): Uint32Array {
  const keys = new Uint32Array(2 * count);
  for (let i = 0; i < count; i++) {
    keys[2 * i] = i;
    keys[2 * i + 1] = keyOf(i);
  }
  const order = Uint32Array.from({ length: count }, (_, i) => i);
  sortByKey64(keys, order, count);
  return order;
}

/** Clusters sorted by a count, the greatest first; ties by number. */
export function mostFirst(clusters: number, countOf: (cluster: number) => number): Uint32Array {
  return orderBy(clusters, (c) => NONE - Math.min(NONE, countOf(c)));
}

/** A value in whole millionths: results have six decimals. */
const micros = (value: number): number => Math.round(value * 1e6);

/** Pairs sorted by their values, the greatest first; ties by number. */
export function mostAlikeFirst(values: Float64Array): Uint32Array {
  return orderBy(values.length, (pair) => 2e6 - micros(values[pair]!));
}

/** Computes the orders of clusters, and the columns by cluster that a list of clusters shows. */
function takeOrders(starts: Uint32Array, least: Float64Array, keeper: Uint32Array, take: Taker): void {
  const clusters = least.length;
  const drops = new Uint32Array(clusters);
  for (let c = 0; c < clusters; c++)
    for (let d = starts[c]!; d < starts[c + 1]!; d++) if (keeper[d] !== NONE) drops[c]!++;
  take('starts', starts);
  take('drops', drops);
  take('least', least);
  take(
    'bySize',
    mostFirst(clusters, (c) => starts[c + 1]! - starts[c]!),
  );
  take(
    'byDrops',
    mostFirst(clusters, (c) => drops[c]!),
  );
  take(
    'byLeast',
    orderBy(clusters, (c) => micros(least[c]!)),
  );
}

/** Computes the column of sorted hashes of locations, and that of their documents. */
function takeHashes(places: IdTable, seed: number, take: Taker): void {
  const numbers = Uint32Array.from({ length: places.offsets.length - 1 }, (_, d) => d);
  const hashes = idHashes(places, numbers, seed);
  sortByKey64(hashes, numbers, numbers.length);
  take(
    'placeHash',
    numbers.map((_, i) => hashes[2 * i + 1]!),
  );
  take('placeNumber', numbers);
}

/** The columns that are still in memory when the index is complete. */
export interface MadeIndex extends IndexedClusters {
  readonly documents: number;
  readonly clustered: number;
  /** The random seed of the hashes of locations, so that nobody can choose locations with equal hashes. */
  readonly seed: number;
}

/**
 * Reads a finished result into columns, after checking the files against the manifest.
 *
 * @throws MinHashError RESULT_MISSING, RESULT_DAMAGED; errors of `take`
 */
export async function indexColumns(
  folder: string,
  manifest: Manifest,
  take: Taker,
  onProgress: IndexProgress = () => undefined,
): Promise<MadeIndex> {
  for (const start of INDEXED) await checkFiles(folder, manifest, start);
  const files = Object.entries(manifest.files);
  // A row has more than 8 bytes: an upper bound, in case the numbers of rows in the manifest are wrong.
  const rowsOf = (start: string): number =>
    files.reduce(
      (sum, [name, { rows, bytes }]) => sum + (name.startsWith(start) ? Math.min(rows, bytes / 8) : 0),
      0,
    );
  const [clusterRows, pairRows] = [Math.ceil(rowsOf('clusters/')), Math.ceil(rowsOf('pairs/'))];
  const totalRows = clusterRows + pairRows + rowsOf('duplicates.');
  let done = 0;
  const onRows = (rows: number): void => {
    done += rows;
    onProgress(done, totalRows);
  };
  const documents = new NamedDocuments(clusterRows);
  const { starts, least } = await takeClusters(tableIn(folder, 'clusters'), documents, take, onRows);
  const clustered = documents.length;
  const pairs = await takePairs(tableIn(folder, 'pairs'), manifest, documents, pairRows, take, onRows);
  const keeper = new Uint32Array(documents.length).fill(NONE);
  for await (const { place, keptPlace } of tableIn(folder, 'duplicates').rows()) {
    const dropped = documents.find(place);
    if (dropped < 0) continue;
    const kept = documents.find(keptPlace);
    keeper[dropped] = kept < 0 ? ELSEWHERE : kept;
  }
  take('keeper', keeper);
  takeOrders(starts, least, keeper, take);
  const { ids, places } = documents;
  take('idOffsets', ids.offsets);
  take('idBytes', ids.bytes);
  take('placeOffsets', places?.offsets ?? new Uint32Array(0));
  take('placeBytes', places?.bytes ?? new Uint8Array(0));
  const seed = randomInt(2 ** 32);
  takeHashes(places ?? ids, seed, take);
  onProgress(totalRows, totalRows);
  return { starts, keeper, pairs, documents: documents.length, clustered, seed };
}

/** The index over its columns. */
export function indexOf(
  folder: string,
  manifest: Manifest,
  columns: IndexColumns,
  seed: number,
): ResultIndex {
  const { starts, keeper, drops, least, clusterRow, pairRow, byValue } = columns;
  const { a, b, value, kind } = columns;
  const ids: IdColumns = { offsets: columns.idOffsets, bytes: columns.idBytes };
  const hasIds = columns.placeOffsets.length > 0;
  const places = hasIds ? { offsets: columns.placeOffsets, bytes: columns.placeBytes } : ids;
  const clustered = clusterRow.length;
  const [clusterTable, pairTable] = [tableIn(folder, 'clusters'), tableIn(folder, 'pairs')];
  return {
    ...{ manifest, clustered, documents: ids.offsets.length - 1, ids, places, hasIds, starts, keeper },
    ...{ drops, least, byValue },
    order: { size: columns.bySize, drops: columns.byDrops, least: columns.byLeast },
    pairs: { count: a.length, a, b, value, kind },
    find(place) {
      const bytes = bytesOf(place);
      const [, hash] = idHashes({ offsets: Uint32Array.of(0, bytes.length), bytes }, Uint32Array.of(0), seed);
      for (let at = lowerBoundOf(columns.placeHash, 0, columns.placeHash.length, hash!); ; at++) {
        if (columns.placeHash.at(at) !== hash) return -1;
        const number = columns.placeNumber.at(at)!;
        if (placeIn({ places }, number) === place) return number;
      }
    },
    async clusterRows(document, count) {
      const rows: ClusterRow[] = [];
      // The rows of a cluster can continue in the next part.
      while (rows.length < count && document + rows.length < clustered) {
        const place = clusterRow.at(document + rows.length)!;
        const part = Math.floor(place / PART);
        const read = await clusterTable.from(part, place % PART, count - rows.length);
        if (read.length === 0) break;
        rows.push(...read);
      }
      return rows;
    },
    async pairRow(pair) {
      const place = pairRow.at(pair)!;
      const [row] = await pairTable.from(Math.floor(place / PART), place % PART, 1);
      return row!;
    },
  };
}

/** Reads a finished result into an index in memory. @throws as indexColumns */
export async function indexResult(folder: string, manifest: Manifest): Promise<ResultIndex> {
  const { take, columns } = columnsInMemory(INDEX_COLUMNS);
  const { seed } = await indexColumns(folder, manifest, take);
  return indexOf(folder, manifest, columns(), seed);
}

const nameIn = ({ bytes, offsets }: IdColumns, document: number): string =>
  binaryOfBytes(bytes.subarray(offsets.at(document)!, offsets.at(document + 1)!));

/** The id of a document as a binary string. */
export const idIn = ({ ids }: Pick<ResultIndex, 'ids'>, document: number): string => nameIn(ids, document);

/** The location of a document as a binary string. */
export const placeIn = ({ places }: Pick<ResultIndex, 'places'>, document: number): string =>
  nameIn(places, document);

/** All names in memory. */
export function idTable({ offsets, bytes }: IdColumns): IdTable {
  return { offsets: offsets.subarray(0, offsets.length), bytes: bytes.subarray(0, bytes.length) };
}

/** The first entry in [from, to) of an ascending column with a value of at least `value`; `to` if there is none. */
function lowerBoundOf(column: NumberColumn, from: number, to: number, value: number): number {
  return firstWhere(from, to, (entry) => column.at(entry)! >= value);
}

/**
 * Some clusters of a result (ascending) in memory: document d of the part is `numbers[d]` of the result. Pairs of two clusters
 * are left out.
 */
export function partOf(
  index: IndexedClusters,
  clusters: Iterable<number>,
): { readonly part: IndexPart; readonly numbers: Uint32Array } {
  const [numbers, keeper] = [new Uint32Column(), new Uint32Column()];
  const [a, b, value, kind] = [new Uint32Column(), new Uint32Column(), new Float64Column(), new ByteColumn()];
  for (const cluster of clusters) {
    const [from, to] = [index.starts.at(cluster - 1)!, index.starts.at(cluster)!];
    const own = numbers.length - from;
    const numberOf = (d: number): number => (d >= ELSEWHERE ? d : d >= from && d < to ? d + own : ELSEWHERE);
    for (let d = from; d < to; d++) {
      numbers.push(d);
      keeper.push(numberOf(index.keeper.at(d)!));
    }
    const [first, last] = pairsFrom(index, from, to);
    for (let row = first; row < last; row++) {
      const other = index.pairs.b.at(row)!;
      if (other >= to) continue;
      a.push(index.pairs.a.at(row)! + own);
      b.push(other + own);
      value.push(index.pairs.value.at(row)!);
      kind.push(index.pairs.kind.at(row)!);
    }
  }
  const pairs = { count: a.length, a: a.view, b: b.view, value: value.view, kind: kind.view };
  return { part: { documents: numbers.length, keeper: keeper.view, pairs }, numbers: numbers.view };
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
  return row < to && index.pairs.b.at(row) === Math.max(x, y) ? row : -1;
}
