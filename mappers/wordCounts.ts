/**
 * Map: documents -> the document frequency of the words of a list.
 *
 *      documents    u32      per word, in the order given
 */

import { wordRule } from '../src/analysis/methods/elementStreams.js';
import { FingerprintTable } from '../src/arrays/hashTable.js';
import { type Block, encodeBlock } from '../src/blocks/block.js';
import { type DocumentFeed, DocumentRecorder } from '../src/blocks/documents.js';
import type { Kernel } from '../src/kernel/kernel.js';
import type { ShingleParams } from '../src/text/shingles.js';

/**
 * The counts of one document batch, kind `shingleCounts`; `words` are hashes of single words, pairs (low, high), distinct.
 */
export function wordCounts(
  feed: DocumentFeed,
  kernel: Pick<Kernel, 'shingleStream'>,
  words: Uint32Array,
  shingle: Pick<ShingleParams, 'seed' | 'normalize'>,
): { readonly block: Block; readonly documents: number; readonly bytes: number } {
  const table = new FingerprintTable();
  for (let i = 0; i < words.length; i += 2) table.add(words[i]!, words[i + 1]!);
  const documents = new Uint32Array(table.size);
  const met = new Uint32Array(table.size);
  // A document is counted when it ends, because it may be discarded before.
  let own: number[] = [];
  let current = 1;
  const stream = kernel.shingleStream(wordRule(shingle).shingle, (hashes, count) => {
    for (let i = 0; i < 2 * count; i += 2) {
      const word = table.numberOf(hashes[i]!, hashes[i + 1]!);
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
  return {
    block: encodeBlock('shingleCounts', {}, { documents }),
    documents: recorder.documents,
    bytes: recorder.bytes,
  };
}
