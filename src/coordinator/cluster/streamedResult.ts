/** The ordered records of a run on an engine that sorts -> the tables of the result, in one pass and bounded memory. */
import type { ClusterEngine } from '../../engines/cluster/job.js';
import type { ManifestFacts, ReadAs } from '../../output/manifest.js';
import type { Inputs } from '../../readers/list/inputs.js';
import type { ResultParams } from '../../sketch/params.js';
import type { ClusterOutcome } from './clusterRecipe.js';

/** What a result is written from. */
export interface StreamedRun {
  readonly engine: Pick<ClusterEngine, 'read'>;
  readonly params: ResultParams;
  readonly outcome: ClusterOutcome;
  /** `files` in the order of the manifest of jobs: the index is the number of a file. `skipped`: what was not even read. */
  readonly inputs: Pick<Inputs, 'files' | 'links' | 'skipped'>;
  /** Where the tables are written: the folders of parts are there. */
  readonly root: string;
  /** Told now and then how many documents are written. */
  onDocuments?(written: number): void;
}

/** What was written, and is known of it. */
export interface StreamedResult {
  /** Of the manifest. */
  readonly facts: Omit<ManifestFacts, 'version'>;
  readonly readAs: ReadAs | null;
  readonly textBytes: number;
  /** Some record names its id. */
  readonly hasNamedIds: boolean;
  /** By job: what its tasks counted. */
  readonly jobs: ReadonlyMap<
    string,
    { readonly tasks: number; readonly sums: Readonly<Record<string, number>> }
  >;
}

/** @throws MinHashError WRITE_FAILED, DISK_FULL; COUNTS_UNBALANCED where the counts do not fit each other: our own defect */
export async function streamedResult(_run: StreamedRun): Promise<StreamedResult> {
  throw new Error('not built');
}
