/**
 * What a Map or Reduce task is: it has parameters, reads and writes blocks by name, and returns a small report.
 *
 * Types only. The coordinator plans tasks and names their blocks; an engine runs them, on this thread or on a worker; `table.ts`
 * says what each kind does. Parameters and reports are JSON; data are blocks.
 */
import type { BlockBuffer } from '../blocks/block.js';
import type { BlockFamily, ONE } from '../blocks/names.js';
import type { ResultParams } from '../sketch/params.js';
import type { RecordRoom } from '../store/budget.js';

/** One Map or Reduce task, as data. */
export interface Task {
  readonly kind: string;
  /** What the task is about, for messages: "file.jsonl bytes 0..4194304", "band 3". */
  readonly label: string;
  /** JSON. */
  readonly params: unknown;
  /** Blocks the task reads. */
  readonly inputs: readonly string[];
}

/** What a task may use while it runs. */
export interface Workplace {
  readonly task: Task;
  /** The parameters of the run, as JSON; each worker gets them once. */
  readonly setup: unknown;
  /**
   * The block of an input, read-only: other threads may share it.
   *
   * @throws Error when the task does not list the input: our own defect
   */
  input(name: string): BlockBuffer;
  /**
   * Stores a block; the task must not touch an ArrayBuffer afterwards, which is moved and not copied. The buffer must be whole,
   * never the memory of a WebAssembly instance, which cannot be moved.
   *
   * @throws Error when this task used the name before, or when the value is no buffer: our own defect
   */
  output(name: string, buffer: BlockBuffer): void;
  /** Reports bytes of buffers that the task no longer holds and did not put: where memory is short, they are collected. */
  released(bytes: number): void;
  /** Lives as long as the worker: kernels, tables. Starts with the entries of the engine's `workerData`. */
  readonly scratch: Map<string, unknown>;
}

/** What one kind of task does with parameters P; the coordinator gets its report R. Both are JSON. */
export interface TaskKind<P, R> {
  work(params: P, here: Workplace): R | Promise<R>;
}

/** A kind in the table of tasks, with the facts that the plan of a run uses. */
export interface PlannedKind<P, R> extends TaskKind<P, R> {
  /** The blocks that a task of this kind may read. */
  readonly reads: readonly BlockName[];
  /** The blocks that a task of this kind may write. */
  readonly writes: readonly BlockFamily[];
  planned(run: PlannedRun): PlannedTasks;
}

/** A family of blocks, or the name of a single block. */
export type BlockName = BlockFamily | keyof typeof ONE;

/** What is known of a run before it reads any document. */
export interface PlannedRun {
  readonly params: ResultParams;
  /** How the inputs become batches: documents sketched at once, or in shards, or looked up by containment, or lines of sets. */
  readonly reads: 'documents' | 'shards' | 'containments' | 'sets';
  /** Whether signatures are compared; false: the run finds only identical documents, or containment. */
  readonly compared: boolean;
  /** How many column blocks there are. */
  readonly blocks: number | 'later';
  /** How many files may be one large array. */
  readonly arrays: number;
}

/**
 * How many tasks of a kind a run has. `later`: known once earlier tasks are done; `maybe`: the same, but most runs have none.
 * Null: none.
 */
export type PlannedTasks = number | 'later' | 'maybe' | null;

/** Kinds of tasks by name: the `TASKS` that a module of tasks exports. */
export type TaskTable = Readonly<Record<string, TaskKind<unknown, unknown>>>;

export interface TasksModule {
  readonly TASKS: TaskTable;
}

/** What every worker gets once per run. */
export interface RunSetup {
  readonly params: ResultParams;
  /** The part of the memory budget that one record may take; absent: no bound. */
  readonly room?: RecordRoom;
}
