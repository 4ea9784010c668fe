/**
 * How much of what is near a run finds although it skips pairs of hot buckets: some of the skipped pairs are compared and
 * verified, and those of them that are near stand for the others.
 *
 * They are pairs of the run like all others, in its candidates and its drop list. The mathematics is in
 * src/sketch/probability.ts.
 */

import { crossDrawnPairs } from '../../../reducers/crossPairs.js';
import { type DrawnPairs, drawnPairs, someRows } from '../../../reducers/drawnPairs.js';
import { agreeingRows, countAccepted, type VerifiedPairs } from '../../../reducers/verifiedPairs.js';
import type { Groups } from '../../arrays/groupCounts.js';
import type { Stepwise } from '../../arrays/stepwise.js';
import { idHashes } from '../../blocks/ids.js';
import { NAMES } from '../../blocks/names.js';
import { type AgreeingPairs, type HotMembers, type Pairs, pairsAt } from '../../blocks/pairs.js';
import { leastNear, sketchFamilyOf } from '../../sketch/family.js';
import type { ResultParams } from '../../sketch/params.js';
import { type Estimate, foundShare, missingPairs } from '../../sketch/probability.js';
import { THOUSAND, thousandthOf } from '../../sketch/similarity.js';
import { aheadOfLikely, SAMPLED_BYTES } from '../../store/budget.js';
import type { Run } from '../context.js';
import type { Corpus } from '../sketch/corpus.js';
import type { PairComparer } from './agreements.js';
import { forgetPairs, type StoredPairs, storePairs } from './pairLists.js';
import type { PairPlan } from './pairPlan.js';

/** Pairs drawn, of which hardly any is missing and near, and pairs verified, which may take reading two documents each. */
const MOST_DRAWN = 1 << 17;
const MOST_VERIFIED = 1 << 11;

/** How large a sample is, at most. */
export interface SampleBounds {
  readonly drawn: number;
  readonly verified: number;
}

export const SAMPLE_BOUNDS: SampleBounds = { drawn: MOST_DRAWN, verified: MOST_VERIFIED };

/** A drawn pair while it is. What a row of a hot bucket takes then, it takes in rounds, too. */
const DRAWN_BYTES = 40;

/** What was drawn: pairs that were missing, and which of them are to be verified. */
export interface SkippedPairs {
  readonly drawn: DrawnPairs;
  /** Rows of `drawn` that no round had compared and that can be near. */
  readonly missing: Uint32Array;
  /** Positions in `missing` of the pairs, row by row. */
  readonly chosen: Uint32Array;
  readonly pairs: AgreeingPairs;
  /** All pairs of hot buckets were looked at, and all of them that can be near are to be verified. */
  readonly isAll: boolean;
}

/** What is still to be taken for a sample, at most, once it is known that there will be one. */
export function aheadOfSample({ params }: Run): number {
  const compared = (DRAWN_BYTES + SAMPLED_BYTES) * MOST_DRAWN;
  return compared + aheadOfLikely(MOST_VERIFIED, params.verify === 'exact');
}

/** Draws from the pairs of hot buckets: nothing of it depends on how the pairs of the first round compare. */
export function drawnOf(
  { params }: Run,
  hot: readonly HotMembers[],
  documents: number,
  relies: Uint8Array | null,
  groups: Groups | null,
): Stepwise<DrawnPairs> {
  if (groups) return crossDrawnPairs(hot, groups, relies, MOST_DRAWN, params.seed);
  return drawnPairs(hot, documents, relies, MOST_DRAWN, params.seed);
}

/** The 64-bit hashes of the ids of documents, low half first. */
export type IdHashes = (documents: Uint32Array) => Uint32Array;

export function idHashesOf({ params }: Run, { ids }: Corpus): IdHashes {
  return (documents) => idHashes(ids, documents, params.seed);
}

/** Compares what was drawn, after the first round. `known`: all pairs that were compared or passed the rule. */
export async function skippedPairs(
  run: Run,
  plan: PairPlan,
  comparer: PairComparer,
  hashes: IdHashes,
  drawn: DrawnPairs,
  known: readonly StoredPairs[],
  mostVerified = MOST_VERIFIED,
): Promise<SkippedPairs> {
  const bytes = DRAWN_BYTES * drawn.count;
  run.tables.take(`${drawn.count} skipped pairs of hot buckets`, bytes, () => aheadOfSample(run) - bytes);
  const list = await storePairs(run, NAMES.known('skipped'), drawn, plan.segmentRows);
  const compared = await comparer.compare([list], known);
  forgetPairs(run, [list]);
  const { turns } = run;
  const rows = await turns.through(agreeingRows(compared, leastNear(run.params)));
  const found = await turns.through(pairsAt(compared, rows));
  const chosen = someRows(hashes(found.a), hashes(found.b), mostVerified);
  run.tables.give(bytes + comparer.pairBytes * (compared.count - chosen.length));
  return {
    drawn,
    missing: placesIn(drawn, found),
    chosen,
    pairs: await turns.through(pairsAt(found, chosen)),
    isAll: drawn.population === drawn.drawn && chosen.length === found.count,
  };
}

