/** Map: documents -> their content hashes, without sketches: the input of `--exact-duplicates`. */
import { type DocumentFeed, DocumentRecorder, type TableEnd } from '../src/blocks/documents.js';
import type { Kernel } from '../src/kernel/kernel.js';

import type { ShingleParams } from '../src/text/shingles.js';

interface ContentKeys {
  /** The table of documents, which has the content hashes as a column. */
  readonly documents: TableEnd;
  /** Bytes of text read. */
  readonly bytes: number;
}

const NOTHING = (): void => {};

/** The content hashes of a document batch. Shingles are counted and discarded. */
export function contentKeys(feed: DocumentFeed, kernel: Kernel, shingle: ShingleParams): ContentKeys {
  const stream = kernel.shingleStream(shingle, NOTHING);
  const recorder = new DocumentRecorder(stream, {
    begin: NOTHING,
    end: NOTHING,
    discard: NOTHING,
    takeBack: NOTHING,
  });
  feed(recorder);
  return { documents: recorder.finish, bytes: recorder.bytes };
}
