/**
 * What the coordinator and the place where a task runs say to each other, and what a stage sees of it.
 *
 * Types only. Tasks, reports and the setup cross as JSON text, so that a value that is no JSON behaves on this
 * thread as it does on another one; blocks cross as buffers beside the text.
 */
import type { BlockBuffer } from '../blocks/block.js';
import type { ErrorCode, Fault } from '../errors.js';
import type { BlockPlace } from '../store/blockPlace.js';
import type { Pulse } from './pulse.js';

/** What an engine is made of, wherever its tasks run. */
export interface EngineOptions<Tasks, Store> {
  /** Other tasks than those of src/tasks: the URL of their module, or (inline) the module itself. Only tests have a reason. */
  readonly tasks?: Tasks;
  /** The parameters of the run, given to every worker once. JSON. */
  readonly setup: unknown;
  readonly store: Store;
  /** What cannot be JSON (a compiled WebAssembly module, shared tables): the first entries of every `scratch`. */
  readonly workerData?: Readonly<Record<string, unknown>>;
}

/** What a worker thread is given when it starts. */
export interface WorkerSetup {
  /** See EngineOptions. */
  readonly tasks: string | null;
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
  /** Where the task says how far it is. */
  readonly pulse: Pulse;
  /** Durable blocks go to disk: the answer has their checksums. */
  readonly withChecksums: boolean;
}

/** A task with a number, by which a worker names it when it gives itself up. */
interface NumberedRequest extends TaskRequest {
  readonly number: number;
}

/** To a worker: a task, or the question whether it can work at all. */
export type Request = NumberedRequest | 'ping';

/**
 * The last words of a worker whose task threw: nobody knows what state it left behind, so the worker ends, and what
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
      /** CRC-32 of durable blocks, by place among the names; empty where nobody asked. */
      readonly checksums: readonly (number | undefined)[];
    }
  | { readonly ok: false; readonly failure: Failure };
