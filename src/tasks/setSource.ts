/**
 * The shingle sets of documents that are verified: blocks `sets/k` with a column `hashes`, one per batch, in shared memory or in
 * files of `.work` that are read by position.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import type { ShingleSets } from '../../reducers/intersections.js';
import { MinHashError } from '../errors.js';
import { workFile } from '../store/workFiles.js';

/** The positions of wanted sets, ascending by block and position. */
export interface StoredSets {
  /** By set: the number of its block. */
  readonly block: Uint32Array;
  /** By set: its first hash in the column, counted in hashes, and their number. */
  readonly from: Float64Array;
  readonly counts: Uint32Array;
}

export interface ShingleSetSource {
  /** The sets at these positions, in the same order. Lists may be shared memory and must not be changed. */
  read(places: StoredSets): ShingleSets;
}

/** @param hashes the columns by block; absent for blocks that are not used */
export function setsInMemory(hashes: readonly Uint32Array[]): ShingleSetSource {
  return { read: ({ block, from, counts }) => ({ lists: hashes, list: block, from, counts }) };
}

/** Longer gaps between two wanted sets are not read. */
const GAP = 8 << 10;

/** A file of sets: the name of its block, and the position of the column in the file. */
export interface SetFile {
  readonly name: string;
  readonly at: number;
}

/**
 * Sets that are near each other in a file are read together, in the order of files and positions.
 *
 * @param buffer returns a buffer of at least this many bytes, which is valid until the next call
 * @throws MinHashError BLOCK_TRUNCATED naming a file that ends before its sets
 */
export function setsInFiles(
  folder: string,
  files: readonly SetFile[],
  buffer: (bytes: number) => ArrayBuffer,
): ShingleSetSource {
  return {
    read({ block, from, counts }) {
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
      const hashes = new Uint32Array(buffer(8 * total), 0, 2 * total);
      for (const [i, first] of reads.entries()) {
        if (total === 0) break;
        const end = i + 1 < reads.length ? starts[reads[i + 1]!]! : total;
        const { name, at } = files[block[first]!]!;
        const part = hashes.subarray(2 * starts[first]!, 2 * end);
        fillFrom(workFile(folder, name), at + 8 * from[first]!, part);
      }
      return { lists: [hashes], list: new Uint32Array(block.length), from: starts, counts };
    },
  };
}

function fillFrom(path: string, from: number, hashes: Uint32Array): void {
  const bytes = new Uint8Array(hashes.buffer, hashes.byteOffset, hashes.byteLength);
  const file = openSync(path, 'r');
  try {
    for (let done = 0; done < bytes.length; ) {
      const some = readSync(file, bytes, done, bytes.length - done, from + done);
      if (some === 0) {
        throw new MinHashError({
          code: 'BLOCK_TRUNCATED',
          detail: `${path}: ends before byte ${from + bytes.length}`,
        });
      }
      done += some;
    }
  } finally {
    closeSync(file);
  }
}
