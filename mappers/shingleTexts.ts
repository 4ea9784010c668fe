/**
 * Map: documents -> the texts of some of their shingles, for a list that people read.
 *
 *      offsets   u32  n+1: text i is bytes [offsets[i], offsets[i+1]), UTF-8; empty where the text is unknown
 *      bytes     u8
 */

import { ByteColumn } from '../src/arrays/growable.js';
import { type Block, encodeBlock } from '../src/blocks/block.js';
import { type DocumentFeed, DocumentRecorder } from '../src/blocks/documents.js';
import { type ShingleParams, ShingleStream } from '../src/text/shingles.js';
import { shingleWords } from '../src/text/tokens.js';

/** The requested hashes: hash i (a pair) of column `columns[i]`; columns ascend. */
interface WantedShingles {
  readonly hashes: Uint32Array;
  readonly columns: Uint32Array;
}

/** Longer documents are skipped: their tokens would be held as strings. */
const MOST_BYTES = 16_000_000;

/** A stream that keeps the text of the current document where it is wanted, and makes no shingles. */
class KeptText extends ShingleStream {
  readonly kept = new ByteColumn();
  isWanted = false;

  begin(): void {
    this.kept.truncate(0);
  }

  push(bytes: Uint8Array): void {
    if (this.isWanted && this.kept.length <= MOST_BYTES) this.kept.append(bytes);
  }

  end(): void {}
}

/** The texts of the wanted shingles, in their order: kind `shingleCounts`. */
export function shingleTexts(
  feed: DocumentFeed,
  shingle: ShingleParams,
  { hashes, columns }: WantedShingles,
): Block {
  const offsets = new Uint32Array(columns.length + 1);
  const bytes = new ByteColumn();
  const stream = new KeptText();
  let next = 0;
  let column = 0;
  const recorder = new DocumentRecorder(stream, {
    begin: () => {
      stream.isWanted = columns[next] === column;
    },
    end: () => {
      const from = next;
      while (columns[next] === column) next++;
      column++;
      if (next === from) return;
      const isShort = stream.kept.length <= MOST_BYTES;
      const words = isShort
        ? shingleWords(stream.kept.view, shingle, hashes.subarray(2 * from, 2 * next))
        : [];
      for (let i = from; i < next; i++) {
        bytes.append(new TextEncoder().encode(words[i - from] ?? ''));
        offsets[i + 1] = bytes.length;
      }
    },
    void: () => {},
  });
  feed(recorder);
  // A shingle of a document that no longer exists has no text.
  offsets.fill(bytes.length, next + 1);
  return encodeBlock('shingleCounts', {}, { offsets, bytes: bytes.view });
}
