/**
 * Rounds over hot buckets, as further jobs: src/coordinator/pair/rounds.ts for engines that sort.
 *
 * The jobs, besides those of `RoundSteps`: once the jobs of hotSample.ts; then, in every round, those of the table, a comparison,
 * and a new drop list. A document leans on the earlier kept documents that it is near to.
 *
 *      job             inputs                    output
 *      keptMembers     hot, dropped, evidence    members of hot buckets, kept or not; pairs the round before accepted
 *      memberPairs     keptMembers               pairs of kept members by the rule for the present sizes of buckets
 *      freshPairs      memberPairs, dropped,     pairs that no round had; documents that lean on the second one of a pair
 *                      all evidence
 *      leads, risks,   freshPairs, classes,      the same leaning documents, where documents survive in another order than
 *      leanings        steps, dropped            that of places
 *      dependents      freshPairs, keptMembers   members that lean on such documents alone; only where a document leans
 *      dependentPairs  memberPairs, dependents   each with the first kept member of its bucket; only where there are some
 *
 * `keptMembers` runs once more at the end; where pairs were skipped, follow
 *
 *      keptSizes       keptMembers               the hot buckets of kept members, with their sizes
 *      sharing         keptSizes, all evidence   the hot buckets of a document, for all it was compared with
 *      uncompared      sharing                   how many members were not compared with a whole bucket
 *
 * or, of samples
 *
 *      hotDocuments    keptMembers, of round 1   how many pairs of all members are in question
 *      unpaired        memberPairs, keptMembers  the kept members of fingerprints that were not paired all with all
 *      hotDocuments    unpaired                  how many they are
 *
 * and in exact mode, where the recall is estimated, `likeness`: accepted pairs by thousandths of similarity.
 */

import { pairsInQuestion } from '../../../../reducers/drawnPairs.js';
import { MOST_ROUNDS } from '../../../../reducers/hotPairs.js';
import { isSample } from '../../../sketch/params.js';
import { type Estimate, foundShare, missingPairs } from '../../../sketch/probability.js';
import { THOUSAND } from '../../../sketch/similarity.js';
import { KIND, KINDS } from '../../../tasks/stream/kinds.js';
import { u32At, u64At } from '../../../tasks/stream/records.js';
import { surely } from '../../pair/skippedSample.js';
import { type JobDone, sumOf } from '../jobs.js';
import type { RoundSteps, Survivors } from '../roundSteps.js';
import { type HotSample, hotSample } from './hotSample.js';

export interface HotOutcome {
  /** How many buckets are hot. */
  readonly buckets: number;
  /** Evidence of all rounds: names of datasets, no pair in two. */
  readonly evidence: readonly string[];
  readonly survivors: Survivors;
  readonly rounds: number;
  readonly keptUncompared: number;
  /**
   * Pairs that hot buckets skipped, each counted in every bucket; the result reports at most the number of pairs not
   * compared.
   */
  readonly pairsSkippedAtMost: number;
  readonly recall: Estimate | null;
}

export interface FoundPairs {
  /** Datasets of the pairs with their evidence. */
  readonly evidence: readonly string[];
  /** Most documents of a bucket that was paired all with all; null: there were no buckets. */
  readonly hotBucket: number | null;
  /** Null: no bucket was hot. */
  readonly hot: HotOutcome | null;
  /** By number of matching slots: the candidate pairs that are only counted; null: there are none. */
  readonly unlisted: Float64Array | null;
}

interface RoundState {
  readonly evidence: readonly string[];
  readonly survivors: Survivors;
  /** Members of hot buckets, kept or not by `survivors`. */
  readonly members: JobDone;
}

interface RoundPairs {
  /** The dataset of the pairs of kept members, known or not, with the heads of their buckets. */
  readonly paired: string;
  /** Null: no pair is new. */
  readonly compared: readonly string[] | null;
}

