/**
 * Before the sketches: which shingles occur in too many documents.
 *
 *      column block --counts--> hashes, documents      once into the filter of counters, unless the input is small;
 *                                                      then once for each range of hashes that fits into its room
 *
 * The outcome is exact: it does not depend on the size of the filter, the ranges, the threads or the row chunks.
 */

import { ByteColumn, numbersBelow, Uint32Column } from '../../arrays/growable.js';
import { sortByKey64 } from '../../arrays/sort.js';
import { decodeBlock, encodeBlock, typedColumns } from '../../blocks/block.js';
import type { IdTable } from '../../blocks/ids.js';
import { NAMES, ONE } from '../../blocks/names.js';
import { ALL_HASHES, addToFilter, type CountedHashes, RangeCounts } from '../../sketch/thinning.js';
import type { Budget } from '../../store/budget.js';
import type { Run } from '../context.js';
import { runReading } from './badRecords.js';
import { type ColumnBlock, inputsOf } from './sketching.js';
import { ReadingProgress, type Source } from './source.js';

/** Shingles in more documents than allowed, sorted by hash. */
export interface Eliminated {
  /** Pairs (low, high). */
  readonly hashes: Uint32Array;
  /** How many documents have each. */
  readonly documents: Uint32Array;
  /** Where each shingle first occurs: column block and column. */
  readonly blocks: Uint32Array;
  readonly columns: Uint32Array;
}

/** Limits of memory: they change no result. */
export interface CountingRoom {
  /** Counters of the filter at most, a power of two: two bytes each. */
  readonly counters: number;
  /** Hashes counted at a time: some 40 bytes each. */
  readonly hashes: number;
  /** Bytes of input up to which there is no filter. */
  readonly unfiltered: number;
}

export const MOST_ROOM: CountingRoom = { counters: 1 << 24, hashes: 1 << 22, unfiltered: 16e6 };

/** Memory within a budget whose tables are still empty. A table that grows exists twice for a moment. docs/rules.md says how. */
function countingRoom({ tables }: Budget): CountingRoom {
  let { counters } = MOST_ROOM;
  while (counters > 1 << 16 && 8 * counters > tables) counters /= 2;
  return {
    ...MOST_ROOM,
    counters,
    hashes: Math.max(1 << 12, Math.min(MOST_ROOM.hashes, Math.floor(tables / 80))),
  };
}

/** The shingles in more than `most` documents. A document that is skipped only for its id counts, too. */
export async function eliminatedShingles(
  run: Run,
  source: Source,
  most: number,
  room: CountingRoom = countingRoom(run.budget),
): Promise<Eliminated> {
  const counting = new Counting(run, source, most, room);
  await counting.filter();
  const hashes = new Uint32Column();
  const documents = new Uint32Column();
  const blocks = new Uint32Column();
  const columns = new Uint32Column();
  for (let from = 0; from < ALL_HASHES; ) {
    const counts = await counting.range(from);
    counts.eachPopular(most, (low, high, count, block, column) => {
      hashes.push(low);
      hashes.push(high);
      documents.push(count);
      blocks.push(block);
      columns.push(column);
    });
    from = counts.below;
  }
  run.engine.store.delete(ONE.shingleFilter);
  const order = numbersBelow(documents.length);
  sortByKey64(hashes.view, order, order.length);
  const inOrder = ({ view }: Uint32Column): Uint32Array => order.map((row) => view[row]!);
  const sorted = hashes.view.slice();
  run.put(ONE.eliminated, encodeBlock('shingleCounts', {}, { hashes: sorted }, true));
  return {
    hashes: sorted,
    documents: inOrder(documents),
    blocks: inOrder(blocks),
    columns: inOrder(columns),
  };
}

type Counted = CountedHashes & { readonly columns: Uint32Array };

/** Reads all documents as often as needed. */
class Counting {
  private readonly run: Run;
  private readonly source: Source;
  private readonly most: number;
  private readonly room: CountingRoom;
  private hasFilter = false;
  private readings = 0;

  constructor(run: Run, source: Source, most: number, room: CountingRoom) {
    this.run = run;
    this.source = source;
    this.most = most;
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
    this.run.put(ONE.shingleFilter, encodeBlock('shingleCounts', {}, { counters }, true));
    this.hasFilter = true;
  }

  /** Counts the shingles that may be in too many documents, from a high word on, until the memory is full. */
  async range(from: number): Promise<RangeCounts> {
    const counts = new RangeCounts(from, this.room.hashes);
    for await (const { block, counted } of this.counts(() => counts.below, from)) {
      counts.add(counted, { block, columns: counted.columns });
    }
    return counts;
  }

