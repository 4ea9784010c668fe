/**
 * Map: re-read documents of candidate pairs -> their shingle sets.
 *
 *      file, record   as in the document table: the documents of the sets, in reading order; and unit, where units are compared
 *      offsets        f64  n+1: set i is hashes [offsets[i], offsets[i+1])
 *      hashes         u32  pairs (low, high), in the order of the text, with repetitions
 *      contentKey     u32 x 4: compared with the first reading, to detect documents that changed
 */

import { Float64Column } from '../src/arrays/growable.js';
import { type Block, type Column, encodeBlock } from '../src/blocks/block.js';
import { type DocumentFeed, DocumentRecorder } from '../src/blocks/documents.js';
import { TiledSets } from '../src/blocks/sets.js';
import type { Kernel } from '../src/kernel/kernel.js';

import type { ShingleParams } from '../src/text/shingles.js';

/** The requested documents, ascending by (file, record, unit) as the feed delivers them. */
export interface WantedDocuments {
  readonly file: Uint32Array;
  readonly record: Float64Array;
  /** Absent where whole documents are compared, or `hasUnit` says which units are requested. */
  readonly unit?: Float64Array | undefined;
  /** Whether a unit of a document of the list is requested; absent: `unit` says it. */
  readonly hasUnit?: (file: number, record: number, unit: number) => boolean;
}

/** Finds wanted documents, for ascending queries, each at most once. */
class WantedList {
  private readonly wanted: WantedDocuments;
  private next = 0;

  constructor(wanted: WantedDocuments) {
    this.wanted = wanted;
  }

  /** The number of a wanted document, or of a wanted unit of it; -1: not wanted. */
  numberOf(file: number, record: number, unit = 0): number {
    const { unit: units, hasUnit } = this.wanted;
    if (!this.hasSome(file, record)) return -1;
    if (units === undefined) return hasUnit?.(file, record, unit) === false ? -1 : this.next;
    while (this.isOf(file, record) && units[this.next]! < unit) this.next++;
    return this.isOf(file, record) && units[this.next] === unit ? this.next : -1;
  }

  /** Whether the document is wanted, or some unit of it that no query asked for yet. */
  hasSome(file: number, record: number): boolean {
    const { file: files, record: records } = this.wanted;
    while (
      this.next < files.length &&
      (files[this.next]! < file || (files[this.next] === file && records[this.next]! < record))
    ) {
      this.next++;
    }
    return this.isOf(file, record);
  }

  private isOf(file: number, record: number): boolean {
    return this.wanted.file[this.next] === file && this.wanted.record[this.next] === record;
  }
}

type TableOfSets = Readonly<Record<'file' | 'record' | 'contentKey', Column>> & { readonly unit?: Column };

/** The columns that identify the documents that were found. */
function tableOf(columns: Block['columns']): TableOfSets {
  const { file, record, unit, contentKey } = columns;
  return { file: file!, record: record!, ...(unit !== undefined && { unit }), contentKey: contentKey! };
}

interface CollectedSets {
  /** Bytes of text read. */
  readonly bytes: number;
  /** The columns `file`, `record`, `contentKey`, and `unit` where units are compared. */
  readonly table: TableOfSets;
  readonly offsets: Float64Array;
  /** May be scratch memory of the kernel: valid until the next call to any part of it except a comparer. */
  readonly hashes: Uint32Array;
}

/** The shingle sets of the wanted documents that still exist: kind `shingleSets`, shared. */
export function shingleSets(
  feed: DocumentFeed,
  kernel: Kernel,
  shingle: ShingleParams,
  wanted: WantedDocuments,
): Block {
  const { bytes, table, offsets, hashes } = collectHashes(feed, kernel, shingle, wanted);
  return encodeBlock('shingleSets', { bytes }, { ...table, offsets, hashes }, true);
}

