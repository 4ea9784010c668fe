/**
 * Map: documents -> the document frequency of each shingle.
 *
 *      hashes      u32  pairs (low, high), sorted and distinct
 *      documents   u32  per hash: how many documents of the document batch have it
 *
 * Only hashes that may be in too many documents of the corpus are emitted (src/sketch/shingleCounts.ts).
 */

import { Uint32Column } from '../src/arrays/growable.js';
import { type Block, encodeBlock } from '../src/blocks/block.js';
import { type DocumentFeed, DocumentRecorder } from '../src/blocks/documents.js';
import type { Kernel } from '../src/kernel/kernel.js';
import { keepSuspects } from '../src/sketch/shingleCounts.js';
import type { ShingleParams } from '../src/text/shingles.js';

export interface Suspects {
  /** Counters of the filter; null: no hash is excluded. */
  readonly counters: Uint16Array | null;
  /** Only hashes in more than this many documents are counted. */
  readonly most: number;
  /** Range of the high words: from (inclusive), below (exclusive). */
  readonly from: number;
  readonly below: number;
}

/**
 * The counts of a batch: kind `shingleCounts`. Uses 8 bytes per distinct shingle of each document.
 */
export function shingleCounts(
  feed: DocumentFeed,
  kernel: Kernel,
  shingle: ShingleParams,
  { counters, most, from, below }: Suspects,
): Block {
  /** The sets of completed documents, concatenated, followed by the hashes of the current document. */
  const sets = new Uint32Column();
  let ended = 0;
  const drop = (): void => sets.truncate(2 * ended);
  const stream = kernel.shingleStream(shingle, (hashes, count) => {
    sets.append(hashes.subarray(0, 2 * keepSuspects(hashes, count, counters, most, from, below)));
  });
  const recorder = new DocumentRecorder(stream, {
    begin: drop,
    end: () => {
      const set = sets.view.subarray(2 * ended);
      ended += kernel.sortUnique(set, set.length / 2);
      drop();
    },
    discard: drop,
  });
  feed(recorder);
  const hashes = sets.view;
  kernel.sortByKey64(hashes, new Uint32Array(ended), ended);
  return encodeBlock('shingleCounts', { bytes: recorder.bytes }, countedRuns(hashes, ended));
}

/** Runs of equal hashes as one row each; `hashes` is overwritten. */
function countedRuns(hashes: Uint32Array, count: number): Record<string, Uint32Array> {
  const documents = new Uint32Array(count);
  let rows = 0;
  for (let i = 0; i < count; i++) {
    const low = hashes[2 * i]!;
    const high = hashes[2 * i + 1]!;
    if (rows > 0 && hashes[2 * rows - 2] === low && hashes[2 * rows - 1] === high) {
      documents[rows - 1]!++;
      continue;
    }
    hashes[2 * rows] = low;
    hashes[2 * rows + 1] = high;
    documents[rows++] = 1;
  }
  return { hashes: hashes.subarray(0, 2 * rows), documents: documents.subarray(0, rows) };
}
