/**
 * What a run will take, from what is known before it reads anything: estimates, which an input that is no text or has
 * longer or shorter records makes wrong.
 */

import { WORKER_BYTES } from '../../options/memory.js';
import { PACKING_BITS, STDIN } from '../../readers/list/fileList.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { countPieces, type Piece } from '../../readers/pieces.js';
import type { ResultParams, SampleParams } from '../../sketch/params.js';
import { sampleParams, signatureParams } from '../../sketch/params.js';
import { strideOf } from '../../sketch/signature.js';
import type { Budget } from '../../store/budget.js';

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
export function unpackedBytes(files: Pick<FileTable, 'length' | 'kinds' | 'sizes'>, ofStdin = 0): number {
  let bytes = 0;
  for (let i = 0; i < files.length; i++) {
    const kind = files.kinds[i]!;
    const size = Math.max(0, files.sizes[i]!);
    bytes += (kind & STDIN) !== 0 ? ofStdin : (kind & PACKING_BITS) !== 0 ? PACKED_RATIO * size : size;
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
  const bytes = unpackedBytes(files, STDIN_BYTES);
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

/** A document in the table of its column block: its id, its two keys, where it is. */
const TABLE_BYTES = 76;

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
  const shingles = bytes / BYTES_A_SHINGLE;
  const fingerprints = fingerprintsOf(samples, shingles, documents);
  const held = documents * TABLE_BYTES + fingerprints * FINGERPRINT_BYTES;
  return {
    memoryBytes: Math.round(PROGRAM_BYTES + Math.max(1, threads) * WORKER_BYTES + 2 * held),
    workBytes: Math.round(documents * TABLE_BYTES + fingerprints * 8),
  };
}

function fingerprintsOf(samples: SampleParams, shingles: number, documents: number): number {
  if (samples.sketch === 'sswf') return documents;
  return samples.sketch === 'min-s'
    ? Math.min(shingles, documents * samples.hashes)
    : shingles / samples.modulus;
}

/** How many documents the pieces may hold: files, and records where lines are read. */
function documentsIn(pieces: readonly Piece[]): number {
  const { files, plainBytes, packedBytes } = countPieces(pieces);
  return files + (plainBytes + PACKED_RATIO * packedBytes) / RECORD_BYTES;
}

/** Bytes of what the sketching of so many documents leaves on disk until the run ends. */
function diskEstimate(documents: number, hashes: number, bands: number): number {
  return Math.round(documents * (4 * strideOf(hashes) + 8 * bands + TABLE_BYTES));
}

/**
 * Bytes of signatures, bucket keys and the table of so many documents, beside what the workers take; pairs and sets come
 * on top.
 */
export function memoryEstimate(documents: number, hashes: number, bands: number, threads: number): number {
  const documentBytes = 4 * strideOf(hashes) + 8 * bands + 2 * TABLE_BYTES;
  return Math.round(PROGRAM_BYTES + Math.max(1, threads) * WORKER_BYTES + documents * documentBytes);
}
