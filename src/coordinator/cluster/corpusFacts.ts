/** What the recipe learns of the corpus before documents have their order: splits, what was skipped, and cut points of ids. */
import type { SkipList } from '../sketch/corpus.js';
import type { Done, Jobs } from './jobs.js';

export interface CorpusFacts {
  /** Documents read. */
  readonly documents: number;
  readonly skipped: SkipList;
  /** Records that were passed over, by PASSED_OVER. */
  readonly passedOver: readonly number[];
  /** Of those read: named by their place, because another record has the same id. */
  readonly repeatedIds: number;
}

/** Reads the output of the stage `facts`; later jobs know the splits and the cut points. */
export async function gatherFacts(_jobs: Jobs, _facts: Done): Promise<CorpusFacts> {
  throw new Error('not built');
}

/** Gives documents their order, again where ids repeat; returns the job whose output has records of kind `ranked`. */
export async function learnedOrder(_jobs: Jobs, _sketched: string, _corpus: CorpusFacts): Promise<Done> {
  throw new Error('not built');
}
