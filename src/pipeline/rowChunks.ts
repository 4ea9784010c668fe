/**
 * How many row chunks the matrix in row form has.
 *
 * Floor 4. Never decides the result: it may follow from threads and memory.
 */
import type { FileTable } from '../storage/fileTable.js';
import { GZIP, STDIN } from '../storage/formats.js';
import type { Budget } from './budget.js';

/** Bytes of lines that one row chunk stands for, about; with little memory fewer, but not without end. */
const BYTES_A_CHUNK = 16 << 20;
const LEAST_BYTES_A_CHUNK = 1 << 20;
/** What a task that makes tiles takes, as a multiple of the lines they stand for: rows as they come, and in order. */
const TILE_RATIO = 3;
/** From so many bytes on every worker gets row chunks. */
const WORTH_SHARING = 1 << 20;
/** More row chunks are taken together: each is a block of every split. */
const MOST_ROW_CHUNKS = 1024;
/** What gzipped lines unpack to, and what may come from standard input. */
export const GZIP_RATIO = 8;
const STDIN_BYTES = 256 << 20;

/** Bytes of the files as they are read: packed ones are taken to be larger. Sizes that are not known count nothing. */
export function unpackedBytes(files: Pick<FileTable, 'length' | 'kinds' | 'sizes'>, ofStdin = 0): number {
  let bytes = 0;
  for (let i = 0; i < files.length; i++) {
    const kind = files.kinds[i]!;
    const size = Math.max(0, files.sizes[i]!);
    bytes += (kind & STDIN) !== 0 ? ofStdin : (kind & GZIP) !== 0 ? GZIP_RATIO * size : size;
  }
  return bytes;
}

/** Row chunks for the matrix in row form: as asked for, but as many as keep a tile small. Never decides the result. */
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
