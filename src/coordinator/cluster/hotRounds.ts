/** Rounds over hot buckets, as further jobs. */
import type { Estimate } from '../../sketch/probability.js';
import type { ComparedSets, Steps, Survivors } from './clusterRecipe.js';

export interface HotOutcome {
  /** Evidence of all rounds: names of datasets, no pair in two. */
  readonly evidence: readonly string[];
  /** By all of it. */
  readonly survivors: Survivors;
  readonly rounds: number;
  readonly keptUncompared: number;
  readonly pairsSkippedAtMost: number;
  readonly recall: Estimate | null;
}

/** @param hot datasets with records of kind `hot` and `head`; `made`: the pairs of the first round */
export async function hotRounds(
  _steps: Steps,
  _hot: readonly string[],
  _made: ComparedSets,
): Promise<HotOutcome> {
  throw new Error('not built');
}
