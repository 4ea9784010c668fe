/**
 * The words that occur in at least two documents of a corpus, with the number of documents, for methods that weigh all
 * words.
 *
 *      batch --counts--> hashes, documents     once into the filter of counters, unless the input is small;
 *                                              then once for each range of hashes that fits in memory
 *
 * The outcome is exact: it does not depend on the size of the filter, the ranges or the threads.
 */

import { numbersBelow, Uint32Column } from '../../arrays/growable.js';
import { sortByKey64 } from '../../arrays/sort.js';
import { decodeBlock, encodeBlock, typedColumns } from '../../blocks/block.js';
import { NAMES, ONE } from '../../blocks/names.js';
import { ALL_HASHES, addToFilter, type CountedHashes, RangeCounts } from '../../sketch/shingleCounts.js';
import type { Budget } from '../../store/budget.js';
import type { Run } from '../context.js';
import { inputsOf, ReadingProgress, type Source, type SourceBatch } from '../sketch/source.js';

/** Words in two documents or more, sorted by hash. */
export interface RepeatedWords {
  /** Pairs (low, high). */
  readonly hashes: Uint32Array;
  /** The number of documents with each word. */
  readonly documents: Uint32Array;
}

/** Limits of memory, which do not change the result. */
interface CountingRoom {
  /** Most counters of the filter, a power of two; two bytes each. */
  readonly counters: number;
  /** Hashes that are counted at once; about 40 bytes each. */
  readonly hashes: number;
  /** Up to this many bytes of input there is no filter. */
  readonly unfiltered: number;
}

const MOST_ROOM: CountingRoom = { counters: 1 << 24, hashes: 1 << 22, unfiltered: 16e6 };

/** Limits for a budget whose tables are still empty. A growing table exists twice for a moment. */
function countingRoom({ tables }: Budget): CountingRoom {
  let { counters } = MOST_ROOM;
  while (counters > 1 << 16 && 8 * counters > tables) counters /= 2;
  return {
    ...MOST_ROOM,
    counters,
    hashes: Math.max(1 << 12, Math.min(MOST_ROOM.hashes, Math.floor(tables / 80))),
  };
}

/** The words in at least two documents. A document that is skipped only for its id counts as well. */
export async function repeatedWords(
  run: Run,
  source: Source,
  room: CountingRoom = countingRoom(run.budget),
): Promise<RepeatedWords> {
  const counting = new Counting(run, source, room);
  await counting.filter();
  const hashes = new Uint32Column();
  const documents = new Uint32Column();
  for (let from = 0; from < ALL_HASHES; ) {
    const counts = await counting.range(from);
    counts.eachPopular(1, (low, high, count) => {
      hashes.push(low);
      hashes.push(high);
      documents.push(count);
    });
    from = counts.below;
  }
  run.engine.store.delete(ONE.wordFilter);
  const order = numbersBelow(documents.length);
  sortByKey64(hashes.view, order, order.length);
  return { hashes: hashes.view.slice(), documents: order.map((row) => documents.view[row]!) };
}

/** Reads all documents as often as needed. */
class Counting {
  private readonly run: Run;
  private readonly source: Source;
  private readonly room: CountingRoom;
  private hasFilter = false;
  private readings = 0;

  constructor(run: Run, source: Source, room: CountingRoom) {
    this.run = run;
    this.source = source;
    this.room = room;
  }

  /** Fills the filter, unless the input is small. */
  async filter(): Promise<void> {
    const bytes = this.source.totalBytes ?? Number.POSITIVE_INFINITY;
    if (bytes <= this.room.unfiltered) return;
    let size = 1 << 16;
    while (size < this.room.counters && size < bytes / 4) size *= 2;
    const counters = new Uint16Array(Math.min(size, this.room.counters));
    for await (const { counted } of this.counts(() => ALL_HASHES, 0)) addToFilter(counters, counted);
    this.run.put(ONE.wordFilter, encodeBlock('shingleCounts', {}, { counters }, true));
    this.hasFilter = true;
  }

  /** Counts the words that may be in at least two documents, from a high word on, until the memory is full. */
  async range(from: number): Promise<RangeCounts> {
    const counts = new RangeCounts(from, this.room.hashes);
    for await (const { counted } of this.counts(() => counts.below, from)) counts.add(counted);
    return counts;
  }

  /** One reading of all documents: the counts of every batch, in order. */
  private async *counts(
    below: () => number,
    from: number,
  ): AsyncGenerator<{ readonly counted: CountedHashes }> {
    const { run } = this;
    const reading = this.readings++;
    const progress = new ReadingProgress(run, this.source);
    const results = run.each(this.source.first(), (block) =>
      this.countBlock(block, NAMES.counts(reading, block.block), from, below()),
    );
    for await (const { block, name, textBytes } of results) {
      const counts = decodeBlock(run.engine.store.get(name), 'shingleCounts', name);
      const counted = typedColumns(counts, { hashes: 'u32', documents: 'u32' });
      yield { counted };
      run.engine.store.delete(name);
      progress.add(block.inputBytes, textBytes);
    }
  }

  private async countBlock(
    block: SourceBatch,
    name: string,
    from: number,
    below: number,
  ): Promise<{ block: SourceBatch; name: string; textBytes: number }> {
    const { run, hasFilter } = this;
    const filter = hasFilter ? ONE.wordFilter : null;
    const { split, text, label } = block;
    const { bytes } = await run.withText(block, () =>
      run.task({
        kind: 'counts',
        label,
        params: { name, split, text, filter, from, below },
        inputs: inputsOf(block, filter),
      }),
    );
    return { block, name, textBytes: bytes };
  }
}
