/** Tasks that throw, hang or run out of memory: one more attempt on another worker, then an error that names them. */
import test from 'ava';
import { FailedTask } from '../../src/engines/failure.js';
import { MinHashError } from '../../src/errors.js';
import { openEngine, openGate, putGate, reportsOf, task, waitForStages, withEngine } from './engines.js';

/** Short enough for a test, long against what anything but a hang takes: quiet time is counted in turns of this thread. */
const TIMEOUT = { taskTimeout: 2000 };

const THROWN = { throwing: /the outer reason/, allocate: /allocation failed/, grow: /WebAssembly\.Memory/ };
const HUNG = /nothing moved for 2 s/;

for (const threads of [0, 1]) {
  for (const [stage, reason] of Object.entries(THROWN)) {
    test(`threads ${threads}: a task that threw (${stage}) runs again, with a scratch of its own`, async (t) => {
      await withEngine(threads, async (engine) => {
        const gate = putGate(engine.store);
        t.is((await engine.run(task('count'))).report, 0);
        const once = task(stage, { params: { deaths: 1 }, inputs: ['gate'] });
        t.is((await engine.run(once)).report, 2);
        t.is(gate[0], 2);
        t.is((await engine.run(task('count'))).report, 0);
      });
    });

    test(`threads ${threads}: a task that threw twice (${stage}) is TASK_FAILED`, async (t) => {
      await withEngine(threads, async (engine) => {
        const gate = putGate(engine.store);
        const always = task(stage, { label: 'doc 7', params: { deaths: 9 }, inputs: ['gate'] });
        const error = await t.throwsAsync(engine.run(always), { code: 'TASK_FAILED', message: reason });
        t.regex(error!.message, new RegExp(`stage ${stage}, task "doc 7"`));
        t.is(gate[0], 2);
      });
    });
  }

  test(`threads ${threads}: what a stage reports as a fault of its own is not tried again`, async (t) => {
    await withEngine(threads, async (engine) => {
      await t.throwsAsync(engine.run(task('fault')), { instanceOf: MinHashError, message: /3 in, 2 out/ });
    });
  });
}

for (const threads of [1, 2]) {
  // A loop takes a core for as long as the timeout, so only one of these does.
  for (const stage of threads === 1 ? ['wait'] : ['loop', 'wait']) {
    test(`threads ${threads}: a task that hung (${stage}) runs again, and others go on`, async (t) => {
      await withEngine(
        threads,
        async (engine) => {
          const gate = putGate(engine.store);
          const once = task(stage, { params: { deaths: 1 }, inputs: ['gate'] });
          const rest = Array.from({ length: 6 }, (_, i) => task('echo', { params: i }));
          t.is((await reportsOf(engine, [once, ...rest]))[0], 2);
          t.is(gate[0], 2);
        },
        TIMEOUT,
      );
    });
  }

  test(`threads ${threads}: a task that hung twice is WORKER_LOST, and the engine goes on`, async (t) => {
    await withEngine(
      threads,
      async (engine) => {
        const gate = putGate(engine.store);
        const always = task('wait', { label: 'doc 7', params: { deaths: 9 }, inputs: ['gate'] });
        const lost = await t.throwsAsync(engine.run(always), { code: 'WORKER_LOST', message: HUNG });
        t.regex(lost!.message, /stage wait, task "doc 7"/);
        t.is(gate[0], 2);
        t.is((await reportsOf(engine, [task('echo'), task('echo'), task('echo')])).length, 3);
      },
      TIMEOUT,
    );
  });
}

test('threads: a task that says that it gets on is not given up, however long it takes', async (t) => {
  await withEngine(
    1,
    async (engine) => {
      t.is((await engine.run(task('slow', { params: { beats: 300 } }))).report, 300);
    },
    { taskTimeout: 1000 },
  );
});

test('threads: a task that waits for a free worker is not given up', async (t) => {
  await withEngine(
    1,
    async (engine) => {
      const slow = task('slow', { params: { beats: 80 } });
      t.is((await Promise.all([slow, slow, slow, slow].map((one) => engine.run(one)))).length, 4);
    },
    { taskTimeout: 1500 },
  );
});

test('threads: the error tells the place at which both workers of a task died', async (t) => {
  await withEngine(1, async (engine) => {
    for (const [places, expected] of [
      [[1, 2, 7], 7],
      [[1, 2, 0], 0],
      [[], 0],
    ] as const) {
      const error = await t.throwsAsync(engine.run(task('places', { params: { places } })), {
        instanceOf: FailedTask,
        code: 'WORKER_LOST',
      });
      t.is((error as FailedTask).place, expected);
    }
  });
});

for (const threads of [0, 1]) {
  test(`threads ${threads}: attempts that fail at different places have none in common`, async (t) => {
    await withEngine(threads, async (engine) => {
      putGate(engine.store);
      const error = await t.throwsAsync(engine.run(task('wandering', { inputs: ['gate'] })), {
        instanceOf: FailedTask,
        code: 'TASK_FAILED',
      });
      t.is((error as FailedTask).place, 0);
    });
  });
}

test('threads: a module of tasks that never ends loading is WORKER_UNUSABLE', async (t) => {
  const tasks = new URL('./endlessTasks.js', import.meta.url).href;
  const error = await t.throwsAsync(openEngine(2, { tasks, taskTimeout: 500, startTimeout: 1000 }), {
    code: 'WORKER_UNUSABLE',
  });
  t.regex(error!.message, /nothing moved for 1 s/);
});

test('threads: workers have time to start, however soon a task counts as hung', async (t) => {
  await withEngine(
    2,
    async (engine) => {
      putGate(engine.store);
      const always = task('wait', { params: { deaths: 9 }, inputs: ['gate'] });
      await t.throwsAsync(engine.run(always), { code: 'WORKER_LOST', message: /nothing moved for 0\.001 s/ });
    },
    { taskTimeout: 1 },
  );
});

test('threads: destroy ends at once while a task hangs and others wait', async (t) => {
  const engine = await openEngine(1);
  const gate = putGate(engine.store);
  const hung = engine.run(task('loop', { params: { deaths: 9 }, inputs: ['gate'] }));
  const waiting = engine.run(task('echo'));
  const ends = [hung, waiting].map((run) => t.throwsAsync(run, { code: 'INTERRUPTED' }));
  while (Atomics.load(gate, 0) === 0) await new Promise((resolve) => setImmediate(resolve));
  await engine.destroy();
  await Promise.all(ends);
  t.is(Atomics.load(gate, 0), 1);
});

test('threads: nothing is timed where the timeout is 0', async (t) => {
  const engine = await openEngine(1, { taskTimeout: 0 });
  const gate = putGate(engine.store);
  const run = engine.run(task('gated', { inputs: ['gate'] }));
  waitForStages(gate, 1);
  openGate(gate);
  t.is((await run).report, 'opened');
  await engine.close();
});
