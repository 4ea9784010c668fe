/**
 * Map: documents -> signatures, for a document batch that is one row chunk: tile, partial and minimum in one
 * pass.
 */
import { type Block, newBlock } from '../src/blocks/block.js';
import { type DocumentFeed, DocumentRecorder, type TableEnd } from '../src/blocks/documents.js';
import type { DocumentSketches, Kernel } from '../src/kernel/kernel.js';
import type { SketchParams } from '../src/sketch/params.js';
import type { ShingleParams } from '../src/text/shingles.js';
import { labelledColumns, type SetColumns } from './labelledTiles.js';

interface SketchedDocuments {
  readonly documents: TableEnd;
  /** The signatures where the kernel keeps them; valid until it gets the next document. */
  readonly kept: DocumentSketches;
  /** Bytes of text read. */
  readonly bytes: number;
}

/**
 * Signatures of a document batch that is a single row chunk: tile, partial and minimum in one pass, without
 * intermediate blocks.
 */
function sketchedDocuments(
  feed: DocumentFeed,
  kernel: Kernel,
  shingle: ShingleParams,
  sketch: SketchParams,
): SketchedDocuments {
  const kept = kernel.documentSketches(shingle, sketch);
  // The sketcher keeps the signatures, so the end of a column needs no action.
  const recorder: DocumentRecorder = new DocumentRecorder(kept, {
    begin: () => {},
    end: () => {},
    void: () => kept.rows.truncate(recorder.documents),
    takeBack: (column) => kept.rows.truncate(column),
  });
  feed(recorder);
  return { documents: recorder.finish, kept, bytes: recorder.bytes };
}

interface FusedSignatures extends Omit<SketchedDocuments, 'kept'> {
  /** Kind `signatures`, shared: slots (u32, `stride` a column). */
  readonly signatures: Block;
}

/** The same signatures as a block. */
export function fusedSignatures(...batch: Parameters<typeof sketchedDocuments>): FusedSignatures {
  const { kept, ...rest } = sketchedDocuments(...batch);
  const { stride, length } = kept.rows;
  const signatures = newBlock('signatures', { stride }, { slots: ['u32', length * stride] }, true);
  kept.rows.copyTo(signatures.columns.slots as Uint32Array);
  return { ...rest, signatures };
}

/** The signatures of a column block of sets: kind `signatures`, shared; and how many rows the columns have. */
export function setSignatures(
  sets: SetColumns,
  kernel: Kernel,
  sketch: SketchParams,
): { readonly signatures: Block; readonly rows: number } {
  const sketcher = kernel.sketcher(sketch);
  const { stride } = sketcher;
  const signatures = newBlock('signatures', { stride }, { slots: ['u32', sets.columns * stride] }, true);
  const slots = signatures.columns.slots as Uint32Array;
  const signature = new Uint32Array(stride);
  let at = 0;
  const rows = labelledColumns(sets, {
    begin: () => sketcher.clear(signature),
    rows: (hashes, count) => sketcher.update(signature, hashes, count),
    end: () => {
      slots.set(signature, at);
      at += stride;
    },
  });
  return { signatures, rows };
}
