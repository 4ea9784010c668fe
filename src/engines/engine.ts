/**
 * Where tasks run. A stage is a list of independent tasks; blocks meet only through their names, so the same task runs
 * on this thread, on a worker thread or on another machine.
 *
 * Floor 3: types only.
 */
import type { BlockBuffer, Json } from '../blocks/block.js';
import { MinHashError } from '../errors.js';
import { type BlockPlace, isPlace, readPlace } from '../store/blockPlace.js';
import { GarbageValve } from '../store/spilling.js';
import type { Keep, Store } from '../store/store.js';
import type { Answer, StagesModule, TaskContext, TaskRequest } from '../tasks/protocol.js';
import { failureOf } from './failure.js';
import { beat } from './pulse.js';

export type { Json, Keep };

/** One Map or Reduce task. Everything here is JSON; data travel as blocks. */
export interface Task {
  /** Key of the table of stages in src/engine/task.ts. */
  readonly stage: string;
  /** What the task is about, for messages: "file.jsonl bytes 0..4194304", "band 3". */
  readonly label: string;
  readonly params: Json;
  /** Blocks the task reads. */
  readonly inputs: readonly string[];
  /** How the store keeps the blocks that the task writes, by the first part of their names; default `memory`. */
  readonly keep?: Readonly<Record<string, Keep>>;
}

export interface TaskResult {
  readonly task: Task;
  /** Small facts for the coordinator: counts, times. JSON. */
  readonly report: Json;
  /** Names of the blocks the task wrote; they are in the store when the result arrives. */
  readonly outputs: readonly string[];
}

/** Named blocks. */
export type BlockStore = Store;

export interface Engine {
  readonly name: string;
  /** How many tasks can run at the same time; at least 1. */
  readonly parallelism: number;
  readonly store: BlockStore;
  /**
   * Runs one task and resolves when its outputs are in the store. A task that throws, dies with its worker or hangs is
   * run once more, on another worker; one whose stage throws a MinHashError is not, that is an answer.
   *
   * @throws MinHashError TASK_FAILED (it threw; cause kept) or WORKER_LOST (it died or hung), each naming stage and
   *   label; WORKER_UNUSABLE, or what the stage threw
   */
  run(task: Task): Promise<TaskResult>;
  /**
   * Runs one task once and keeps nothing of it: resolves with null when it succeeds, else with the place that its stage
   * had named last (0: none). For finding out what makes a task fail.
   *
   * @throws MinHashError WORKER_UNUSABLE, INTERRUPTED, or what the stage threw
   */
  probe(task: Task): Promise<number | null>;
  /** Waits for running tasks, then frees threads. Safe to call twice. */
  close(): Promise<void>;
  /** Stops at once: running tasks are given up. */
  destroy(): Promise<void>;
}

/*
 * The place where a task is performed, on whatever thread: finds the stage, gives it its context, collects what it wrote.
 *
 * Floor 3: knows nothing of threads, pools and the store; it must stay the same code for every engine, or "the same
 * task gives the same bytes anywhere" would be a hope.
 */

/** Name in a worker's scratch of the bytes let go after which it frees them; absent: when the platform likes. */
export const COLLECT_EVERY = 'collectEvery';

/** Performs tasks one after the other; its scratch lives as long as it does. Never rejects. */
export interface Performer {
  /** `thrown` is what the stage threw, for the engine that can use it as it is. */
  perform(request: TaskRequest): Promise<{ readonly answer: Answer; readonly thrown?: unknown }>;
}

/**
 * Loads a module of stages.
 *
 * @throws MinHashError WORKER_UNUSABLE with the cause
 */
