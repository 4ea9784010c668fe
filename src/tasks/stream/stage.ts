/** A stage: the Map and Reduce of one kind of job on an engine that sorts. Both turn records into records and count facts. */
import type { Kernel } from '../../kernel/kernel.js';
import { KIND } from './kinds.js';
import {
  type CorpusSource,
  FieldWriter,
  type RecordSource,
  type StageSink,
  type StageSource,
} from './records.js';
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
  /** The kinds of records that Map is given, of all in its inputs; null: it reads rows of the corpus. */
  readonly kinds: readonly number[] | null;
  /** The fields by which the outputs of Map are grouped, for `--dry-run`. */
  readonly shuffles: readonly string[];
  /** Length of these fields in the key, in bytes. */
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

/** A stage whose Map makes its output. */
export const MAP_ONLY: Pick<StreamStage, 'shuffles' | 'prefix' | 'reduce'> = {
  shuffles: [],
  prefix: 0,
  reduce: null,
};

/** What a Map makes of a record. */
type Route = (record: RecordSource, out: StageSink, here: StagePlace) => void;

/** A Map that makes each kind of records into others. */
export function mapOf(routes: Readonly<Record<number, Route>>): Pick<StreamStage, 'kinds' | 'map'> {
  return {
    kinds: Object.keys(routes).map(Number),
    map(input, out, here) {
      while (input.next()) routes[input.key[0]!]!(input, out, here);
    },
  };
}

/** Passes a record on as it is. */
export const unchanged: Route = ({ key, value }, out) => out.put(key, value);

/** Passes a record on under its key without the kind. */
export const withoutKind: Route = ({ key, value }, out) => out.put(key.subarray(KIND), value);

/** The same, with a tag behind the first `field` bytes of the key. */
export function tagged(field: number, tag: number): Route {
  return ({ key, value }, out) => {
    out.key.tagged(key, field, tag);
    out.write(value);
  };
}

/** The same, where the first `field` bytes go behind the rest of the key and the tag. */
export function turned(field: number, tag: number): Route {
  return ({ key, value }, out) => {
    out.key.turned(key, field, tag);
    out.write(value);
  };
}

/**
 * A Reduce that joins the records of a group with one of them, whose tag, behind the first `field` bytes of keys, is 0, and which so
 * comes first. `held`: its value; empty: the group has none.
 */
export function joined(
  field: number,
  join: (held: Uint8Array, input: StageSource, out: StageSink, here: StagePlace) => void,
): NonNullable<StreamStage['reduce']> {
  return (input, out, here) => {
    const held = new FieldWriter();
    while (input.group()) {
      held.reset();
      while (input.each()) {
        if (input.key[field] === 0) held.reset().raw(input.value);
        else join(held.view, input, out, here);
      }
    }
  };
}
