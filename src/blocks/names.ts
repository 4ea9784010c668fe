/**
 * The names of all blocks, with the writer and the readers of each. Tasks share data only through blocks, so this table describes
 * the shuffle.
 *
 * A name is a family and numbers, `signatures/17`. In the table k is a batch, b a band, t a task.
 */

type Part = number | string;
type Name = (...parts: readonly Part[]) => string;

/** Family -> content; writer -> readers. */
const FAMILIES = {
  // Sketching.
  text: 'k: bytes, or which files; the coordinator -> every task that reads documents',
  documents: 'k: documents with content keys and places; `sketch`, `partials`, `elements` -> the coordinator',
  partials: 'k: partial signatures; `partials` -> `minima`',
  signatures: 'k: signatures and keys of bands; `sketch`, `minima`, `elements` -> `bands`',
  cuts: 'file: where a large JSON array is cut; `cuts` -> the coordinator',

  // Sets given as (set, element) records.
  setRows:
    'split: what lines say, `rows` -> the coordinator; sets/k: the records of a batch of sets, the coordinator -> `elements`',
  elements: 'k: distinct elements with counts; `elements` -> `sets`',

  // Pairs.
  listedPairs: 'b/part: pairs of small buckets, by range; `buckets` -> `candidatePairs`',
  largerBuckets: 'b: members of larger buckets; `buckets` -> the coordinator, `bucketPairs`',
  bucketPairs: 'b/part: pairs of larger buckets with agreements, by range; `bucketPairs` -> `candidatePairs`',
  comparedBuckets: 'b: the report of a finished task, in files; `bucketPairs` -> itself',
  candidatePairs: 't: distinct pairs with agreements; `candidatePairs` -> the coordinator',

  pairParts: 'part: candidate pairs that do not fit in memory, in files; the coordinator -> itself',
  pairCommon: 'part: common elements of the pairs of a part, in files; the coordinator -> itself',

  // Exact verification.
  wanted: 'k: which documents a task reads again; the coordinator -> `setsOfBatch`',
  sets: 'k: shingle sets; `setsOfBatch` -> `commonOfPairs`, or `sketch` -> an index',
  setCounts: 'k: hashes of the sets of `sets/k`; `setsOfBatch` -> the coordinator',
  common: 't: common elements of pairs, and sizes of sets; `commonOfPairs` -> the coordinator',
  exact: 't: pairs with the places of their sets; the coordinator -> `commonOfPairs`',

  // Containment in documents of the reference.
  referenceSets: 'k: shingles of reference documents; `referenceSets` -> the coordinator',
  containments: 'k: the reference documents that documents contain; `containments` -> the coordinator',

  // One to many.
  wordCounts: 'k: in how many documents words of bases occur; `wordCounts` -> the coordinator',
  matches: 'k: documents that share something with bases; `matches` -> the coordinator',

  // Result files.
  out: 'columns of a result table; the coordinator -> `write`',
} as const;

/** A family of blocks whose members have numbers. */
type BlockFamily = keyof typeof FAMILIES;

/** `NAMES.signatures(17)` is `signatures/17`. */
export const NAMES = Object.fromEntries(
  Object.keys(FAMILIES).map((family) => [
    family,
    (...parts: readonly Part[]) => [family, ...parts].join('/'),
  ]),
) as Readonly<Record<BlockFamily, Name>>;

/** Blocks that exist once per run. */
export const ONE = {
  /** One bit per row: whether the document is compared; the coordinator -> `buckets`. */
  takesPart: 'takesPart',
  /** Numbers by row and rows by number; the coordinator -> `buckets`, `bucketPairs`, `candidatePairs`. */
  numbers: 'numbers',
  /** By document number, the bands in which its bucket is not small, and large; the coordinator -> `bucketPairs`. */
  bucketMarks: 'bucketMarks',
  /** The shingles of all reference documents (src/arrays/keyOwners.ts); the coordinator -> `containments`. */
  references: 'references',
  /** Ignored shingles; the coordinator -> `sketch`, `partials`, `setsOfBatch`, `containments`. */
  ignored: 'ignored',
  /** Texts of base documents; the coordinator -> `matches`, `wordCounts`. */
  bases: 'bases',
  /** By word, its document frequency; the coordinator -> `matches`. */
  words: 'words',
} as const;
