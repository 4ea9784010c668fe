/** The tasks that the engine tests run: well-behaved ones, and one for each way in which a stage can go wrong. */
import { setTimeout as later } from 'node:timers/promises';
import type { WasmMemory } from '../../src/arrays/ownPages.js';
import type { BlockBuffer, Json } from '../../src/blocks/block.js';
import { MinHashError } from '../../src/errors.js';
import type { TaskTable, Workplace } from '../../src/tasks/task.js';

type Params = Readonly<Record<string, Json>>;

type Stage = (context: Workplace) => unknown;

const paramsOf = (context: Workplace): Params => context.task.params as Params;

/** A word of shared memory that tests and tasks meet at. */
function wordOf(context: Workplace): Int32Array {
  return new Int32Array(context.input('gate') as SharedArrayBuffer);
}

const isShared = (buffer: BlockBuffer): boolean => buffer instanceof SharedArrayBuffer;

/** Sums its inputs byte by byte into one output per name in `params.outputs`. */
const add: Stage = (context) => {
  const sum = new Uint8Array(4);
  for (const name of context.task.inputs) {
    const bytes = new Uint8Array(context.input(name));
    for (let i = 0; i < bytes.length; i++) sum[i % 4]! += bytes[i]!;
  }
  for (const name of (paramsOf(context).outputs ?? []) as readonly string[]) {
    context.output(name, Uint8Array.from(sum).buffer);
  }
  return { sum: Array.from(sum) };
};

/** Dies at the first `params.deaths` tasks (counted in the gate), then answers. */
function mortal(die: () => unknown): Stage {
  return async (context) => {
    const attempts = Atomics.add(wordOf(context), 0, 1) + 1;
    if (attempts <= Number(paramsOf(context).deaths)) await die();
    context.output(`${context.task.label}/out`, Uint8Array.of(attempts).buffer);
    return attempts;
  };
}

/** An error in a callback that nobody waits for, while the stage itself waits for ever. */
function strayThrow(): Promise<never> {
  setImmediate(() => {
    throw new Error('stray');
  });
  return new Promise(() => undefined);
}

function fillHeap(): void {
  const hoard: number[][] = [];
  while (true) hoard.push(new Array<number>(100_000).fill(hoard.length + 0.5));
}

function loopForEver(): never {
  for (;;);
}

/** Waits for something that never comes, with its thread free: nothing there ever runs again. */
function waitForEver(): Promise<never> {
  return new Promise(() => undefined);
}

type MemoryType = new (size: { initial: number; maximum: number }) => WasmMemory;

/** What the kernel meets when there is no more memory to be had. */
function growMemory(): void {
  const { Memory } = (globalThis as unknown as { WebAssembly: { Memory: MemoryType } }).WebAssembly;
  new Memory({ initial: 1, maximum: 10 }).grow(10);
}

function nested(): Error {
  const platform = Object.assign(new Error('no such file'), { code: 'ENOENT' });
  return new TypeError('the outer reason', { cause: platform });
}

const STAGES: Readonly<Record<string, Stage>> = {
  echo: (context) => ({ params: context.task.params, setup: context.setup, label: context.task.label }),
  add,
  /** Copies its input; with `params.shared` into shared memory. */
  copy: (context) => {
    const source = new Uint8Array(context.input(context.task.inputs[0]!));
    const target = paramsOf(context).shared
      ? new SharedArrayBuffer(source.length)
      : new ArrayBuffer(source.length);
    new Uint8Array(target).set(source);
    context.output(String(paramsOf(context).to), target);
    return { shared: isShared(context.input(context.task.inputs[0]!)) };
  },
  /** One buffer under two names, and an empty one. */
  twins: (context) => {
    const buffer = Uint8Array.of(1, 2, 3).buffer;
    context.output('twins/a', buffer);
    context.output('twins/b', buffer);
    context.output('twins/empty', new ArrayBuffer(0));
    return null;
  },
  /** Waits for real asynchronous work between two looks at the scratch. */
  async: async (context) => {
    const inside = Number(context.scratch.get('inside') ?? 0);
    context.scratch.set('inside', inside + 1);
    await later(0);
    await new Promise((resolve) => setImmediate(resolve));
    context.scratch.set('inside', inside);
    return { others: inside };
  },
  /** Tasks that this worker performed before. */
  count: (context) => {
    const before = Number(context.scratch.get('count') ?? 0);
    context.scratch.set('count', before + 1);
    return before;
  },
  entry: (context) => context.scratch.get('entry') as Json,
  /** Says that it began, then waits until the gate is opened. */
  gated: (context) => {
    const word = wordOf(context);
    Atomics.add(word, 0, 1);
    Atomics.notify(word, 0);
    Atomics.wait(word, 1, 0);
    return 'opened';
  },
  throw: () => {
    throw nested();
  },
  throwString: () => {
    throw 'a bare string';
  },
  throwNothing: () => Promise.reject(),
  throwOdd: () => {
    throw Object.create(null);
  },
  problem: () => {
    throw new MinHashError([
      { code: 'COUNTS_UNBALANCED', detail: '3 in, 2 out' },
      { code: 'INPUT_REFUSED', detail: 'x.txt' },
    ]);
  },
  uncloneable: () => (() => 1) as unknown as Json,
  bigint: () => 1n as unknown as Json,
  wrongOutput: (context) => {
    context.output('x', new Uint8Array(3) as unknown as ArrayBuffer);
    return null;
  },
  outputTwice: (context) => {
    context.output('x', new ArrayBuffer(1));
    context.output('x', new ArrayBuffer(1));
    return null;
  },
  foreignInput: (context) => {
    context.input('never listed');
    return null;
  },
  /** An output that is moved away after it was handed over. */
  movedAway: (context) => {
    const buffer = new ArrayBuffer(8);
    context.output('x', buffer);
    structuredClone(buffer, { transfer: [buffer] });
    return null;
  },
  loop: mortal(loopForEver),
  wait: mortal(waitForEver),
  throwing: mortal(() => {
    throw nested();
  }),
  allocate: mortal(() => new ArrayBuffer(Number.MAX_SAFE_INTEGER)),
  grow: mortal(growMemory),
  exit: mortal(() => process.exit(7)),
  stray: mortal(strayThrow),
  outOfMemory: mortal(fillHeap),
};

export const TASKS: TaskTable = Object.fromEntries(
  Object.entries(STAGES).map(([name, stage]) => [name, { work: (_, here) => stage(here) }]),
);
