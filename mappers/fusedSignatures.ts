/**
 * Map: documents -> signatures, for a column block that is one row chunk: tile, partial and minimum in one pass.
 *
 * Floor 2: pure.
 */
import { type Block, encodeBlock } from '../src/blocks/block.js';
import { type DocumentFeed, DocumentRecorder } from '../src/blocks/documents.js';
import { Uint32Column } from '../src/blocks/growable.js';
import type { Kernel } from '../src/kernel/kernel.js';
import type { ShingleParams, SketchParams } from '../src/sketch/params.js';

export interface FusedSignatures {
  /** Ends the table of documents; lines: lines that start in the source. */
  readonly documents: (lines: number) => Block;
  /** Kind `signatures`, shared: slots (u32, `stride` a column). */
  readonly signatures: Block;
  /** Bytes of text read. */
  readonly bytes: number;
}

/** Signatures of a column block that is a single row chunk: tile, partial and minimum in one pass, nothing stored between. */
export function fusedSignatures(
  feed: DocumentFeed,
  kernel: Kernel,
  shingle: ShingleParams,
  sketch: SketchParams,
): FusedSignatures {
  const sketcher = kernel.sketcher(sketch);
  const signature = new Uint32Array(sketcher.stride);
  const slots = new Uint32Column();
  const stream = kernel.shingleStream(shingle, (hashes, count) => {
    sketcher.update(signature, hashes, count);
  });
  const recorder = new DocumentRecorder(stream, {
    begin: () => sketcher.clear(signature),
    end: () => {
      sketcher.finish(signature);
      slots.append(signature);
    },
    void: () => {},
  });
  feed(recorder);
  const signatures = encodeBlock('signatures', { stride: sketcher.stride }, { slots: slots.view }, true);
  return { documents: (lines) => recorder.finish(lines), signatures, bytes: recorder.bytes };
}
