/** One suite over every engine: the same tasks give the same bytes, the same errors and the same order anywhere. */

import test from 'ava';
import type { Engine } from '../../src/engines/engine.js';
import { createInlineEngine } from '../../src/engines/inline.js';
import { MinHashError } from '../../src/errors.js';
import { Store } from '../../src/store/store.js';
import { TASKS } from '../../src/tasks/table.js';
import type { Task } from '../../src/tasks/task.js';
import {
  add,
  bytesOf,
  ENGINES,
  engineName,
  openEngine,
  reportsOf,
  resultsOf,
  task,
  withEngine,
} from './engines.js';

/** Two levels of tasks: twelve sums, then one over all of them; every output of the store as text. */
async function pipeline(threads: number): Promise<string> {
  const store: Store = new Store();
  const text: string[] = [];
  await withEngine(
    threads,
    async (engine) => {
      const firsts: Task[] = [];
      for (let i = 0; i < 12; i++) {
        store.put(`in/${i}`, Uint8Array.from({ length: 50 + i }, (_, at) => at * i).buffer);
        firsts.push(add(`sum ${i}`, [`in/${i}`, 'in/0'], [`sum/${i}`, `again/${i}`]));
      }
      const names: string[] = [];
      for await (const result of resultsOf(engine, firsts)) {
        text.push(JSON.stringify(result.report));
        names.push(...result.outputs);
      }
      await engine.run(add('all', names, ['all']));
      for (const name of [...names, 'all']) text.push(`${name}: ${bytesOf(store, name)}`);
    },
    { store },
  );
  return text.join('\n');
}

test('every engine gives byte-identical outputs and reports', async (t) => {
  const reference = await pipeline(0);
  t.regex(reference, /all: \d+/);
  for (const threads of ENGINES) t.is(await pipeline(threads), reference, engineName(threads));
});

/** One engine of each kind for all tests that do not depend on its setup or its end: it works after any test. */
const shared = new Map<number, Promise<Engine>>();
test.after.always(async () => {
  for (const engine of shared.values()) await (await engine).close();
});

async function onEngine(threads: number, use: (engine: Engine) => Promise<void>): Promise<void> {
  const engine = shared.get(threads) ?? openEngine(threads);
  shared.set(threads, engine);
  await use(await engine);
}

