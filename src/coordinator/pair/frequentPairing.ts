/**
 * Rounds over hot fingerprints: members of hot fingerprints are paired, and samples decide which of them the drop list keeps. For
 * samples this is what buckets.ts and `keptInOrder` are for signatures.
 */

import {
  classRanks,
  containedDropList,
  containedPairs,
  containsOther,
  guardOf,
  type Precedence,
} from '../../../reducers/dropList.js';
import { groupedMembers, keptUnpaired } from '../../../reducers/frequentPairs.js';
import { flagsOfClasses } from '../../../reducers/identityClasses.js';
import { newArray } from '../../arrays/ownPages.js';
import type { Stepwise } from '../../arrays/stepwise.js';
import { ONE } from '../../blocks/names.js';
import type { HotMembers, Pairs } from '../../blocks/pairs.js';
import { leastHotBucket } from '../../sketch/hotBuckets.js';
import type { SampleSizes } from '../../sketch/samples/sampleRule.js';
import { SAMPLED_BYTES } from '../../store/budget.js';
import type { Run } from '../context.js';
import type { Verifier } from '../verify/verify.js';
import { type ComparedSketches, KNOWN_WEIGHT } from './agreements.js';
import { pairedLinearly } from './hotMembers.js';
import type { PairPlan } from './pairPlan.js';
import { type HotPairing, type KeptRule, keptInOrder } from './rounds.js';

/** Rows of a group of hot fingerprints; in a small group each row makes pairs with half of --hot-bucket documents. */
const GROUP_ROWS = 1 << 15;

/** Samples, all in memory, as sketches for the PairComparer. */
export function sampleSketches({ held: plan }: PairPlan, blocks: readonly string[]): ComparedSketches {
  return {
    comparison: () => ({ plan, knownWeight: KNOWN_WEIGHT, sketches: { samples: blocks } }),
    inputs: [ONE.places, ...blocks],
    pairBytes: SAMPLED_BYTES,
    agreements: (count) => newArray(Float64Array, count),
  };
}

/** Pairs documents of hot fingerprints, group by group. */
export class FrequentPairing implements HotPairing {
  /** By document, 1: the last call of `pairMembers` paired it. */
  readonly paired: Uint8Array;
  private readonly run: Run;
  private readonly plan: PairPlan;
  private calls = 0;

  constructor(run: Run, plan: PairPlan, documents: number) {
    this.run = run;
    this.plan = plan;
    this.paired = new Uint8Array(documents);
  }

  /** Members of hot fingerprints in groups of about GROUP_ROWS rows. */
  static groups(hot: HotMembers): readonly HotMembers[] {
    return groupedMembers(hot, GROUP_ROWS);
  }

  async pairMembers(groups: readonly HotMembers[]) {
    this.paired.fill(0);
    for (const { documents } of groups)
      for (let row = 0; row < documents.length; row++) this.paired[documents[row]!] = 1;
    const how = { inputs: [ONE.frequent], of: () => null };
    return pairedLinearly(this.run, this.plan, this.calls++, groups, how);
  }
}

/**
 * Decides which classes are kept in rounds over samples. `relies`: of the block of frequent fingerprints.
 */
export function keptBySamples(
  { params }: Run,
  verifier: Verifier,
  { paired }: FrequentPairing,
  relies: Uint8Array,
  sizes: SampleSizes,
  precedence: Precedence,
): KeptRule {
  const { hotBucket, measure, threshold } = params;
  const uncompared = function* (hot: readonly HotMembers[], kept: Uint8Array): Stepwise<number> {
    yield;
    return keptUnpaired(hot, kept, paired, relies, leastHotBucket(hotBucket), verifier.groups);
  };
  if (measure === 'resemblance') return { ...keptInOrder(verifier, precedence), relies, uncompared };
  return {
    relies,
    uncompared,
    *kept(_near, lists) {
      const guard = guardOf(verifier.classes, precedence, threshold);
      const pairs = yield* containedPairs(lists, guard);
      const { kept } = yield* containedDropList(verifier.classes, pairs, precedence);
      const near = { a: pairs.container, b: pairs.contained, count: pairs.count };
      return { kept: flagsOfClasses(verifier.classes, kept), near };
    },
    atRisk: (made) =>
      bySize(made, sizes, guardOf(verifier.classes, precedence, threshold)?.isProtected ?? null),
    ranks: () => classRanks(verifier.classes, precedence),
  };
}

/** The pairs turned so that the first document is the protected one, or else the one with the larger sample. */
function bySize(
  { a, b, count }: Pairs,
  { size, sampled, whole }: SampleSizes,
  isProtected: Uint8Array | null,
): Pairs {
  const turned = { a: a.slice(0, count), b: b.slice(0, count), count };
  for (let i = 0; i < count; i++) {
    const [x, y] = [a[i]!, b[i]!];
    const of = whole[x] === 1 && whole[y] === 1 ? size : sampled;
    if (containsOther(of[y]!, of[x]!, isProtected?.[x] === 1, isProtected?.[y] === 1)) continue;
    turned.a[i] = y;
    turned.b[i] = x;
  }
  return turned;
}
