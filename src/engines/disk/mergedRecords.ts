/** Merges sorted runs by a loser tree over the first bytes of the next key of each run. */
import { compareKeys, type RecordSource } from '../../tasks/stream/records.js';
import { BlockReading, type BlockRecords, copyRow, type RecordBlock } from './recordFile.js';

/** Bytes of a key in a head. */
const BYTES = 6;

/** The loser tree: which run is next. Subclasses read the keys, and compare those with equal heads. */
abstract class Tournament {
  /** By run: the first BYTES of its next key as a number, with zeros behind its end; infinite: the run has ended. */
  protected readonly heads: Float64Array;
  /** By inner node of the tree, from 1 on: the run that lost there. */
  private readonly losers: Int32Array;
  /** The run with the next key; -1: none was read yet. */
  protected winner = -1;

  constructor(runs: number) {
    this.heads = new Float64Array(runs);
    this.losers = new Int32Array(runs);
  }

  /** Reads the next key of a run into its head. */
  protected abstract advance(run: number): void;

  /** Compares the next keys of two runs with the same head, neither of which has ended. */
  protected abstract compare(one: number, other: number): number;

  protected begin(): void {
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
  protected replay(run: number): void {
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
}

export class MergedRecords extends Tournament implements RecordSource {
  private readonly runs: readonly BlockRecords[];
  /** By run: the second BYTES of its next key. */
  private readonly tails: Float64Array;
  /** Records read so far. */
  count = 0;

  constructor(runs: readonly BlockRecords[]) {
    super(runs.length);
    this.runs = runs;
    this.tails = new Float64Array(runs.length);
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

  protected override advance(run: number): void {
    const from = this.runs[run]!;
    if (!from.next()) {
      this.heads[run] = Number.POSITIVE_INFINITY;
      return;
    }
    const { bytes, place } = from;
    this.heads[run] = numberAt(bytes, place.keyAt, place.keyEnd);
    this.tails[run] = numberAt(bytes, place.keyAt + BYTES, place.keyEnd);
  }

  protected override compare(one: number, other: number): number {
    const { tails, runs } = this;
    return tails[one]! - tails[other]! || compareKeys(runs[one]!.key, runs[other]!.key);
  }
}

/** Bytes of rows that `next` returns at most. */
const GIVEN = 1 << 16;

/** Merges runs of rows of one width, which is at least BYTES. */
export class MergedRows extends Tournament {
  private readonly runs: readonly BlockReading[];
  private readonly width: number;
  /** By run: the block with its next row, the row's offset, and the block's length. */
  private readonly blocks: DataView[];
  private readonly at: Int32Array;
  private readonly ends: Int32Array;
  private readonly given: Uint8Array;
  /** Rows read so far. */
  count = 0;

  constructor(runs: readonly (readonly RecordBlock[])[], onBlock?: () => void) {
    super(runs.length);
    this.width = runs[0]?.[0]?.width ?? 1;
    this.runs = runs.map((blocks) => new BlockReading(blocks, onBlock));
    this.blocks = runs.map(() => new DataView(new ArrayBuffer(0)));
    this.at = new Int32Array(runs.length);
    this.ends = new Int32Array(runs.length);
    this.given = new Uint8Array(runs.length === 0 ? 0 : GIVEN - (GIVEN % this.width));
  }

  /** The next rows, in order: a view that is valid until the next call. Null: no row is left. */
  next(): Uint8Array | null {
    const { width, given, blocks, at, heads } = this;
    const into = new DataView(given.buffer);
    if (this.runs.length === 0) return null;
    if (this.winner < 0) this.begin();
    let end = 0;
    for (; end < given.length; end += width) {
      const run = this.winner;
      if (heads[run] === Number.POSITIVE_INFINITY) break;
      copyRow(blocks[run]!, at[run]!, into, end, width);
      at[run]! += width;
      this.advance(run);
      this.replay(run);
    }
    if (end === 0) return null;
    this.count += end / width;
    return given.subarray(0, end);
  }

  protected override advance(run: number): void {
    if (this.at[run] === this.ends[run]) {
      const bytes = this.runs[run]!.next();
      if (bytes === null) {
        this.heads[run] = Number.POSITIVE_INFINITY;
        return;
      }
      this.blocks[run] = new DataView(bytes.buffer);
      this.ends[run] = bytes.length;
      this.at[run] = 0;
    }
    const [block, from] = [this.blocks[run]!, this.at[run]!];
    this.heads[run] = block.getUint32(from) * 2 ** 16 + block.getUint16(from + 4);
  }

  protected override compare(one: number, other: number): number {
    const { blocks, at, width } = this;
    const [first, second] = [blocks[one]!, blocks[other]!];
    const [from, to] = [at[one]!, at[other]!];
    for (let i = BYTES; i < width; i++) {
      const difference = first.getUint8(from + i) - second.getUint8(to + i);
      if (difference !== 0) return difference;
    }
    return 0;
  }
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
