/** Merges sorted runs: of records by a loser tree over the first bytes of the next key of each run, of rows by sorting. */
import { grown } from '../../arrays/growable.js';
import type { Kernel, RowSorter } from '../../kernel/kernel.js';
import { compareKeys, type RecordSource } from '../../tasks/stream/records.js';
import { BlockReading, type BlockRecords, type RecordBlock } from './recordFile.js';

/** Bytes of a key in a head. */
const BYTES = 6;

/** Merges runs of records. */
export class MergedRecords implements RecordSource {
  private readonly runs: readonly BlockRecords[];
  /** By run: the first BYTES of its next key as a number, with zeros behind its end; infinite: the run has ended. */
  private readonly heads: Float64Array;
  /** By run: the second BYTES of its next key. */
  private readonly tails: Float64Array;
  /** By inner node of the tree, from 1 on: the run that lost there. */
  private readonly losers: Int32Array;
  /** The run with the next key; -1: none was read yet. */
  private winner = -1;
  /** Records read so far. */
  count = 0;

  constructor(runs: readonly BlockRecords[]) {
    this.runs = runs;
    this.heads = new Float64Array(runs.length);
    this.tails = new Float64Array(runs.length);
    this.losers = new Int32Array(runs.length);
  }

  get key(): Uint8Array {
    return this.runs[this.winner]!.key;
  }

  get value(): Uint8Array {
    return this.runs[this.winner]!.value;
  }

  next(): boolean {
    if (this.runs.length === 0) return false;
    if (this.winner < 0) this.begin();
    else {
      this.advance(this.winner);
      this.replay(this.winner);
    }
    if (this.heads[this.winner] === Number.POSITIVE_INFINITY) return false;
    this.count++;
    return true;
  }

  private begin(): void {
    const { losers } = this;
    const count = losers.length;
    for (let run = 0; run < count; run++) this.advance(run);
    // Node n compares the winners of 2n and 2n + 1; nodes from `count` on are runs.
    const winners = new Int32Array(2 * count);
    for (let run = 0; run < count; run++) winners[count + run] = run;
    for (let node = count - 1; node > 0; node--) {
      const [one, other] = [winners[2 * node]!, winners[2 * node + 1]!];
      const isOne = this.isBefore(one, other);
      winners[node] = isOne ? one : other;
      losers[node] = isOne ? other : one;
    }
    this.winner = winners[1]!;
  }

  /** Finds the next winner after `run`, the last one, advanced. */
  private replay(run: number): void {
    const { losers, heads } = this;
    let winner = run;
    let head = heads[winner]!;
    for (let node = (losers.length + run) >> 1; node > 0; node >>= 1) {
      const loser = losers[node]!;
      const next = heads[loser]!;
      if (next > head || (next === head && !this.isBefore(loser, winner))) continue;
      losers[node] = winner;
      winner = loser;
      head = next;
    }
    this.winner = winner;
  }

  /** Of equal keys, that of the earlier run comes first. */
  private isBefore(one: number, other: number): boolean {
    const { heads } = this;
    if (heads[one] !== heads[other]) return heads[one]! < heads[other]!;
    if (heads[one] === Number.POSITIVE_INFINITY) return one < other;
    const order = this.compare(one, other);
    return order === 0 ? one < other : order < 0;
  }

  private advance(run: number): void {
    const from = this.runs[run]!;
    if (!from.next()) {
      this.heads[run] = Number.POSITIVE_INFINITY;
      return;
    }
    const { bytes, place } = from;
    this.heads[run] = numberAt(bytes, place.keyAt, place.keyEnd);
    this.tails[run] = numberAt(bytes, place.keyAt + BYTES, place.keyEnd);
  }

  private compare(one: number, other: number): number {
    const { tails, runs } = this;
    return tails[one]! - tails[other]! || compareKeys(runs[one]!.key, runs[other]!.key);
  }
}

/** Rows that are sorted at once: about so many at most; and where those that do not recur are dropped before. */
const SORTED = 1 << 14;
const SIFTED = 1 << 16;
/** Bytes of a row that are said to recur. */
const WORD = 4;

/**
 * Merges runs of rows of one width, at least eight: takes the rows up to one that is not behind the held block of any run, and sorts
 * them. For 18 million rows in 90 runs that takes half the time of a loser tree.
 */
