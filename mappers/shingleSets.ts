/**
 * Map: documents of candidate pairs, in a second reading -> their shingle sets.
 *
 *      file, record   as in the document table: the documents of the sets, in reading order; and unit, if units are compared
 *      offsets        f64  n+1: set i is hashes [offsets[i], offsets[i+1])
 *      hashes         u32  pairs (low, high), in the order of the text, with repetitions
 *      contentKey     u32 x 4: compared with the first reading, to detect documents that changed
 */

import { Float64Column, Uint32Column } from '../src/arrays/growable.js';
import { type Block, type Column, encodeBlock } from '../src/blocks/block.js';
import { type DocumentFeed, DocumentRecorder, type TableEnd } from '../src/blocks/documents.js';
import { LabelledSets } from '../src/blocks/sets.js';
import type { Kernel } from '../src/kernel/kernel.js';

import type { ShingleParams } from '../src/text/shingles.js';

/** The wanted documents, ascending by (file, record, unit), which is the order of the feed. */
export interface WantedDocuments {
  readonly file: Uint32Array;
  readonly record: Float64Array;
  /** Absent if whole documents are compared. */
  readonly unit?: Float64Array | undefined;
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
    const units = this.wanted.unit;
    if (!this.hasSome(file, record)) return -1;
    if (units === undefined) return this.next;
    while (this.isOf(file, record) && units[this.next]! < unit) this.next++;
    return this.isOf(file, record) && units[this.next] === unit ? this.next : -1;
  }

  /** Whether the document, or a unit of it that was not returned yet, is wanted. */
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
  /** The columns `file`, `record`, `contentKey`, and `unit` if units are compared. */
  readonly table: TableOfSets;
  readonly offsets: Float64Array;
  /** May be scratch memory of the kernel: valid until the next call to any part of it except a comparer. */
  readonly hashes: Uint32Array;
}

/** The shingle sets of those wanted documents that still exist: kind `shingleSets`, shared. */
export function shingleSets(
  feed: DocumentFeed,
  kernel: Kernel,
  shingle: ShingleParams,
  wanted: WantedDocuments,
): Block {
  const { bytes, table, offsets, hashes } = collectHashes(feed, kernel, shingle, wanted);
  return encodeBlock('shingleSets', { bytes }, { ...table, offsets, hashes }, true);
}

/** The same hashes, not yet in a block. */
export function collectHashes(
  feed: DocumentFeed,
  kernel: Kernel,
  shingle: ShingleParams,
  wanted: WantedDocuments,
): CollectedSets {
  const sets = kernel.setCollector();
  const list = new WantedList(wanted);
  const offsets = new Float64Column();
  let hashes = 0;
  sets.clear();
  offsets.push(0);
  const stream = kernel.shingleStream(shingle, (found, count) => sets.add(found, count));
  const recorder = new DocumentRecorder(stream, {
    wants: (file, record, unit) => list.numberOf(file, record, unit) >= 0,
    wantsSome: (file, record) => list.hasSome(file, record),
    begin: () => sets.drop(),
    end: () => {
      hashes += sets.keep();
      offsets.push(hashes);
    },
    discard: () => sets.drop(),
  });
  feed(recorder);
  return {
    bytes: recorder.bytes,
    table: tableOf(recorder.finish(0).columns),
    offsets: offsets.view,
    hashes: sets.sets(),
  };
}

/** All documents of a batch: their table, and their shingle sets, kind `shingleSets`: `counts` hashes per document. */
export function documentSets(
  feed: DocumentFeed,
  kernel: Pick<Kernel, 'shingleStream' | 'setCollector'>,
  shingle: ShingleParams,
): { readonly documents: TableEnd; readonly sets: () => Block } {
  const sets = kernel.setCollector();
  const counts = new Uint32Column();
  sets.clear();
  const stream = kernel.shingleStream(shingle, (found, count) => sets.add(found, count));
  const recorder = new DocumentRecorder(stream, {
    begin: () => sets.drop(),
    end: () => counts.push(sets.keep()),
    discard: () => sets.drop(),
  });
  feed(recorder);
  return {
    documents: recorder.finish,
    sets: () => encodeBlock('shingleSets', {}, { counts: counts.view, hashes: sets.sets() }),
  };
}

/**
 * The labelled sets of these numbers (ascending, distinct) of a batch: kind `shingleSets`, shared. Stored sets are compared; no line is
 * read again.
 */
export function gatheredSets(
  elements: Block,
  wanted: Uint32Array,
  kernel: Pick<Kernel, 'setCollector' | 'setLabels'>,
  seed: number,
): Block {
  const collector = kernel.setCollector();
  const sets = new LabelledSets(elements, kernel.setLabels(seed));
  const offsets = new Float64Array(wanted.length + 1);
  const add = (hashes: Uint32Array, count: number): void => collector.add(hashes, count);
  collector.clear();
  for (let i = 0; i < wanted.length; i++) {
    sets.rowsOf(wanted[i]!, add);
    offsets[i + 1] = offsets[i]! + collector.keep();
  }
  return encodeBlock('shingleSets', {}, { offsets, hashes: collector.sets() }, true);
}
