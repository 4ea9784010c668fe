/**
 * Sorts records into runs: fills a buffer with records, sorts them there by partition and key, and writes them.
 *
 * Rows (see StageSink) are held in bulk, records one by one; the buffer holds only one sort of them at a time.
 */
import type { TaskSink } from '../../tasks/stream/runTask.js';
import { KeyOrder, type KeySort, SortingRoom } from './keyOrder.js';
import { putRecord, RECORD_HEAD, type RecordEncoder, RecordPlace } from './recordFile.js';

/** The partition of the key that begins at `at`. */
export type PartitionOf = (bytes: Uint8Array, at: number) => number;

/** Memory of a record besides its own bytes: start, partition and place, 8 bytes of its key, and 12 for the sort. */
const BESIDE = 12 + 8 + 12;

/** Processor time since `since`, in milliseconds, of the whole process: that of a task only where it runs alone. */
export function processorTime(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

export class SortedRuns implements TaskSink {
  private readonly out: RecordEncoder;
  private readonly partitionOf: PartitionOf;
  private readonly partitions: number;
  private readonly most: number;
  private readonly room: SortingRoom;
  private readonly order: KeyOrder;
  private length = 0;
  private count = 0;
  /** Width of the held rows; 0: records are held. */
  private width = 0;
  private runs = 0;
  /** Processor time of sorting and writing so far. */
  milliseconds = 0;
  private readonly one = new RecordPlace();

  /** @param most bytes of held records and their sort; a larger record is held alone */
  constructor(
    out: RecordEncoder,
    { partitions, partitionOf }: { readonly partitions: number; readonly partitionOf: PartitionOf },
    most: number,
    sort: KeySort,
    room = new SortingRoom(),
  ) {
    this.out = out;
    this.partitions = partitions;
    this.partitionOf = partitionOf;
    this.most = most;
    this.room = room;
    this.order = new KeyOrder(room, sort);
    // Pages that are never written take no memory.
    if (room.bytes.length < most) room.bytes = new Uint8Array(most);
  }

  rows(rows: Uint8Array, width: number): void {
    const { room, most, partitionOf } = this;
    this.become(width);
    const fit = Math.max(1, Math.floor(most / (width + BESIDE)));
    for (let from = 0; from < rows.length; ) {
      if (this.count >= fit) this.flush();
      const to = Math.min(rows.length, from + width * (fit - this.count));
      room.bytes.set(rows.subarray(from, to), this.length);
      const next = this.count + (to - from) / width;
      while (next > room.parts.length) room.more();
      const { parts } = room;
      for (let at = from, row = this.count; at < to; at += width, row++) parts[row] = partitionOf(rows, at);
      this.count = next;
      this.length += to - from;
      from = to;
    }
  }

  /** Writes what is held, if it is of another width. */
  private become(width: number): void {
    if (width === this.width) return;
    this.flush();
    this.width = width;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    const { room } = this;
    this.become(0);
    const bytes = key.length + value.length + RECORD_HEAD;
    if (this.count > 0 && this.length + bytes + BESIDE * (this.count + 1) > this.most) this.flush();
    const { count, length } = this;
    // The record is larger than the room, and is held alone.
    if (length + bytes > room.bytes.length) room.bytes = new Uint8Array(bytes);
    if (count === room.starts.length) room.more();
    room.starts[count] = length;
    room.parts[count] = this.partitionOf(key, 0);
    this.length = putRecord(room.bytes, length, key, value);
    this.count++;
  }

  /** Writes the held records as a run. */
  flush(): void {
    const { count, partitions, out, one, width } = this;
    if (count === 0) return;
    const { bytes, parts, order, starts } = this.room;
    this.order.width = width;
    const begun = process.cpuUsage();
    const ends = this.partitionEnds();
    // From the last record on, so that records of a partition stay in order.
    const at = ends.slice();
    for (let i = count - 1; i >= 0; i--) order[--at[parts[i]!]!] = i;
    for (let p = 0, from = 0; p < partitions; p++) {
      const to = ends[p]!;
      if (to === from) continue;
      this.order.arrange(from, to, 0);
      out.begin(this.runs, p, width);
      if (width > 0) out.gather(new DataView(bytes.buffer), order, [from, to], width);
      else
        for (let i = from; i < to; i++) {
          one.find(bytes, starts[order[i]!]!);
          out.copy(bytes, starts[order[i]!]!, one.valueEnd);
        }
      from = to;
    }
    this.runs++;
    this.count = this.length = 0;
    this.milliseconds += processorTime(begun);
  }

  private partitionEnds(): Uint32Array {
    const ends = new Uint32Array(this.partitions);
    for (let i = 0; i < this.count; i++) ends[this.room.parts[i]!]!++;
    for (let p = 1; p < ends.length; p++) ends[p]! += ends[p - 1]!;
    return ends;
  }
}
