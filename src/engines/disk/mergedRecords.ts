/** Merges sorted runs: a tree of those that lost, over the first bytes of the next key of each run. */
import { compareKeys, type RecordSource } from '../../tasks/stream/records.js';
import type { BlockRecords } from './recordFile.js';

/** Bytes of a key that a number holds. */
const BYTES = 6;

export class MergedRecords implements RecordSource {
  private readonly runs: readonly BlockRecords[];
  /** By run: twelve bytes of its next key as two numbers, zeros where it ends before; infinite: the run is at its end. */
  private readonly heads: Float64Array;
  private readonly tails: Float64Array;
  /** By inner node of the tree, from 1 on: the run that lost there. */
  private readonly losers: Int32Array;
  private winner = -1;
  /** Records so far. */
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
    const { runs, losers } = this;
    const count = runs.length;
    for (let run = 0; run < count; run++) this.advance(run);
    // Node n has the winners of 2n and 2n + 1 to tell apart; from `count` on they are runs.
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

  private replay(run: number): void {
    const { losers } = this;
    let winner = run;
    for (let node = (losers.length + run) >> 1; node > 0; node >>= 1) {
      const loser = losers[node]!;
      if (!this.isBefore(loser, winner)) continue;
      losers[node] = winner;
      winner = loser;
    }
    this.winner = winner;
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

  /** Of equal keys that of the earlier run is the first. */
  private isBefore(one: number, other: number): boolean {
    const { heads, tails } = this;
    if (heads[one] !== heads[other]) return heads[one]! < heads[other]!;
    if (heads[one] === Number.POSITIVE_INFINITY) return one < other;
    if (tails[one] !== tails[other]) return tails[one]! < tails[other]!;
    const order = compareKeys(this.runs[one]!.key, this.runs[other]!.key);
    return order === 0 ? one < other : order < 0;
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
