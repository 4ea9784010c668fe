/**
 * Lists of pairs from many bands become distinct pairs with their agreements, by tasks over ranges of pairs.
 */

import { countFrom } from '../../arrays/chosenRows.js';
import { newArray } from '../../arrays/ownPages.js';
import { atOnce } from '../../arrays/stepwise.js';
import { decodeBlock } from '../../blocks/block.js';
import { NAMES, ONE } from '../../blocks/names.js';
import type { AgreeingPairs, Agreements } from '../../blocks/pairs.js';
import { isPlace } from '../../store/blockPlace.js';
import { aheadOfPairs, PAIR_BYTES } from '../../store/budget.js';
import type { AgreementTask } from '../../tasks/kinds/agreementTasks.js';
import type { Run } from '../context.js';
import type { Corpus } from '../sketch/corpus.js';
import { pairRanges, type StoredPairs, storedPairs } from './pairLists.js';
import type { ComparePlan, PairPlan } from './pairPlan.js';

/** Fewer pairs are not worth a range of their own. */
const FEWEST_PAIRS = 1 << 14;

/** Of sketches in memory: a task only copies and skips known pairs, but sorts and compares new ones. */
const KNOWN_WEIGHT = 1 / 4;

export interface Bounds {
  /** Least agreement of a pair that is accepted at once. */
  readonly least: number;
  /** Least agreement of a pair that can be accepted at all. */
  readonly margin: number;
}

/** How ranges of pairs are compared. */
interface Comparison {
  readonly plan: ComparePlan;
  /** The cost of a known pair relative to a new one. */
  readonly knownWeight: number;
  /** Where a task finds the sketches. */
  readonly sketches: AgreementTask['sketches'];
}

export interface ComparedSketches {
  /** As the sketches lie now: in memory, or on the disk. */
  comparison(): Comparison;
  /** Names of the blocks a task reads: where each document has its sketch, and the sketches. */
  readonly inputs: readonly string[];
  /** Bytes of a pair with its agreement. */
  readonly pairBytes: number;
  /** An empty column for the agreements of `count` pairs. */
  agreements(count: number): Agreements;
}

/** Finds the agreements of pairs; counts the pairs of a run for its progress. */
export class PairComparer {
  /** Distinct pairs found so far. */
  pairs = 0;
  private readonly run: Run;
  private readonly sketches: ComparedSketches;
  /** Least agreement of an accepted pair. */
  private readonly least: number;
  /** Least agreement of a pair that can be accepted. */
  private readonly margin: number;
  private calls = 0;

  constructor(run: Run, sketches: ComparedSketches, { least, margin }: Bounds) {
    this.run = run;
    this.sketches = sketches;
    this.least = least;
    this.margin = margin;
  }

  /** Bytes of a compared pair in tables. */
  get pairBytes(): number {
    return this.sketches.pairBytes;
  }

  /**
   * The union of `lists` without the pairs of `known`, sorted by (a, b), distinct, with agreements. No pair is in two lists of
   * `known`. The bytes of the result are taken from the budget of tables. `ahead`: bytes the caller will take after it, beside
   * those for these pairs.
   *
   * @throws MinHashError MEMORY_BUDGET
   */
  async compare(
    lists: readonly StoredPairs[],
    known: readonly StoredPairs[],
    ahead = 0,
  ): Promise<AgreeingPairs> {
    const call = this.calls++;
    const how = this.sketches.comparison();
    const ranges = this.rangesOf(
      lists.filter(({ count }) => count > 0),
      known.filter(({ count }) => count > 0),
      how,
    );
    let part = 0;
    const compare = (some: readonly Range[]) =>
      this.compareRanges(NAMES.agreement(call, part++), some, how.sketches);
    const tasks = this.run.each(this.tasksOf(ranges, how.plan.ranges), compare, { ahead: 1 });
    const parts: ComparedPart[] = [];
    let rows = 0;
    for await (const task of tasks) {
      rows += task.rows;
      parts.push(...task.parts);
      for (const { count } of task.parts) this.pairs += count;
      this.run.progress(this.pairs, null, 'pairs');
    }
    const total = lists.reduce((sum, { count }) => sum + count, 0);
    this.run.balance('rows of lists of pairs', total, { 'in ranges': rows });
    return this.joined(parts, ahead);
  }

