/**
 * What a run will need, as far as it is known before anything is read: estimates, which are wrong for an input that is no text or has
 * longer or shorter records makes wrong.
 */

import type { Execution } from '../../options/check.js';
import { WORKER_BYTES } from '../../options/memory.js';
import { pieceBytesOf } from '../../readers/documentSink.js';
import { PACKING_BITS, STDIN } from '../../readers/list/fileList.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { countPieces, type Piece } from '../../readers/pieces.js';
import type { ResultParams } from '../../sketch/params.js';
import { strideOf } from '../../sketch/signature.js';
import { aheadOfLikely, type Budget } from '../../store/budget.js';
import type { Run } from '../context.js';
import { DOCUMENT_BYTES } from '../sketch/corpus.js';

/** Bytes of lines for one row chunk, about; with little memory fewer, down to a limit. */
const BYTES_A_CHUNK = 64 << 20;
const LEAST_BYTES_A_CHUNK = 1 << 20;
/** Memory of a task that makes tiles, as a multiple of its lines: rows as they come, and sorted. */
const TILE_RATIO = 3;
/** From so many bytes on, every worker gets row chunks. */
const WORTH_SHARING = 1 << 20;
/** Beyond this number, row chunks are taken together: each is a block of every split. */
const MOST_ROW_CHUNKS = 1024;
/** Unpacked bytes for each packed byte, and the guess for standard input. */
export const PACKED_RATIO = 8;
const STDIN_BYTES = 256 << 20;

/** Bytes of the files after unpacking, which is estimated. Unknown sizes count 0. */
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
 * Row chunks of the lines of sets: those of columns, but enough to keep a tile small; where columns have one, enough for every worker.
 *
 * Never decides the result: it may follow from threads and memory.
 */
export function lineChunksOf(files: FileTable, rowChunks: number, threads: number, budget: Budget): number {
  const bytes = unpackedBytes(files, { ofStdin: STDIN_BYTES });
  const shared = bytes >= WORTH_SHARING ? 2 * Math.max(1, threads) : 1;
  const held = Math.max(LEAST_BYTES_A_CHUNK, Math.floor(budget.task / TILE_RATIO));
  const least = Math.ceil(bytes / Math.min(BYTES_A_CHUNK, held));
  return Math.min(MOST_ROW_CHUNKS, Math.max(rowChunks === 1 ? shared : rowChunks, least));
}

/** Row chunks of columns: the requested number; `auto` is one, because text streams through a worker in pieces. */
export function rowChunksOf({ shards }: Pick<Execution, 'shards'>): number {
  return shards === 'auto' ? 1 : shards;
}

/** Bytes of a JSON record where nothing is known of the input. */
const RECORD_BYTES = 2048;

/** Bytes of an id where none is known. */
const ID_BYTES = 32;

/** Bytes of the table of so many documents, for a plan and for a refusal. */
function tableOf(documents: number, idBytes = ID_BYTES * documents): number {
  return DOCUMENT_BYTES * documents + idBytes;
}

/** Bytes of a process that holds no document; no part of `--memory`. */
export const PROGRAM_BYTES = 90e6;

/** Bytes in memory, the program's own with them, and on disk. */
interface WorkEstimate {
  readonly memoryBytes: number;
  readonly workBytes: number;
}

/** Memory and disk for the documents of so many bytes, unpacked. */
export function workEstimate(
  params: ResultParams,
  pieces: readonly Piece[],
  bytes: number,
  threads: number,
): WorkEstimate {
  const documents = documentsIn(pieces);
  // A line of a set and an element is about as long as its entry in the tables.
  const rowBytes = params.sets === undefined ? 0 : bytes;
  const hashes = params.exactDuplicates ? 0 : params.sketch.hashes;
  return {
    memoryBytes: memoryEstimate(documents, hashes, threads) + rowBytes,
    workBytes: Math.round(4 * strideOf(hashes) * documents + tableOf(documents)),
  };
}

/** How many documents the pieces may have: files, and records where lines are read. */
function documentsIn(pieces: readonly Piece[]): number {
  const { files, plainBytes, packedBytes } = countPieces(pieces);
  return files + (plainBytes + PACKED_RATIO * packedBytes) / RECORD_BYTES;
}

/** Bytes of signatures and the table of so many documents, and of the workers; pairs and sets come on top. */
export function memoryEstimate(documents: number, hashes: number, threads: number): number {
  const held = documents * 4 * strideOf(hashes) + 2 * tableOf(documents);
  return Math.round(PROGRAM_BYTES + Math.max(1, threads) * WORKER_BYTES + held);
}

