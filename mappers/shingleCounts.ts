/**
 * Map: documents -> the number of them in which each shingle occurs.
 *
 *      hashes      u32  pairs (low, high), sorted and distinct
 *      documents   u32  per hash: how many documents of the document batch have it
 *      columns     u32  per hash: the first column that has it
 *
 * Only hashes that may be in too many documents of the corpus are emitted (src/sketch/thinning.ts).
 */

import { Uint32Column } from '../src/arrays/growable.js';
import { type Block, encodeBlock } from '../src/blocks/block.js';
import { type DocumentFeed, DocumentRecorder } from '../src/blocks/documents.js';
import type { Kernel } from '../src/kernel/kernel.js';
import { keepSuspects } from '../src/sketch/thinning.js';
import type { ShingleParams } from '../src/text/shingles.js';

export interface Suspects {
  /** Counters of the filter; null: no hash is excluded. */
  readonly counters: Uint16Array | null;
  /** Only hashes in more than this many documents are of interest. */
  readonly most: number;
  /** Range of the high words: from (inclusive), below (exclusive). */
  readonly from: number;
  readonly below: number;
}

/**
 * The counts of one document batch: kind `shingleCounts`. Holds 12 bytes per distinct shingle of each document.
 */
export function shingleCounts(
  feed: DocumentFeed,
  kernel: Kernel,
  shingle: ShingleParams,
  { counters, most, from, below }: Suspects,
): Block {
  /** The sets of documents, one after the other, and the column of each hash; behind these, the hashes of the current document. */
  const sets = new Uint32Column();
  const columns = new Uint32Column();
  const drop = (): void => sets.truncate(2 * columns.length);
  const stream = kernel.shingleStream(shingle, (hashes, count) => {
    sets.append(hashes.subarray(0, 2 * keepSuspects(hashes, count, counters, most, from, below)));
  });
  const recorder = new DocumentRecorder(stream, {
    begin: drop,
    end: (column) => {
      const set = sets.view.subarray(2 * columns.length);
      columns.extend(kernel.sortUnique(set, set.length / 2)).fill(column);
      drop();
    },
    void: drop,
  });
  feed(recorder);
  const hashes = sets.view;
  // Stable, so the first of equal hashes is that of the first column.
  kernel.sortByKey64(hashes, columns.view, columns.length);
  return encodeBlock('shingleCounts', { bytes: recorder.bytes }, countedRuns(hashes, columns.view));
}

/** Runs of equal hashes as one row each; `hashes` is overwritten. */
function countedRuns(hashes: Uint32Array, columns: Uint32Array): Record<string, Uint32Array> {
  const documents = new Uint32Array(columns.length);
  let rows = 0;
  for (let i = 0; i < columns.length; i++) {
    const low = hashes[2 * i]!;
    const high = hashes[2 * i + 1]!;
    if (rows > 0 && hashes[2 * rows - 2] === low && hashes[2 * rows - 1] === high) {
      documents[rows - 1]!++;
      continue;
    }
    hashes[2 * rows] = low;
    hashes[2 * rows + 1] = high;
    columns[rows] = columns[i]!;
    documents[rows++] = 1;
  }
  return {
    hashes: hashes.subarray(0, 2 * rows),
    documents: documents.subarray(0, rows),
    columns: columns.subarray(0, rows),
  };
}
