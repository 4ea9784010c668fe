/**
 * Removes documents from an index: sets a bit per row until segments are merged. Lookups then give the results of an index without
 * these documents. A portion without documents is removed, and its name can be used again.
 */
import { dayOfDate } from './format.js';
import { type IndexWriter, openedIndex, readSeen } from './indexFolder.js';
import type { DocumentNames, DocumentRecord } from './segment.js';

/** Whether a document is removed. `seen`: the day on which it was last seen. */
export type Removal = (record: DocumentRecord, names: () => DocumentNames, seen: number) => boolean;

/**
 * Removes documents; returns their number.
 *
 * @param portion the number of a portion that is removed even if it had no documents
 * @throws MinHashError INDEX_DAMAGED, WRITE_FAILED, DISK_FULL; then the index is unchanged
 */
export function removeDocuments(
  writer: IndexWriter,
  isWanted: Removal,
  portion: number | null = null,
): number {
  const index = openedIndex(writer.folder);
  let count = 0;
  /** Portions that lost documents, and those that still have some. */
  const lost = new Set(portion === null ? [] : [portion]);
  const left = new Set<number>();
  try {
    const added = new Map(
      index.manifest.portions.map(({ number, added }) => [number, dayOfDate(added) ?? 0]),
    );
    const segments = index.segments.map((segment) => {
      const seen = readSeen(writer.folder, segment.entry);
      const removed = segment.removed ?? new Uint8Array(Math.ceil(segment.rows / 8));
      let some = 0;
      for (let row = 0; row < segment.rows; row++) {
        if (segment.isRemoved(row)) continue;
        const record = segment.record(row);
        const day = seen[row] === 0 ? (added.get(record.portion) ?? 0) : seen[row]!;
        if (!isWanted(record, () => segment.names(record), day)) {
          left.add(record.portion);
          continue;
        }
        lost.add(record.portion);
        removed[row >>> 3]! |= 1 << (row & 7);
        some++;
      }
      count += some;
      return some === 0 ? segment.entry : writer.withRemoved(segment.entry, removed);
    });
    const portions = index.manifest.portions.filter(({ number }) => left.has(number) || !lost.has(number));
    if (lost.size > 0) writer.commit({ portions, segments });
    return count;
  } finally {
    index.close();
  }
}
