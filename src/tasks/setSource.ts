/**
 * The shingle sets of documents that are verified: blocks `sets/k` with a column `hashes`, one per batch, in shared memory or in
 * files of `.work` that are read by position.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import type { ShingleSets } from '../../reducers/intersections.js';
import { MinHashError } from '../errors.js';
import { workFile } from '../store/workFiles.js';

/** Where wanted sets are. Blocks ascend, and positions within a block. */
export interface StoredSets {
  /** By set: the number of its block. */
  readonly block: Uint32Array;
  /** By set: its first hash in the column, counted in hashes, and their number. */
  readonly from: Float64Array;
  readonly counts: Uint32Array;
}

export interface ShingleSetSource {
  /** The sets at these places, numbered as they are. Lists may be shared memory: read only. */
  read(places: StoredSets): ShingleSets;
}

/** @param hashes the columns by block; absent for blocks that no place names */
export function setsInMemory(hashes: readonly Uint32Array[]): ShingleSetSource {
  return { read: ({ block, from, counts }) => ({ lists: hashes, list: block, from, counts }) };
}

/** A longer gap between two wanted sets is not read. */
const GAP = 8 << 10;

/** A file of sets: the name of its block, and the position of the column in the file. */
export interface SetFile {
  readonly name: string;
  readonly at: number;
}

/**
 * Sets that are near each other in a file are read together, in the order of files and positions.
 *
 * @throws MinHashError BLOCK_TRUNCATED naming a file that ends before its sets
 */
export function setsInFiles(folder: string, files: readonly SetFile[]): ShingleSetSource {
  return {
    read({ block, from, counts }) {
      const lists: Uint32Array[] = [];
      const list = new Uint32Array(block.length);
      const starts = new Float64Array(block.length);
      for (let first = 0, end = 0; first < block.length; first = end) {
        let last = from[first]! + counts[first]!;
        for (end = first + 1; end < block.length && block[end] === block[first]; end++) {
          if (8 * (from[end]! - last) > GAP) break;
          last = from[end]! + counts[end]!;
        }
        for (let set = first; set < end; set++) {
          list[set] = lists.length;
          starts[set] = from[set]! - from[first]!;
        }
        const { name, at } = files[block[first]!]!;
        lists.push(readHashes(workFile(folder, name), at + 8 * from[first]!, last - from[first]!));
      }
      return { lists, list, from: starts, counts };
    },
  };
}

function readHashes(path: string, from: number, count: number): Uint32Array {
  const hashes = new Uint32Array(2 * count);
  const bytes = new Uint8Array(hashes.buffer);
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
  return hashes;
}
