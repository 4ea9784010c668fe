/**
 * A result as columns of numbers: which document is in which cluster, what replaces it, and which documents are pairs.
 *
 * Made in one pass over the tables, about 60 bytes a document of a cluster (with its id) and 17 a pair; indexFile.ts keeps it. Places and
 * what else stands in a row are read from the files again, by the byte where the row begins.
 *
 * A document's number is the place of its row among those of clusters. In a cluster that is the order of the run's own numbers, and no
 * rule of the drop list looks beyond a cluster.
 */
import type { DuplicateGroups, IdentityClasses } from '../../reducers/identityClasses.js';
import type { NearPairs } from '../../reducers/verifiedPairs.js';
import { ByteColumn, Float64Column, Uint32Column } from '../arrays/growable.js';
import { lowerBound } from '../arrays/search.js';
import { sortByKey64 } from '../arrays/sort.js';
import { IdIndex, type IdTable } from '../blocks/ids.js';
import { binaryOfBytes, bytesOf, filesOfPlace } from '../readers/list/pathIds.js';
import type { Manifest } from './manifest.js';
import {
  type ClusterRow,
  measured,
  type PairRow,
  type PlacedTable,
  placedClusters,
  placedPairs,
  readDrops,
} from './readResult.js';
import { checkFiles } from './verifyResult.js';

/** No document. */
export const NONE = 0xffffffff;
/** One that is in no row of clusters or pairs. */
export const ELSEWHERE = 0xfffffffe;

/** Kinds of pairs, as numbers. */
export const KINDS: readonly PairRow['kind'][] = ['near', 'same-tokens', 'identical'];
const NEAR = 0;

/** Accepted pairs by (a, b), numbers of documents with a < b. */
export interface IndexedPairs {
  readonly count: number;
  readonly a: Uint32Array;
  readonly b: Uint32Array;
  /** Similarity, or containment where that was measured. */
  readonly value: Float64Array;
  /** Which of KINDS. */
  readonly kind: Uint8Array;
}

/** The columns of a block that holds all of it but where rows stand: numbers of ids, clusters, files, drops, pairs, as in ResultIndex. */
export const INDEX_COLUMNS = {
  idOffsets: 'u32',
  idBytes: 'u8',
  starts: 'u32',
  similarity: 'f64',
  fileOffsets: 'u32',
  fileBytes: 'u8',
  file: 'u32',
  keeper: 'u32',
  a: 'u32',
  b: 'u32',
  value: 'f64',
  kind: 'u8',
} as const;
interface ColumnTypes {
  readonly u8: Uint8Array;
  readonly u32: Uint32Array;
  readonly f64: Float64Array;
}
type IndexColumns = {
  readonly [Name in keyof typeof INDEX_COLUMNS]: ColumnTypes[(typeof INDEX_COLUMNS)[Name]];
};

/** Where rows stand: a part of a table and a byte of it as one number. */
export interface RowStarts {
  /** By document of a cluster. */
  cluster(document: number): number;
  pair(pair: number): number;
}

/** See the head of this file. */
export interface ResultIndex {
  readonly manifest: Manifest;
  /** Documents of clusters have the numbers below this; those above are pairs without a cluster, which greedy clusters leave. */
  readonly clustered: number;
  readonly documents: number;
  readonly ids: IdTable;
  /** The number of an id (binary string); -1: it is in no row. */
  find(id: string): number;
  /** Cluster c has the documents from `starts[c - 1]` to `starts[c]`. */
  readonly starts: Uint32Array;
  /** By document of a cluster: to its representative; NaN: not known. */
  readonly similarity: Float64Array;
  /** The files of documents whose ids are not their places, and by document of a cluster which of them; NONE: the id is the place. */
  readonly files: IdTable;
  readonly file: Uint32Array;
  /** By document the one that replaces it, or ELSEWHERE; NONE: it is kept. */
  readonly keeper: Uint32Array;
  readonly pairs: IndexedPairs;
  /** Rows of clusters again, in their order; `count` from a document on. */
  clusterRows(document: number, count: number): Promise<readonly ClusterRow[]>;
  pairRow(pair: number): Promise<PairRow>;
}

/** A part of a table and a byte of it as one number. */
const PART = 2 ** 40;

/** Told how many rows of how many are read. */
export type IndexProgress = (done: number, all: number) => void;

/** Ids by number, and numbers by id, while they are read. */
class Ids {
  readonly #bytes = new ByteColumn();
  readonly #offsets: Uint32Column;
  #index: IdIndex | null = null;

