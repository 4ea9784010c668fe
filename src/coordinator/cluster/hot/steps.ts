/** The pieces of the recipe that rounds over hot buckets use again. */
import type { ResultParams } from '../../../sketch/params.js';
import type { JobDone, Jobs } from '../jobs.js';

/** Evidence of pairs: names of datasets, no pair in two. */
export interface ComparedSets {
  readonly names: readonly string[];
}

/** The pieces that rounds over hot buckets use again. */
export interface RoundSteps {
  readonly jobs: Jobs;
  readonly params: ResultParams;
  /** The job whose output has documents, signatures and members. */
  readonly classes: string;
  /**
   * Compares the signatures of pairs, but those of `known`: gives a dataset with records of kind `compared`.
   *
   * @param pairs datasets with records of kind `pair`
   * @param known datasets with records of kind `compared`
   */
  agree(label: string, pairs: readonly string[], known: readonly string[]): Promise<string>;
  /** Verifies the pairs of a dataset with records of kind `compared`. */
  verify(label: string, compared: string): Promise<ComparedSets>;
  /** Both. */
  compare(label: string, pairs: readonly string[], known: readonly string[]): Promise<ComparedSets>;
  /** What the drop list is by the evidence so far: a dataset with `dropped`, `node`s and facts. */
  survivors(label: string, evidence: readonly string[]): Promise<Survivors>;
}

export interface Survivors {
  /** Has records of kind `step` and `node`. */
  readonly steps: JobDone;
  /** Has records of kind `dropped`. */
  readonly drops: JobDone;
}
