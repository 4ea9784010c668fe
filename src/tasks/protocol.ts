/**
 * What the coordinator and the place where a task runs say to each other, and what a stage sees of it.
 *
 * Floor 3: types only. Tasks, reports and the setup cross as JSON text, so that a value that is no JSON behaves on this
 * thread as it does on another one; blocks cross as buffers beside the text.
 */
import type { BlockBuffer } from '../blocks/block.js';
import type { Json, Task } from '../engines/engine.js';
import type { Pulse } from '../engines/pulse.js';
import type { ErrorCode, Fault } from '../errors.js';
import type { BlockPlace } from '../store/blockPlace.js';

/** What a stage may touch while it performs one task. */
export interface TaskContext {
  readonly task: Task;
  /** The same as `task.params`. */
  readonly params: Json;
  /** The run's parameters, given once per worker. */
  readonly setup: Json;
  /**
   * The block of an input, to be read only: it may be shared with other threads. Only one that the task itself calls
   * spent may be written over, and handed over again under another name. One that is on disk is read anew at every call
   * and nowhere kept: a stage holds what it needs, and for no longer.
   *
   * @throws Error when the task does not list the name among its inputs: our own defect
   * @throws MinHashError BLOCK_TRUNCATED, BLOCK_CHECKSUM for one on disk that is damaged
   */
  input(name: string): BlockBuffer;
  /**
   * The same, valid until the next call of this: blocks on disk that are looked at one after the other are read into the
   * same memory. There may be anything behind the block.
   */
  glance(name: string): BlockBuffer;
  /**
   * Hands over a block; the stage must not touch an ArrayBuffer afterwards, it is moved and not copied. It must be a
   * whole buffer of its own, never the memory of a WebAssembly instance, which cannot be moved.
   *
   * @throws Error when the name was used before in this task, or when it is no buffer: our own defect
   */
  output(name: string, buffer: BlockBuffer): void;
  /**
   * Says that the task gets on: a task that is silent for too long counts as hung. Costs next to nothing.
   *
   * @param place the part of the task that is in work from now on, from 1; what it was when a task failed tells the
   *   coordinator where to look
   */
  progress(place?: number): void;
  /** Lives as long as the worker: kernels, tables. Begins with the entries of the engine's `workerData`. */
  readonly scratch: Map<string, unknown>;
}

/** One Map or Reduce function: reads inputs, writes outputs, returns a small report. */
export type Stage = (context: TaskContext) => Json | Promise<Json>;

/** What a module of stages exports. */
export interface StagesModule {
  readonly STAGES: Readonly<Record<string, Stage>>;
}

/** What an engine is made of, wherever its tasks run. */
export interface EngineOptions<Stages, Store> {
  /** The module of stages: its URL, or (inline) the module itself. */
  readonly stages: Stages;
  /** The run's parameters, given to every worker once. */
  readonly setup: Json;
  readonly store: Store;
  /** What cannot be JSON (a compiled WebAssembly module, shared tables): the first entries of every `scratch`. */
  readonly workerData?: Readonly<Record<string, unknown>>;
}

/** What a worker thread is given when it starts. */
export interface WorkerSetup {
  readonly stages: string;
  /** JSON text. */
  readonly setup: string;
  readonly entries: Readonly<Record<string, unknown>>;
}

/** One task on its way to where it is performed. */
export interface TaskRequest {
  /** The task as JSON text. */
  readonly task: string;
  /** One block per entry of `task.inputs`, in that order: a buffer, or where it lies on disk. */
  readonly inputs: readonly (BlockBuffer | BlockPlace)[];
  /** Where the stage says how far it is. */
  readonly pulse: Pulse;
}

/** A task with a number, by which a worker names it when it gives itself up. */
export interface NumberedRequest extends TaskRequest {
  readonly number: number;
}

/** To a worker: a task, or the question whether it can work at all. */
export type Request = NumberedRequest | 'ping';

/**
 * The last words of a worker whose stage threw: nobody knows what state it left behind, so the worker ends, and what
 * comes next finds a new one.
 */
export interface LastWords {
  readonly number: number;
  readonly failure: Failure;
}

/** An error as data: class and fields of an Error do not survive a thread boundary, and an odd cause would kill it. */
export interface Failure {
  /** Set when a MinHashError was thrown. */
  readonly faults: readonly Fault[] | null;
  /** The thrown error and its causes, outermost first. */
  readonly chain: readonly FailureLink[];
}

export interface FailureLink {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  /** Code of a platform error (`ENOENT`) or of a MinHashError; empty when there is none. */
  readonly code: ErrorCode | string;
}

/** From where a task was performed. */
export type Answer =
  | {
      readonly ok: true;
      /** The report as JSON text. */
      readonly report: string;
      readonly names: readonly string[];
      /** One buffer per name. */
      readonly buffers: readonly BlockBuffer[];
    }
  | { readonly ok: false; readonly failure: Failure };