  /** All lists cut at the same pairs, into ranges; ranges without a row of `wanted` are left out. */
  private rangesOf(
    wanted: readonly StoredPairs[],
    known: readonly StoredPairs[],
    { plan, knownWeight }: Comparison,
  ): Range[] {
    if (wanted.length === 0) return [];
    const namesOf = (lists: readonly StoredPairs[]): string[] => lists.flatMap(({ blocks }) => blocks);
    const [fresh, old] = [namesOf(wanted), namesOf(known)];
    const names = [...fresh, ...old];
    const weighed = names.map((name, i) => {
      return { pairs: storedPairs(this.run, name), weight: i < fresh.length ? 1 : knownWeight };
    });
    const weight = weighed.reduce((sum, one) => sum + one.pairs.count * one.weight, 0);
    const ends = pairRanges(weighed, this.partsOf(weight, plan.rows));
    return ends
      .map((to, number) => {
        const from = ends[number - 1];
        const isIn = names.map((_, i) => (from?.rows[i] ?? 0) < to.rows[i]!);
        return {
          from: from?.at ?? ([0, 0] as const),
          to: to.at,
          lists: fresh.filter((_, i) => isIn[i]),
          known: old.filter((_, i) => isIn[fresh.length + i]),
        };
      })
      .filter((range) => range.lists.length > 0);
  }

  /** The number of ranges of at most `most` pairs: two for every worker where there are enough pairs. */
  private partsOf(pairs: number, most: number): number {
    const wanted = Math.ceil(pairs / most);
    const worthIt = Math.max(1, Math.floor(pairs / FEWEST_PAIRS));
    return Math.max(wanted, Math.min(worthIt, 2 * this.run.engine.parallelism));
  }

  /** Ranges in tasks of at most `most`, as few as keep every worker busy. */
  private *tasksOf(ranges: readonly Range[], most: number): Generator<readonly Range[]> {
    const each = Math.min(most, Math.ceil(ranges.length / (2 * this.run.engine.parallelism)));
    for (let from = 0; from < ranges.length; from += each) yield ranges.slice(from, from + each);
  }

  private async compareRanges(
    name: string,
    ranges: readonly Range[],
    sketches: AgreementTask['sketches'],
  ): Promise<{ readonly rows: number; readonly parts: readonly ComparedPart[] }> {
    const blocks = new Set(ranges.flatMap(({ lists, known }) => [...lists, ...known]));
    const { from } = ranges[0]!;
    const { rows, pairs } = await this.run.task({
      kind: 'agreement',
      label: `pairs from ${from[0]}, ${from[1]}`,
      params: { name, ranges, sketches, least: this.least },
      inputs: [...blocks, ...this.sketches.inputs],
      keep: { agreement: 'counted' },
    });
    return { rows, parts: pairs.map((count, i) => ({ name: `${name}/${i}`, count })) };
  }

  /** The rows of all parts, in their order; the parts leave the store one by one. @throws MinHashError MEMORY_BUDGET */
  async joined(parts: readonly ComparedPart[], ahead = 0): Promise<AgreeingPairs> {
    const count = parts.reduce((sum, part) => sum + part.count, 0);
    this.run.tables.take(`${count} candidate pairs`, this.sketches.pairBytes * count, () => {
      return ahead + aheadOfParts(this.run, parts, this.margin);
    });
    if (parts.length === 1) return this.taken(parts[0]!);
    const all = {
      a: newArray(Uint32Array, count),
      b: newArray(Uint32Array, count),
      count,
      agreement: this.sketches.agreements(count),
      accepted: newArray(Uint8Array, count),
    };
    let at = 0;
    for (const one of parts) {
      const { a, b, agreement, accepted } = this.taken(one);
      all.a.set(a, at);
      all.b.set(b, at);
      all.agreement.set(agreement, at);
      all.accepted.set(accepted, at);
      at += one.count;
      await this.run.turns.give();
    }
    return all;
  }