  /** One reading of all documents: the counts of every column block, in their order. */
  private async *counts(
    below: () => number,
    from: number,
  ): AsyncGenerator<{ readonly block: number; readonly counted: Counted }> {
    const { run } = this;
    const reading = this.readings++;
    const progress = new ReadingProgress(run, this.source);
    const results = run.each(
      this.source.first(),
      (block) => this.countBlock(block, NAMES.counts(reading, block.block), from, below()),
      { balance: 'column blocks' },
    );
    for await (const { block, name, textBytes } of results) {
      const counts = decodeBlock(run.engine.store.get(name), 'shingleCounts', name);
      const counted = typedColumns(counts, { hashes: 'u32', documents: 'u32', columns: 'u32' });
      yield { block: block.block, counted };
      run.engine.store.delete(name);
      progress.add(block.inputBytes, textBytes);
    }
  }

  private async countBlock(
    block: ColumnBlock,
    name: string,
    from: number,
    below: number,
  ): Promise<{ block: ColumnBlock; name: string; textBytes: number }> {
    const { run, most, hasFilter } = this;
    const filter = hasFilter ? ONE.shingleFilter : null;
    const { split, text, label } = block;
    const { bytes } = await run.withText(block, () =>
      runReading(run, {
        kind: 'counts',
        label,
        params: { name, split, text, filter, most, from, below },
        inputs: inputsOf(block, filter),
      }),
    );
    return { block, name, textBytes: bytes };
  }
}

/** The most frequent shingles, at most so many: a text is an object here, and nobody reads a longer list. */
const MOST_TEXTS = 100_000;

/** Rows of the eliminated shingles by column block, within one by column. */
function rowsByBlock({ blocks, columns, documents }: Eliminated): Map<number, number[]> {
  const order = Uint32Array.from(documents, (_, row) => row);
  order.sort((x, y) => documents[y]! - documents[x]! || x - y);
  const rows = new Map<number, number[]>();
  for (const row of order.subarray(0, MOST_TEXTS)) {
    const list = rows.get(blocks[row]!) ?? [];
    rows.set(blocks[row]!, list);
    list.push(row);
  }
  for (const list of rows.values()) list.sort((x, y) => columns[x]! - columns[y]! || x - y);
  return rows;
}

/**
 * The texts of eliminated shingles, in their order, each from the document in which it first occurs; empty where the
 * document has changed. They are for the list alone: column blocks without a first occurrence are not read.
 */
export async function eliminatedTexts(run: Run, source: Source, eliminated: Eliminated): Promise<IdTable> {
  const rows = rowsByBlock(eliminated);
  const texts: Uint8Array[] = Array.from(eliminated.documents, () => new Uint8Array(0));
  let left = rows.size;
  const results = run.each(source.first(), async (block) => {
    const wanted = rows.get(block.block);
    await run.withText(block, async () => {
      if (wanted !== undefined) await textsOf(run, block, eliminated, wanted, texts);
    });
    return wanted !== undefined;
  });
  for await (const isRead of results) if (isRead && --left === 0) break;
  const bytes = new ByteColumn();
  const offsets = new Uint32Array(texts.length + 1);
  texts.forEach((text, row) => {
    bytes.append(text);
    offsets[row + 1] = bytes.length;
  });
  return { offsets, bytes: bytes.view.slice() };
}

/** Fills in the texts of the rows that are in one column block. */
async function textsOf(
  run: Run,
  columnBlock: ColumnBlock,
  eliminated: Eliminated,
  rows: readonly number[],
  texts: Uint8Array[],
): Promise<void> {
  const { block, split, text, label } = columnBlock;
  const wanted = NAMES.wantedTexts(block);
  const name = NAMES.shingleTexts(block);
  const hashes = new Uint32Array(2 * rows.length);
  const columns = new Uint32Array(rows.length);
  rows.forEach((row, i) => {
    hashes[2 * i] = eliminated.hashes[2 * row]!;
    hashes[2 * i + 1] = eliminated.hashes[2 * row + 1]!;
    columns[i] = eliminated.columns[row]!;
  });
  run.put(wanted, encodeBlock('shingleCounts', {}, { hashes, columns }));
  await runReading(run, {
    kind: 'texts',
    label,
    params: { name, split, text, wanted },
    inputs: inputsOf(columnBlock, wanted),
  });
  const { offsets, bytes } = decodeBlock(run.engine.store.get(name), 'shingleCounts', name).columns;
  rows.forEach((row, i) => {
    texts[row] = (bytes as Uint8Array).slice(offsets![i]!, offsets![i + 1]!);
  });
  run.engine.store.delete(name);
  run.engine.store.delete(wanted);
}
