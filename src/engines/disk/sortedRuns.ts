/**
 * Sorts records into runs: fills a buffer with records, sorts them there by partition and key, and writes them. Rows (see StageSink)
 * are held and sorted by the kernel, many at once.
 */
import { newArray } from '../../arrays/ownPages.js';
import { bytesOfRow, type Kernel } from '../../kernel/kernel.js';
import type { TaskSink } from '../../tasks/stream/runTask.js';
import { KeyOrder, SortingRoom } from './keyOrder.js';
import { putRecord, RECORD_HEAD, type RecordEncoder, RecordPlace } from './recordFile.js';

/** Where records go: to a partition by their keys, rows by a hash of the first `prefix` bytes. */
export interface Partitioning {
  readonly partitions: number;
  readonly prefix: number;
  partitionOf(key: Uint8Array): number;
}

/** Partitions by a hash of the first bytes of keys, four at a time. */
export function byHash(prefix: number, partitions: number): Partitioning['partitionOf'] {
  return (key) => {
    let hash = 0x811c9dc5;
    let i = 0;
    for (; i + 4 <= prefix; i += 4) {
      const word = (key[i]! << 24) | (key[i + 1]! << 16) | (key[i + 2]! << 8) | key[i + 3]!;
      hash = Math.imul(hash ^ (hash >>> 15) ^ word, 0x85ebca6b);
    }
    for (; i < prefix; i++) hash = Math.imul(hash ^ key[i]!, 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    return ((hash ^ (hash >>> 16)) >>> 0) % partitions;
  };
}

/** Memory of a record besides its own bytes: start, partition and place, 8 bytes of its key, and 12 for the sort. */
const BESIDE = 12 + 8 + 12;

/** Processor time since `since`, in milliseconds, of the whole process: that of a task only where it runs alone. */
export function processorTime(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

/** What sorts in the kernel. */
export type SortingKernel = Pick<Kernel, 'sortByKey64' | 'rowSorter'>;

export class SortedRuns implements TaskSink {
  private readonly out: RecordEncoder;
  private readonly to: Partitioning;
  private readonly most: number;
  private readonly room: SortingRoom;
  private readonly order: KeyOrder;
  private readonly kernel: SortingKernel;
  private length = 0;
  private count = 0;
  /** Width of the held rows, of which so many fit; 0: records are held. */
  private width = 0;
  private fit = 0;
  private runs = 0;
  /** Processor time of sorting and writing so far. */
  milliseconds = 0;
  private readonly one = new RecordPlace();

  /** @param most bytes of held records and their sort; a larger record is held alone */
  constructor(
    out: RecordEncoder,
    to: Partitioning,
    most: number,
    kernel: SortingKernel,
    room = new SortingRoom(),
  ) {
    this.out = out;
    this.to = to;
    this.most = most;
    this.room = room;
    this.kernel = kernel;
    this.order = new KeyOrder(room, kernel.sortByKey64);
    // Pages that are never written take no memory.
    if (room.bytes.length < most) room.bytes = newArray(Uint8Array, most);
  }

  rows(rows: Uint8Array, width: number): void {
    this.become(width);
    const { fit } = this;
    const sorter = this.kernel.rowSorter();
    for (let from = 0, to = 0; from < rows.length; from = to) {
      if (sorter.count === fit) this.flush();
      to = Math.min(rows.length, from + width * (fit - sorter.count));
      sorter.add(rows, from, to);
    }
  }

  /** Writes what is held, if it is of another width. */
  private become(width: number): void {
    if (width === this.width) return;
    this.flush();
    this.width = width;
    if (width > 0) this.beginRows();
  }

  private beginRows(): void {
    this.fit = Math.max(1, Math.floor(this.most / bytesOfRow(this.width)));
    this.kernel.rowSorter().begin(this.width, this.fit, this.to.partitions);
  }

  put(key: Uint8Array, value: Uint8Array): void {
    const { room } = this;
    this.become(0);
    const bytes = key.length + value.length + RECORD_HEAD;
    if (this.count > 0 && this.length + bytes + BESIDE * (this.count + 1) > this.most) this.flush();
    const { count, length } = this;
    // The record is larger than the room, and is held alone.
    if (length + bytes > room.bytes.length) room.bytes = newArray(Uint8Array, bytes);
    if (count === room.starts.length) room.more();
    room.starts[count] = length;
    room.parts[count] = this.to.partitionOf(key);
    this.length = putRecord(room.bytes, length, key, value);
    this.count++;
  }

  /** Writes the held records as a run. */
  flush(): void {
    const begun = process.cpuUsage();
    if (this.width > 0) this.flushRows();
    else this.flushRecords();
    this.milliseconds += processorTime(begun);
  }

  private flushRows(): void {
    const { out, width, runs } = this;
    const sorter = this.kernel.rowSorter();
    if (sorter.count === 0) return;
    const ends = sorter.sort(this.to.prefix);
    ends.forEach((end, partition) => {
      const from = partition === 0 ? 0 : ends[partition - 1]!;
      if (end === from) return;
      out.begin(runs, partition, width);
      out.sortedRows(sorter, from, end, width);
    });
    this.runs++;
    this.beginRows();
  }

  private flushRecords(): void {
    const { count, out, one } = this;
    const { partitions } = this.to;
    if (count === 0) return;
    const { bytes, parts, order, starts } = this.room;
    const ends = this.partitionEnds();
    // From the last record on, so that records of a partition stay in order.
    const at = ends.slice();
    for (let i = count - 1; i >= 0; i--) order[--at[parts[i]!]!] = i;
    for (let p = 0, from = 0; p < partitions; p++) {
      const to = ends[p]!;
      if (to === from) continue;
      this.order.arrange(from, to, 0);
      out.begin(this.runs, p);
      for (let i = from; i < to; i++) {
        one.find(bytes, starts[order[i]!]!);
        out.copy(bytes, starts[order[i]!]!, one.valueEnd);
      }
      from = to;
    }
    this.runs++;
    this.count = this.length = 0;
  }

  private partitionEnds(): Uint32Array {
    const ends = new Uint32Array(this.to.partitions);
    for (let i = 0; i < this.count; i++) ends[this.room.parts[i]!]!++;
    for (let p = 1; p < ends.length; p++) ends[p]! += ends[p - 1]!;
    return ends;
  }
}