for (const threads of ENGINES) {
  const name = engineName(threads);

  test(`${name}: a stage sees its parameters, the setup and its task`, async (t) => {
    await withEngine(
      threads,
      async (engine) => {
        t.is(engine.parallelism, Math.max(1, threads));
        const params = { text: 'ünïcode \ud800 \0', list: [1, null, { deep: true }], zero: 0 };
        const result = await engine.run(task('echo', { params, label: 'file.jsonl bytes 0..10' }));
        t.deepEqual(result.report, { params, setup: { seed: 7 }, label: 'file.jsonl bytes 0..10' });
        t.deepEqual(result.outputs, []);
        t.is((await engine.run(task('entry'))).report, 'a start entry of the scratch');
      },
      { setup: { seed: 7 }, workerData: { entry: 'a start entry of the scratch' } },
    );
  });

  test(`${name}: 1000 tasks run in order give their results in task order, from any kind of iterator`, async (t) => {
    await onEngine(threads, async (engine) => {
      const tasks = Array.from({ length: 1000 }, (_, i) => task('echo', { params: i }));
      const numbers = (await reportsOf(engine, tasks)).map((report) => (report as { params: number }).params);
      t.deepEqual(
        numbers,
        tasks.map((_, i) => i),
      );
      async function* slowly(): AsyncGenerator<Task> {
        for (const one of tasks.slice(0, 20)) {
          await new Promise((resolve) => setImmediate(resolve));
          yield one;
        }
      }
      t.is((await reportsOf(engine, slowly())).length, 20);
      t.deepEqual(await reportsOf(engine, []), []);
    });
  });

  test(`${name}: no more than two tasks a worker are pulled before their results are taken`, async (t) => {
    await onEngine(threads, async (engine) => {
      let pulled = 0;
      let taken = 0;
      let most = 0;
      function* tasks(): Generator<Task> {
        for (; pulled < 50; ) {
          pulled++;
          most = Math.max(most, pulled - taken);
          yield task('echo');
        }
      }
      for await (const _ of resultsOf(engine, tasks())) taken++;
      t.is(taken, 50);
      t.true(most <= 2 * engine.parallelism, `${most}`);
    });
  });

  test(`${name}: a thrown error is TASK_FAILED naming stage, task and message, with its causes`, async (t) => {
    await onEngine(threads, async (engine) => {
      const error = await t.throwsAsync(engine.run(task('throw', { label: 'band 3' })), {
        instanceOf: MinHashError,
        code: 'TASK_FAILED',
      });
      t.regex(error!.message, /stage throw, task "band 3": the outer reason/);
      const outer = error!.cause as Error;
      t.is(outer.name, 'TypeError');
      t.is(outer.message, 'the outer reason');
      t.regex(outer.stack!, /testTasks\.js/);
      t.like(outer.cause, { message: 'no such file', code: 'ENOENT' });
      // The engine goes on.
      t.is((await engine.run(task('count'))).report, 0);
    });
  });

  test(`${name}: any invalid value that a stage throws or returns is TASK_FAILED`, async (t) => {
    const texts: Record<string, RegExp> = {
      throwString: /a bare string/,
      throwNothing: /undefined/,
      throwOdd: /a value that has no text/,
      uncloneable: /its report is not a JSON value/,
      bigint: /BigInt/,
      wrongOutput: /the output x is not a buffer/,
      outputTwice: /the output x was written twice/,
      movedAway: /the output x changed after it was handed over/,
      foreignInput: /does not list the input never listed/,
      noSuchStage: /there is no task of this kind/,
      constructor: /there is no task of this kind/,
    };
    await onEngine(threads, async (engine) => {
      for (const [stage, message] of Object.entries(texts)) {
        await t.throwsAsync(engine.run(task(stage)), { code: 'TASK_FAILED', message }, stage);
      }
      await t.throwsAsync(engine.run(task('echo', { inputs: ['nowhere'] })), {
        code: 'TASK_FAILED',
        message: /there is no block nowhere/,
      });
      t.false(engine.store.has('x'), 'outputs of a failed task are not kept');
    });
  });

  test(`${name}: a MinHashError of a stage keeps its code and all problems`, async (t) => {
    await onEngine(threads, async (engine) => {
      const error = await t.throwsAsync(engine.run(task('problem')), { instanceOf: MinHashError });
      t.deepEqual((error as MinHashError).problems, [
        { code: 'COUNTS_UNBALANCED', detail: '3 in, 2 out' },
        { code: 'INPUT_REFUSED', detail: 'x.txt' },
      ]);
    });
  });

  test(`${name}: tasks run in order end with the first failed task in task order, after the results before it`, async (t) => {
    await onEngine(threads, async (engine) => {
      let pulled = 0;
      let returned = false;
      function* tasks(): Generator<Task> {
        try {
          for (; pulled < 1000; ) {
            const failing = pulled === 5 || pulled === 6;
            yield task(failing ? 'throw' : 'echo', { label: `number ${pulled++}` });
          }
        } finally {
          returned = true;
        }
      }
      const labels: string[] = [];
      const consume = async (): Promise<void> => {
        for await (const result of resultsOf(engine, tasks())) labels.push(result.task.label);
      };
      await t.throwsAsync(consume(), { code: 'TASK_FAILED', message: /number 5/ });
      t.deepEqual(labels, ['number 0', 'number 1', 'number 2', 'number 3', 'number 4']);
      t.true(pulled <= 6 + 2 * engine.parallelism);
      t.true(returned);
    });
  });

  test(`${name}: an error of the task iterator comes after the results of the tasks before it`, async (t) => {
    await onEngine(threads, async (engine) => {
      function* tasks(): Generator<Task> {
        yield task('echo');
        yield task('echo');
        throw new RangeError('no more tasks');
      }
      let results = 0;
      const consume = async (): Promise<void> => {
        for await (const _ of resultsOf(engine, tasks())) results++;
      };
      await t.throwsAsync(consume(), { instanceOf: RangeError, message: 'no more tasks' });
      t.is(results, 2);
    });
  });

  test(`${name}: a consumer that stops early stops the pulling and waits for running tasks`, async (t) => {
    await onEngine(threads, async (engine) => {
      let pulled = 0;
      let returned = false;
      async function* tasks(): AsyncGenerator<Task> {
        try {
          for (; ; pulled++) yield add(`${pulled}`, [], [`out/${pulled}`]);
        } finally {
          returned = true;
        }
      }
      for await (const result of resultsOf(engine, tasks())) if (result.task.label === '3') break;
      t.true(returned);
      t.true(pulled <= 5 + 2 * engine.parallelism);
      t.true(engine.store.has('out/3'));
    });
  });

  test(`${name}: a stage may wait, and no other task enters its worker meanwhile`, async (t) => {
    await onEngine(threads, async (engine) => {
      const reports = await reportsOf(
        engine,
        Array.from({ length: 12 }, () => task('async')),
      );
      t.true(reports.every((report) => (report as { others: number }).others === 0));
    });
  });

  test(`${name}: shared buffers are shared, others are the receiver's own, both with the same bytes`, async (t) => {
    await onEngine(threads, async (engine) => {
      const { store } = engine;
      store.put('plain', Uint8Array.of(1, 2, 3).buffer);
      const copy = (from: string, to: string, shared: boolean): Promise<unknown> =>
        engine.run(task('copy', { inputs: [from], params: { to, shared } })).then(({ report }) => report);
      t.deepEqual(await copy('plain', 'shared', true), { shared: false });
      t.true(store.get('shared') instanceof SharedArrayBuffer);
      t.deepEqual(await copy('shared', 'copy', false), { shared: true });
      t.true(store.get('copy') instanceof ArrayBuffer);
      for (const block of ['plain', 'shared', 'copy']) t.deepEqual(bytesOf(store, block), [1, 2, 3]);
      const twins = await engine.run(task('twins'));
      t.deepEqual(twins.outputs, ['twins/a', 'twins/b', 'twins/empty']);
      t.deepEqual(bytesOf(store, 'twins/b'), [1, 2, 3]);
      t.deepEqual(bytesOf(store, 'twins/empty'), []);
    });
  });

  test(`${name}: a module of tasks that does not load is WORKER_UNUSABLE with the cause`, async (t) => {
    const tasks = new URL('./brokenTasks.js', import.meta.url).href;
    const error = await t.throwsAsync(openEngine(threads, { tasks }), {
      instanceOf: MinHashError,
      code: 'WORKER_UNUSABLE',
    });
    t.regex(error!.message, /brokenTasks\.js: this module does not load/);
    t.is((error!.cause as Error).message, 'this module does not load');
    await t.throwsAsync(openEngine(threads, { tasks: new URL('./engines.js', import.meta.url).href }), {
      code: 'WORKER_UNUSABLE',
      message: /exports no table TASKS/,
    });
  });

  test(`${name}: close waits for the runs, may be called twice, and refuses later runs`, async (t) => {
    const engine = await openEngine(threads);
    const runs = Array.from({ length: 9 }, (_, i) => engine.run(add(`${i}`, [], [`out/${i}`])));
    const closing = engine.close();
    await Promise.all([closing, engine.close()]);
    t.is((await Promise.all(runs)).length, 9);
    t.true(engine.store.has('out/8'));
    await t.throwsAsync(engine.run(task('echo')), { code: 'TASK_FAILED', message: /closed/ });
    await engine.destroy();
  });

  test(`${name}: destroy gives up runs as INTERRUPTED and puts none of their outputs`, async (t) => {
    const engine = await openEngine(threads);
    const runs = Array.from({ length: 9 }, (_, i) => engine.run(add(`${i}`, [], [`out/${i}`])));
    const ends = Promise.all(runs.map((run) => t.throwsAsync(run, { code: 'INTERRUPTED' })));
    const destroyed = engine.destroy();
    await ends;
    await destroyed;
    t.false(engine.store.has('out/0'));
    await t.throwsAsync(engine.run(task('echo')), { code: 'INTERRUPTED' });
    await Promise.all([engine.destroy(), engine.close()]);
  });
}

test('inline: tasks may be a module, and the cause is the original exception', async (t) => {
  const thrown = new RangeError('this one');
  const mine = {
    work(): never {
      throw thrown;
    },
  };
  const tasks = { TASKS: { ...TASKS, mine } };
  const engine = await createInlineEngine({ tasks, setup: null, store: new Store() });
  const error = await t.throwsAsync(engine.run(task('mine')), { code: 'TASK_FAILED' });
  t.is(error!.cause, thrown);
  await engine.close();
});
