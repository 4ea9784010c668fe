/**
 * The shingle sets of documents that are verified: blocks `sets/k` with a column `hashes`, one per batch, in files of `.work` that are
 * read by position. In shared memory the columns are used as they are.
 */
import { closeSync, openSync } from 'node:fs';
import type { ShingleSets } from '../../reducers/intersections.js';
import { readFully, workFile } from '../store/workFiles.js';

/** The positions of wanted sets, ascending by block and position. */
export interface StoredSets {
  /** By set: the number of its block. */
  readonly block: Uint32Array;
  /** By set: its first hash in the column, counted in hashes, and their number. */
  readonly from: Float64Array;
  readonly counts: Uint32Array;
}

/** A file of sets: the name of its block, and the position of the column in the file. */
export interface SetFile {
  readonly name: string;
  readonly at: number;
}

/** Longer gaps between two wanted sets are not read. */
const GAP = 8 << 10;

/**
 * The sets at these positions, in the same order. Sets that are near each other in a file are read together.
 *
 * @param buffer returns a buffer of at least this many bytes, which is valid until the next call
 * @throws MinHashError BLOCK_TRUNCATED naming a file that ends before its sets
 */
export function setsInFiles(
  folder: string,
  files: readonly SetFile[],
  { block, from, counts }: StoredSets,
  buffer: (bytes: number) => ArrayBuffer,
): ShingleSets {
  const starts = new Float64Array(block.length);
  // The first set of each read, then the number of sets.
  const reads = [0];
  let total = 0;
  for (let set = 0, last = 0; set < block.length; set++) {
    const first = reads.at(-1)!;
    if (set > first && (block[set] !== block[first] || 8 * (from[set]! - last) > GAP)) {
      total += last - from[first]!;
      reads.push(set);
    }
    starts[set] = total + from[set]! - from[reads.at(-1)!]!;
    last = from[set]! + counts[set]!;
    if (set + 1 === block.length) total += last - from[reads.at(-1)!]!;
  }
  const bytes = new Uint8Array(buffer(8 * total), 0, 8 * total);
  for (const [i, first] of reads.entries()) {
    if (total === 0) break;
    const end = i + 1 < reads.length ? starts[reads[i + 1]!]! : total;
    const { name, at } = files[block[first]!]!;
    const path = workFile(folder, name);
    const file = openSync(path, 'r');
    try {
      readFully(file, bytes.subarray(8 * starts[first]!, 8 * end), at + 8 * from[first]!, path);
    } finally {
      closeSync(file);
    }
  }
  const hashes = new Uint32Array(bytes.buffer, 0, 2 * total);
  return { lists: [hashes], list: new Uint32Array(block.length), from: starts, counts };
}
