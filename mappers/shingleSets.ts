/**
 * Map: documents of candidate pairs, read a second time -> their shingle sets.
 *
 *      file, record   as in the document table: which documents these are, in reading order
 *      offsets        f64  n+1: set i is hashes [offsets[i], offsets[i+1])
 *      hashes         u32  pairs (low, high), sorted and distinct within a set
 *      contentKey     u32 x 4: compared with the first read, so that a document that changed is found
 *
 * Documents come from a feed.
 */

import { Float64Column } from '../src/arrays/growable.js';
import { type Block, type Column, encodeBlock } from '../src/blocks/block.js';
import { type DocumentFeed, DocumentRecorder } from '../src/blocks/documents.js';
import { TiledSets } from '../src/blocks/sets.js';
import type { Kernel } from '../src/kernel/kernel.js';

import type { ShingleParams } from '../src/text/shingles.js';

/** Documents asked for, ascending by (file, record) as the feed delivers them. */
export interface WantedDocuments {
  readonly file: Uint32Array;
  readonly record: Float64Array;
}

/** A test for membership that is asked in ascending order of (file, record), each at most once. */
function membership(wanted: WantedDocuments): (file: number, record: number) => boolean {
  let next = 0;
  return (file, record) => {
    while (
      next < wanted.file.length &&
      (wanted.file[next]! < file || (wanted.file[next] === file && wanted.record[next]! < record))
    ) {
      next++;
    }
    return next < wanted.file.length && wanted.file[next] === file && wanted.record[next] === record;
  };
}

/** Sets where they were made. */
interface CollectedSets {
  /** Bytes of text read. */
  readonly bytes: number;
  /** The columns `file`, `record` and `contentKey`. */
  readonly table: Readonly<Record<'file' | 'record' | 'contentKey', Column>>;
  readonly offsets: Float64Array;
  /** May be scratch memory of the kernel: valid until the next call of anything of it but a comparer. */
  readonly hashes: Uint32Array;
}

/** The shingle sets of the wanted documents that are still there: kind `shingleSets`, shared. */
export function shingleSets(
  feed: DocumentFeed,
  kernel: Kernel,
  shingle: ShingleParams,
  wanted: WantedDocuments,
): Block {
  const { bytes, table, offsets, hashes } = collectSets(feed, kernel, shingle, wanted);
  return encodeBlock('shingleSets', { bytes }, { ...table, offsets, hashes }, true);
}

/** The same, not yet in a block. */
export function collectSets(
  feed: DocumentFeed,
  kernel: Kernel,
  shingle: ShingleParams,
  wanted: WantedDocuments,
): CollectedSets {
  const sets = kernel.setCollector();
  const offsets = new Float64Column();
  let hashes = 0;
  sets.clear();
  offsets.push(0);
  const stream = kernel.shingleStream(shingle, (found, count) => sets.add(found, count));
  const recorder = new DocumentRecorder(stream, {
    wants: membership(wanted),
    begin: () => sets.drop(),
    end: () => {
      hashes += sets.close();
      offsets.push(hashes);
    },
    void: () => sets.drop(),
  });
  feed(recorder);
  const { file, record, contentKey } = recorder.finish(0).columns;
  return {
    bytes: recorder.bytes,
    table: { file: file!, record: record!, contentKey: contentKey! },
    offsets: offsets.view,
    hashes: sets.sets(),
  };
}

/*
 * Map: the tiles of one column block of sets -> the sets that candidate pairs ask for, sorted, as shingle
 * sets.
 *
 *      offsets        f64  n+1: set i is hashes [offsets[i], offsets[i+1])
 *      hashes         u32  pairs (low, high), sorted and distinct within a set
 *
 * What is compared are the sets themselves; no line is read a second time.
 */

/** The labelled sets of these columns (ascending, distinct): kind `shingleSets`, shared. */
export function gatheredSets(
  tiles: readonly Block[],
  columns: Uint32Array,
  kernel: Pick<Kernel, 'setCollector'>,
  seed: number,
): Block {
  const collector = kernel.setCollector();
  const sets = new TiledSets(tiles, seed);
  const offsets = new Float64Array(columns.length + 1);
  const add = (hashes: Uint32Array, count: number): void => collector.add(hashes, count);
  collector.clear();
  for (let i = 0; i < columns.length; i++) {
    sets.rowsOf(columns[i]!, add);
    offsets[i + 1] = offsets[i]! + collector.close();
  }
  return encodeBlock('shingleSets', {}, { offsets, hashes: collector.sets() }, true);
}

/*
 * Map: a document of a candidate pair, read a second time -> its shingle hashes, told apart by range.
 *
 *      file, record, contentKey   as in the block of shingle sets; nothing of a document that is not there any more
 *      range, offset, hashes, checksum   the pieces in the file of hashes (src/store/rangeFile.ts)
 *
 * For a document whose set is too large to be held: of two of them, range by range is compared. A range is
 * what the upper bits of a hash say, so ranges of two documents hold what is common to them in the same
 * places, and counts add up. A hash that the document repeats is repeated here.
 *
 * Documents come from a feed, and what is found goes to a sink.
 */

/** The most ranges: pieces must not become too short. */
export const MOST_RANGES = 1024;

/** Takes hashes of a range; they are scratch memory. */
type RangeSink = (range: number, hashes: Uint32Array) => void;

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