/** @param hot datasets with records of kind `hot` and `head`; `made`: the pairs of the first round */
export async function hotRounds(
  steps: RoundSteps,
  hot: readonly string[],
  made: readonly string[],
): Promise<HotOutcome> {
  const sample = await hotSample(steps, hot, made);
  let state = await stateAfter(steps, 1, hot, made, sample.evidence);
  const near = sumOf(state.members, 'near');
  const { jobs, params, withdrawing } = steps;
  const withdrawals = withdrawing.ranks.size;
  const isSampled = isSample(params.sketch);
  let [rounds, nearInTheEnd, paired] = [1, near, hot[0]!];
  const skipped = sample.isAll ? 0 : await skippedAtMost(steps, sample, state.members);
  while (sumOf(state.members, 'accepted') > 0 && rounds < MOST_ROUNDS) {
    const found = await nextRound(steps, rounds + 1, state);
    ({ paired } = found);
    const { compared } = found;
    if (compared === null) break;
    rounds++;
    state = await stateAfter(steps, rounds, [state.members.name], state.evidence, compared);
    nearInTheEnd += sumOf(state.members, 'near');
  }
  const { evidence, survivors } = state;
  const inTheEnd =
    withdrawing.ranks.size === withdrawals
      ? nearInTheEnd
      : sumOf(await jobs.run('remaining', evidence, { label: 'near' }), 'near');
  return {
    ...{ evidence, survivors, rounds, buckets: sample.buckets },
    keptUncompared: sample.isAll ? 0 : await keptUncompared(steps, state, isSampled ? paired : null),
    pairsSkippedAtMost: skipped,
    recall: await recallEstimate(steps, sample, near - nearOf(sample), inTheEnd, evidence),
  };
}

const nearOf = ({ near }: HotSample): number => near.reduce((sum, one) => sum + one, 0);

/**
 * The drop list by the evidence of all rounds, and which members it keeps. `before`: the evidence of earlier rounds; `more`: of
 * this one. Near and accepted pairs of `more` are counted, and in the first round those of `before` with them.
 */
async function stateAfter(
  steps: RoundSteps,
  round: number,
  members: readonly string[],
  before: readonly string[],
  more: readonly string[],
): Promise<RoundState> {
  const label = `round-${round}`;
  const { jobs, withdrawing } = steps;
  const evidence = [...(await withdrawing.current(label, before)), ...more];
  const survivors = await steps.survivors(label, evidence);
  const counted = round === 1 ? evidence : more;
  // The classes say in which order documents survive.
  const ordered = jobs.manifest.hasOrder ? [withdrawing.classed.name] : [];
  const inputs = [...members, survivors.drops.name, ...ordered, ...counted];
  return { evidence, survivors, members: await jobs.run('keptMembers', inputs, { label }) };
}

/** The most pairs that hot buckets skip: of samples, no more than all documents of hot fingerprints have in question. */
async function skippedAtMost(
  { jobs, params }: RoundSteps,
  { skipped }: HotSample,
  members: JobDone,
): Promise<number> {
  if (!isSample(params.sketch)) return skipped;
  const counted = await jobs.run('hotDocuments', [members.name]);
  const asked = pairsInQuestion(sumOf(counted, 'hot documents'), sumOf(counted, 'relying hot documents'));
  return Math.min(skipped, asked - sumOf(counted, 'pairs within groups'));
}

/**
 * Compares the pairs of kept members of hot buckets. Of hot fingerprints, samples are compared first, for a pair that does not pass
 * the rule is none.
 */
