/** Records that a reading task fails of, over a task that only pretends to read. */
import test from 'ava';
import fc from 'fast-check';
import { Run } from '../../../src/coordinator/context.js';
import { runReading } from '../../../src/coordinator/sketch/badRecords.js';
import { createInlineEngine } from '../../../src/engines/inline.js';
import { MinHashError } from '../../../src/errors.js';
import type { Split } from '../../../src/readers/split.js';
import type { ResultParams } from '../../../src/sketch/params.js';
import { Store } from '../../../src/store/store.js';
import type { TaskKind } from '../../../src/tasks/task.js';

interface Params {
  readonly unprocessable?: readonly number[];
  readonly spent?: readonly string[];
}

/** What a task reads: it names places, and may throw. Its report is what it was told. */
type Reading = (unprocessable: ReadonlySet<number>, name: (place: number) => void) => void;

const RECORDS = 1000;

async function readWith(read: Reading, more: Params = {}): Promise<Params> {
  const kind: TaskKind<Params, Params> = {
    work(params, here) {
      read(new Set(params.unprocessable), (place) => here.progress(place));
      return params;
    },
  };
  const tasks = { TASKS: { sketch: kind } };
  const engine = await createInlineEngine({ tasks, setup: null, store: new Store() });
  const run = new Run({} as ResultParams, engine, undefined, undefined);
  const split: Split = { kind: 'memory' };
  const params = { block: 0, split, text: null, folder: null, resume: false, ...more };
  const report = await runReading(run, { kind: 'sketch', label: 'it', params, inputs: [] });
  return report as unknown as Params;
}

/** Fails of every bad record. */
function failingAt(bad: readonly number[], count = { attempts: 0 }): Reading {
  return (unprocessable, name) => {
    count.attempts++;
    for (let place = 1; place <= RECORDS; place++) {
      if (unprocessable.has(place)) continue;
      name(place);
      if (bad.includes(place)) throw new Error(`at ${place}`);
      name(0);
    }
  };
}

test('runReading leaves out the records that the task fails of and no other, two attempts for each', async (t) => {
  const places = fc.uniqueArray(fc.integer({ min: 1, max: RECORDS }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(places, async (bad) => {
      const count = { attempts: 0 };
      const { unprocessable = [] } = await readWith(failingAt(bad, count));
      t.deepEqual(
        [...unprocessable],
        bad.sort((a, b) => a - b),
      );
      t.is(count.attempts, 2 * bad.length + 1);
    }),
    { seed: 1, numRuns: 40 },
  );
});

test('runReading of a task that fails once gives its result, and leaves out nothing', async (t) => {
  let failures = 1;
  const found = await readWith((_, name) => {
    name(7);
    if (failures-- > 0) throw new Error('by chance');
  });
  t.is(found.unprocessable, undefined);
});

test('runReading throws what the task failed of where it is no one record`s fault', async (t) => {
  let attempts = 0;
  const wandering: Reading = (_, name) => {
    name(++attempts);
    throw new Error('here and there');
  };
  const before: Reading = () => {
    throw new Error('before anything was read');
  };
  const between: Reading = (_, name) => {
    name(1);
    name(0);
    throw new Error('between records');
  };
  // It names the record though it is told to leave it out.
  const stubborn: Reading = (_, name) => {
    name(3);
    throw new Error('at the same place again');
  };
  for (const [read, message] of [
    [wandering, /here and there/],
    [before, /before anything was read/],
    [between, /between records/],
    [stubborn, /at the same place again/],
  ] as const) {
    const error = await t.throwsAsync(readWith(read), { instanceOf: MinHashError, message });
    t.is((error as MinHashError).code, 'TASK_FAILED');
    t.regex(error!.message, /stage sketch, task "it"/);
  }
});

test('runReading gives up when more fail than can be their own fault', async (t) => {
  const bad = Array.from({ length: 33 }, (_, i) => 7 * i + 1);
  await t.throwsAsync(readWith(failingAt(bad)), { code: 'TASK_FAILED' });
  t.is((await readWith(failingAt(bad.slice(1)))).unprocessable!.length, 32);
});

test('runReading lets nothing be written over after an attempt that failed', async (t) => {
  t.deepEqual((await readWith(failingAt([]), { spent: ['tiles/1'] })).spent, ['tiles/1']);
  t.deepEqual((await readWith(failingAt([5]), { spent: ['tiles/1'] })).spent, []);
});
