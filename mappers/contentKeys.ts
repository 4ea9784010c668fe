/** Map: documents -> their table with content keys, without sketches: the input of `--exact-duplicates`. */
import { type DocumentFeed, DocumentRecorder, type TableEnd } from '../src/blocks/documents.js';
import type { Kernel } from '../src/kernel/kernel.js';
import type { ShingleParams } from '../src/text/shingles.js';

const NOTHING = (): void => {};

/** The table of a document batch. Shingles are counted and discarded. */
export function contentKeys(
  feed: DocumentFeed,
  kernel: Pick<Kernel, 'shingleStream'>,
  shingle: ShingleParams,
): TableEnd {
  const stream = kernel.shingleStream(shingle, NOTHING);
  const recorder = new DocumentRecorder(stream, {
    begin: NOTHING,
    end: NOTHING,
    discard: NOTHING,
    takeBack: NOTHING,
  });
  feed(recorder);
  return recorder.finish;
}
