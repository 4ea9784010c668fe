/** A job: one stage over datasets, which the recipe has an engine that sorts run. */

import type { RecordSource } from '../tasks/stream/records.js';
import type { StageName } from '../tasks/stream/stages.js';
import type { SealedManifest } from '../tasks/stream/taskManifest.js';

/** One Map and Reduce over whole datasets. */
export interface Job {
  /** Unique in a run; begins with a number, so that folders are in the order of jobs: `05-bands`. */
  readonly name: string;
  readonly stage: StageName;
  /** Names of the jobs whose outputs the job reads; none for a stage that reads the corpus. */
  readonly inputs: readonly string[];
  /** `one`: a single Reduce task reads all records. */
  readonly reducers: 'many' | 'one';
  /** The recipe reads the output in the order of keys, whose first four bytes are a route of the manifest: range after range. */
  readonly ordered?: boolean;
  readonly manifest: SealedManifest;
}

/** The result of a job: the sums of its tasks' counts. */
export interface JobFacts {
  readonly sums: Readonly<Record<string, number>>;
  /** The job did not run: its output was whole from an earlier attempt. */
  readonly isKept?: true;
}

/** A record of a dataset that the recipe itself writes. */
export type DatasetRecord = readonly [key: Uint8Array, value: Uint8Array];

/** An engine that sorts: this machine's disk, Hadoop, Spark, or a process of a test. */
export interface SortingEngine {
  /**
   * Runs a job, unless its output is whole from an earlier attempt with the same manifest.
   *
   * @throws MinHashError JOB_FAILED, JOB_COUNTS
   */
  run(job: Job): Promise<JobFacts>;
  /**
   * The records of a job's output, facts too, some at a time: to wait for each costs more than to read it. Those of an ordered job
   * come in the order of their keys. `kind`: only those of it, of a job that is not ordered.
   */
  read(job: string, kind?: number): AsyncIterable<RecordSource>;
  /** Writes a dataset of the recipe's own, under the name of a job. */
  write(name: string, records: AsyncIterable<DatasetRecord> | Iterable<DatasetRecord>): Promise<void>;
  /** Writes a side file for the tasks of later jobs; returns its name in manifests. */
  side(name: string, bytes: Uint8Array): Promise<string>;
  /**
   * The engine itself counts the splits that its tasks read, each whole or not at all: the recipe need not check the records for
   * gaps.
   */
  readonly countsSplits?: true;
  /** The records of each kind that a stage without a Reduce makes of the corpus are read in the order of the corpus. */
  readonly keepsOrder?: boolean;
  /** The routes of so many ranges, where the engine chooses them: ascending, and such that ordered outputs are in order. */
  routes?(ranges: number): readonly number[];
}
