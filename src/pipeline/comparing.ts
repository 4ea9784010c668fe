/**
 * Lists of pairs from many bands become distinct pairs with their agreements: tasks over ranges of the pairs.
 *
 * Floor 4.
 */
import { decodeBlock, encodeBlock } from '../blocks/block.js';
import type { AgreeingPairs, Pairs } from '../sketch/pairs.js';
import { inOrder } from './inOrder.js';
import { pairRanges } from './pairRanges.js';
import type { Run } from './run.js';

/** Pairs in shared memory under the name of their block, sorted by (a, b). */
export interface StoredPairs {
  readonly name: string;
  readonly pairs: Pairs;
}

/**
 * Pairs a task looks at, repetitions counted. Enough that most of its signatures are copied for several pairs, few
 * enough that what it copies, some 30 MB, does not count.
 */
const PAIRS_PER_TASK = 1 << 18;

/** Fewer are not worth a task of their own. */
const FEWEST_PAIRS = 1 << 14;

/** A known pair is copied and passed by; a new one is sorted and compared. */
const KNOWN_WEIGHT = 1 / 4;

/** Puts pairs into the store; they are in shared memory from then on. */
export function storePairs(run: Run, name: string, { a, b, count }: Pairs): StoredPairs {
  const block = encodeBlock('pairs', {}, { a: a.subarray(0, count), b: b.subarray(0, count) }, true);
  run.put(name, block);
  return { name, pairs: { a: block.columns.a as Uint32Array, b: block.columns.b as Uint32Array, count } };
}

/** How many tasks: even numbers for every worker where there is work for them. */
function partsOf(pairs: number, parallelism: number): number {
  const wanted = Math.ceil(pairs / PAIRS_PER_TASK);
  const worthIt = Math.max(1, Math.floor(pairs / FEWEST_PAIRS));
  return Math.max(wanted, Math.min(worthIt, 2 * parallelism));
}

/** Finds the agreements of pairs; counts the pairs of a run for its progress. */
export class PairComparer {
  /** Distinct pairs found so far. */
  pairs = 0;
  private readonly run: Run;
  /** Names of all signature blocks. */
  private readonly blocks: readonly string[];
  /** Least agreement of an accepted pair. */
  private readonly least: number;
  private calls = 0;

  constructor(run: Run, blocks: number, least: number) {
    this.run = run;
    this.blocks = Array.from({ length: blocks }, (_, k) => `signatures/${k}`);
    this.least = least;
  }

  /** The union of the lists without the known pairs, sorted, distinct, with agreements. `known`: no pair in two. */
  async compare(lists: readonly StoredPairs[], known: readonly StoredPairs[]): Promise<AgreeingPairs> {
    const call = this.calls++;
    const wanted = lists.filter(({ pairs }) => pairs.count > 0);
    const total = wanted.reduce((sum, { pairs }) => sum + pairs.count, 0);
    if (total === 0) return joined([]);
    const passed = known.filter(({ pairs }) => pairs.count > 0);
    const all = [...wanted, ...passed];
    const weighed = all.map(({ pairs }, i) => ({ pairs, weight: i < wanted.length ? 1 : KNOWN_WEIGHT }));
    const weight = weighed.reduce((sum, list) => sum + list.pairs.count * list.weight, 0);
    const ends = pairRanges(weighed, partsOf(weight, this.run.engine.parallelism));
    const parts = ends.map((_, part) => part);
    const results = inOrder(parts, this.run.engine.parallelism + 1, async (part) => {
      const ranges = all.map(({ name }, i) => [name, ends[part - 1]?.[i] ?? 0, ends[part]![i]!] as const);
      const filled = (range: readonly [string, number, number]): boolean => range[2] > range[1];
      const mine = ranges.slice(0, wanted.length).filter(filled);
      const others = mine.length === 0 ? [] : ranges.slice(wanted.length).filter(filled);
      return mine.length === 0 ? null : this.compareRange(`agreement/${call}/${part}`, mine, others);
    });
    const found: AgreeingPairs[] = [];
    for await (const pairs of results) {
      if (pairs === null) continue;
      found.push(pairs);
      this.pairs += pairs.count;
      this.run.progress(this.pairs, null, 'pairs');
    }
    return joined(found);
  }

  private async compareRange(
    name: string,
    lists: readonly (readonly [string, number, number])[],
    known: readonly (readonly [string, number, number])[],
  ): Promise<AgreeingPairs> {
    const { store } = this.run.engine;
    const names = [...lists, ...known].map(([list]) => list);
    await this.run.task({
      stage: 'agreement',
      label: `pairs ${lists[0]![1]}..${lists[0]![2]} of ${lists[0]![0]} and others`,
      params: { name, lists, known, blocks: this.blocks.length, least: this.least },
      inputs: [...names, 'places', ...this.blocks],
    });
    const { a, b, agreement, accepted } = decodeBlock(store.get(name), 'pairs', name).columns;
    store.delete(name);
    return {
      a: a as Uint32Array,
      b: b as Uint32Array,
      count: a!.length,
      agreement: agreement as Uint16Array,
      accepted: accepted as Uint8Array,
    };
  }
}

/** The rows of all parts, in their order. */
function joined(parts: readonly AgreeingPairs[]): AgreeingPairs {
  if (parts.length === 1) return parts[0]!;
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  const all = {
    a: new Uint32Array(count),
    b: new Uint32Array(count),
    count,
    agreement: new Uint16Array(count),
    accepted: new Uint8Array(count),
  };
  let at = 0;
  for (const part of parts) {
    all.a.set(part.a, at);
    all.b.set(part.b, at);
    all.agreement.set(part.agreement, at);
    all.accepted.set(part.accepted, at);
    at += part.count;
  }
  return all;
}
