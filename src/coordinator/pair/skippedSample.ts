/**
 * Estimates the share of near pairs that a run finds although it skips pairs of hot buckets: a sample of the skipped pairs is
 * compared and verified, and the near pairs in the sample stand for those outside it.
 *
 * The sampled pairs are candidate pairs of the run like all others, and take part in its drop list. The mathematics is in
 * src/sketch/probability.ts.
 */

import { type DrawnPairs, drawnPairs, someRows } from '../../../reducers/drawnPairs.js';
import { countAccepted, type VerifiedPairs } from '../../../reducers/verifiedPairs.js';
import { countFrom, rowsFrom } from '../../arrays/chosenRows.js';
import type { Groups } from '../../arrays/groupCounts.js';
import { atOnce, type Stepwise } from '../../arrays/stepwise.js';
import { idHashes } from '../../blocks/ids.js';
import { NAMES } from '../../blocks/names.js';
import { type AgreeingPairs, type HotMembers, type Pairs, pairsAt } from '../../blocks/pairs.js';
import { leastNear, sketchFamilyOf } from '../../sketch/family.js';
import type { ResultParams } from '../../sketch/params.js';
import { type Estimate, foundShare, missingPairs } from '../../sketch/probability.js';
import { THOUSAND } from '../../sketch/similarity.js';
import { aheadOfLikely, PAIR_BYTES } from '../../store/budget.js';
import type { Run } from '../context.js';
import type { Corpus } from '../sketch/corpus.js';
import type { PairComparer } from './agreements.js';
import { forgetPairs, type StoredPairs, storePairs } from './pairLists.js';

/** Most pairs drawn: many, because hardly any of them is missing and near. */
const MOST_DRAWN = 1 << 17;
/** Most pairs verified: few, because each may cost reading two documents. */
const MOST_VERIFIED = 1 << 11;

/** Bytes of a pair while the sample is drawn. The bytes of a row of a hot bucket are taken elsewhere: rounds need as many. */
const DRAWN_BYTES = 40;

/** A sample of pairs of hot buckets: those missing in all rounds so far, and those chosen to be verified. */
export interface SkippedPairs {
  readonly drawn: DrawnPairs;
  /** Rows of `drawn` whose pairs no round has compared and can be near. */
  readonly missing: Uint32Array;
  /** By row of `pairs`: its position in `missing`. */
  readonly chosen: Uint32Array;
  readonly pairs: AgreeingPairs;
  /** All pairs of hot buckets were drawn, and all missing ones that can be near were chosen. */
  readonly isAll: boolean;
}

/** Most bytes that a sample will take; for runs that have hot buckets. */
export function aheadOfSample({ params }: Run): number {
  const compared = (DRAWN_BYTES + PAIR_BYTES) * MOST_DRAWN;
  return compared + aheadOfLikely(MOST_VERIFIED, params.verify === 'exact');
}

/** Draws a sample from the pairs of hot buckets. The sample does not depend on the results of the first round. */
export function drawnOf(
  { params }: Run,
  hot: readonly HotMembers[],
  documents: number,
  relies: Uint8Array | null,
  groups: Groups | null,
): Stepwise<DrawnPairs> {
  return drawnPairs(hot, documents, groups, relies, MOST_DRAWN, params.seed);
}

/** The 64-bit hashes of the ids of documents, low half first. */
export type IdHashes = (documents: Uint32Array) => Uint32Array;

export function idHashesOf({ params }: Run, { ids }: Corpus): IdHashes {
  return (documents) => idHashes(ids, documents, params.seed);
}

/**
 * Compares the drawn pairs, after the first round. `known`: all pairs of two members that rounds have compared or that passed the
 * rule.
 *
 * @throws MinHashError MEMORY_BUDGET
 */
