/**
 * Map: documents -> signatures, for a document batch that is one row chunk: tile, partial and minimum in one
 * pass.
 */
import { type Block, newBlock } from '../src/blocks/block.js';
import { type DocumentFeed, DocumentRecorder, type TableEnd } from '../src/blocks/documents.js';
import type { Kernel } from '../src/kernel/kernel.js';
import type { SketchParams } from '../src/sketch/params.js';
import type { Thinning } from '../src/sketch/thinning.js';
import type { ShingleParams } from '../src/text/shingles.js';

interface FusedSignatures {
  readonly documents: TableEnd;
  /** Kind `signatures`, shared: slots (u32, `stride` a column). */
  readonly signatures: Block;
  /** The same slots in the kernel's memory, where reading is fastest; valid until the kernel gets the next document. */
  readonly slots: Uint32Array;
  /** Bytes of text read. */
  readonly bytes: number;
}

/**
 * Signatures of a document batch that is a single row chunk: tile, partial and minimum in one pass, without
 * intermediate blocks. `thinning` removes shingles before the sketch; absent: none.
 */
export function fusedSignatures(
  feed: DocumentFeed,
  kernel: Kernel,
  shingle: ShingleParams,
  sketch: SketchParams,
  thinning?: Thinning,
): FusedSignatures {
  const sketches = kernel.documentSketches(shingle, sketch, thinning);
  sketches.clear();
  // The sketcher keeps the signatures, so the end of a column needs no action.
  const recorder: DocumentRecorder = new DocumentRecorder(sketches, {
    begin: () => {},
    end: () => {},
    void: () => sketches.truncate(recorder.documents),
    takeBack: (column) => sketches.truncate(column),
  });
  feed(recorder);
  const { stride, rows } = sketches;
  const signatures = newBlock('signatures', { stride }, { slots: ['u32', rows * stride] }, true);
  const slots = sketches.copyRows(signatures.columns.slots as Uint32Array);
  return { documents: recorder.finish, signatures, slots, bytes: recorder.bytes };
}