  constructor(expected = 0) {
    this.#offsets = new Uint32Column(expected + 1);
    this.#offsets.push(0);
  }

  get length(): number {
    return this.#offsets.length - 1;
  }

  add(id: string): void {
    this.#bytes.appendBinary(id);
    this.#offsets.push(this.#bytes.length);
    this.#index = null;
  }

  /** Views of what grew: a copy would take as much again. */
  get table(): IdTable {
    return { offsets: this.#offsets.view, bytes: this.#bytes.view };
  }

  find(id: string): number {
    this.#index ??= IdIndex.of(this.table);
    return this.#index.find(bytesOf(id));
  }
}

/** Rows of clusters as columns; `expected` of them. */
async function readClusterColumns(
  table: PlacedTable<ClusterRow>,
  ids: Ids,
  expected: number,
  told: (rows: number) => void,
) {
  const starts = new Uint32Column();
  const similarity = new Float64Column(expected);
  const files = new Ids();
  const numbers = new Map<string, number>();
  const file = new Uint32Column(expected);
  const row = new Float64Column(expected);
  let last = 0;
  const fileOf = (place: string): number => {
    const name = filesOfPlace(place).at(-1)!;
    const known = numbers.get(name);
    if (known !== undefined) return known;
    const number = files.length;
    numbers.set(name, number);
    files.add(name);
    return number;
  };
  for await (const { part, rows, starts: places } of table.all()) {
    for (const [i, { cluster, document, place = document, similarity: own }] of rows.entries()) {
      file.push(place === document ? NONE : fileOf(place));
      if (cluster !== last) starts.push(ids.length);
      last = cluster;
      ids.add(document);
      similarity.push(own ?? Number.NaN);
      row.push(part * PART + places[i]!);
    }
    told(rows.length);
  }
  starts.push(ids.length);
  return {
    starts: starts.view,
    similarity: similarity.view,
    files: files.table,
    file: file.view,
    row: row.view,
  };
}

/** Pairs as columns by numbers of documents; ids that are in no cluster get the next numbers. */
async function readPairColumns(
  table: PlacedTable<PairRow>,
  { parameters }: Manifest,
  ids: Ids,
  expected: number,
  told: (rows: number) => void,
) {
  const [a, b] = [new Uint32Column(expected), new Uint32Column(expected)];
  const value = new Float64Column(expected);
  const kind = new ByteColumn(expected);
  const row = new Float64Column(expected);
  const others = new Map<string, number>();
  const numberOf = (id: string): number => {
    const known = ids.find(id);
    if (known >= 0) return known;
    const number = others.get(id) ?? ids.length + others.size;
    others.set(id, number);
    return number;
  };
  for await (const { part, rows, starts } of table.all()) {
    for (const [i, pair] of rows.entries()) {
      const [x, y] = [numberOf(pair.a), numberOf(pair.b)];
      a.push(Math.min(x, y));
      b.push(Math.max(x, y));
      value.push(pair.kind === 'near' ? measured(pair, parameters.measure) : 1);
      kind.push(KINDS.indexOf(pair.kind));
      row.push(part * PART + starts[i]!);
    }
    told(rows.length);
  }
  const order = sortedOrder(a.view, b.view);
  return {
    others,
    a: columnIn(a.view, order),
    b: columnIn(b.view, order),
    value: columnIn(value.view, order),
    kind: columnIn(kind.view, order),
    row: columnIn(row.view, order),
  };
}

/** A column at some rows. */
function columnIn<T extends Uint8Array | Uint32Array | Float64Array>(column: T, rows: Uint32Array): T {
  const Type = column.constructor as new (length: number) => T;
  const values = new Type(rows.length);
  for (let i = 0; i < rows.length; i++) values[i] = column[rows[i]!]!;
  return values;
}

/** Rows by (a, b). */
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

/** The tables that an index is made of, by what their names begin with. */
export const INDEXED = ['clusters/', 'pairs/', 'duplicates.'] as const;

/** A result as columns, and where its rows stand. */
export interface MadeIndex {
  readonly columns: IndexColumns;
  readonly rows: { readonly clusters: Float64Array; readonly pairs: Float64Array };
}

/**
 * Reads a finished result into columns. Files are held against the manifest before.
 *
 * @throws MinHashError RESULT_MISSING, RESULT_DAMAGED
 */
export async function indexColumns(
  folder: string,
  manifest: Manifest,
  onProgress: IndexProgress = () => undefined,
): Promise<MadeIndex> {
  for (const start of INDEXED) checkFiles(folder, manifest, start);
  const files = Object.entries(manifest.files);
  // A row has more bytes than this; the manifest's own numbers are believed no further.
  const rowsOf = (start: string): number =>
    files.reduce(
      (sum, [name, { rows, bytes }]) => sum + (name.startsWith(start) ? Math.min(rows, bytes / 8) : 0),
      0,
    );
  const [clusterRows, pairRows] = [Math.ceil(rowsOf('clusters/')), Math.ceil(rowsOf('pairs/'))];
  const all = clusterRows + pairRows + rowsOf('duplicates.');
  let done = 0;
  const told = (rows: number): void => {
    done += rows;
    onProgress(done, all);
  };
  const ids = new Ids(clusterRows);
  const clusters = await readClusterColumns(placedClusters(folder), ids, clusterRows, told);
  const { row, others, ...pairs } = await readPairColumns(placedPairs(folder), manifest, ids, pairRows, told);
  for (const id of others.keys()) ids.add(id);
  const keeper = new Uint32Array(ids.length).fill(NONE);
  for await (const { document, kept } of readDrops(folder)) {
    const dropped = ids.find(document);
    if (dropped < 0) continue;
    const found = ids.find(kept);
    keeper[dropped] = found < 0 ? ELSEWHERE : found;
  }
  onProgress(all, all);
  const { starts, similarity, file } = clusters;
  const { offsets: idOffsets, bytes: idBytes } = ids.table;
  const { offsets: fileOffsets, bytes: fileBytes } = clusters.files;
  return {
    columns: {
      ...{ idOffsets, idBytes, starts, similarity, fileOffsets, fileBytes, file, keeper },
      ...pairs,
    },
    rows: { clusters: clusters.row, pairs: row },
  };
}

/** An index of its columns. */
export function indexOf(
  folder: string,
  manifest: Manifest,
  columns: IndexColumns,
  places: RowStarts,
): ResultIndex {
  const { idOffsets, idBytes, starts, similarity, fileOffsets, fileBytes, file, keeper } = columns;
  const { a, b, value, kind } = columns;
  const ids: IdTable = { offsets: idOffsets, bytes: idBytes };
  const clustered = similarity.length;
  const [clusterTable, pairTable] = [placedClusters(folder), placedPairs(folder)];
  let index: IdIndex | null = null;
  return {
    ...{ manifest, clustered, documents: idOffsets.length - 1, ids, starts, similarity, file, keeper },
    files: { offsets: fileOffsets, bytes: fileBytes },
    pairs: { count: a.length, a, b, value, kind },
    find(id) {
      index ??= IdIndex.of(ids);
      return index.find(bytesOf(id));
    },
    async clusterRows(document, count) {
      const found: ClusterRow[] = [];
      // Rows of a cluster may go on in the next part.
      while (found.length < count && document + found.length < clustered) {
        const place = places.cluster(document + found.length);
        const part = Math.floor(place / PART);
        const rows = await clusterTable.from(part, place % PART, count - found.length);
        if (rows.length === 0) break;
        found.push(...rows);
      }
      return found;
    },
    async pairRow(pair) {
      const place = places.pair(pair);
      const [found] = await pairTable.from(Math.floor(place / PART), place % PART, 1);
      return found!;
    },
  };
}

/** Reads a finished result into an index in memory. @throws as indexColumns */
export async function indexResult(folder: string, manifest: Manifest): Promise<ResultIndex> {
  const { columns, rows } = await indexColumns(folder, manifest);
  return indexOf(folder, manifest, columns, {
    cluster: (document) => rows.clusters[document]!,
    pair: (pair) => rows.pairs[pair]!,
  });
}

/** The id of a document as a binary string. */
export function idIn({ ids }: Pick<ResultIndex, 'ids'>, document: number): string {
  return binaryOfBytes(ids.bytes.subarray(ids.offsets[document]!, ids.offsets[document + 1]!));
}

/** The files that a document of a cluster may be in, as its place names it (binary strings). */
export function filesOf(index: ResultIndex, document: number): readonly string[] {
  const file = index.file[document]!;
  return file === NONE ? filesOfPlace(idIn(index, document)) : [idIn({ ids: index.files }, file)];
}

/** Some clusters of a result as a result of their own, whose document d is `documents[d]` of the whole. */
export function partOf(
  index: ResultIndex,
  clusters: readonly number[],
): { readonly part: ResultIndex; readonly documents: Uint32Array } {
  const [documents, starts, rows] = [new Uint32Column(), new Uint32Column(), new Uint32Column()];
  for (const cluster of clusters) {
    const [from, to] = [index.starts[cluster - 1]!, index.starts[cluster]!];
    starts.push(documents.length);
    for (let d = from; d < to; d++) documents.push(d);
    const [first, last] = pairsFrom(index, from, to);
    for (let row = first; row < last; row++) rows.push(row);
  }
  starts.push(documents.length);
  const numbers = documents.view;
  const numberOf = (document: number): number =>
    document >= ELSEWHERE ? document : lowerBound(numbers, 0, numbers.length, document);
  const { pairs, keeper } = index;
  const part: ResultIndex = {
    ...index,
    clustered: numbers.length,
    documents: numbers.length,
    find: (id) => {
      const document = index.find(id);
      const number = document < 0 ? -1 : numberOf(document);
      return numbers[number] === document ? number : -1;
    },
    starts: starts.view,
    keeper: columnIn(keeper, numbers).map(numberOf),
    pairs: {
      count: rows.length,
      a: columnIn(pairs.a, rows.view).map(numberOf),
      b: columnIn(pairs.b, rows.view).map(numberOf),
      value: columnIn(pairs.value, rows.view),
      kind: columnIn(pairs.kind, rows.view),
    },
  };
  return { part, documents: numbers };
}

/** The number of clusters. */
export function clusterCount({ starts }: Pick<ResultIndex, 'starts'>): number {
  return starts.length - 1;
}

/** The cluster of a document, from 1; 0: none. */
export function clusterOf({ starts, clustered }: ResultIndex, document: number): number {
  return document >= clustered ? 0 : lowerBound(starts, 0, starts.length, document + 1);
}

/** The rows of pairs whose first document is from `from` up to `to`: those of a cluster, as they follow one another. */
export function pairsFrom(
  { pairs }: ResultIndex,
  from: number,
  to: number,
): readonly [from: number, to: number] {
  const first = lowerBound(pairs.a, 0, pairs.count, from);
  return [first, lowerBound(pairs.a, first, pairs.count, to)];
}

/** The pair of two documents; -1: none. */
export function pairOf(index: ResultIndex, one: number, other: number): number {
  const a = Math.min(one, other);
  const [from, to] = pairsFrom(index, a, a + 1);
  const row = lowerBound(index.pairs.b, from, to, Math.max(one, other));
  return row < to && index.pairs.b[row] === Math.max(one, other) ? row : -1;
}

/** Documents with the same tokens, as the reducers take them. */
export function classesOf({ documents, pairs }: ResultIndex): IdentityClasses {
  const first = Uint32Array.from({ length: documents }, (_, d) => d);
  // Pairs ascend: the first that names a document names the first of its class.
  for (let i = 0; i < pairs.count; i++) if (pairs.kind[i] !== NEAR) first[pairs.b[i]!] = first[pairs.a[i]!]!;
  const sizes = new Uint32Array(documents + 1);
  for (const c of first) sizes[c]!++;
  const [firsts, offsets] = [new Uint32Column(), new Uint32Column()];
  const places = new Uint32Array(documents);
  let length = 0;
  for (let c = 0; c < documents; c++) {
    if (sizes[c]! < 2) continue;
    firsts.push(c);
    offsets.push(length);
    places[c] = length;
    length += sizes[c]!;
  }
  offsets.push(length);
  const members = new Uint32Array(length);
  for (let d = 0; d < documents; d++) if (sizes[first[d]!]! > 1) members[places[first[d]!]!++] = d;
  const groups: DuplicateGroups = {
    ...{ firsts: firsts.view.slice(), offsets: offsets.view.slice(), members },
    // Nothing here asks which of them are the same byte for byte.
    texts: members,
  };
  return { first, members: groups };
}

/** The near pairs that a rule takes, as the reducers take them. */
export function nearPairsOf({ pairs }: ResultIndex, isTaken: (pair: number) => boolean): NearPairs {
  const rows = new Uint32Column();
  for (let i = 0; i < pairs.count; i++) if (pairs.kind[i] === NEAR && isTaken(i)) rows.push(i);
  const taken = rows.view;
  return {
    count: taken.length,
    a: columnIn(pairs.a, taken),
    b: columnIn(pairs.b, taken),
    jaccard: columnIn(pairs.value, taken),
  };
}