/** Takes sets that are too large to be collected, while their texts stream. */
export interface LargeSetSink {
  /**
   * The document that begins: the number of ranges of its hashes, a power of two; 1: its set is collected. Of another one the
   * collected set is empty, and its hashes, with repetitions, go to `piece`, also those of a document that turns out to be void.
   */
  begin(file: number, record: number, unit: number): number;
  /** Some hashes of a range of the document; they are scratch memory. */
  piece(range: number, hashes: Uint32Array): void;
}

/** The same hashes, not yet in a block. */
export function collectHashes(
  feed: DocumentFeed,
  kernel: Kernel,
  shingle: ShingleParams,
  wanted: WantedDocuments,
  large: LargeSetSink | null = null,
): CollectedSets {
  const sets = kernel.setCollector();
  const list = new WantedList(wanted);
  const offsets = new Float64Column();
  let hashes = 0;
  let scatter: RangeScatter | null = null;
  sets.clear();
  offsets.push(0);
  const stream = kernel.shingleStream(shingle, (found, count) => (scatter ?? sets).add(found, count));
  const recorder = new DocumentRecorder(stream, {
    wants(file, record, unit) {
      if (list.numberOf(file, record, unit) < 0) return false;
      const ranges = large?.begin(file, record, unit) ?? 1;
      scatter = ranges === 1 ? null : new RangeScatter(ranges, (range, found) => large!.piece(range, found));
      return true;
    },
    wantsSome: (file, record) => list.hasSome(file, record),
    begin: () => sets.drop(),
    end: () => {
      scatter?.end();
      hashes += sets.keep();
      offsets.push(hashes);
    },
    void: () => sets.drop(),
  });
  feed(recorder);
  return {
    bytes: recorder.bytes,
    table: tableOf(recorder.finish(0).columns),
    offsets: offsets.view,
    hashes: sets.sets(),
  };
}

/**
 * The labelled sets of these columns (ascending, distinct), collected from the tiles of one document batch of
 * sets: kind `shingleSets`, shared. The stored sets are compared; no line is read again.
 */
export function gatheredSets(
  tiles: readonly Block[],
  columns: Uint32Array,
  kernel: Pick<Kernel, 'setCollector' | 'setLabels'>,
  seed: number,
): Block {
  const collector = kernel.setCollector();
  const sets = new TiledSets(tiles, kernel.setLabels(seed));
  const offsets = new Float64Array(columns.length + 1);
  const add = (hashes: Uint32Array, count: number): void => collector.add(hashes, count);
  collector.clear();
  for (let i = 0; i < columns.length; i++) {
    sets.rowsOf(columns[i]!, add);
    offsets[i + 1] = offsets[i]! + collector.keep();
  }
  return encodeBlock('shingleSets', {}, { offsets, hashes: collector.sets() }, true);
}

/** Upper limit of the number of ranges: pieces must not become too short. */
export const MOST_RANGES = 1024;

/** Receives hashes of a range; they are scratch memory. */
type RangeSink = (range: number, hashes: Uint32Array) => void;

/** Most bytes of hashes that are held until a piece of their range is full. */
const HELD_BYTES = 8 << 20;
/** Most bytes of a piece: two of them fit a block of who sorts. */
export const PIECE_BYTES = 30 << 10;

/** Partitions hashes by range; emits a piece of a range when its buffer is full. */
export class RangeScatter {
  private readonly shift: number;
  private readonly piece: number;
  private readonly held: Uint32Array;
  /** By range: number of words held. */
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
      // A shift by 32 would shift by 0.
      const range = shift === 32 ? 0 : high >>> shift;
      const at = range * piece + filled[range]!;
      held[at] = hashes[i]!;
      held[at + 1] = high;
      filled[range]! += 2;
      if (filled[range] === piece) this.give(range);
    }
  }

  end(): void {
    for (let range = 0; range < this.filled.length; range++) if (this.filled[range]! > 0) this.give(range);
  }

  private give(range: number): void {
    const from = range * this.piece;
    this.sink(range, this.held.subarray(from, from + this.filled[range]!));
    this.filled[range] = 0;
  }
}