export async function skippedPairs(
  run: Run,
  comparer: PairComparer,
  hashes: IdHashes,
  drawn: DrawnPairs,
  known: readonly StoredPairs[],
): Promise<SkippedPairs> {
  const bytes = DRAWN_BYTES * drawn.count;
  run.tables.take(`${drawn.count} skipped pairs of hot buckets`, bytes, () => aheadOfSample(run) - bytes);
  const list = storePairs(run, NAMES.known('skipped'), drawn);
  const compared = await comparer.compare([list], known);
  forgetPairs(run, [list]);
  const { turns } = run;
  const rows = await turns.through(rowsFrom(compared.agreement, compared.count, leastNear(run.params)));
  const found = await turns.through(pairsAt(compared, rows));
  const chosen = someRows(hashes(found.a), hashes(found.b), MOST_VERIFIED);
  run.tables.give(bytes + comparer.pairBytes * (compared.count - chosen.length));
  return {
    drawn,
    missing: placesIn(drawn, found),
    chosen,
    pairs: await turns.through(pairsAt(found, chosen)),
    isAll: drawn.population === drawn.drawn && chosen.length === found.count,
  };
}

/** By row of a list, 1: the pair is near: in exact mode it is accepted, else its agreement is at least that of a near pair. */
export function nearFlags(verified: VerifiedPairs, run: Run): Uint8Array {
  if (run.params.verify === 'exact') return verified.accepted.slice(0, verified.count);
  const least = leastNear(run.params);
  const { agreement, count } = verified;
  const near = new Uint8Array(count);
  for (let row = 0; row < count; row++) near[row] = agreement[row]! >= least ? 1 : 0;
  return near;
}

/** How many pairs of a list are near: the sum of `nearFlags`, without making them. */
export function nearCount(verified: VerifiedPairs, { params }: Run): number {
  const { agreement, count } = verified;
  return params.verify === 'exact'
    ? countAccepted(verified)
    : atOnce(countFrom(agreement, count, leastNear(params)));
}

/**
 * The estimated share of near pairs that the run found; null where no near pair can be missing beyond those of the sample.
 * `before`: number of near pairs of the first round; `near`: by pair of the sample, 1: near.
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
  return foundShare(before, inTheEnd, lost, surely(run.params, acceptedByThousandth(verified)));
}

/** By thousandth t: how many accepted pairs have a similarity in [t, t + 1) thousandths; null: sets were not compared. */
export type Thousandths = Float64Array | null;

function acceptedByThousandth({ exact, accepted }: VerifiedPairs): Thousandths {
  if (exact === null) return null;
  const counts = new Float64Array(THOUSAND + 1);
  const { rows, jaccard } = exact;
  for (let i = 0; i < rows.length; i++) {
    if (accepted[rows[i]!] === 0) continue;
    counts[Math.floor(jaccard[i]! * THOUSAND)]!++;
  }
  return counts;
}

/**
 * The share of near pairs that the sketches find where no pair is skipped. In exact mode similarities are known, and the share is
 * an average over the accepted pairs.
 *
 * The sum goes by thousandths, so that it does not depend on the order of pairs.
 */
function surely(params: ResultParams, counts: Thousandths) {
  const family = sketchFamilyOf(params);
  const { probabilityAtThreshold, agreementShare } = family.promise();
  const least = probabilityAtThreshold * (params.verify === 'signature' ? agreementShare : 1);
  if (counts === null) return { share: least, least };
  const curve = family.curve();
  // Each found pair of probability p stands for 1 / p near pairs.
  let [found, all] = [0, 0];
  for (let at = 0; at <= THOUSAND; at++) {
    if (counts[at] === 0) continue;
    found += counts[at]!;
    all += counts[at]! / Math.max(least, curve(at / THOUSAND));
  }
  return { share: found === 0 ? least : found / all, least };
}

/** The rows of `list` that hold the pairs of `some`. Both are sorted, and `list` has every pair of `some`. */
function placesIn(list: Pairs, some: Pairs): Uint32Array {
  const places = new Uint32Array(some.count);
  for (let i = 0, row = 0; i < some.count; i++) {
    while (list.a[row] !== some.a[i] || list.b[row] !== some.b[i]) row++;
    places[i] = row;
  }
  return places;
}
