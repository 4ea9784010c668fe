/**
 * Merges adjacent segments by their files: concatenates rows without removed ones, and merges the sorted entries of bands. Documents
 * keep their order, so the results of lookups do not change.
 */
import { type IndexWriter, type OpenedIndex, openedIndex, readSeen } from './indexFolder.js';
import type { IndexManifest, SegmentEntry } from './indexManifest.js';
import type { Segment } from './segment.js';
import { SegmentWriter } from './segmentWriter.js';

/** If there are more segments, MERGED_AT_ONCE adjacent ones are merged. */
const MOST_SEGMENTS = 8;
const MERGED_AT_ONCE = 4;

/** Maximum number of rows of a segment: row numbers have 32 bits. */
const MOST_ROWS = 2 ** 32;

/** Merges segments until there are few. @throws MinHashError WRITE_FAILED, DISK_FULL, INDEX_DAMAGED; then the index is unchanged */
export function mergeFew(writer: IndexWriter): void {
  while (writer.manifest.segments.length > MOST_SEGMENTS) {
    const from = leastNeighbours(writer.manifest.segments);
    if (from < 0) return;
    mergeRange(writer, from, from + MERGED_AT_ONCE);
  }
}

/** The first of the MERGED_AT_ONCE adjacent segments with the fewest rows in total; -1 if none fit into one segment. */
function leastNeighbours(segments: readonly SegmentEntry[]): number {
  let best = -1;
  let least = MOST_ROWS;
  for (let from = 0; from + MERGED_AT_ONCE <= segments.length; from++) {
    let rows = 0;
    for (let i = from; i < from + MERGED_AT_ONCE; i++) rows += segments[i]!.rows;
    if (rows >= least) continue;
    least = rows;
    best = from;
  }
  return best;
}

/**
 * Merges all segments into one, without removed documents, and drops empty portions.
 *
 * @throws MinHashError WRITE_FAILED, DISK_FULL, INDEX_DAMAGED; then the index is unchanged
 */
export function compact(writer: IndexWriter): void {
  const { segments } = writer.manifest;
  if (segments.length > 1 || segments.some(({ removed }) => removed !== null))
    mergeRange(writer, 0, segments.length);
}

function mergeRange(writer: IndexWriter, from: number, to: number): void {
  const index = openedIndex(writer.folder);
  try {
    const merged = mergedSegment(writer, index.segments.slice(from, to));
    const { segments } = writer.manifest;
    const all = [...segments.slice(0, from), ...merged, ...segments.slice(to)];
    writer.commit({ segments: all, portions: portionsIn(writer.manifest, all, index) });
  } finally {
    index.close();
  }
}

/** The portions that have documents in a compacted index. */
function portionsIn(
  { portions }: IndexManifest,
  segments: readonly SegmentEntry[],
  index: OpenedIndex,
): IndexManifest['portions'] {
  if (segments.length > 1) return portions;
  const used = new Set<number>();
  for (const segment of index.segments)
    for (let row = 0; row < segment.rows; row++)
      if (!segment.isRemoved(row)) used.add(segment.record(row).portion);
  return portions.filter(({ number }) => used.has(number));
}

function mergedSegment(writer: IndexWriter, segments: readonly Segment[]): SegmentEntry[] {
  /** The new row by segment and row; GONE: removed. */
  const rowsOf = segments.map((segment) => new Uint32Array(segment.rows));
  const made = new SegmentWriter(writer);
  const days = new Uint16Array(segments.reduce((sum, { rows }) => sum + rows, 0));
  try {
    for (const [i, segment] of segments.entries()) {
      const seen = readSeen(writer.folder, segment.entry);
      for (let from = 0; from < segment.rows; ) {
        let to = from;
        for (; to < segment.rows && !segment.isRemoved(to); to++) {
          const row = made.rows + to - from;
          rowsOf[i]![to] = row;
          days[row] = seen[to]!;
        }
        if (to > from) made.copy(segment, from, to);
        for (; to < segment.rows && segment.isRemoved(to); to++) rowsOf[i]![to] = GONE;
        from = to;
      }
    }
    if (made.rows === 0) {
      made.abandon();
      return [];
    }
    const entry = made.finishBands((band) => mergedBand(segments, rowsOf, band));
    return [writer.withSeen(entry, days.subarray(0, made.rows))];
  } catch (error) {
    made.abandon();
    throw error;
  }
}

const GONE = 0xffffffff;
/** Entries per part. */
const PART = 1 << 16;

/** The entries of a band of all segments, sorted by key, then by new row. */
function* mergedBand(
  segments: readonly Segment[],
  rowsOf: readonly Uint32Array[],
  band: number,
): Generator<Uint32Array> {
  const bands = segments.map((segment, i) => keptEntries(segment.band(band), rowsOf[i]!));
  const at = new Uint32Array(bands.length);
  const part = new Uint32Array(2 * PART);
  let filled = 0;
  for (;;) {
    let best = -1;
    let least = Number.POSITIVE_INFINITY;
    // Rows of an earlier segment are smaller, so the first segment is next among equal keys.
    for (let i = 0; i < bands.length; i++) {
      if (at[i] === bands[i]!.length || bands[i]![at[i]! + 1]! >= least) continue;
      best = i;
      least = bands[i]![at[i]! + 1]!;
    }
    if (best < 0) break;
    part[filled++] = bands[best]![at[best]!]!;
    part[filled++] = least;
    at[best]! += 2;
    if (filled < part.length) continue;
    yield part;
    filled = 0;
  }
  if (filled > 0) yield part.subarray(0, filled);
}

/** Entries with new rows, without removed ones; overwrites them. */
function keptEntries(entries: Uint32Array, rowOf: Uint32Array): Uint32Array {
  let to = 0;
  for (let from = 0; from < entries.length; from += 2) {
    const row = rowOf[entries[from]!]!;
    if (row === GONE) continue;
    entries[to++] = row;
    entries[to++] = entries[from + 1]!;
  }
  return entries.subarray(0, to);
}
