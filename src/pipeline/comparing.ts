/**
 * Lists of pairs from many bands become distinct pairs with their agreements: tasks over ranges of the pairs.
 *
 * Floor 4. The lists are cut by samples of their rows, so they need not be here, nor in memory at all.
 */
import { decodeBlock } from '../blocks/block.js';
import type { AgreeingPairs } from '../sketch/pairs.js';
import { inOrder } from './inOrder.js';
import { aheadOfLikely, PAIR_BYTES } from './pairMemory.js';
import type { PairPlan } from './pairPlan.js';
import { type PairCut, pairRanges } from './pairRanges.js';
import type { Run } from './run.js';
import type { SignatureSource } from './signatureSource.js';
import { type StoredPairs, segmentsBetween } from './storedPairs.js';

/** Fewer are not worth a task of their own. */
const FEWEST_PAIRS = 1 << 14;

/** A known pair is copied and passed by; a new one is sorted and compared. */
const KNOWN_WEIGHT = 1 / 4;

/** Least agreements: of pairs that are accepted at once, and of those that can be accepted at all. */
export interface Bounds {
  readonly least: number;
  readonly margin: number;
}

/** Finds the agreements of pairs; counts the pairs of a run for its progress. */
export class PairComparer {
  /** Distinct pairs found so far. */
  pairs = 0;
  private readonly run: Run;
  private readonly plan: PairPlan;
  private readonly signatures: SignatureSource;
  /** Least agreement of an accepted pair. */
  private readonly least: number;
  /** Least agreement of a pair that can be accepted. */
  private readonly margin: number;
  private calls = 0;

  constructor(run: Run, plan: PairPlan, signatures: SignatureSource, { least, margin }: Bounds) {
    this.run = run;
    this.plan = plan;
    this.signatures = signatures;
    this.least = least;
    this.margin = margin;
  }

  /**
   * The union of the lists without the known pairs, sorted, distinct, with agreements. `known`: no pair in two. The bytes
   * of the result are taken from those of tables.
   *
   * @throws MinHashError MEMORY_BUDGET
   */
  async compare(lists: readonly StoredPairs[], known: readonly StoredPairs[]): Promise<AgreeingPairs> {
    const call = this.calls++;
    const ranges = this.rangesOf(
      lists.filter(({ count }) => count > 0),
      known.filter(({ count }) => count > 0),
    );
    const access = this.signatures.access();
    let part = 0;
    const results = inOrder(ranges, this.run.engine.parallelism + 1, async (range) => {
      const name = `agreement/${call}/${part++}`;
      return { name, ...(await this.compareRange(name, range, access)) };
    });
    const parts: ComparedPart[] = [];
    let rows = 0;
    for await (const result of results) {
      rows += result.rows;
      if (result.count === 0) continue;
      parts.push(result);
      this.pairs += result.count;
      this.run.progress(this.pairs, null, 'pairs');
    }
    const total = lists.reduce((sum, { count }) => sum + count, 0);
    this.run.balance('rows of lists of pairs', total, { 'in ranges': rows });
    return this.joined(parts);
  }

  /** The lists cut at the same pairs; a range without a row of `wanted` is left out. */
  private rangesOf(wanted: readonly StoredPairs[], known: readonly StoredPairs[]): Range[] {
    const all = [...wanted, ...known];
    // Beyond memory what is known is read as well as what is new.
    const knownWeight = this.plan.signaturesHeld ? KNOWN_WEIGHT : 1;
    const weighed = all.map(({ sample, step }, i) => ({
      pairs: sample,
      weight: step * (i < wanted.length ? 1 : knownWeight),
    }));
    const weight = all.reduce((sum, { count }, i) => sum + count * (i < wanted.length ? 1 : knownWeight), 0);
    if (wanted.length === 0) return [];
    const ends = pairRanges(weighed, this.partsOf(weight));
    const segments = (list: StoredPairs, i: number, from: PairCut | undefined, to: PairCut) =>
      segmentsBetween(list, from?.rows[i] ?? 0, to.rows[i]!);
    return ends
      .map((to, number) => {
        const from = ends[number - 1];
        return {
          from: from?.at ?? ([0, 0] as const),
          to: to.at,
          lists: wanted.flatMap((list, i) => segments(list, i, from, to)),
          known: known.flatMap((list, i) => segments(list, wanted.length + i, from, to)),
        };
      })
      .filter((range) => range.lists.length > 0);
  }

  /** How many tasks: even numbers for every worker where there is work for them. */
  private partsOf(pairs: number): number {
    const wanted = Math.ceil(pairs / this.plan.rows);
    const worthIt = Math.max(1, Math.floor(pairs / FEWEST_PAIRS));
    return Math.max(wanted, Math.min(worthIt, 2 * this.run.engine.parallelism));
  }

  private async compareRange(
    name: string,
    { from, to, lists, known }: Range,
    signatures: ReturnType<SignatureSource['access']>,
  ): Promise<{ readonly rows: number; readonly count: number }> {
    const { report } = await this.run.task({
      stage: 'agreement',
      label: `pairs from ${from[0]}, ${from[1]}`,
      params: { name, lists, known, from, to, signatures, least: this.least },
      inputs: [...lists, ...known, ...this.signatures.inputs],
      keep: { agreement: 'spill' },
    });
    const { rows, pairs } = report as { readonly rows: number; readonly pairs: number };
    return { rows, count: pairs };
  }

  /** The rows of all parts, in their order; the parts leave the store one by one. */
  private joined(parts: readonly ComparedPart[]): AgreeingPairs {
    const count = parts.reduce((sum, part) => sum + part.count, 0);
    const exact = this.run.params.verify === 'exact';
    this.run.tables.take(`${count} candidate pairs`, PAIR_BYTES * count, () => {
      // Once more where rounds follow, whose lists become one.
      return PAIR_BYTES * count + aheadOfLikely(this.likelyIn(parts), exact);
    });
    if (parts.length === 1) return this.taken(parts[0]!);
    const all = {
      a: new Uint32Array(count),
      b: new Uint32Array(count),
      count,
      agreement: new Uint16Array(count),
      accepted: new Uint8Array(count),
    };
    let at = 0;
    for (const one of parts) {
      const { a, b, agreement, accepted } = this.taken(one);
      all.a.set(a, at);
      all.b.set(b, at);
      all.agreement.set(agreement, at);
      all.accepted.set(accepted, at);
      at += one.count;
    }
    return all;
  }

  /** Rows that can still be accepted. */
  private likelyIn(parts: readonly ComparedPart[]): number {
    let likely = 0;
    for (const { name } of parts) {
      const { agreement } = decodeBlock(this.run.engine.store.get(name), 'pairs', name).columns;
      for (let i = 0; i < agreement!.length; i++) likely += agreement![i]! >= this.margin ? 1 : 0;
    }
    return likely;
  }

  private taken({ name, count }: ComparedPart): AgreeingPairs {
    const { store } = this.run.engine;
    const { a, b, agreement, accepted } = decodeBlock(store.get(name), 'pairs', name).columns;
    store.delete(name);
    return {
      a: a as Uint32Array,
      b: b as Uint32Array,
      count,
      agreement: agreement as Uint16Array,
      accepted: accepted as Uint8Array,
    };
  }
}

/** What one task takes of the lists: pairs from `from` (inclusive) to `to`, null: to the end. */
interface Range {
  readonly from: readonly [a: number, b: number];
  readonly to: readonly [a: number, b: number] | null;
  /** Segments that have such pairs. */
  readonly lists: readonly string[];
  readonly known: readonly string[];
}

interface ComparedPart {
  readonly name: string;
  readonly count: number;
}