export async function loadStages(stages: string | StagesModule): Promise<StagesModule> {
  const place = typeof stages === 'string' ? stages : 'the module of stages';
  let loaded: Partial<StagesModule>;
  try {
    loaded = typeof stages === 'string' ? ((await import(stages)) as Partial<StagesModule>) : stages;
  } catch (cause) {
    const message = failureOf(cause).chain[0]!.message;
    throw new MinHashError({ code: 'WORKER_UNUSABLE', detail: `${place}: ${message}` }, { cause });
  }
  if (typeof loaded.STAGES !== 'object' || loaded.STAGES === null) {
    throw new MinHashError({ code: 'WORKER_UNUSABLE', detail: `${place}: exports no table STAGES` });
  }
  return { STAGES: loaded.STAGES };
}

/** A performer of the stages of a module; `setup` is JSON text, `entries` begin its scratch. */
export function createPerformer(
  { STAGES }: StagesModule,
  setup: string,
  entries: Readonly<Record<string, unknown>> = {},
): Performer {
  const setupValue = JSON.parse(setup) as Json;
  const scratch = new Map<string, unknown>(Object.entries(entries));
  const every = scratch.get(COLLECT_EVERY);
  const garbage = new GarbageValve(typeof every === 'number' ? every : Number.POSITIVE_INFINITY);

  async function perform(request: TaskRequest): Promise<Answer> {
    beat(request.pulse);
    const task = JSON.parse(request.task) as Task;
    const stage = Object.hasOwn(STAGES, task.stage) ? STAGES[task.stage] : undefined;
    if (stage === undefined) throw new Error('there is no stage of this name');
    const written = new Map<string, BlockBuffer>();
    const inputs = new Map(task.inputs.map((name, i) => [name, request.inputs[i]!]));
    const sizes: number[] = [];
    let read = 0;
    let glanced: ArrayBuffer | undefined;
    const context: TaskContext = {
      task,
      params: task.params,
      setup: setupValue,
      scratch,
      progress: (place) => beat(request.pulse, place),
      input: (name) => {
        const buffer = inputOf(inputs, name);
        read += buffer.byteLength;
        return buffer;
      },
      glance: (name) => {
        const place = inputs.get(name);
        if (place === undefined || !isPlace(place)) return context.input(name);
        glanced = readPlace(place, glanced);
        return glanced;
      },
      output: (name, buffer) => {
        checkOutput(name, buffer, written);
        written.set(name, buffer);
        sizes.push(buffer.byteLength);
      },
    };
    const report = JSON.stringify(await stage(context)) as string | undefined;
    if (report === undefined) throw new Error('its report is no JSON value');
    checkUntouched(written, sizes);
    // Neither what the task read nor what it wrote is held here from now on.
    garbage.released(read + sizes.reduce((sum, size) => sum + size, 0));
    return { ok: true, report, names: [...written.keys()], buffers: [...written.values()] };
  }

  return {
    async perform(request) {
      try {
        return { answer: await perform(request) };
      } catch (thrown) {
        return { answer: { ok: false, failure: failureOf(thrown) }, thrown };
      }
    },
  };
}

function inputOf(inputs: ReadonlyMap<string, BlockBuffer | BlockPlace>, name: string): BlockBuffer {
  const input = inputs.get(name);
  if (input === undefined) throw new Error(`the task does not list the input ${name}`);
  return isPlace(input) ? readPlace(input) : input;
}

function checkOutput(name: string, buffer: BlockBuffer, written: ReadonlyMap<string, BlockBuffer>): void {
  if (written.has(name)) throw new Error(`the output ${name} was written twice`);
  if (!(buffer instanceof ArrayBuffer) && !(buffer instanceof SharedArrayBuffer)) {
    throw new Error(`the output ${name} is no buffer`);
  }
}

/** A buffer that was moved away meanwhile would cross as an empty one, without a word. */
function checkUntouched(written: ReadonlyMap<string, BlockBuffer>, sizes: readonly number[]): void {
  let i = 0;
  for (const [name, buffer] of written) {
    if (buffer.byteLength !== sizes[i++])
      throw new Error(`the output ${name} changed after it was handed over`);
  }
}
