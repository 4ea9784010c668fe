/** A stage: the Map and Reduce of one kind of job on an engine that sorts. Both turn records into records and count facts. */
import type { Kernel } from '../../kernel/kernel.js';
import { KIND } from './kinds.js';
import { type CorpusSource, FieldWriter, type StageSink, type StageSource } from './records.js';
import type { TaskManifest } from './taskManifest.js';

/**
 * Counts of a stage. `add` sums a count over all tasks of a job, `most` keeps the largest; the sums are known when the job
 * ends, both at the end of the run.
 */
export interface StageFacts {
  add(name: string, count: number): void;
  most(name: string, value: number): void;
}

/** What a stage may use while it runs. */
export interface StagePlace {
  readonly manifest: TaskManifest;
  readonly kernel: Kernel;
  readonly facts: StageFacts;
  /** At most `length` bytes of a side file of the manifest, from offset `from`. */
  side(name: string, from: number, length: number): Uint8Array;
}

/**
 * A kind of job. Its Map reads records in any order, or rows of the corpus; its Reduce reads the outputs of Map in the order of
 * their keys: all keys with the same first `prefix` bytes reach one task.
 *
 * A stage holds at most a stated number of records of a group in memory: groups are of any size.
 */
export interface StreamStage {
  readonly reads: 'corpus' | 'records';
  /** The kinds of records that Map reads; an engine that knows the kinds leaves others out. Default: all. */
  readonly kinds?: readonly number[];
  /** The fields by which the outputs of Map are grouped, as in the table of tasks. Empty: the stage has no Reduce. */
  readonly shuffles: readonly string[];
  /** Length of these fields in the key, in bytes; 0: the stage has no Reduce. */
  readonly prefix: number;
  /**
   * Makes the shuffled records rows: keys of this many bytes, whose value is PRESENT. Map and Reduce may pass on many at once,
   * at a tenth of the cost of single records. Default, and 0: records of any length.
   */
  row?(manifest: TaskManifest): number;
  /**
   * Of a row whose first `prefix` bytes no other row has, Reduce makes nothing: an engine may leave it out. Their last four bytes are of
   * a hash. Default: false.
   */
  readonly recurring?: true;
  map(input: StageSource & CorpusSource, out: StageSink, here: StagePlace): void;
  /** Null: the output of Map is the output of the job. */
  readonly reduce: ((input: StageSource, out: StageSink, here: StagePlace) => void) | null;
}

/** A Map that passes records of one kind on, under their keys without the kind. */
export function withoutKind(kind: number): StreamStage['map'] {
  return (input, out) => {
    while (input.next()) if (input.key[0] === kind) out.put(input.key.subarray(KIND), input.value);
  };
}

/** The same of several kinds, by kind the tag that goes behind the first `field` bytes of the key. */
export function withTags(field: number, tags: Readonly<Record<number, number>>): StreamStage['map'] {
  return (input, out) => {
    const keys = new FieldWriter();
    while (input.next()) {
      const tag = tags[input.key[0]!];
      if (tag !== undefined) out.put(keys.tagged(input.key, field, tag).view, input.value);
    }
  };
}
