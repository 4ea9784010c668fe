/**
 * Map: documents -> partial signatures, one per shard of the rows of the characteristic matrix.
 *
 *                     columns = documents of one batch
 *                     D0   D1   D2   ...
 *      shard 0        x    .    x          -> partial signatures of D0, D2
 *      shard 1        .    x    x          -> partial signatures of D1, D2          rows = shingles, by ranges of a mix of
 *      ...                                                                          their hash
 *
 * The shingles of a document are divided into one list per shard. All shingles of a short document go to the first shard: with few
 * rows, FSS takes many rounds to fill a signature, and would do so once per shard.
 */
import { Uint32Column } from '../src/arrays/growable.js';
import { type Block, encodeBlock } from '../src/blocks/block.js';
import {
  type ColumnHandler,
  type DocumentFeed,
  DocumentRecorder,
  type TableEnd,
} from '../src/blocks/documents.js';
import type { Kernel } from '../src/kernel/kernel.js';
import type { SketchParams } from '../src/sketch/params.js';
import { shardOf } from '../src/sketch/shards.js';
import type { Sketcher } from '../src/sketch/signature.js';
import type { ShingleParams } from '../src/text/shingles.js';

/** Documents with at most this many shingles, or this many per shard, are not divided. */
export const MOST_WHOLE = 4096;
const LEAST_SCATTERED = 256;

/** Capacity of the list of a shard. */
const LIST = 2048;

/** Sketches one document after the other, shard by shard. */
class ShardedSketches implements ColumnHandler {
  readonly documents = new Uint32Column();
  readonly slots = new Uint32Column();
  private readonly sketcher: Sketcher;
  private readonly shards: number;
  /** The hashes of a short document. */
  private readonly short: Uint32Array;
  private shortCount = 0;
  /** For longer documents: partial signatures, and one list of hashes per shard; null before the first one. */
  private lists: { partials: Uint32Array[]; hashes: Uint32Array[]; counts: Uint32Array } | null = null;
  private isScattered = false;

  constructor(sketcher: Sketcher, shards: number) {
    this.sketcher = sketcher;
    this.shards = shards;
    this.short = new Uint32Array(2 * Math.max(MOST_WHOLE, LEAST_SCATTERED * shards));
  }

  begin(): void {
    this.shortCount = 0;
    this.isScattered = false;
  }

  add(hashes: Uint32Array, count: number): void {
    if (!this.isScattered && 2 * (this.shortCount + count) <= this.short.length) {
      this.short.set(hashes.subarray(0, 2 * count), 2 * this.shortCount);
      this.shortCount += count;
      return;
    }
    if (!this.isScattered) {
      this.beginLists();
      this.scatter(this.short, this.shortCount);
    }
    this.scatter(hashes, count);
  }

  end(document: number): void {
    const { sketcher, lists } = this;
    if (!this.isScattered) {
      if (this.shortCount === 0) return;
      const partial = this.partialOf(document);
      sketcher.clear(partial);
      sketcher.update(partial, this.short, this.shortCount);
      return;
    }
    for (const [shard, partial] of lists!.partials.entries()) {
      sketcher.update(partial, lists!.hashes[shard]!, lists!.counts[shard]!);
      this.partialOf(document).set(partial);
    }
  }

  discard(): void {
    this.begin();
  }

  takeBack(document: number): void {
    let kept = this.documents.length;
    while (kept > 0 && this.documents.view[kept - 1]! >= document) kept--;
    this.documents.truncate(kept);
    this.slots.truncate(kept * this.sketcher.stride);
  }

  /** Room for one more partial signature of a document. */
  private partialOf(document: number): Uint32Array {
    this.documents.push(document);
    return this.slots.extend(this.sketcher.stride);
  }

  private beginLists(): void {
    const { sketcher, shards } = this;
    this.lists ??= {
      partials: Array.from({ length: shards }, () => new Uint32Array(sketcher.stride)),
      hashes: Array.from({ length: shards }, () => new Uint32Array(2 * LIST)),
      counts: new Uint32Array(shards),
    };
    for (const partial of this.lists.partials) sketcher.clear(partial);
    this.lists.counts.fill(0);
    this.isScattered = true;
  }

  private scatter(from: Uint32Array, count: number): void {
    const { partials, hashes, counts } = this.lists!;
    for (let i = 0; i < 2 * count; i += 2) {
      const shard = shardOf(from[i]!, from[i + 1]!, this.shards);
      const list = hashes[shard]!;
      let at = counts[shard]!;
      if (at === LIST) {
        this.sketcher.update(partials[shard]!, list, LIST);
        at = 0;
      }
      list[2 * at] = from[i]!;
      list[2 * at + 1] = from[i + 1]!;
      counts[shard] = at + 1;
    }
  }
}

interface PartialSignatures {
  readonly documents: TableEnd;
  /** Kind `partials` (src/blocks/signatureBlocks.ts), shared. */
  readonly partials: Block;
}

/** The partial signatures of a batch of documents, in `shards` (2 to 64) shards of the rows of the matrix. */
export function partialSignatures(
  feed: DocumentFeed,
  kernel: Kernel,
  shingle: ShingleParams,
  sketch: SketchParams,
  shards: number,
): PartialSignatures {
  const sketcher = kernel.sketcher(sketch);
  const sketches = new ShardedSketches(sketcher, shards);
  const stream = kernel.shingleStream(shingle, (hashes, count) => sketches.add(hashes, count));
  const recorder = new DocumentRecorder(stream, sketches);
  feed(recorder);
  const meta = { rows: recorder.documents, stride: sketcher.stride };
  const columns = { documents: sketches.documents.view, slots: sketches.slots.view };
  return {
    documents: recorder.finish,
    partials: encodeBlock('partials', meta, columns, true),
  };
}
