/**
 * The one table of block names, with the writer and the readers of each block. Tasks share data only through
 * these blocks, so this table describes the shuffle.
 *
 * A name is a family and numbers, `signatures/17`. In the table k is a document batch, s a tile batch, r a row
 * chunk, b a band, c a call or round, t a task of that call.
 */

type Part = number | string;
type Name = (...parts: readonly Part[]) => string;

/** Family -> content; writer -> readers. */
const FAMILIES = {
  // Sketching.
  text: 'k: bytes, or which files; the coordinator -> every task that reads documents',
  documents: 'k: documents with content keys and places; `sketch`, `contents`, `tiles` -> the coordinator',
  tiles: 'k/s: one tile a row chunk; `tiles`, `labelled` -> `partials`, `minima`',
  partials: 'k/s: partial signatures; `partials` -> `minima`',
  signatures:
    'k: signatures; `sketch`, `sketchedSets`, `minima` -> `candidates`, `agreement`, `hot`, `large`',
  cuts: 'file: where a large JSON array is cut; `cuts` -> the coordinator',

  // Sets given as (set, element) records.
  setNames: 'split: names that its collector met first there; `rows` -> the coordinator',
  setNumbers: 'collector: numbers of its names; the coordinator -> `tilesOfSets`',
  setRows: 'split/r: what lines say; `rows` -> `tilesOfSets`',
  setTiles: 'r/k: distinct elements with counts; `tilesOfSets` -> `sketchedSets`, `labelled`, `gathered`',
  setFacts: 'r: keys and sizes of sets; `tilesOfSets` -> the coordinator',

  // Pairs.
  candidates: 'c/b/slice: pairs of buckets; `candidates` -> `agreement`',
  largeBuckets:
    'b: members of buckets that are compared where their signatures lie; the coordinator -> `large`',
  large: 'b/t/part: pairs of large buckets with matching slots; `large` -> the coordinator',
  hotMembers: 'c/b: documents of hot buckets; the coordinator -> `hot`',
  members: 'c/b: documents of hot buckets that are bucketed again; the coordinator -> `candidates`',
  hot: 'c/b/slice: pairs of hot buckets; `hot` -> `agreement`',
  known: 'list: pairs of earlier rounds, and others that are asked for; the coordinator -> `agreement`',
  agreement: 'c/t/part: distinct pairs with matching slots; `agreement` -> the coordinator',

  // Pairs, as the pipeline makes them.
  listedPairs: 'b/part: pairs of small buckets, by range; `buckets` -> `candidatePairs`',
  largerBuckets: 'b: members of larger buckets; `buckets` -> the coordinator, `bucketPairs`',
  bucketPairs: 'b/part: pairs of larger buckets with agreements, by range; `bucketPairs` -> `candidatePairs`',
  comparedBuckets: 'b: the report of a finished task, in files; `bucketPairs` -> itself',
  candidatePairs: 't: distinct pairs with agreements; `candidatePairs` -> the coordinator',

  // Exact verification.
  wanted: 'name: which documents a task reads again; the coordinator -> `sets`, `fused`, `gathered`',
  sets: 'c/t: shingle sets; `sets`, `gathered` -> `verified`',
  readPairs: 'c: pairs of documents that one task reads and compares; the coordinator -> `fused`',
  fused: 'c: exact similarities; `fused` -> the coordinator',
  setCounts: 'k: hashes of the sets of `sets/k`; `setsOfBatch` -> the coordinator',
  common: 't: common elements of pairs, and sizes of sets; `commonOfPairs` -> the coordinator',
  exact: 'c/t: pairs with the places of their sets; the coordinator -> `verified`',
  verified: 'c/t: exact similarities; `verified` -> the coordinator',

  // One to many.
  wordCounts: 'k: in how many documents words of bases occur; `wordCounts` -> the coordinator',
  counts: 'reading/k: words with the documents that have them; `counts` -> the coordinator',
  matches: 'k: documents that share something with bases; `matches` -> the coordinator',

  // Result files.
  out: 'columns of a result table; the coordinator -> `write`',
} as const;

/** A family of blocks whose members have numbers. */
export type BlockFamily = keyof typeof FAMILIES;

/** `NAMES.signatures(17)` is `signatures/17`. */
export const NAMES = Object.fromEntries(
  Object.keys(FAMILIES).map((family) => [
    family,
    (...parts: readonly Part[]) => [family, ...parts].join('/'),
  ]),
) as Readonly<Record<BlockFamily, Name>>;

/** Blocks that exist once per run. */
export const ONE = {
  /** By row a bit: whether the document is compared; the coordinator -> `buckets`. */
  takesPart: 'takesPart',
  /** Numbers by row and rows by number; the coordinator -> `buckets`, `bucketPairs`, `candidatePairs`. */
  numbers: 'numbers',
  /** By number, the bands in which its bucket is larger, and large; the coordinator -> `bucketPairs`. */
  bucketMarks: 'bucketMarks',
  /** By document: its document batch and column; the coordinator -> `agreement`, `hot`, `large`. */
  places: 'places',
  /** Documents that are banded; the coordinator -> `candidates`. */
  bucketed: 'bucketed',
  /**
   * By first member of a class, its group: only documents of different groups are pairs; the coordinator -> `candidates`, `hot`,
   * `large`.
   */
  groups: 'groups',
  /** By member of a large bucket and band: whether its bucket is small, large or hot; the coordinator -> `large`. */
  bandStates: 'bandStates',
  /** Hashes of the ids of documents in hot buckets, which break ties; the coordinator -> `hot`. */
  idHashes: 'idHashes',
  /** Texts of base documents; the coordinator -> `matches`, `wordCounts`. */
  bases: 'bases',
  /** Counters that rule out words of a single document; the coordinator -> `counts`. */
  wordFilter: 'wordFilter',
  /** By word, the number of documents in which it occurs; the coordinator -> `matches`. */
  words: 'words',
} as const;
