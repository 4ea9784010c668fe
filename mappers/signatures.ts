/** Map: documents -> signatures, while their texts stream: the shingles of a document are never held. */
import type { Block } from '../src/blocks/block.js';
import { type DocumentFeed, DocumentRecorder, type TableEnd } from '../src/blocks/documents.js';
import { type SignatureParams, signatureBlock } from '../src/blocks/signatureBlocks.js';
import type { DocumentSketches, Kernel } from '../src/kernel/kernel.js';
import type { SketchParams } from '../src/sketch/params.js';
import type { ShingleParams } from '../src/text/shingles.js';

interface SketchedDocuments {
  readonly documents: TableEnd;
  /** The signatures where the kernel keeps them; valid until it gets the next document. */
  readonly kept: DocumentSketches;
  /** Bytes of text read. */
  readonly bytes: number;
}

/** The signatures of a batch of documents, as the kernel keeps them. */
export function sketchedDocuments(
  feed: DocumentFeed,
  kernel: Kernel,
  shingle: ShingleParams,
  sketch: SketchParams,
): SketchedDocuments {
  const kept = kernel.documentSketches(shingle, sketch);
  // The kernel keeps the signatures, so the end of a document needs no action.
  const recorder: DocumentRecorder = new DocumentRecorder(kept, {
    begin: () => {},
    end: () => {},
    void: () => kept.rows.truncate(recorder.documents),
    takeBack: (row) => kept.rows.truncate(row),
  });
  feed(recorder);
  return { documents: recorder.finish, kept, bytes: recorder.bytes };
}

/** The signatures of a batch of documents: kind `signatures` (src/blocks/signatureBlocks.ts). `buffer`: of the block; default: shared memory. */
export function documentSignatures(
  feed: DocumentFeed,
  kernel: Kernel,
  shingle: ShingleParams,
  params: SignatureParams,
  buffer?: (bytes: number) => ArrayBuffer,
): Omit<SketchedDocuments, 'kept'> & { readonly signatures: Block } {
  const { kept, ...rest } = sketchedDocuments(feed, kernel, shingle, params.sketch);
  const { held, length, stride } = kept.rows;
  return { ...rest, signatures: signatureBlock(held, length, stride, params, buffer, kernel.slotWriter) };
}