/** The least bytes of a file or record that is a document, packed or not: a smaller number would give more documents than there are. */
const LEAST_RECORD = 24;
const MOST_PACKED_RATIO = 20;
/** Accepted pairs a document, for the size that a refusal names. */
const PAIRS_A_DOCUMENT = 1 / 4;
const SAMPLE_MARGIN = 1 / 20;

/** Parameters that decide the bytes of the tables of documents. */
interface Sized {
  readonly params: ResultParams;
  readonly budget: Budget;
  readonly engine: { readonly parallelism: number };
}

/**
 * Bytes that tables will need after those of documents: a second copy of `bytes` while they are sorted, then
 * pairs. The whole copy counts, so that the size which
 * is named is the same for every budget that is too small.
 */
export function aheadOfDocuments(
  { params }: Pick<Sized, 'params'>,
  documents: number,
  bytes: number,
): number {
  const pairs = aheadOfLikely(PAIRS_A_DOCUMENT * documents, params.verify === 'exact');
  return bytes + pairs + SAMPLE_MARGIN * bytes;
}

/** Bytes of the second copy of document tables, beyond the memory of tasks. */
export function copyOfDocuments({ engine, budget }: Omit<Sized, 'params'>, bytes: number): number {
  return Math.max(0, bytes - engine.parallelism * budget.task);
}

/** Whether documents can be counted before they are read: sets and units cannot. */
const isForeseen = ({ sets, unit = 'document' }: ResultParams): boolean =>
  sets === undefined && unit === 'document';

/**
 * Copies of the sketches of a column block: as they are made, as blocks on their way, as blocks to be written, and as written ones that
 * one of two threads has not collected yet.
 */
const SKETCH_COPIES = 4;

/** Bytes of the sketches that workers hold at a time: a column block of short documents has many. */
function besideTables(params: ResultParams, documents: number, bytes: number, threads: number): number {
  if (params.exactDuplicates) return 0;
  const rows = documents * Math.min(1, pieceBytesOf(params) / Math.max(1, bytes));
  return Math.max(1, threads) * SKETCH_COPIES * rows * 4 * strideOf(params.sketch.hashes);
}

/** The contents of the inputs, estimated from a fiftieth of their bytes. */
interface Foreseen {
  readonly documents: number;
  /** Bytes of the tables of documents. */
  readonly bytes: number;
  /** Bytes beside the tables, by the number of workers. */
  beside(threads: number): number;
}

async function foreseen(params: ResultParams, files: FileTable, pieces: readonly Piece[]): Promise<Foreseen> {
  const { sampledDocuments } = await import('./sampledDocuments.js');
  const found = sampledDocuments(pieces, params, files, (bytes) => bytes / RECORD_BYTES);
  const documents = Math.ceil(found.documents);
  // Whole files have their names as ids.
  const idBytes = found.idBytes + (countPieces(pieces).files > 0 ? files.ids.bytes.length : 0);
  const { plainBytes, packedBytes } = countPieces(pieces);
  const beside = (threads: number): number =>
    besideTables(params, found.documents, plainBytes + PACKED_RATIO * packedBytes, threads);
  return {
    documents,
    bytes: tableOf(documents, idBytes),
    beside,
  };
}

/** At least one; of long records none may have been read, and their number is not known then. */
function aboutDocuments(documents: number): string {
  return documents === 1 ? 'about 1 document' : `about ${documents} documents`;
}

/**
 * Ends a run whose tables of documents will not fit, before it reads its inputs, with a size that is enough. Where they fit
 * however short the records are, no sample is read.
 *
 * @throws MinHashError MEMORY_BUDGET
 */
export async function refuseDocuments(
  run: Sized & Pick<Run, 'tables'>,
  files: FileTable,
  pieces: readonly Piece[],
): Promise<void> {
  const { params, tables, budget } = run;
  if (!isForeseen(params)) return;
  const { files: whole, plainBytes, packedBytes } = countPieces(pieces);
  const most = whole + (plainBytes + MOST_PACKED_RATIO * packedBytes) / LEAST_RECORD;
  if (2 * (files.tableBytes + tableOf(most)) <= budget.tables) return;
  const { documents, bytes, beside } = await foreseen(params, files, pieces);
  tables.beside = tables.working = beside(run.engine.parallelism);
  const later = copyOfDocuments(run, bytes);
  const ahead = (): number => aheadOfDocuments(run, documents, bytes) - later;
  const inputs = files.length === 1 ? '1 input file' : `${files.length} input files`;
  const found = documents === 0 ? '' : ` and ${aboutDocuments(documents)}`;
  tables.expect(`${inputs}${found}`, files.tableBytes + bytes + later, ahead);
}
