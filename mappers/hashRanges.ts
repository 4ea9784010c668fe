/**
 * Map: a document of a candidate pair, read a second time -> its shingle hashes, told apart by range.
 *
 *      file, record, contentKey   as in the block of shingle sets; nothing of a document that is not there any more
 *      range, offset, hashes, checksum   the pieces in the file of hashes (src/storage/rangeFile.ts)
 *
 * For a document whose set is too large to be held: of two of them, range by range is compared. A range is what the upper
 * bits of a hash say, so ranges of two documents hold what is common to them in the same places, and counts add up. A
 * hash that the document repeats is repeated here.
 *
 * Floor 2: pure; documents come from a feed, and what is found goes to a sink.
 */
import type { Column } from '../src/blocks/block.js';
import { type DocumentFeed, DocumentRecorder } from '../src/blocks/documents.js';
import type { Kernel } from '../src/kernel/kernel.js';
import type { ShingleParams } from '../src/sketch/params.js';

/** The most ranges: pieces must not become too short. */
export const MOST_RANGES = 1024;

/** Takes hashes of a range; they are scratch memory. */
export type RangeSink = (range: number, hashes: Uint32Array) => void;

/** The most bytes of hashes that are held until a piece of their range is full, and the longest piece. */
const HELD_BYTES = 8 << 20;
const PIECE_BYTES = 64 << 10;

/** Tells hashes apart by range and gives them on by the piece. */
export class RangeScatter {
  private readonly shift: number;
  private readonly piece: number;
  private readonly held: Uint32Array;
  /** By range: words held. */
  private readonly filled: Uint32Array;
  private readonly sink: RangeSink;

  /** @param ranges a power of two, 1 to MOST_RANGES */
  constructor(ranges: number, sink: RangeSink, heldBytes = Math.min(HELD_BYTES, ranges * PIECE_BYTES)) {
    this.shift = Math.clz32(ranges - 1);
    this.piece = 2 * Math.max(1, Math.floor(heldBytes / 8 / ranges));
    this.held = new Uint32Array(ranges * this.piece);
    this.filled = new Uint32Array(ranges);
    this.sink = sink;
  }

  add(hashes: Uint32Array, count: number): void {
    const { shift, piece, held, filled } = this;
    for (let i = 0; i < 2 * count; i += 2) {
      const high = hashes[i + 1]!;
      // A shift by 32 is one by 0.
      const range = shift === 32 ? 0 : high >>> shift;
      const at = range * piece + filled[range]!;
      held[at] = hashes[i]!;
      held[at + 1] = high;
      filled[range]! += 2;
      if (filled[range] === piece) this.give(range);
    }
  }

  /** Gives on what is left. */
  end(): void {
    for (let range = 0; range < this.filled.length; range++) if (this.filled[range]! > 0) this.give(range);
  }

  private give(range: number): void {
    const from = range * this.piece;
    this.sink(range, this.held.subarray(from, from + this.filled[range]!));
    this.filled[range] = 0;
  }
}

/** Scatters the hashes of one document, by (file, record); returns what the table says of it, and the bytes read. */
export function hashRanges(
  feed: DocumentFeed,
  kernel: Kernel,
  shingle: ShingleParams,
  { file, record }: { readonly file: number; readonly record: number },
  ranges: number,
  sink: RangeSink,
): { readonly bytes: number; readonly table: Readonly<Record<'file' | 'record' | 'contentKey', Column>> } {
  const scatter = new RangeScatter(ranges, sink);
  const stream = kernel.shingleStream(shingle, (found, count) => scatter.add(found, count));
  const recorder = new DocumentRecorder(stream, {
    wants: (itsFile, itsRecord) => itsFile === file && itsRecord === record,
    begin() {},
    end: () => scatter.end(),
    void() {},
  });
  feed(recorder);
  const { columns } = recorder.finish(0);
  return {
    bytes: recorder.bytes,
    table: { file: columns.file!, record: columns.record!, contentKey: columns.contentKey! },
  };
}
