/**
 * Map: documents -> the document frequency of words: of those of a list, or of all.
 *
 *      hashes       u32      of all words, pairs (low, high); absent for a list
 *      documents    u32      per word, in the order of the list or of `hashes`
 */

import { wordRule } from '../src/analysis/methods/elementStreams.js';
import { grown } from '../src/arrays/growable.js';
import { FingerprintTable } from '../src/arrays/hashTable.js';
import { type Block, encodeBlock } from '../src/blocks/block.js';
import { type DocumentFeed, DocumentRecorder } from '../src/blocks/documents.js';
import type { Kernel } from '../src/kernel/kernel.js';
import type { ShingleParams } from '../src/text/shingles.js';

/**
 * The counts of one document batch, kind `shingleCounts`. `words`: hashes of single words, pairs (low, high), distinct; null: all words
 * of the documents.
 */
export function wordCounts(
  feed: DocumentFeed,
  kernel: Pick<Kernel, 'shingleStream'>,
  words: Uint32Array | null,
  shingle: Pick<ShingleParams, 'seed' | 'normalize'>,
): { readonly block: Block; readonly documents: number; readonly bytes: number } {
  const table = FingerprintTable.of(words ?? new Uint32Array(0));
  let documents = new Uint32Array(Math.max(table.size, 1024));
  /** By word: the last document that has it. */
  let met = new Uint32Array(documents.length);
  // A document is counted when it ends, because it may be discarded before.
  let own: number[] = [];
  let current = 1;
  const stream = kernel.shingleStream(wordRule(shingle).shingle, (hashes, count) => {
    for (let i = 0; i < 2 * count; i += 2) {
      const [low, high] = [hashes[i]!, hashes[i + 1]!];
      const word = words === null ? table.add(low, high) : table.numberOf(low, high);
      if (word === met.length) {
        met = grown(met);
        documents = grown(documents);
      }
      if (word < 0 || met[word] === current) continue;
      met[word] = current;
      own.push(word);
    }
  });
  const forget = (): void => {
    own = [];
    current++;
  };
  const recorder = new DocumentRecorder(stream, {
    begin: forget,
    end: () => {
      for (const word of own) documents[word]!++;
    },
    discard: forget,
  });
  feed(recorder);
  const ofAll = words === null ? { hashes: table.keys.subarray(0, 2 * table.size) } : {};
  return {
    block: encodeBlock('shingleCounts', {}, { documents: documents.subarray(0, table.size), ...ofAll }),
    documents: recorder.documents,
    bytes: recorder.bytes,
  };
}
