/**
 * What a run will take, from what is known before it reads anything: estimates, which an input that is no text or has
 * longer or shorter records makes wrong.
 */

import { type Least, leastMemory, WORKER_BYTES } from '../../options/memory.js';
import { pieceBytesOf } from '../../readers/documentSink.js';
import { PACKING_BITS, STDIN } from '../../readers/list/fileList.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { arrayFilesOf } from '../../readers/list/sizes.js';
import { countPieces, type Piece } from '../../readers/pieces.js';
import type { ResultParams, SampleParams } from '../../sketch/params.js';
import { sampleParams, signatureParams } from '../../sketch/params.js';
import { strideOf } from '../../sketch/signature.js';
import {
  aheadOfLikely,
  type Budget,
  budgetOf,
  listsOfSamples,
  memoryForRecord,
  memoryForTables,
} from '../../store/budget.js';
import type { Run } from '../context.js';
import { DOCUMENT_BYTES } from '../sketch/corpus.js';

/** Bytes of lines that one row chunk stands for, about; with little memory fewer, but not without end. */
const BYTES_A_CHUNK = 16 << 20;
const LEAST_BYTES_A_CHUNK = 1 << 20;
/** What a task that makes tiles takes, as a multiple of the lines they stand for: rows as they come, and in order. */
const TILE_RATIO = 3;
/** From so many bytes on every worker gets row chunks. */
const WORTH_SHARING = 1 << 20;
/** More row chunks are taken together: each is a block of every split. */
const MOST_ROW_CHUNKS = 1024;
/** What packed lines unpack to, and what may come from standard input. */
export const PACKED_RATIO = 8;
const STDIN_BYTES = 256 << 20;

/** Bytes of the files as they are read: packed ones are taken to be larger. Sizes that are not known count nothing. */
export function unpackedBytes(
  files: Pick<FileTable, 'length' | 'kinds' | 'sizes'>,
  { ofStdin = 0, ofUnknown = 0, ratio = PACKED_RATIO } = {},
): number {
  let bytes = 0;
  for (let i = 0; i < files.length; i++) {
    const kind = files.kinds[i]!;
    const size = files.sizes[i]! < 0 ? ofUnknown : files.sizes[i]!;
    bytes += (kind & STDIN) !== 0 ? ofStdin : (kind & PACKING_BITS) !== 0 ? ratio * size : size;
  }
  return bytes;
}

/**
 * Row chunks for the matrix in row form: as asked for, but as many as keep a tile small. Never decides the result.
 *
 * How many row chunks the matrix in row form has.
 *
 * Never decides the result: it may follow from threads and memory.
 */
export function rowChunksOfSets(
  files: FileTable,
  shards: 'auto' | number,
  threads: number,
  budget: Budget,
): number {
  const bytes = unpackedBytes(files, { ofStdin: STDIN_BYTES });
  const shared = bytes >= WORTH_SHARING ? 2 * Math.max(1, threads) : 1;
  const asked = shards === 'auto' ? shared : shards;
  const held = Math.max(LEAST_BYTES_A_CHUNK, Math.floor(budget.task / TILE_RATIO));
  const least = Math.ceil(bytes / Math.min(BYTES_A_CHUNK, held));
  return Math.min(MOST_ROW_CHUNKS, Math.max(asked, least));
}

/**
 * Row chunks of documents: as asked for, `auto` one. They have the shingles of a document, not their order, so sequences of
 * words are made of whole texts, whatever is asked for.
 */
export function rowChunksOfTexts({ sketch }: Pick<ResultParams, 'sketch'>, shards: 'auto' | number): number {
  return shards === 'auto' || sketch.sketch === 'sswf' ? 1 : shards;
}

/** Documents a megabyte of JSON lines is taken to hold where nothing is known: records of 2 KB. */
const RECORD_BYTES = 2048;

/** Bytes of an id that nobody has seen. */
const ID_BYTES = 32;

/** The table of so many documents, of a plan as of a refusal. */
function tableOf(documents: number, idBytes = ID_BYTES * documents): number {
  return DOCUMENT_BYTES * documents + idBytes;
}

/** What a process takes before it holds a document; no part of `--memory`. */
export const PROGRAM_BYTES = 90e6;

/** Bytes in memory, the program's own with them, and on disk. */
interface WorkEstimate {
  readonly memoryBytes: number;
  readonly workBytes: number;
}

/** Memory and disk that the documents of so many bytes, unpacked, take. */
export function workEstimate(
  params: ResultParams,
  pieces: readonly Piece[],
  bytes: number,
  threads: number,
): WorkEstimate {
  const documents = documentsIn(pieces);
  const samples = sampleParams(params);
  if (samples !== null) return sampleEstimate(documents, bytes, samples, threads);
  // Lines of a set and an element are about as long as what is held of them.
  const rowBytes = params.sets === undefined ? 0 : bytes;
  const { sketch, banding } = signatureParams(params);
  const hashes = params.exactDuplicates ? 0 : sketch.hashes;
  return {
    memoryBytes: memoryEstimate(documents, hashes, banding.bands, threads) + rowBytes,
    workBytes: diskEstimate(documents, hashes, banding.bands),
  };
}

