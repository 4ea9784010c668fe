/**
 * Sorts records into runs: as many as fit its memory are held in one buffer, sorted there by partition and key, and written.
 *
 *      bytes     records, as files have them (recordFile.ts), in the order in which they came
 *      starts    by record: where it begins
 *      parts     by record: its partition
 *
 * What is sorted is eight bytes of every key and the number of the record; keys that share those are told apart by the next eight.
 */
import type { RecordSink } from '../../tasks/stream/records.js';
import { putRecord, RECORD_HEAD, type RecordEncoder, RecordPlace } from './recordFile.js';

/** Of 64-bit keys with a payload each, as `sortByKey64` of src/arrays/sort.ts. */
export type KeySort = (keys: Uint32Array, payload: Uint32Array, count: number) => void;

/** Which partition a key belongs to. */
export type PartitionOf = (key: Uint8Array) => number;

/** Bytes that a record takes beside its own: start and partition, 12 of what is sorted, and as many of the sort. */
const BESIDE = 8 + 2 * 12;
/** Bytes of a key that are looked at together. */
const WORDS = 8;
/** Records that are sorted one by one. */
const FEW = 12;
const FIRST_RECORDS = 1 << 12;

export class SortedRuns implements RecordSink {
  private readonly out: RecordEncoder;
  private readonly partitionOf: PartitionOf;
  private readonly partitions: number;
  private readonly most: number;
  private readonly sort: KeySort;
  private bytes: Uint8Array;
  private length = 0;
  private starts = new Uint32Array(FIRST_RECORDS);
  private parts = new Uint32Array(FIRST_RECORDS);
  private count = 0;
  private runs = 0;
  /** What sorting and writing took so far. */
  milliseconds = 0;
  private readonly one = new RecordPlace();
  private readonly other = new RecordPlace();

  /** @param most bytes that are held */
  constructor(out: RecordEncoder, partitions: number, partitionOf: PartitionOf, most: number, sort: KeySort) {
    this.out = out;
    this.partitions = partitions;
    this.partitionOf = partitionOf;
    this.most = most;
    this.sort = sort;
    this.bytes = new Uint8Array(Math.min(most, 1 << 20));
  }

  put(key: Uint8Array, value: Uint8Array): void {
    const bytes = key.length + value.length + RECORD_HEAD;
    if (this.count > 0 && this.length + bytes + BESIDE * (this.count + 1) > this.most) this.flush();
    if (this.length + bytes > this.bytes.length) this.grow(bytes);
    const { count } = this;
    if (count === this.starts.length) {
      this.starts = longer(this.starts);
      this.parts = longer(this.parts);
    }
    this.starts[count] = this.length;
    this.parts[count] = this.partitionOf(key);
    this.length = putRecord(this.bytes, this.length, key, value);
    this.count++;
  }

  /** Writes what is held as a run. */
  flush(): void {
    const { count, starts, partitions, out } = this;
    if (count === 0) return;
    const begun = performance.now();
    const ends = this.partitionEnds();
    const order = new Uint32Array(count);
    // From the last one on, so that records of one partition stay in their order.
    const at = ends.slice();
    for (let i = count - 1; i >= 0; i--) order[--at[this.parts[i]!]!] = i;
    for (let p = 0, from = 0; p < partitions; p++) {
      const to = ends[p]!;
      if (to === from) continue;
      this.order(order.subarray(from, to), 0);
      out.begin(this.runs, p);
      for (let i = from; i < to; i++) {
        const start = starts[order[i]!]!;
        this.one.find(this.bytes, start);
        out.copy(this.bytes, start, this.one.valueEnd);
      }
      from = to;
    }
    this.runs++;
    this.count = this.length = 0;
    this.milliseconds += performance.now() - begun;
  }

  private partitionEnds(): Uint32Array {
    const ends = new Uint32Array(this.partitions);
    for (let i = 0; i < this.count; i++) ends[this.parts[i]!]!++;
    for (let p = 1; p < ends.length; p++) ends[p]! += ends[p - 1]!;
    return ends;
  }

  /** Puts records in the order of their keys, which are the same before `depth`. */
  private order(records: Uint32Array, depth: number): void {
    const { length } = records;
    if (length <= FEW) {
      this.insert(records, depth);
      return;
    }
    const words = new Uint32Array(2 * length);
    for (let i = 0; i < length; i++) this.wordsOf(records[i]!, depth, words, i);
    this.sort(words, records, length);
    for (let from = 0, to = 0; from < length; from = to) {
      to = from + 1;
      while (to < length && words[2 * to] === words[2 * from] && words[2 * to + 1] === words[2 * from + 1])
        to++;
      const equal = records.subarray(from, to);
      if (equal.length > FEW) this.order(this.longer(equal, depth + WORDS), depth + WORDS);
      else if (equal.length > 1) this.insert(equal, depth);
    }
  }

  /** Of keys that are the same before `depth`, zeros for bytes behind the end: those that end come first. Returns those that do not. */
  private longer(records: Uint32Array, depth: number): Uint32Array {
    if (records.every((record) => this.lengthOf(record) > depth)) return records;
    const lengths = Uint32Array.from(records, (record) => Math.min(this.lengthOf(record), depth + 1));
    const sorted = Array.from(lengths.keys()).sort((x, y) => lengths[x]! - lengths[y]!);
    const ended = lengths.reduce((sum, length) => sum + (length > depth ? 0 : 1), 0);
    records.set(sorted.map((i) => records[i]!));
    return records.subarray(ended);
  }

  private lengthOf(record: number): number {
    this.one.find(this.bytes, this.starts[record]!);
    return this.one.keyEnd - this.one.keyAt;
  }

  /** The same for few records. */
  private insert(records: Uint32Array, depth: number): void {
    for (let i = 1; i < records.length; i++) {
      const record = records[i]!;
      let j = i;
      for (; j > 0 && this.isBehind(records[j - 1]!, record, depth); j--) records[j] = records[j - 1]!;
      records[j] = record;
    }
  }

  private isBehind(record: number, next: number, depth: number): boolean {
    const { bytes, one, other, starts } = this;
    one.find(bytes, starts[record]!);
    other.find(bytes, starts[next]!);
    let [i, j] = [one.keyAt + depth, other.keyAt + depth];
    for (; i < one.keyEnd && j < other.keyEnd; i++, j++)
      if (bytes[i] !== bytes[j]) return bytes[i]! > bytes[j]!;
    return i < one.keyEnd;
  }

  /** Reads eight bytes of a key, zeros where it ends before. */
  private wordsOf(record: number, depth: number, words: Uint32Array, at: number): void {
    const { bytes, one } = this;
    one.find(bytes, this.starts[record]!);
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

  private grow(bytes: number): void {
    const larger = new Uint8Array(Math.max(this.length + bytes, Math.min(2 * this.bytes.length, this.most)));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }
}

function longer(column: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * column.length);
  larger.set(column);
  return larger;
}
