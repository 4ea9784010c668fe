/**
 * A Map or Reduce task: it has parameters, reads and writes blocks by name, and returns a small report.
 *
 * Types only. The coordinator plans tasks, and an engine runs them on this thread or on a worker; `table.ts` has the code of each
 * kind. Parameters and reports are JSON; data are blocks.
 */
import type { BlockBuffer } from '../blocks/block.js';
import type { ResultParams } from '../sketch/params.js';
import type { RecordRoom } from '../store/budget.js';

/** One Map or Reduce task, as data. */
export interface Task {
  readonly kind: string;
  /** The input of the task, for messages: "file.jsonl bytes 0..4194304", "band 3". */
  readonly label: string;
  /** JSON. */
  readonly params: unknown;
  /** Blocks that the task reads. */
  readonly inputs: readonly string[];
}

/** The environment of a running task. */
export interface Workplace {
  readonly task: Task;
  /** The parameters of the run, as JSON; each worker gets them once. */
  readonly setup: unknown;
  /**
   * The block of an input, read-only: other threads may share it.
   *
   * @throws Error if the task does not list the input, which is a bug
   */
  input(name: string): BlockBuffer;
  /**
   * Stores a block. An ArrayBuffer is transferred, so the task must not use it afterwards; it cannot be the memory of a WebAssembly
   * instance.
   *
   * @throws Error if the name was used before or the value is not a buffer, which is a bug
   */
  output(name: string, buffer: BlockBuffer): void;
  /** Reports bytes of buffers that the task no longer uses and did not output: if memory is short, they are collected. */
  released(bytes: number): void;
  /** Objects that live as long as the worker: kernels, tables. Initially the entries of `workerData` of the engine. */
  readonly scratch: Map<string, unknown>;
}

/** A kind of task with parameters P and report R, both JSON. */
export interface TaskKind<P, R> {
  work(params: P, here: Workplace): R | Promise<R>;
}

/** Kinds of tasks by name: the `TASKS` that a module of tasks exports. */
export type TaskTable = Readonly<Record<string, TaskKind<unknown, unknown>>>;

export interface TasksModule {
  readonly TASKS: TaskTable;
}

/** The data that every worker gets once per run. */
export interface RunSetup {
  readonly params: ResultParams;
  /** The part of the memory budget that one record may use; absent: unlimited. */
  readonly room?: RecordRoom;
}
