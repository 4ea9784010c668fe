/**
 * Lists of pairs in the store, sorted by (a, b), in segments that may lie on disk; the coordinator keeps a sample of their rows.
 */
import { concatenated } from '../../arrays/growable.js';
import { firstWhere } from '../../arrays/search.js';
import { decodeBlock } from '../../blocks/block.js';
import { type Pairs, pairSample, pairSegments, sampleStep } from '../../blocks/pairs.js';
import type { Run } from '../context.js';

export interface StoredPairs {
  readonly count: number;
  /** Names of the segments, each of `segmentRows` rows but the last. */
  readonly segments: readonly string[];
  readonly segmentRows: number;
  /** Every `step`-th row of the list. */
  readonly sample: Pairs;
  readonly step: number;
}

/** A slice of a list, as a task wrote it: `count` rows in the segments `name/0`, `name/1`, … */
export interface WrittenSlice {
  readonly name: string;
  readonly count: number;
}

function segmentNames({ name, count }: WrittenSlice, segmentRows: number): string[] {
  return Array.from({ length: Math.ceil(count / segmentRows) }, (_, segment) => `${name}/${segment}`);
}

/**
 * The list made of slices; all but the last have a multiple of `segmentRows` rows. Takes the samples of the slices out of the
 * store.
 */
export function listOfSlices(run: Run, slices: readonly WrittenSlice[], segmentRows: number): StoredPairs {
  const { store } = run.engine;
  const count = slices.reduce((sum, slice) => sum + slice.count, 0);
  const samples = slices
    .filter((slice) => slice.count > 0)
    .map(({ name }) => {
      const { a, b } = decodeBlock(store.get(`${name}/sample`), 'pairs', name).columns;
      store.delete(`${name}/sample`);
      return { a: a as Uint32Array, b: b as Uint32Array, count: a!.length };
    });
  const segments = slices.flatMap((slice) => segmentNames(slice, segmentRows));
  return { count, segments, segmentRows, sample: joined(samples), step: sampleStep(count) };
}

function joined(samples: readonly Pairs[]): Pairs {
  if (samples.length === 1) return samples[0]!;
  const a = concatenated(samples.map((sample) => sample.a));
  return { a, b: concatenated(samples.map((sample) => sample.b)), count: a.length };
}

/** Puts pairs into the store, segment by segment, and waits before each until the store has room. */
export async function storePairs(
  run: Run,
  name: string,
  pairs: Pairs,
  segmentRows: number,
): Promise<StoredPairs> {
  const { count } = pairs;
  const segments = segmentNames({ name, count }, segmentRows);
  let segment = 0;
  for (const block of pairSegments(pairs, segmentRows)) {
    await run.engine.store.room();
    run.put(segments[segment++]!, block, 'spill');
    await run.turns.give();
  }
  const step = sampleStep(count);
  const sample = pairSample(pairs, step);
  // With step 1 the sample is the caller's columns: a copy keeps them from being held.
  const kept = step === 1 ? { a: sample.a.slice(), b: sample.b.slice(), count } : sample;
  return { count, segments, segmentRows, sample: kept, step };
}

/** Takes lists out of the store. */
export function forgetPairs(run: Run, lists: readonly StoredPairs[]): void {
  for (const { segments } of lists) for (const name of segments) run.engine.store.delete(name);
}

/** Names of the segments with the rows between the sampled rows `from - 1` and `to`, both exclusive. */
export function segmentsBetween(list: StoredPairs, from: number, to: number): readonly string[] {
  const { count, segments, segmentRows, step } = list;
  const first = from === 0 ? 0 : (from - 1) * step + 1;
  const end = Math.min(count, to * step);
  if (first >= end) return [];
  return segments.slice(Math.floor(first / segmentRows), Math.ceil(end / segmentRows));
}

/*
 * Cuts sorted lists of pairs at the same pairs, into ranges of about the same weight.
 */

/** A list to cut, and the weight of each of its rows. */
interface WeighedPairs {
  readonly pairs: Pairs;
  readonly weight: number;
}

export interface PairCut {
  /** The cut is before this pair; null: behind the last pair. */
  readonly at: readonly [a: number, b: number] | null;
  /** By list, the number of rows before the cut. */
  readonly rows: readonly number[];
}

interface Cut extends PairCut {
  /** Weight of the rows before the cut. */
  readonly weight: number;
}

/**
 * The greatest value whose cut has rows of at most weight `target` before it, that cut, and the cut at the next value. `place`:
 * the pair of a value. Each step searches only the rows between the two cuts so far, so all steps together cost little more than
 * one search in each list.
 */
function cutsAround(
  lists: readonly WeighedPairs[],
  from: Cut,
  to: Cut,
  target: number,
  place: (value: number) => readonly [a: number, b: number],
): { value: number; below: Cut; above: Cut } {
  let [low, high] = [0, 2 ** 32];
  let [below, above] = [from, to];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const [a, b] = place(middle);
    const between = cutBetween(lists, below, above, a, b);
    if (between.weight <= target) [low, below] = [middle, between];
    else [high, above] = [middle, between];
  }
  return { value: low, below, above };
}

function cutBetween(lists: readonly WeighedPairs[], below: Cut, above: Cut, a: number, b: number): Cut {
  let weight = 0;
  const rows = lists.map(({ pairs, weight: each }, i) => {
    const cut = firstWhere(below.rows[i]!, above.rows[i]!, (row) => {
      return pairs.a[row]! > a || (pairs.a[row] === a && pairs.b[row]! >= b);
    });
    weight += cut * each;
    return cut;
  });
  return { at: [a, b], rows, weight };
}

/**
 * Ends of the ranges, sorted by (a, b): range r has rows [ends[r - 1].rows[i], ends[r].rows[i]) of list i. At most `parts` ranges,
 * none without weight; empty where the lists are. The pairs of one document are cut only where they weigh more than half of the
 * mean range.
 */
export function pairRanges(lists: readonly WeighedPairs[], parts: number): PairCut[] {
  const total = lists.reduce((sum, { pairs, weight }) => sum + pairs.count * weight, 0);
  const end: Cut = { at: null, rows: lists.map(({ pairs }) => pairs.count), weight: total };
  const ends: Cut[] = [];
  let last: Cut = { at: [0, 0], rows: lists.map(() => 0), weight: 0 };
  for (let part = 1; part < parts; part++) {
    const target = (end.weight * part) / parts;
    if (target < last.weight) continue;
    const { value: a, below, above } = cutsAround(lists, last, end, target, (value) => [value, 0]);
    const coarse = above.weight - below.weight > end.weight / parts / 2;
    const here = coarse ? cutsAround(lists, below, above, target, (b) => [a, b]).below : below;
    if (here.weight <= last.weight) continue;
    last = here;
    ends.push(here);
  }
  if (end.weight > last.weight) ends.push(end);
  return ends;
}
