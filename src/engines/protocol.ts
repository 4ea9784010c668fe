/**
 * The messages between the coordinator and the place where a task runs.
 *
 * Types only. Tasks, reports and the setup are sent as JSON text, so that values that are not JSON fail in the same way on every
 * engine; blocks are sent as buffers.
 */
import type { BlockBuffer } from '../blocks/block.js';
import type { ErrorCode, Problem } from '../errors.js';
import type { Store } from '../store/store.js';

/** The options of every engine. */
export interface EngineOptions<Tasks> {
  /** A module that replaces src/tasks: its URL, or (inline) the module itself. For tests. */
  readonly tasks?: Tasks;
  /** The parameters of the run, as JSON; every worker gets them once. */
  readonly setup: unknown;
  readonly store: Store;
  /** Values that cannot be JSON (a compiled WebAssembly module, shared tables): the initial entries of every `scratch`. */
  readonly workerData?: Readonly<Record<string, unknown>>;
}

/** The `workerData` of a worker thread. */
export interface WorkerSetup {
  /** See EngineOptions. */
  readonly tasks: string | null;
  /** JSON text. */
  readonly setup: string;
  readonly entries: Readonly<Record<string, unknown>>;
}

/** A task in the form in which it is sent. */
export interface TaskRequest {
  /** The task as JSON text. */
  readonly task: string;
  /** One block per entry of `task.inputs`, in that order. */
  readonly inputs: readonly BlockBuffer[];
}

/** A task with a number, which the last message of a worker refers to. */
interface NumberedRequest extends TaskRequest {
  readonly number: number;
}

/** A message to a worker: a task, or a check whether the worker works. */
export type Request = NumberedRequest | 'ping';

/**
 * The last message of a worker whose task threw. The worker ends, because its state is unknown, and the next task gets a new worker.
 */
export interface LastWords {
  readonly number: number;
  readonly failure: Failure;
}

/**
 * An error as data: class and fields of an Error are lost between threads, and a cause that cannot be copied would end the thread.
 */
export interface Failure {
  /** The problems of a MinHashError; null for any other error. */
  readonly problems: readonly Problem[] | null;
  /** The thrown error and its causes, outermost first. */
  readonly chain: readonly FailureLink[];
}

export interface FailureLink {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  /** Code of a platform error (`ENOENT`) or of a MinHashError; else empty. */
  readonly code: ErrorCode | string;
}

/** The answer to a request. */
export type Answer =
  | {
      readonly ok: true;
      /** The report as JSON text. */
      readonly report: string;
      readonly names: readonly string[];
      /** One buffer per output name. */
      readonly buffers: readonly BlockBuffer[];
    }
  | { readonly ok: false; readonly failure: Failure };
