/**
 * The recipe of a run on an engine that sorts: which job follows which.
 *
 * The same answer as that of worker threads: the same mappers and reducers, over records that the engine brings together. Nothing
 * here has an entry a document or a pair: the recipe reads facts, and at the end the rows of the result as they come.
 */
import type { ResultParams } from '../../sketch/params.js';
import type { Done, Jobs } from './jobs.js';

/** Evidence of pairs: names of datasets, no pair in two. */
export interface ComparedSets {
  readonly names: readonly string[];
}

/** The pieces that rounds over hot buckets use again. */
export interface Steps {
  readonly jobs: Jobs;
  readonly params: ResultParams;
  /** The job whose output has documents, signatures and members. */
  readonly classes: string;
  /**
   * Compares pairs, but those of `known`, and verifies them.
   *
   * @param pairs datasets with records of kind `pair`
   * @param known datasets with records of kind `compared`
   */
  compare(label: string, pairs: readonly string[], known: readonly string[]): Promise<ComparedSets>;
  /** What the drop list is by the evidence so far: a dataset with `dropped`, `node`s and facts. */
  survivors(label: string, evidence: readonly string[]): Promise<Survivors>;
}

export interface Survivors {
  /** Has records of kind `step` and `node`. */
  readonly steps: string;
  /** Has records of kind `dropped`. */
  readonly drops: Done;
}

export function stepsOf(jobs: Jobs, params: ResultParams, classes: string): Steps {
  const compare: Steps['compare'] = async (label, pairs, known) => {
    const lefts = await jobs.run('lefts', [classes, ...pairs, ...known], { label });
    const rights = await jobs.run('rights', [classes, lefts.name], { label });
    if (params.verify !== 'exact') return { names: [rights.name] };
    return { names: [rights.name, ...(await exactly(jobs, label, rights.name))] };
  };
  const survivors: Steps['survivors'] = async (label, evidence) => {
    const labels = await componentLabels(jobs, label, evidence);
    const steps = await jobs.run('steps', [classes, labels, ...evidence], { label });
    const drops = await jobs.run('drops', [steps.name], { label });
    return { steps: steps.name, drops };
  };
  return { jobs, params, classes, compare, survivors };
}
