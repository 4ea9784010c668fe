/** Map: documents -> their content hashes, without sketches: the input of `--exact-duplicates`. */
import type { Block } from '../src/blocks/block.js';
import { type DocumentFeed, DocumentRecorder } from '../src/blocks/documents.js';
import type { Kernel } from '../src/kernel/kernel.js';

import type { ShingleParams } from '../src/text/shingles.js';

interface ContentKeys {
  /** Ends the table of documents, of which the keys are a column; `lines`: lines that start in the source. */
  readonly documents: (lines: number) => Block;
  /** Bytes of text read. */
  readonly bytes: number;
}

const NOTHING = (): void => {};

/** The content hashes of a document batch. Shingles are counted and discarded. */
export function contentKeys(feed: DocumentFeed, kernel: Kernel, shingle: ShingleParams): ContentKeys {
  const stream = kernel.shingleStream(shingle, NOTHING);
  const recorder = new DocumentRecorder(stream, { begin: NOTHING, end: NOTHING, void: NOTHING });
  feed(recorder);
  return { documents: (lines) => recorder.finish(lines), bytes: recorder.bytes };
}