  /** Takes a part out of the store. */
  private taken({ name, count }: ComparedPart): AgreeingPairs {
    const { store } = this.run.engine;
    const { a, b, agreement, accepted } = decodeBlock(store.get(name), 'pairs', name).columns;
    store.delete(name);
    return {
      a: a as Uint32Array,
      b: b as Uint32Array,
      count,
      agreement: agreement as Agreements,
      accepted: accepted as Uint8Array,
    };
  }
}

/** A range of pairs of all lists: from the pair `from` (inclusive) to the pair `to` (exclusive; null: to the end). */
interface Range {
  readonly from: readonly [a: number, b: number];
  readonly to: readonly [a: number, b: number] | null;
  /** Names of the blocks that have pairs of the range. */
  readonly lists: readonly string[];
  readonly known: readonly string[];
}

/** The block `name` holds `count` compared pairs. */
export interface ComparedPart {
  readonly name: string;
  readonly count: number;
}

/**
 * Bytes that later steps will take for the pairs of parts, which are in the store. `margin`: least agreement of a pair that can be
 * accepted.
 */
export function aheadOfParts(run: Run, parts: readonly ComparedPart[], margin: number): number {
  return aheadOfAgreements(
    run,
    parts.map(
      ({ name }) => decodeBlock(run.engine.store.get(name), 'pairs', name).columns.agreement as Agreements,
    ),
    margin,
  );
}

/** Bytes that later steps will take for pairs with these agreements. */
export function aheadOfAgreements(
  { params, family }: Run,
  columns: readonly Agreements[],
  margin: number,
): number {
  const usual = Math.max(margin, family.usual());
  const counts = { pairs: 0, likely: 0, accepted: 0 };
  for (const agreements of columns) {
    counts.pairs += agreements.length;
    counts.likely += atOnce(countFrom(agreements, agreements.length, margin));
    counts.accepted += atOnce(countFrom(agreements, agreements.length, usual));
  }
  return aheadOfPairs(counts, params.verify === 'exact');
}

/**
 * The signatures of the column blocks, as inputs of the tasks that compare pairs.
 */
export class SignatureSource implements ComparedSketches {
  readonly pairBytes = PAIR_BYTES;
  readonly blocks: number;
  readonly inputs: readonly string[];
  private readonly run: Run;
  private readonly plan: PairPlan;
  private readonly names: readonly string[];

  constructor(run: Run, plan: PairPlan, { tables, blocks }: Corpus) {
    this.run = run;
    this.plan = plan;
    this.blocks = tables.length;
    this.names = tables.map((_, k) => NAMES.signatures(k));
    this.inputs = [ONE.places, ...this.names];
    run.put(ONE.places, blocks.places);
  }

  /** Whether all signatures are in memory now, so that a worker may refer to them for the whole run. */
  get held(): boolean {
    const { store } = this.run.engine;
    return this.plan.signaturesHeld && this.names.every((name) => !isPlace(store.locate(name)));
  }

  comparison() {
    const { blocks, held } = this;
    const plan = held ? this.plan.held : this.plan.read;
    // Where signatures are read from disk, a known row takes as much memory in its task as a new one.
    const knownWeight = held ? KNOWN_WEIGHT : 1;
    return { plan, knownWeight, sketches: { blocks, held, bytes: plan.bytes } };
  }

  agreements(count: number): Uint16Array {
    return newArray(Uint16Array, count);
  }
}