async function nextRound(steps: RoundSteps, round: number, state: RoundState): Promise<RoundPairs> {
  const { jobs } = steps;
  const { evidence, survivors, members } = state;
  const label = `round-${round}`;
  const paired = await jobs.run('memberPairs', [members.name], { label });
  const compared = isSample(steps.params.sketch) ? [await steps.agree(label, [paired.name], evidence)] : null;
  const made = compared === null ? paired : await jobs.run('passing', compared, { label });
  const fresh = await jobs.run('freshPairs', [made.name, survivors.drops.name, ...evidence], { label });
  if (sumOf(fresh, 'new pairs') === 0) return { paired: paired.name, compared: null };
  const leaning = jobs.manifest.hasOrder ? await leanings(steps, label, fresh, survivors) : fresh;
  const more = await dependentPairs(steps, label, { members, paired, leaning });
  if (compared !== null) {
    if (more !== null)
      compared.push(await steps.agree(`${label}-dependent`, [more], [...evidence, ...compared]));
    return { paired: paired.name, compared: await steps.verify(label, compared) };
  }
  // freshPairs has left out all known pairs; dependentPairs has not.
  const asked = more === null ? [fresh.name] : [fresh.name, more];
  return {
    paired: paired.name,
    compared: await steps.compare(label, asked, more === null ? [] : evidence),
  };
}

/** Which document leans on which, by the order of survivors. */
async function leanings(
  { jobs, withdrawing }: RoundSteps,
  label: string,
  fresh: JobDone,
  { steps, drops }: Survivors,
): Promise<JobDone> {
  const classes = withdrawing.classed.name;
  const led = await jobs.run('leads', [classes, fresh.name], { label: `${label}-new` });
  const risks = await jobs.run('risks', [classes, led.name], { label });
  return jobs.run('leanings', [risks.name, steps.name, drops.name], { label });
}

/** Pairs of the documents that lean only on members at risk; null: there are none. */
async function dependentPairs(
  { jobs }: RoundSteps,
  label: string,
  {
    members,
    paired,
    leaning,
  }: { readonly members: JobDone; readonly paired: JobDone; readonly leaning: JobDone },
): Promise<string | null> {
  if (sumOf(leaning, 'leaning') === 0) return null;
  const found = await jobs.run('dependents', [leaning.name, members.name], { label });
  if (sumOf(found, 'dependent members') === 0) return null;
  const pairs = await jobs.run('dependentPairs', [paired.name, found.name], { label });
  return sumOf(pairs, 'dependent pairs') === 0 ? null : pairs.name;
}

/** @param paired of samples: the dataset of the last pairing of members; else null */
async function keptUncompared(
  { jobs }: RoundSteps,
  { members, evidence }: RoundState,
  paired: string | null,
): Promise<number> {
  if (paired !== null) {
    const left = await jobs.run('unpaired', [paired, members.name]);
    return sumOf(await jobs.run('hotDocuments', [left.name], { label: 'unpaired' }), 'hot documents');
  }
  const sizes = await jobs.run('keptSizes', [members.name]);
  const shared = await jobs.run('sharing', [sizes.name, ...evidence]);
  return sumOf(await jobs.run('uncompared', [shared.name]), 'kept uncompared');
}

/**
 * The estimated share of near pairs that the run found; null where no near pair can be missing beyond those of the sample, or where
 * documents of the sample changed.
 */
async function recallEstimate(
  steps: RoundSteps,
  sample: HotSample,
  before: number,
  inTheEnd: number,
  evidence: readonly string[],
): Promise<Estimate | null> {
  const lost = missingPairs(sample);
  if (sample.areVoid || lost.upper <= nearOf(sample)) return null;
  const { params } = steps;
  const counts = params.verify === 'exact' ? await likenessOf(steps, evidence) : null;
  return foundShare(before, inTheEnd, lost, surely(params, counts));
}

/** By thousandth of similarity: the number of accepted pairs. */
async function likenessOf({ jobs }: RoundSteps, evidence: readonly string[]): Promise<Float64Array> {
  const counts = new Float64Array(THOUSAND + 1);
  const { name } = await jobs.run('likeness', evidence, { reducers: 'one' });
  await jobs.each(name, KINDS.likeness, (key, value) => {
    counts[u32At(key, KIND)]! += u64At(value, 0);
  });
  return counts;
}
