/**
 * Sorts records into runs: fills a buffer with records, sorts them there by partition and key, and writes them.
 *
 * Rows (see StageSink) are held in bulk, records one by one; the buffer holds only one sort of them at a time. The sort moves the
 * numbers of records by eight bytes of their keys; it then sorts records that share these by the next eight.
 */
import type { TaskSink } from '../../tasks/stream/runTask.js';
import { putRecord, RECORD_HEAD, type RecordEncoder, RecordPlace } from './recordFile.js';

/** Sorts 64-bit keys, each with a payload, like `sortByKey64` of src/arrays/sort.ts. */
export type KeySort = (keys: Uint32Array, payload: Uint32Array, count: number) => void;

/** The partition of the key that begins at `at`. */
export type PartitionOf = (bytes: Uint8Array, at: number) => number;

/** Memory of a record besides its own bytes: start, partition and place, 8 bytes of its key, and 12 for the sort. */
const BESIDE = 12 + 8 + 12;
/** Bytes of a key that one sort compares. */
const WORDS = 8;
/** So few records are sorted by insertion. */
const FEW = 12;
const FIRST_RECORDS = 1 << 12;

/** A worker's memory for sorting, kept from one task to the next. */
export class SortingRoom {
  bytes = new Uint8Array(0);
  /** By record, in order of arrival: where it begins, and its partition. */
  starts = new Uint32Array(FIRST_RECORDS);
  parts = new Uint32Array(FIRST_RECORDS);
  /** The numbers of the records in output order, and eight bytes of each record's key. */
  order = new Uint32Array(FIRST_RECORDS);
  words = new Uint32Array(2 * FIRST_RECORDS);

