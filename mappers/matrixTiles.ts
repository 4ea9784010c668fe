/**
 * Map: documents -> one tile of the characteristic matrix per row chunk.
 *
 *                     columns = documents of one column block
 *                     D0   D1   D2   ...
 *      row chunk 0    x    .    x          -> tile 0
 *      row chunk 1    .    x    x          -> tile 1        rows = shingles, by ranges of a second mix of their hash
 *      ...
 *
 * A tile holds, column after column, the hashes of the rows that are 1; the matrix is sparse, so its zeros are never
 * stored. Row chunks are ranges of a mix that is independent of the bits that choose a sketch's bin.
 *
 * Floor 2: pure; documents come from a feed, never from files.
 */
import { type Block, encodeBlock } from '../src/blocks/block.js';
import { type DocumentFeed, DocumentRecorder } from '../src/blocks/documents.js';
import { Uint32Column } from '../src/blocks/growable.js';
import type { Kernel } from '../src/kernel/kernel.js';
import type { ShingleParams } from '../src/sketch/params.js';

/** One row chunk under construction. */
interface OpenTile {
  /** Row hashes, (low, high) each. */
  readonly rows: Uint32Column;
  /** Where each column ends in `rows`, in hashes. */
  readonly ends: Uint32Column;
}

export interface MatrixTiles {
  /** Ends the table of documents; lines: lines that start in the source. */
  readonly documents: (lines: number) => Block;
  /** `rowChunks` blocks of kind `tile`: ends (u32 a column), rows (u32 pairs), totals (u32: occurrences over all chunks). */
  readonly tiles: readonly Block[];
  /** Bytes of text read. */
  readonly bytes: number;
}

/** Adds rows to the tiles of their chunks, in their order; a kernel that can groups them first. */
function scatter(kernel: Kernel, hashes: Uint32Array, count: number, open: readonly OpenTile[]): void {
  if (kernel.groupByRowChunk !== undefined) {
    kernel.groupByRowChunk(hashes, count, open.length, (grouped, ends) => {
      for (let chunk = 0, from = 0; chunk < open.length; chunk++) {
        const to = ends[chunk]!;
        if (to > from) open[chunk]!.rows.append(grouped.subarray(2 * from, 2 * to));
        from = to;
      }
    });
    return;
  }
  for (let i = 0; i < 2 * count; i += 2) {
    const low = hashes[i]!;
    const high = hashes[i + 1]!;
    const { rows } = open[kernel.rowChunkOf(low, high, open.length)]!;
    rows.push(low);
    rows.push(high);
  }
}

/** The tiles of one column block. `rowChunks` >= 1; a document without tokens has an empty column in every tile. */
export function matrixTiles(
  feed: DocumentFeed,
  kernel: Kernel,
  shingle: ShingleParams,
  rowChunks: number,
): MatrixTiles {
  const open: OpenTile[] = Array.from({ length: rowChunks }, () => ({
    rows: new Uint32Column(),
    ends: new Uint32Column(),
  }));
  const totals = new Uint32Column();
  let total = 0;
  const stream = kernel.shingleStream(shingle, (hashes, count) => {
    total += count;
    scatter(kernel, hashes, count, open);
  });
  const recorder = new DocumentRecorder(stream, {
    begin: () => {
      total = 0;
    },
    end: () => {
      totals.push(total);
      for (const tile of open) tile.ends.push(tile.rows.length / 2);
    },
    void: () => {
      for (const tile of open) {
        const columns = tile.ends.length;
        tile.rows.truncate(columns === 0 ? 0 : 2 * tile.ends.view[columns - 1]!);
      }
    },
  });
  feed(recorder);
  const tiles = open.map((tile, rowChunk) =>
    encodeBlock(
      'tile',
      { rowChunk, rowChunks },
      { ends: tile.ends.view, rows: tile.rows.view, totals: totals.view },
      true,
    ),
  );
  return { documents: (lines) => recorder.finish(lines), tiles, bytes: recorder.bytes };
}
