/**
 * What a Map or Reduce task is: parameters in, blocks by name, a small report out.
 *
 * Types only. The coordinator plans tasks and joins the names of their blocks; an engine runs them, on this thread or on
 * a worker; `table.ts` says what each kind does. Parameters and reports are JSON, data travel as blocks.
 */
import type { BlockBuffer } from '../blocks/block.js';
import type { BlockFamily, ONE } from '../blocks/names.js';
import type { FamilyName } from '../sketch/family.js';
import type { ResultParams } from '../sketch/params.js';
import type { RecordRoom } from '../store/budget.js';
import type { Keep } from '../store/store.js';

/** One Map or Reduce task, as data. */
export interface Task {
  /** A key of the table of tasks. */
  readonly kind: string;
  /** What the task is about, for messages: "file.jsonl bytes 0..4194304", "band 3". */
  readonly label: string;
  /** JSON. */
  readonly params: unknown;
  /** Blocks the task reads. */
  readonly inputs: readonly string[];
  /** How the store keeps the blocks that the task writes, by the first part of their names; default `memory`. */
  readonly keep?: Readonly<Record<string, Keep>>;
}

/** What a task may touch while it runs. */
export interface Workplace {
  readonly task: Task;
  /** The parameters of the run, given once per worker. JSON. */
  readonly setup: unknown;
  /**
   * The block of an input, to be read only: it may be shared with other threads. Only one that the task itself calls
   * spent may be written over, and handed over again under another name. One that is on disk is read anew at every
   * call.
   *
   * @throws Error when the task does not list the input: our own defect
   */
  input(name: string): BlockBuffer;
  /**
   * The same, for a block that is looked at only until the next one is: blocks on disk are read one after the other into
   * the same memory. The view ends at the block; bytes after it in the buffer are undefined.
   */
  glance(name: string): BlockBuffer;
  /**
   * Hands over a block; the task must not touch an ArrayBuffer afterwards, it is moved and not copied. It must be a
   * whole buffer of its own, never the memory of a WebAssembly instance, which cannot be moved.
   *
   * @throws Error when the name was used before in this task, or when it is no buffer: our own defect
   */
  output(name: string, buffer: BlockBuffer): void;
  /**
   * Says that the task gets on: a task that is silent for too long counts as hung. Costs next to nothing.
   *
   * @param place number of the record that is at work from now on, from 1, or 0 for none; where a task failed twice it
   *   tells the coordinator of which record
   */
  progress(place?: number): void;
  /** Tells of bytes of buffers that the task no longer holds and did not hand over: where memory is short they are collected. */
  released(bytes: number): void;
  /** Lives as long as the worker: kernels, tables. Begins with the entries of the engine's `workerData`. */
  readonly scratch: Map<string, unknown>;
}

/** What one kind of task does with parameters P; its report R goes back to the coordinator. Both are JSON. */
export interface TaskKind<P, R> {
  /** By family of blocks it writes: what their rows are brought together by before the next Reduce. Absent: nothing is. */
  readonly shuffles?: Readonly<Partial<Record<BlockFamily, readonly string[]>>>;
  work(params: P, here: Workplace): R | Promise<R>;
}

/** A kind of the run's own table: what the plan of a run and its blocks say of it. */
export interface PlannedKind<P, R> extends TaskKind<P, R> {
  /** The blocks it may read. */
  readonly reads: readonly BlockName[];
  /** The blocks it may write. */
  readonly writes: readonly BlockFamily[];
  planned(run: PlannedRun): PlannedTasks;
}

/** A family of blocks, or the only one of its name. */
export type BlockName = BlockFamily | keyof typeof ONE;

/** What of a run is known before it reads anything. */
export interface PlannedRun {
  readonly params: ResultParams;
  /** How the inputs become column blocks: keys of documents alone, signatures at once, in row chunks, or lines of sets. */
  readonly reads: 'keys' | 'whole' | 'row chunks' | 'sets';
  /** Sketches that are compared; null: only identical documents are looked for. */
  readonly compared: FamilyName | null;
  /** Column blocks. */
  readonly blocks: number | 'later';
  /** Files that may be one large array. */
  readonly arrays: number;
  readonly rowChunks: number;
}

/** `later`: known once earlier tasks are done; `maybe`: so, too, and most runs have none. Null: such a run has none. */
export type PlannedTasks = number | 'later' | 'maybe' | null;

/** Kinds of tasks by name. What a module of tasks exports as `TASKS`. */
export type TaskTable = Readonly<Record<string, TaskKind<unknown, unknown>>>;

export interface TasksModule {
  readonly TASKS: TaskTable;
}

/** What every worker is given once per run. */
export interface RunSetup {
  readonly params: ResultParams;
  /** What of the budget a record may take; absent: memory bounds none. */
  readonly room?: RecordRoom;
}
