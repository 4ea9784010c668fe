/**
 * What a Map or Reduce task on an engine that sorts is: records in, records out, and counts that are facts of the run.
 */
import type { Kernel } from '../../kernel/kernel.js';
import type { ResultParams } from '../../sketch/params.js';
import type { CorpusSource, StageSink, StageSource } from './records.js';
import type { TaskManifest } from './taskManifest.js';

/**
 * What a stage counts. Counts of all tasks of a job are added up, or the largest is taken; the sums are known when the job
 * ends, and both at the end of the run.
 */
export interface StageFacts {
  add(name: string, count: number): void;
  most(name: string, value: number): void;
}

/** What a stage may touch while it runs. */
export interface StagePlace {
  readonly manifest: TaskManifest;
  readonly kernel: Kernel;
  readonly facts: StageFacts;
  /** The bytes of a side file of the manifest, from `from` on. */
  side(name: string, from: number, length: number): Uint8Array;
}

/**
 * A kind of job. Its Map reads records of any order, or rows of the corpus; its Reduce reads the outputs of Map in the order of
 * their keys: all keys that share their first `prefix` bytes come to one task.
 *
 * A stage holds a group of records only up to a bound that it states: groups are of any size.
 */
export interface StreamStage {
  readonly reads: 'corpus' | 'records';
  /** The kinds of records that its Map reads; an engine that knows the kinds leaves others out. Default: all. */
  readonly kinds?: readonly number[];
  /** By what its outputs are brought together, in words: as in the table of tasks. Empty: it has no Reduce. */
  readonly shuffles: readonly string[];
  /** Bytes of the key that these are; 0: it has no Reduce. */
  readonly prefix: number;
  /**
   * What is brought together are rows: keys of so many bytes, whose value is ROW_VALUE. Map and Reduce may hand on many at once, which
   * costs a tenth of what records cost that are handed on one by one. Default: records of any length.
   */
  row?(params: ResultParams): number;
  map(input: StageSource & CorpusSource, out: StageSink, here: StagePlace): void;
  /** Null: what Map gives is the output. */
  readonly reduce: ((input: StageSource, out: StageSink, here: StagePlace) => void) | null;
}
