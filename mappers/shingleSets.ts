/**
 * Map: documents, in a second reading those of candidate pairs -> their shingle sets: `counts` hashes per document, in the
 * order of the text, with repetitions.
 */

import { Uint32Column } from '../src/arrays/growable.js';
import type { Block } from '../src/blocks/block.js';
import { type DocumentFeed, DocumentRecorder, type TableEnd } from '../src/blocks/documents.js';
import { LabelledSets } from '../src/blocks/sets.js';
import type { Kernel } from '../src/kernel/kernel.js';
import type { ShingleParams } from '../src/text/shingles.js';

/** The needed documents, ascending by (file, record, unit), which is the order of the feed. */
export interface NeededDocuments {
  readonly file: Uint32Array;
  readonly record: Float64Array;
  /** Absent if whole documents are compared. */
  readonly unit?: Float64Array | undefined;
}

/** Finds needed documents, for ascending queries, each at most once. */
class NeededList {
  private readonly needed: NeededDocuments;
  private next = 0;

  constructor(needed: NeededDocuments) {
    this.needed = needed;
  }

  /** The number of a needed document, or of a needed unit of it; -1: not needed. */
  numberOf(file: number, record: number, unit = 0): number {
    const units = this.needed.unit;
    if (!this.hasSome(file, record)) return -1;
    if (units === undefined) return this.next;
    while (this.isOf(file, record) && units[this.next]! < unit) this.next++;
    return this.isOf(file, record) && units[this.next] === unit ? this.next : -1;
  }

  /** Whether the document, or a unit of it that was not returned yet, is needed. */
  hasSome(file: number, record: number): boolean {
    const { file: files, record: records } = this.needed;
    while (
      this.next < files.length &&
      (files[this.next]! < file || (files[this.next] === file && records[this.next]! < record))
    ) {
      this.next++;
    }
    return this.isOf(file, record);
  }

  private isOf(file: number, record: number): boolean {
    return this.needed.file[this.next] === file && this.needed.record[this.next] === record;
  }
}

/** The shingle sets of the documents of a batch, in reading order. */
export interface CollectedSets {
  /** Bytes of text read. */
  readonly bytes: number;
  readonly documents: TableEnd;
  /** By document: the number of its hashes. */
  readonly counts: Uint32Array;
  /** May be scratch memory of the kernel: valid until the next call to any part of it except a comparer. */
  readonly hashes: Uint32Array;
}

/** @param needed null: all documents; otherwise those of them that still exist */
export function shingleSets(
  feed: DocumentFeed,
  kernel: Pick<Kernel, 'shingleStream' | 'setCollector'>,
  shingle: ShingleParams,
  needed: NeededDocuments | null,
): CollectedSets {
  const sets = kernel.setCollector();
  const list = needed === null ? null : new NeededList(needed);
  const counts = new Uint32Column();
  sets.clear();
  const stream = kernel.shingleStream(shingle, (hashes, count) => sets.add(hashes, count));
  const recorder = new DocumentRecorder(stream, {
    ...(list !== null && {
      wants: (file: number, record: number, unit: number) => list.numberOf(file, record, unit) >= 0,
      wantsSome: (file: number, record: number) => list.hasSome(file, record),
    }),
    begin: () => sets.drop(),
    end: () => counts.push(sets.keep()),
    discard: () => sets.drop(),
  });
  feed(recorder);
  const { bytes, finish: documents } = recorder;
  return { bytes, documents, counts: counts.view, hashes: sets.sets() };
}

/**
 * The labelled sets of these numbers (ascending, distinct) of a batch. Stored sets are compared; no line is read again.
 *
 * @param elements a block of kind `elementSets`
 */
export function gatheredSets(
  elements: Block,
  needed: Uint32Array,
  kernel: Pick<Kernel, 'setCollector' | 'setLabels'>,
  seed: number,
): Pick<CollectedSets, 'counts' | 'hashes'> {
  const collector = kernel.setCollector();
  const sets = new LabelledSets(elements, kernel.setLabels(seed));
  const add = (hashes: Uint32Array, count: number): void => collector.add(hashes, count);
  collector.clear();
  const counts = needed.map((set) => {
    sets.rowsOf(set, add);
    return collector.keep();
  });
  return { counts, hashes: collector.sets() };
}