/** A shingle a word, and a word with its blank 6 bytes. */
const BYTES_A_SHINGLE = 6;

/** A fingerprint in its sample, in its list, and its place there. */
const FINGERPRINT_BYTES = 16;

/**
 * The same of samples, which cannot leave memory: `memoryBytes` is the budget of whose half, the part for tables, they and
 * their lists take all.
 */
function sampleEstimate(
  documents: number,
  bytes: number,
  samples: SampleParams,
  threads: number,
): WorkEstimate {
  const fingerprints = fingerprintsOf(samples, bytes, documents);
  const held = tableOf(documents) + fingerprints * FINGERPRINT_BYTES;
  return {
    memoryBytes: Math.round(PROGRAM_BYTES + Math.max(1, threads) * WORKER_BYTES + 2 * held),
    workBytes: Math.round(tableOf(documents) + fingerprints * 8),
  };
}

function fingerprintsOf(samples: SampleParams, bytes: number, documents: number): number {
  const shingles = bytes / BYTES_A_SHINGLE;
  if (samples.sketch === 'sswf') return documents;
  if (samples.sketch === 'min-s') return Math.min(shingles, documents * samples.hashes);
  return shingles < documents * samples.wholeBelow ? shingles : shingles / samples.modulus;
}

/** How many documents the pieces may hold: files, and records where lines are read. */
function documentsIn(pieces: readonly Piece[]): number {
  const { files, plainBytes, packedBytes } = countPieces(pieces);
  return files + (plainBytes + PACKED_RATIO * packedBytes) / RECORD_BYTES;
}

/** Bytes of what the sketching of so many documents leaves on disk until the run ends. */
function diskEstimate(documents: number, hashes: number, bands: number): number {
  return Math.round(documents * (4 * strideOf(hashes) + 8 * bands) + tableOf(documents));
}

/**
 * Bytes of signatures, bucket keys and the table of so many documents, beside what the workers take; pairs and sets come
 * on top.
 */
export function memoryEstimate(documents: number, hashes: number, bands: number, threads: number): number {
  const held = documents * (4 * strideOf(hashes) + 8 * bands) + 2 * tableOf(documents);
  return Math.round(PROGRAM_BYTES + Math.max(1, threads) * WORKER_BYTES + held);
}

/** A file or record that is a document has so many bytes at the least, packed or not: fewer make more documents than there are. */
const LEAST_RECORD = 24;
const MOST_PACKED_RATIO = 20;
/** Pairs a document that are accepted, and how far a sample may be wrong: what a size has room for that a refusal names. */
const PAIRS_A_DOCUMENT = 1 / 4;
const SAMPLE_MARGIN = 1 / 20;

/** What decides how many bytes tables of documents take. */
interface Sized {
  readonly params: ResultParams;
  readonly budget: Budget;
  readonly engine: { readonly parallelism: number };
}

/**
 * Bytes that tables will still take behind those of documents: a second copy of `bytes` while they are put in order, and what
 * is known of pairs, or then `samples` bytes of fingerprints with their lists. All of the copy counts, so that the size which
 * is named is the same for every budget that is too small.
 */
export function aheadOfDocuments(
  { params }: Pick<Sized, 'params'>,
  documents: number,
  bytes: number,
  samples: number,
): number {
  const pairs = aheadOfLikely(PAIRS_A_DOCUMENT * documents, params.verify === 'exact');
  // The copy is gone when lists are made.
  const listed = samples + listsOfSamples(samples, documents);
  const later = samples === 0 ? bytes : Math.max(bytes, (1 + SAMPLE_MARGIN) * listed);
  return later + pairs + SAMPLE_MARGIN * bytes;
}

/** What the second copy of document tables takes, beyond the room of tasks. */
export function copyOfDocuments({ engine, budget }: Omit<Sized, 'params'>, bytes: number): number {
  return Math.max(0, bytes - engine.parallelism * budget.task);
}

/** Whether documents are known before they are read: sets and units are not. */
const isForeseen = ({ sets, unit = 'document' }: ResultParams): boolean =>
  sets === undefined && unit === 'document';

/** Sketches of a column block as they are made, as blocks that are handed over, and until those are written. */
const SKETCH_COPIES = 3;

/** What workers hold of the sketches of so many documents at a time: a column block of short ones has many. */
function besideTables(params: ResultParams, documents: number, bytes: number, threads: number): number {
  if (params.exactDuplicates || sampleParams(params) !== null) return 0;
  const rows = documents * Math.min(1, pieceBytesOf(params) / Math.max(1, bytes));
  return Math.max(1, threads) * SKETCH_COPIES * rows * rowBytes(signatureParams(params));
}

/** A signature with its bucket keys. */
function rowBytes({ sketch, banding }: ReturnType<typeof signatureParams>): number {
  return 4 * strideOf(sketch.hashes) + 8 * banding.bands;
}

