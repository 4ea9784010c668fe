/**
 * Sorts records that lie in a buffer by their keys: moves their numbers by eight bytes of the keys, then those with equal bytes by
 * the next eight.
 */
import { grown } from '../../arrays/growable.js';
import { RecordPlace } from './recordFile.js';

/** Sorts 64-bit keys, each with a payload, like `sortByKey64` of src/arrays/sort.ts. */
export type KeySort = (keys: Uint32Array, payload: Uint32Array, count: number) => void;

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
    this.starts = grown(this.starts);
    this.parts = grown(this.parts);
    this.order = new Uint32Array(this.starts.length);
    this.words = new Uint32Array(2 * this.starts.length);
  }
}

/** The order of the records in a room. */
export class KeyOrder {
  private readonly room: SortingRoom;
  private readonly sort: KeySort;
  private readonly one = new RecordPlace();
  private readonly other = new RecordPlace();

  constructor(room: SortingRoom, sort: KeySort) {
    this.room = room;
    this.sort = sort;
  }

  /** Sorts order[begin, end) of the room by keys, which are equal before `depth`. */
  arrange(begin: number, end: number, depth: number): void {
    if (end - begin <= FEW) {
      this.insert(begin, end, depth);
      return;
    }
    const { order, words } = this.room;
    for (let i = begin; i < end; i++) this.readWords(order[i]!, depth, i);
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

  private find(record: number, place: RecordPlace): void {
    place.find(this.room.bytes, this.room.starts[record]!);
  }
}