/** By row of a list, 1: it is near, in exact mode because its sets say so. */
export function nearFlags(verified: VerifiedPairs, run: Run): Uint8Array {
  if (run.params.verify === 'exact') return verified.accepted.slice(0, verified.count);
  const least = leastNear(run.params);
  const { agreement, count } = verified;
  const near = new Uint8Array(count);
  for (let row = 0; row < count; row++) near[row] = agreement[row]! >= least ? 1 : 0;
  return near;
}

/** How many pairs of a list are near: `nearFlags` without a flag a pair. */
export function nearCount(verified: VerifiedPairs, run: Run): number {
  if (run.params.verify === 'exact') return countAccepted(verified);
  const least = leastNear(run.params);
  const { agreement, count } = verified;
  let near = 0;
  for (let row = 0; row < count; row++) if (agreement[row]! >= least) near++;
  return near;
}

/**
 * The share of near pairs that the run found. `before`: near ones of the first round; `near`: of the pairs of the sample, row
 * by row. Null where no pair was skipped that could be near.
 */
export function recallEstimate(
  run: Run,
  { drawn, missing, chosen }: SkippedPairs,
  before: number,
  near: Uint8Array,
  verified: VerifiedPairs,
): Estimate | null {
  const lost = missingPairs({
    population: drawn.population,
    drawn: drawn.drawn,
    times: missing.map((row) => drawn.times[row]!),
    shared: missing.map((row) => drawn.shared[row]!),
    verified: chosen,
    near,
  });
  const inTheEnd = nearCount(verified, run);
  if (lost.upper <= near.reduce((sum, one) => sum + one, 0)) return null;
  return foundShare(before, inTheEnd, lost, surely(run.params, acceptedByThousandth(run.params, verified)));
}

/** How many accepted pairs have a similarity of so many thousandths, or of a part of the next; null: sets were not compared. */
export type Thousandths = Float64Array | null;

function acceptedByThousandth(params: ResultParams, { exact, accepted }: VerifiedPairs): Thousandths {
  if (exact === null) return null;
  const counts = new Float64Array(THOUSAND + 1);
  const { rows, jaccard, containmentAB, containmentBA } = exact;
  for (let i = 0; i < rows.length; i++) {
    if (accepted[rows[i]!] === 0) continue;
    counts[thousandthOf(params.measure, jaccard[i]!, containmentAB[i]!, containmentBA[i]!)]!++;
  }
  return counts;
}

/**
 * What share of pairs that are not skipped is found: of those in exact mode, whose similarities are known, on average. Of pairs
 * with the same sequence of words, which alone are counted by that method, it is all.
 *
 * Added up by thousandths: a sum in the order of pairs would be another one where pairs are in another order.
 */
export function surely(params: ResultParams, counts: Thousandths) {
  if (params.sketch.sketch === 'sswf') return { share: 1, least: 1 };
  const family = sketchFamilyOf(params);
  const { probabilityAtThreshold, agreementShare } = family.promise();
  const least = probabilityAtThreshold * (params.verify === 'signature' ? agreementShare : 1);
  if (counts === null) return { share: least, least };
  const curve = family.curve();
  // Each pair found stands for those as alike as it that were not.
  let [found, all] = [0, 0];
  for (let at = 0; at <= THOUSAND; at++) {
    if (counts[at] === 0) continue;
    found += counts[at]!;
    all += counts[at]! / Math.max(least, curve(at / THOUSAND));
  }
  return { share: found === 0 ? least : found / all, least };
}

/** Where in a list the pairs of another are, all of which it has. */
function placesIn(list: Pairs, some: Pairs): Uint32Array {
  const places = new Uint32Array(some.count);
  for (let i = 0, row = 0; i < some.count; i++) {
    while (list.a[row] !== some.a[i] || list.b[row] !== some.b[i]) row++;
    places[i] = row;
  }
  return places;
}
