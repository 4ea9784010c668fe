/**
 * The interface of engines, and the code that performs a task on any of them. Tasks of a stage are independent and exchange blocks by
 * name, so a task runs in the same way on this thread, on a worker thread or on another machine.
 */
import type { BlockBuffer } from '../blocks/block.js';
import { MinHashError } from '../errors.js';
import { GarbageValve } from '../store/garbage.js';
import type { Store } from '../store/store.js';
import type { Task, TasksModule, Workplace } from '../tasks/task.js';
import { failureOf } from './failure.js';
import type { Answer, TaskRequest } from './protocol.js';

export interface TaskResult {
  readonly task: Task;
  /** Small values for the coordinator, such as counts and times. JSON. */
  readonly report: unknown;
  /** Names of the blocks that the task wrote; they are in the store when the result arrives. */
  readonly outputs: readonly string[];
}

export interface Engine {
  /** How many tasks can run at once; at least 1. */
  readonly parallelism: number;
  readonly store: Store;
  /**
   * Runs one task and resolves when its outputs are in the store.
   *
   * @throws MinHashError TASK_FAILED (the task threw, with the cause) or WORKER_LOST (its worker died), each with stage and label;
   *   WORKER_UNUSABLE; or the MinHashError that the task threw
   */
  run(task: Task): Promise<TaskResult>;
  /** Waits for running tasks, then ends the threads. Safe to call twice. */
  close(): Promise<void>;
  /** Stops at once and abandons running tasks. */
  destroy(): Promise<void>;
}

/**
 * The name of an entry in the scratch of a worker: the number of released bytes after which it collects garbage. Without it, the
 * platform decides.
 */
export const COLLECT_EVERY = 'collectEvery';

/**
 * Performs tasks one after the other, with one scratch. Never rejects. `thrown`: what the task threw, for an engine on the same
 * thread.
 */
export type Perform = (
  request: TaskRequest,
) => Promise<{ readonly answer: Answer; readonly thrown?: unknown }>;

/**
 * Loads a module of tasks; null: the table of src/tasks.
 *
 * @throws MinHashError WORKER_UNUSABLE with the cause
 */
export async function loadTasks(tasks: string | TasksModule | null): Promise<TasksModule> {
  const source = typeof tasks === 'string' ? tasks : 'the module of tasks';
  let loaded: Partial<TasksModule>;
  try {
    if (tasks === null) loaded = await import('../tasks/table.js');
    else loaded = typeof tasks === 'string' ? ((await import(tasks)) as Partial<TasksModule>) : tasks;
  } catch (cause) {
    const message = failureOf(cause).chain[0]!.message;
    throw new MinHashError({ code: 'WORKER_UNUSABLE', detail: `${source}: ${message}` }, { cause });
  }
  if (typeof loaded.TASKS !== 'object' || loaded.TASKS === null) {
    throw new MinHashError({ code: 'WORKER_UNUSABLE', detail: `${source}: exports no table TASKS` });
  }
  return { TASKS: loaded.TASKS };
}

/**
 * The function that performs the tasks of a module; `setup` is JSON text, `entries` are the first entries of its scratch.
 *
 * It finds the kind of a task, calls it with its workplace, and collects its outputs. Every engine runs this code, so that a task
 * has the same result on all of them.
 */
export function createPerformer(
  { TASKS }: TasksModule,
  setup: string,
  entries: Readonly<Record<string, unknown>> = {},
): Perform {
  const setupValue: unknown = JSON.parse(setup);
  const scratch = new Map<string, unknown>(Object.entries(entries));
  const every = scratch.get(COLLECT_EVERY);
  const garbage = new GarbageValve(typeof every === 'number' ? every : Number.POSITIVE_INFINITY);
  /** Bytes that the last task read and wrote, which are in use until its answer is sent. */
  let passed = 0;

  async function answerTo(request: TaskRequest): Promise<Answer> {
    const task = JSON.parse(request.task) as Task;
    const kind = Object.hasOwn(TASKS, task.kind) ? TASKS[task.kind] : undefined;
    if (kind === undefined) throw new Error('there is no task of this kind');
    // The buffers of the last task are collected before new ones are allocated.
    garbage.released(passed);
    passed = 0;
    const written = new Map<string, BlockBuffer>();
    const inputs = new Map(task.inputs.map((name, i) => [name, request.inputs[i]!]));
    const sizes: number[] = [];
    let read = 0;
    const here: Workplace = {
      task,
      setup: setupValue,
      scratch,
      released: (bytes) => garbage.released(bytes),
      input: (name) => {
        const buffer = inputOf(inputs, name);
        read += buffer.byteLength;
        return buffer;
      },
      output: (name, buffer) => {
        checkOutput(name, buffer, written);
        written.set(name, buffer);
        sizes.push(buffer.byteLength);
      },
    };
    const report = JSON.stringify(await kind.work(task.params, here)) as string | undefined;
    if (report === undefined) throw new Error('its report is not a JSON value');
    checkUntouched(written, sizes);
    passed = read + sizes.reduce((sum, size) => sum + size, 0);
    return { ok: true, report, names: [...written.keys()], buffers: [...written.values()] };
  }

  return async (request) => {
    try {
      return { answer: await answerTo(request) };
    } catch (thrown) {
      return { answer: { ok: false, failure: failureOf(thrown) }, thrown };
    }
  };
}

function inputOf(inputs: ReadonlyMap<string, BlockBuffer>, name: string): BlockBuffer {
  const input = inputs.get(name);
  if (input === undefined) throw new Error(`the task does not list the input ${name}`);
  return input;
}

function checkOutput(name: string, buffer: BlockBuffer, written: ReadonlyMap<string, BlockBuffer>): void {
  if (written.has(name)) throw new Error(`the output ${name} was written twice`);
  if (!(buffer instanceof ArrayBuffer) && !(buffer instanceof SharedArrayBuffer)) {
    throw new Error(`the output ${name} is not a buffer`);
  }
}

/** A buffer that the task transferred elsewhere after `output` would arrive empty, without an error. */
function checkUntouched(written: ReadonlyMap<string, BlockBuffer>, sizes: readonly number[]): void {
  let i = 0;
  for (const [name, buffer] of written) {
    if (buffer.byteLength !== sizes[i++])
      throw new Error(`the output ${name} changed after it was handed over`);
  }
}
