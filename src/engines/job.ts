/**
 * A job: one stage over datasets, as the recipe asks an engine that sorts for it.
 */
import type { StageName } from '../tasks/stream/stages.js';
import type { SealedManifest } from '../tasks/stream/taskManifest.js';

/** One Map and Reduce over whole datasets. */
export interface Job {
  /** Distinct in a run; begins with a number, so that folders are in the order of jobs: `05-bands`. */
  readonly name: string;
  readonly stage: StageName;
  /** Names of the jobs whose outputs it reads; of a stage that reads the corpus: none. */
  readonly inputs: readonly string[];
  /** `one`: one Reduce task sees everything. */
  readonly reducers: 'many' | 'one';
  /** Its output is read in the order of keys, whose first four bytes are a route of the manifest: range after range. */
  readonly ordered?: boolean;
  readonly manifest: SealedManifest;
}

/** What came of a job: what its tasks added up. */
export interface JobFacts {
  readonly sums: Readonly<Record<string, number>>;
  /** It was whole from an earlier attempt, and did not run. */
  readonly isKept?: true;
}

/** A record of a dataset that the recipe itself reads; its own memory. */
export type DatasetRecord = readonly [key: Uint8Array, value: Uint8Array];

/** An engine that sorts: this machine's disk, Hadoop, Spark, or a process of a test. */
export interface SortingEngine {
  /**
   * Runs a job, unless its output is there and whole from an earlier attempt with the same manifest.
   *
   * @throws MinHashError JOB_FAILED, JOB_COUNTS
   */
  run(job: Job): Promise<JobFacts>;
  /** The records of the output of a job, of an ordered one in the order of their keys; of facts, too. */
  read(job: string): AsyncIterable<DatasetRecord>;
  /** Makes a dataset of the recipe's own, under the name of a job. */
  write(name: string, records: AsyncIterable<DatasetRecord> | Iterable<DatasetRecord>): Promise<void>;
  /** Makes a file that tasks of later jobs find as a side file; returns the name by which manifests know it. */
  side(name: string, bytes: Uint8Array): Promise<string>;
  /** Its tasks read splits that it counts itself, whole or not at all: records need not tell what was read of a file. */
  readonly countsSplits?: true;
  /** The routes of so many ranges, where the engine has an opinion: ascending, and such that ordered outputs are in their order. */
  routes?(ranges: number): readonly number[];
}
