/** What can only happen to threads: deaths, a gate between two running tasks. */
import test from 'ava';
import { createThreadsEngine } from '../../src/engines/threads.js';
import { Store } from '../../src/store/store.js';
import {
  openEngine,
  openGate,
  putGate,
  reportsOf,
  TASKS_URL,
  task,
  waitForStages,
  withEngine,
} from './engines.js';

const DEATHS = { exit: /exited with code: 7/, stray: /stray/, outOfMemory: /out of memory/ };

for (const [stage, reason] of Object.entries(DEATHS)) {
  // A worker that dies beside another one, and the only one there is.
  for (const threads of stage === 'stray' ? [1, 2] : [2]) {
    test(`threads ${threads}: a task whose worker died (${stage}) is WORKER_LOST, and others run on a new one`, async (t) => {
      await withEngine(
        threads,
        async (engine) => {
          const gate = putGate(engine.store);
          const mortal = task(stage, { label: 'doc 7', params: { deaths: 9 }, inputs: ['gate'] });
          const lost = await t.throwsAsync(engine.run(mortal), { code: 'WORKER_LOST', message: reason });
          t.regex(lost!.message, new RegExp(`stage ${stage}, task "doc 7"`));
          t.is(gate[0], 1);
          t.is((await reportsOf(engine, [task('echo'), task('echo'), task('echo')])).length, 3);
        },
        { heapMegabytes: 24 },
      );
    });
  }
}

test('threads: an answer that cannot be sent is WORKER_LOST', async (t) => {
  const workerFile = new URL('./muteWorker.js', import.meta.url).href;
  await withEngine(
    2,
    async (engine) => {
      const runs = Array.from('abcdefghijkl', (label) =>
        t.throwsAsync(engine.run(task('echo', { label })), {
          code: 'WORKER_LOST',
          message: /stage echo, task/,
        }),
      );
      t.is((await Promise.all(runs)).length, 12);
    },
    { workerFile },
  );
});

test('threads: inputs survive the death of their worker, shared or copied', async (t) => {
  await withEngine(1, async (engine) => {
    const gate = putGate(engine.store);
    engine.store.put('copied', new ArrayBuffer(100));
    const mortal = task('exit', { params: { deaths: 1 }, inputs: ['gate', 'copied'] });
    await t.throwsAsync(engine.run(mortal), { code: 'WORKER_LOST' });
    t.is((await engine.run(mortal)).report, 2);
    t.is(gate[0], 2);
    t.is(engine.store.get('copied').byteLength, 100);
  });
});

test('threads: an input that was transferred before is TASK_FAILED', async (t) => {
  await withEngine(1, async (engine) => {
    const buffer = new ArrayBuffer(8);
    engine.store.put('gone', buffer);
    structuredClone(buffer, { transfer: [buffer] });
    await t.throwsAsync(engine.run(task('copy', { inputs: ['gone'], params: { to: 'out' } })), {
      code: 'TASK_FAILED',
    });
    t.is((await engine.run(task('count'))).report, 0);
  });
});

test('threads: a worker file that does not load is WORKER_UNUSABLE with the cause', async (t) => {
  const workerFile = new URL('./brokenWorker.js', import.meta.url).href;
  for (const threads of [1, 3]) {
    const error = await t.throwsAsync(openEngine(threads, { workerFile }), { code: 'WORKER_UNUSABLE' });
    t.regex(error!.message, /this worker file does not load/);
    t.true(error!.cause instanceof Error);
  }
});

test('threads: less than one thread is a RangeError', async (t) => {
  for (const threads of [0, -1, 1.5, Number.NaN]) {
    const options = { threads, tasks: TASKS_URL, setup: null, store: new Store() };
    await t.throwsAsync(createThreadsEngine(options), { instanceOf: RangeError });
  }
});

test('threads: as many tasks run at the same time as there are threads', async (t) => {
  await withEngine(3, async (engine) => {
    const gate = putGate(engine.store);
    const runs = [1, 2, 3, 4].map(() => engine.run(task('gated', { inputs: ['gate'] })));
    waitForStages(gate, 3);
    t.is(Atomics.load(gate, 0), 3);
    openGate(gate);
    t.is((await Promise.all(runs)).length, 4);
  });
});

test('threads: destroy does not wait for a stage that never ends', async (t) => {
  const engine = await openEngine(2);
  const gate = putGate(engine.store);
  const runs = [1, 2, 3].map(() => engine.run(task('gated', { inputs: ['gate'] })));
  const ends = Promise.all(runs.map((run) => t.throwsAsync(run, { code: 'INTERRUPTED' })));
  waitForStages(gate, 2);
  const closing = engine.close();
  await engine.destroy();
  await ends;
  await closing;
  t.is(Atomics.load(gate, 0), 2);
});

test('threads: close waits for a running stage', async (t) => {
  const engine = await openEngine(1);
  const gate = putGate(engine.store);
  const run = engine.run(task('gated', { inputs: ['gate'] }));
  waitForStages(gate, 1);
  const closing = engine.close();
  openGate(gate);
  await closing;
  t.is((await run).report, 'opened');
});

test('threads: the scratch of a worker lives exactly as long as the worker', async (t) => {
  await withEngine(1, async (engine) => {
    putGate(engine.store);
    t.deepEqual(await reportsOf(engine, [task('count'), task('count'), task('count')]), [0, 1, 2]);
    await t.throwsAsync(engine.run(task('exit', { params: { deaths: 1 }, inputs: ['gate'] })));
    t.is((await engine.run(task('count'))).report, 0);
  });
});