/** A fingerprint in its sample; what a sample takes beside them. */
const FINGERPRINT_IN_SAMPLE = 8;
const SAMPLE_BYTES = 9;

/** What the inputs hold, as far as a fiftieth of their bytes tells. */
interface Foreseen {
  readonly documents: number;
  /** Of their tables. */
  readonly bytes: number;
  /** Of the longest record that is held whole, where that can be told. */
  readonly longest: number;
  /** Bytes of samples, likely and, where few records were met, at the most; 0 where signatures are made. */
  readonly samples: { readonly likely: number; readonly most: number };
  /** Bytes beside the tables, by the number of workers. */
  beside(threads: number): number;
}

async function foreseen(params: ResultParams, files: FileTable, pieces: readonly Piece[]): Promise<Foreseen> {
  const { sampledDocuments } = await import('./sampledDocuments.js');
  const samples = sampleParams(params);
  const found = sampledDocuments(pieces, params, samples, files, {
    documents: (bytes) => bytes / RECORD_BYTES,
    fingerprints: (bytes, of) => (samples === null ? 0 : fingerprintsOf(samples, bytes, of)),
  });
  const documents = Math.ceil(found.documents);
  // Whole files are called by their names.
  const idBytes = found.idBytes + (countPieces(pieces).files > 0 ? files.ids.bytes.length : 0);
  const { plainBytes, packedBytes } = countPieces(pieces);
  const beside = (threads: number): number =>
    besideTables(params, found.documents, plainBytes + PACKED_RATIO * packedBytes, threads);
  const samplesOf = (fingerprints: number): number =>
    samples === null ? 0 : FINGERPRINT_IN_SAMPLE * fingerprints + SAMPLE_BYTES * documents;
  return {
    documents,
    bytes: tableOf(documents, idBytes),
    longest: found.longest,
    samples: { likely: samplesOf(found.fingerprints.likely), most: samplesOf(found.fingerprints.most) },
    beside,
  };
}

/** At least one; of long ones none may have been met, and how many they are is not told then. */
function aboutDocuments(documents: number): string {
  return documents === 1 ? 'about 1 document' : `about ${documents} documents`;
}

/**
 * Ends a run, before it reads its inputs, whose tables of documents will not fit, with a size that is enough. Where they fit
 * however short the records are, nothing is looked at.
 *
 * @throws MinHashError MEMORY_BUDGET
 */
export async function refuseDocuments(run: Run, files: FileTable, pieces: readonly Piece[]): Promise<void> {
  const { params, tables, budget } = run;
  if (!isForeseen(params)) return;
  const { files: whole, plainBytes, packedBytes } = countPieces(pieces);
  const most = whole + (plainBytes + MOST_PACKED_RATIO * packedBytes) / LEAST_RECORD;
  // Of samples a byte makes a fingerprint at the most.
  const mostRead = { ofUnknown: params.maxDocument, ratio: MOST_PACKED_RATIO };
  const samplesMost = sampleParams(params) === null ? 0 : FINGERPRINT_BYTES * unpackedBytes(files, mostRead);
  if (2 * (files.tableBytes + tableOf(most)) + samplesMost <= budget.tables) return;
  const { documents, bytes, samples, beside } = await foreseen(params, files, pieces);
  tables.beside = beside(run.engine.parallelism);
  const listed = samples.likely === 0 ? 0 : samples.likely + listsOfSamples(samples.likely, documents);
  const later = Math.max(copyOfDocuments(run, bytes), listed);
  const ahead = (): number => aheadOfDocuments(run, documents, bytes, samples.most) - later;
  const inputs = files.length === 1 ? '1 input file' : `${files.length} input files`;
  const found = documents === 0 ? '' : ` and ${aboutDocuments(documents)}`;
  tables.expect(
    `${inputs}${found}${listed === 0 ? '' : ' with samples'}`,
    files.tableBytes + bytes + later,
    ahead,
  );
}

/** The least budget for the program and the same estimate of its inputs. */
export async function leastFor(
  params: ResultParams,
  files: FileTable,
  pieces: readonly Piece[],
): Promise<Least> {
  if (!isForeseen(params)) return { of: leastMemory, what: `and more for many ${params.unit ?? 'set'}s` };
  const { documents, bytes, longest, samples, beside } = await foreseen(params, files, pieces);
  const of = (threads: number): number => {
    const budget = budgetOf(leastMemory(threads), threads, params.sql !== null);
    const needed = files.tableBytes + bytes + aheadOfDocuments({ params }, documents, bytes, samples.most);
    return Math.max(memoryForTables(budget, needed) + beside(threads), memoryForRecord(budget, longest));
  };
  // What no part that was read tells: long records, and how many an array holds.
  if (documents === 0 || arrayFilesOf(files).length > 0)
    return { of, what: 'and more for many documents or pairs' };
  return { of, what: `for ${aboutDocuments(documents)}, unless very many of them are alike`, isEnough: true };
}