  /** Doubles the room for records, and keeps those already held. */
  more(): void {
    this.starts = longer(this.starts);
    this.parts = longer(this.parts);
    this.order = new Uint32Array(this.starts.length);
    this.words = new Uint32Array(2 * this.starts.length);
  }
}

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
  private readonly sort: KeySort;
  private readonly room: SortingRoom;
  private length = 0;
  private count = 0;
  /** Width of the held rows; 0: records are held. */
  private width = 0;
  private runs = 0;
  /** Processor time of sorting and writing so far. */
  milliseconds = 0;
  private readonly one = new RecordPlace();
  private readonly other = new RecordPlace();

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
    this.sort = sort;
    this.room = room;
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
    const { bytes, parts, order } = this.room;
    const begun = process.cpuUsage();
    const ends = this.partitionEnds();
    // From the last record on, so that records of a partition stay in order.
    const at = ends.slice();
    for (let i = count - 1; i >= 0; i--) order[--at[parts[i]!]!] = i;
    for (let p = 0, from = 0; p < partitions; p++) {
      const to = ends[p]!;
      if (to === from) continue;
      this.arrange(from, to, 0);
      out.begin(this.runs, p, width);
      if (width > 0) out.gather(new DataView(bytes.buffer), order, [from, to], width);
      else for (let i = from; i < to; i++) out.copy(bytes, this.find(order[i]!, one), one.valueEnd);
      from = to;
    }
    this.runs++;
    this.count = this.length = 0;
    this.milliseconds += processorTime(begun);
  }

  /** Finds the fields of a record or row; returns where it begins. */
  private find(record: number, place: RecordPlace): number {
    const { width } = this;
    const at = width > 0 ? width * record : this.room.starts[record]!;
    if (width > 0) place.row(at, width);
    else place.find(this.room.bytes, at);
    return at;
  }

  private partitionEnds(): Uint32Array {
    const ends = new Uint32Array(this.partitions);
    for (let i = 0; i < this.count; i++) ends[this.room.parts[i]!]!++;
    for (let p = 1; p < ends.length; p++) ends[p]! += ends[p - 1]!;
    return ends;
  }

  /** Sorts order[begin, end) by keys, which are equal before `depth`. */
  private arrange(begin: number, end: number, depth: number): void {
    if (end - begin <= FEW) {
      this.insert(begin, end, depth);
      return;
    }
    const { order, words } = this.room;
    if (this.width >= depth + WORDS) this.readRowWords(begin, end, depth);
    else for (let i = begin; i < end; i++) this.readWords(order[i]!, depth, i);
    this.sort(words.subarray(2 * begin, 2 * end), order.subarray(begin, end), end - begin);
    for (let from = begin, to = begin; from < end; from = to) {
      const low = words[2 * from]!;
      const high = words[2 * from + 1]!;
      to = from + 1;
      while (to < end && words[2 * to] === low && words[2 * to + 1] === high) to++;
      if (to - from > FEW) this.arrange(this.behindEnded(from, to, depth + WORDS), to, depth + WORDS);
      else if (to - from > 1) this.insert(from, to, depth);
    }
  }

  /**
   * Puts keys that end at or before `depth` before the others: all are equal up to there, with zeros in the place of bytes behind
   * an end. Returns where the others begin.
   */
  private behindEnded(from: number, to: number, depth: number): number {
    const records = this.room.order.subarray(from, to);
    if (records.every((record) => this.lengthOf(record) > depth)) return from;
    const lengths = Uint32Array.from(records, (record) => Math.min(this.lengthOf(record), depth + 1));
    const sorted = Array.from(lengths.keys()).sort((x, y) => lengths[x]! - lengths[y]!);
    records.set(sorted.map((i) => records[i]!));
    return from + lengths.reduce((sum, length) => sum + (length > depth ? 0 : 1), 0);
  }

  private lengthOf(record: number): number {
    this.find(record, this.one);
    return this.one.keyEnd - this.one.keyAt;
  }

  /** Sorts like `arrange`, for few records. */
  private insert(from: number, to: number, depth: number): void {
    const { order } = this.room;
    for (let i = from + 1; i < to; i++) {
      const record = order[i]!;
      let j = i;
      for (; j > from && this.isBehind(order[j - 1]!, record, depth); j--) order[j] = order[j - 1]!;
      order[j] = record;
    }
  }

  private isBehind(record: number, next: number, depth: number): boolean {
    const { one, other } = this;
    const { bytes } = this.room;
    this.find(record, one);
    this.find(next, other);
    let [i, j] = [one.keyAt + depth, other.keyAt + depth];
    for (; i < one.keyEnd && j < other.keyEnd; i++, j++)
      if (bytes[i] !== bytes[j]) return bytes[i]! > bytes[j]!;
    return i < one.keyEnd;
  }

  /** Does what readWords does, for rows. */
  private readRowWords(begin: number, end: number, depth: number): void {
    const { width } = this;
    const { bytes, order, words } = this.room;
    const rows = new DataView(bytes.buffer);
    for (let i = begin; i < end; i++) {
      const at = width * order[i]! + depth;
      words[2 * i + 1] = rows.getUint32(at);
      words[2 * i] = rows.getUint32(at + 4);
    }
  }

  /** Reads eight bytes of a key into `words`, zeros behind its end. */
  private readWords(record: number, depth: number, at: number): void {
    const { one } = this;
    const { bytes, words } = this.room;
    this.find(record, one);
    const from = one.keyAt + depth;
    if (one.keyEnd - from >= WORDS) {
      words[2 * at + 1] =
        (bytes[from]! << 24) | (bytes[from + 1]! << 16) | (bytes[from + 2]! << 8) | bytes[from + 3]!;
      words[2 * at] =
        (bytes[from + 4]! << 24) | (bytes[from + 5]! << 16) | (bytes[from + 6]! << 8) | bytes[from + 7]!;
      return;
    }
    for (let word = 1; word >= 0; word--) {
      let value = 0;
      for (let i = 0; i < 4; i++) {
        const place = from + 4 * (1 - word) + i;
        value = (value << 8) | (place < one.keyEnd ? bytes[place]! : 0);
      }
      words[2 * at + word] = value;
    }
  }
}

function longer(column: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * column.length);
  larger.set(column);
  return larger;
}
