/**
 * Map: documents -> their table, and the reference documents that each contains: at least the fraction T of the shingles of the
 * reference document is in the document (Broder 1997, section 2, exact).
 *
 *      row         u32  number of the document in the table
 *      reference   u32  number of the reference document
 *      common      u32  shingles of the reference document that the document has
 *      size        u32  distinct shingles of the document
 *
 * Sorted by document, then by reference document.
 */
import { Uint32Column } from '../src/arrays/growable.js';
import { DistinctKeys, type KeyOwnerColumns, KeyOwners, keyOwnerColumns } from '../src/arrays/keyOwners.js';
import { type Block, encodeBlock } from '../src/blocks/block.js';
import { type DocumentFeed, DocumentRecorder, type TableEnd } from '../src/blocks/documents.js';
import type { Kernel } from '../src/kernel/kernel.js';
import { containmentOf } from '../src/sketch/similarity.js';
import type { ShingleParams } from '../src/text/shingles.js';

/** Minimum number of common shingles with which a set of `size` shingles is contained; at least 1. */
function leastCommon(size: number, threshold: number): number {
  // The division decides, so that 11 of 20 reach 0.55.
  let least = Math.max(1, Math.floor(threshold * size));
  while (least > 1 && containmentOf(least - 1, size) >= threshold) least--;
  while (containmentOf(least, size) < threshold) least++;
  return least;
}

/**
 * The table of reference documents by shingle.
 *
 * If c of n shingles must be common, any n - c + 1 of the n contain at least one common shingle. So a reference document needs entries
 * for n - c + 1 of its shingles only, and the rarest are chosen.
 *
 * @param sets the shingles of each reference document; one without shingles is contained in no document
 */
export function referenceTable(sets: Iterable<Uint32Array>, threshold: number): KeyOwnerColumns {
  return keyOwnerColumns(sets, (size) => (size === 0 ? 0 : size - leastCommon(size, threshold) + 1));
}

/** Finds the reference documents that a document contains. */
export class ContainedReferences {
  private readonly table: KeyOwners;
  private readonly threshold: number;
  /** By shingle, the last document with candidates that has it; by reference document, the last document that may contain it. */
  private readonly met: Uint32Array;
  private readonly seen: Uint32Array;
  private document = 0;
  private candidates: number[] = [];
  private readonly keys = new DistinctKeys();

  constructor(columns: KeyOwnerColumns, threshold: number) {
    this.table = new KeyOwners(columns);
    this.threshold = threshold;
    this.met = new Uint32Array(this.table.size);
    this.seen = new Uint32Array(this.table.sets);
  }

  begin(): void {
    this.document++;
    this.candidates = [];
    this.keys.clear();
  }

  /** Adds shingles of the document: pairs (low, high). */
  take(hashes: Uint32Array, count: number): void {
    this.keys.add(hashes, count);
    this.table.eachOwned(hashes, count, this.addOwners);
  }

  /** Passes on the contained reference documents, ascending, with the number of common shingles and of shingles of the document. */
  end(give: (reference: number, common: number, size: number) => void): void {
    const { table, threshold, candidates } = this;
    if (candidates.length === 0) return;
    const size = this.keys.distinct();
    this.meet();
    for (const reference of candidates.sort((x, y) => x - y)) {
      const common = this.commonWith(reference);
      if (containmentOf(common, table.sizeOf(reference)) < threshold) continue;
      give(reference, common, size);
    }
  }

  /** Marks the shingles of the document. */
  private meet(): void {
    const { table, met, document } = this;
    const { view } = this.keys;
    for (let i = 0; i < view.length; i += 2) {
      const key = table.numberOf(view[i]!, view[i + 1]!);
      if (key >= 0) met[key] = document;
    }
  }

  private readonly addOwners = (key: number): void => {
    const { seen, document, candidates } = this;
    const { offsets, owners } = this.table;
    for (let i = offsets[key]!; i < offsets[key + 1]!; i++) {
      const reference = owners[i]!;
      if (seen[reference] === document) continue;
      seen[reference] = document;
      candidates.push(reference);
    }
  };

  private commonWith(reference: number): number {
    const { met, document } = this;
    const { starts, members } = this.table;
    let common = 0;
    for (let i = starts[reference]!; i < starts[reference + 1]!; i++)
      if (met[members[i]!] === document) common++;
    return common;
  }
}

/** The containments of a document batch: kind `pairs`. */
export function containments(
  feed: DocumentFeed,
  kernel: Pick<Kernel, 'shingleStream'>,
  shingle: ShingleParams,
  references: ContainedReferences,
): { readonly documents: TableEnd; readonly containments: () => Block } {
  const [row, reference, common, size] = [
    new Uint32Column(),
    new Uint32Column(),
    new Uint32Column(),
    new Uint32Column(),
  ];
  const columns = { row, reference, common, size };
  const stream = kernel.shingleStream(shingle, (hashes, count) => references.take(hashes, count));
  const truncate = (documents: number): void => {
    let length = row.length;
    while (length > 0 && row.view[length - 1]! >= documents) length--;
    for (const column of Object.values(columns)) column.truncate(length);
  };
  const recorder: DocumentRecorder = new DocumentRecorder(stream, {
    begin: () => references.begin(),
    end: (column) =>
      references.end((of, shared, all) => {
        row.push(column);
        reference.push(of);
        common.push(shared);
        size.push(all);
      }),
    discard: () => truncate(recorder.documents),
    takeBack: truncate,
  });
  feed(recorder);
  return {
    documents: recorder.finish,
    containments: () =>
      encodeBlock(
        'pairs',
        {},
        { row: row.view, reference: reference.view, common: common.view, size: size.view },
      ),
  };
}
