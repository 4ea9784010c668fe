/**
 * The messages between the coordinator and the place where a task runs.
 *
 * Types only. Tasks, reports and the setup cross as JSON text, so that a value that is no JSON behaves the same on this thread
 * as on another; blocks cross as buffers beside the text.
 */
import type { BlockBuffer } from '../blocks/block.js';
import type { ErrorCode, Fault } from '../errors.js';
import type { Store } from '../store/store.js';

/** The options of every engine. */
export interface EngineOptions<Tasks> {
  /** Other tasks than those of src/tasks: the URL of their module, or (inline) the module itself. Only tests use it. */
  readonly tasks?: Tasks;
  /** The parameters of the run, as JSON; every worker gets them once. */
  readonly setup: unknown;
  readonly store: Store;
  /** Values that cannot be JSON (a compiled WebAssembly module, shared tables): the first entries of every `scratch`. */
  readonly workerData?: Readonly<Record<string, unknown>>;
}

/** The data with which a worker thread starts. */
export interface WorkerSetup {
  /** See EngineOptions. */
  readonly tasks: string | null;
  /** JSON text. */
  readonly setup: string;
  readonly entries: Readonly<Record<string, unknown>>;
}

/** One task, as sent to the place if it is performed. */
export interface TaskRequest {
  /** The task as JSON text. */
  readonly task: string;
  /** One block per entry of `task.inputs`, in that order. */
  readonly inputs: readonly BlockBuffer[];
}

/** A task with a number, by which a worker that ends names it. */
interface NumberedRequest extends TaskRequest {
  readonly number: number;
}

/** A message to a worker: a task, or the question whether the worker can work at all. */
export type Request = NumberedRequest | 'ping';

/**
 * The last message of a worker whose task threw: the state that the task left is unknown, so the worker ends, and the next task
 * gets a new worker.
 */
export interface LastWords {
  readonly number: number;
  readonly failure: Failure;
}

/**
 * An error as data: class and fields of an Error do not cross a thread boundary, and a cause that cannot be copied would end the
 * thread.
 */
export interface Failure {
  /** The faults of a MinHashError; null for any other error. */
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

/** The answer from where a task was performed. */
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