export class MergedRows {
  private readonly width: number;
  private readonly sorter: Kernel['rowSorter'];
  /** Where the word stands that must recur; null: rows of any words are given. */
  private readonly word: number | null;
  /** The word of the last row that the rows before were taken up to. */
  private before = 0;
  private runs: readonly HeldRows[];
  private given = new Uint8Array(0);
  /** Rows read so far. */
  count = 0;

  /** @param recurring leaves out rows whose first bytes, so many, no other row has, most of them; their last four are of a hash. 0: none */
  constructor(
    runs: readonly (readonly RecordBlock[])[],
    sorter: Kernel['rowSorter'],
    recurring = 0,
    onBlock?: () => void,
  ) {
    this.word = recurring === 0 ? null : recurring - WORD;
    this.width = runs[0]?.[0]?.width ?? 1;
    this.sorter = sorter;
    this.runs = runs.map((blocks) => new HeldRows(new BlockReading(blocks, onBlock), this.width));
  }

  /** The next rows, in order, at least one: a view that is valid until the next call. Null: no row is left. */
  next(): Uint8Array | null {
    this.runs = this.runs.filter((run) => run.fill());
    const { runs, width, word } = this;
    if (runs.length === 0) return null;
    const most = Math.ceil((word === null ? SORTED : SIFTED) / runs.length);
    let limit = runs[0]!;
    for (const run of runs) {
      run.look(most);
      if (compareRows(run.rows, run.last, limit.rows, limit.last, width) < 0) limit = run;
    }
    const total = runs.reduce((sum, run) => sum + run.take(limit), 0);
    const sorter = this.sorter();
    sorter.begin(width, total, 1);
    for (const run of runs) run.pass(sorter);
    this.count += total;
    if (word !== null) {
      // Rows like the one that all are taken up to may come before and after it.
      const last = limit.rows.getUint32(limit.last + word, true);
      sorter.keepRecurring(word, this.before, last);
      this.before = last;
    }
    sorter.sort(0);
    const bytes = sorter.count * width;
    if (bytes > this.given.length) this.given = grown(this.given, bytes);
    sorter.copy(0, sorter.count, this.given, 0);
    return this.given.subarray(0, bytes);
  }
}

/** The held block of a run of rows. */
class HeldRows {
  rows: DataView = new DataView(new ArrayBuffer(0));
  /** Offsets of the next row, and of the last row that may be taken with it. */
  at = 0;
  last = 0;
  private end = 0;
  private taken = 0;
  private bytes: Uint8Array = new Uint8Array(0);
  private readonly reading: BlockReading;
  private readonly width: number;

  constructor(reading: BlockReading, width: number) {
    this.reading = reading;
    this.width = width;
  }

  /** Reads the next block where the held one has passed; false: the run has ended. */
  fill(): boolean {
    if (this.at < this.end) return true;
    const bytes = this.reading.next();
    if (bytes === null) return false;
    this.bytes = bytes;
    this.rows = new DataView(bytes.buffer);
    this.at = 0;
    this.end = bytes.length;
    return true;
  }

  look(most: number): void {
    this.last = Math.min(this.at + most * this.width, this.end) - this.width;
  }

  /** Takes the rows up to the last row of another run, which is not behind its own; returns their number. */
  take(limit: HeldRows): number {
    const { width, at } = this;
    let [low, high] = [0, (this.last - at) / width + 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareRows(this.rows, at + middle * width, limit.rows, limit.last, width) <= 0) low = middle + 1;
      else high = middle;
    }
    this.taken = low * width;
    return low;
  }

  /** Passes on the rows that were taken. */
  pass(sorter: RowSorter): void {
    if (this.taken > 0) sorter.add(this.bytes, this.at, this.at + this.taken);
    this.at += this.taken;
  }
}

function compareRows(one: DataView, at: number, other: DataView, from: number, width: number): number {
  let i = 0;
  for (; i + 4 <= width; i += 4) {
    const [first, second] = [one.getUint32(at + i), other.getUint32(from + i)];
    if (first !== second) return first < second ? -1 : 1;
  }
  for (; i < width; i++) {
    const difference = one.getUint8(at + i) - other.getUint8(from + i);
    if (difference !== 0) return difference;
  }
  return 0;
}

function numberAt(bytes: Uint8Array, at: number, end: number): number {
  if (at + BYTES <= end) {
    const high = (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!;
    return high * 2 ** 24 + ((bytes[at + 3]! << 16) | (bytes[at + 4]! << 8) | bytes[at + 5]!);
  }
  let number = 0;
  for (let i = at; i < at + BYTES; i++) number = 256 * number + (i < end ? bytes[i]! : 0);
  return number;
}
