/** The steps of the recipe that rounds over hot buckets repeat. */
import type { ResultParams } from '../../../sketch/params.js';
import type { JobDone, Jobs } from '../jobs.js';
import type { Withdrawing } from '../withdrawing.js';

/** Evidence of pairs: names of datasets, no pair in two. */
export interface ComparedSets {
  readonly names: readonly string[];
}

export interface RoundSteps {
  readonly jobs: Jobs;
  readonly params: ResultParams;
  /** The documents and their identity classes, without those that are withdrawn so far. */
  readonly withdrawing: Withdrawing;
  /** The job whose output has the signatures. */
  readonly signatures: string;
  /**
   * Compares the sketches of pairs that are not in `known`: returns a dataset with records of kind `compared`. Of samples, pairs that
   * do not pass the rule of candidates are left out, unless `areAll`.
   *
   * @param pairs datasets with records of kind `pair`
   * @param known datasets with records of kind `compared`
   */
  agree(label: string, pairs: readonly string[], known: readonly string[], areAll?: boolean): Promise<string>;
  /** Verifies the pairs of datasets with records of kind `compared`. */
  verify(label: string, compared: readonly string[]): Promise<ComparedSets>;
  /** Compares the sketches of pairs, and verifies the pairs. `compared`: datasets of others that are to be verified with them. */
  compare(
    label: string,
    pairs: readonly string[],
    known: readonly string[],
    compared?: readonly string[],
  ): Promise<ComparedSets>;
  /** The drop list by the evidence so far. */
  survivors(label: string, evidence: readonly string[]): Promise<Survivors>;
}

export interface Survivors {
  /** Its dataset has records of kinds `step` and `node`. */
  readonly steps: JobDone;
  /** Its dataset has records of kind `dropped`. */
  readonly drops: JobDone;
}
