/**
 * Map: tile -> partial signatures of its columns; and the fused form for a block that is one row chunk.
 *
 * A partial is a signature over the rows of one chunk, or the list of those rows where that is cheaper: with few rows an
 * FSS signature takes many rounds to fill its bins, once a chunk instead of once a document ("list or partial").
 *
 * Floor 2: pure.
 */
import { type Block, encodeBlock } from '../src/blocks/block.js';
import { type DocumentFeed, DocumentRecorder } from '../src/blocks/documents.js';
import { Uint32Column } from '../src/blocks/growable.js';
import { LIST_LIMIT, SIGNATURE } from '../src/blocks/partials.js';
import type { Kernel } from '../src/kernel/kernel.js';
import type { ShingleParams, SketchParams } from '../src/sketch/params.js';

/** The partial signatures of one tile. A column without rows is an empty list. */
export function partialSignatures(tile: Block, kernel: Kernel, sketch: SketchParams): Block {
  const ends = tile.columns.ends as Uint32Array;
  const rows = tile.columns.rows as Uint32Array;
  const totals = tile.columns.totals as Uint32Array;
  const sketcher = kernel.sketcher(sketch);
  const signature = new Uint32Array(sketcher.stride);
  const outEnds = new Uint32Array(ends.length);
  const form = new Uint8Array(ends.length);
  const data = new Uint32Column();
  let from = 0;
  for (let column = 0; column < ends.length; column++) {
    const to = ends[column]!;
    const count = to - from;
    if (totals[column]! <= LIST_LIMIT || 2 * count <= sketcher.stride) {
      data.append(rows.subarray(2 * from, 2 * to));
    } else {
      form[column] = SIGNATURE;
      sketcher.clear(signature);
      sketcher.update(signature, rows.subarray(2 * from, 2 * to), count);
      data.append(signature);
    }
    outEnds[column] = data.length;
    from = to;
  }
  return encodeBlock('partials', tile.meta, { ends: outEnds, form, data: data.view }, true);
}

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
