/**
 * Collects pairs from kernel functions, and passes them on in parts that are grouped by range. A task holds at most one part of
 * pairs.
 */
import type { PairRanges } from '../blocks/signatures.js';
import type { KernelMemory } from './wasmMemory.js';

/** Maximum number of pairs in a part, and per call of the kernel. */
export const PART_PAIRS = 1 << 17;

export interface GroupedPairs {
  /** Two words per pair: the second number, then the first. Range r has pairs starts[r] to starts[r + 1] - 1. */
  readonly pairs: Uint32Array;
  /** By pair, the number of equal slots; undefined for listed pairs. */
  readonly agreements: Uint32Array;
  readonly starts: Uint32Array;
}

export class PairParts {
  /** All pairs so far. */
  total = 0;
  private readonly memory: KernelMemory;
  private readonly ranges: PairRanges;
  private readonly take: (part: GroupedPairs) => void;
  private readonly pairs: number;
  private readonly agreements: number;
  private readonly grouped: number;
  private readonly groupedAgreements: number;
  private readonly starts: number;
  private count = 0;

  /** `take` is called with views that are valid during the call. */
  constructor(memory: KernelMemory, ranges: PairRanges, take: (part: GroupedPairs) => void) {
    this.memory = memory;
    this.ranges = ranges;
    this.take = take;
    this.pairs = memory.allocate(8 * PART_PAIRS);
    this.agreements = memory.allocate(4 * PART_PAIRS);
    this.grouped = memory.allocate(8 * PART_PAIRS);
    this.groupedAgreements = memory.allocate(4 * PART_PAIRS);
    this.starts = memory.allocate(4 * (ranges.count + 1));
  }

  /** Pairs that still fit into the part. */
  get room(): number {
    return PART_PAIRS - this.count;
  }

  /** Addresses at which up to `most` pairs and their agreements may be written; call `added` afterwards. */
  next(most: number): { readonly pairs: number; readonly agreements: number } {
    if (most > this.room) this.flush();
    return { pairs: this.pairs + 8 * this.count, agreements: this.agreements + 4 * this.count };
  }

  added(pairs: number): void {
    this.count += pairs;
    this.total += pairs;
  }

  /** Passes on the last part. */
  flush(): void {
    const { memory, count, ranges } = this;
    if (count === 0) return;
    memory.call.groupByRange!(
      this.pairs,
      this.agreements,
      count,
      ranges.shift,
      ranges.count,
      this.starts,
      this.grouped,
      this.groupedAgreements,
    );
    this.count = 0;
    this.take({
      pairs: memory.wordsAt(this.grouped, 2 * count),
      agreements: memory.wordsAt(this.groupedAgreements, count),
      starts: memory.wordsAt(this.starts, ranges.count + 1),
    });
  }
}
