/** Tasks that throw or never end: the error names them, and the engine goes on. */
import test from 'ava';
import { MinHashError } from '../../src/errors.js';
import { openEngine, putGate, task, withEngine } from './engines.js';

const THROWN = { throwing: /the outer reason/, allocate: /allocation failed/, grow: /WebAssembly\.Memory/ };

for (const threads of [0, 1]) {
  for (const [stage, reason] of Object.entries(THROWN)) {
    test(`threads ${threads}: a task that throws (${stage}) is TASK_FAILED, and the next has a new scratch`, async (t) => {
      await withEngine(threads, async (engine) => {
        const gate = putGate(engine.store);
        t.is((await engine.run(task('count'))).report, 0);
        const failing = task(stage, { label: 'doc 7', params: { deaths: 1 }, inputs: ['gate'] });
        const error = await t.throwsAsync(engine.run(failing), { code: 'TASK_FAILED', message: reason });
        t.regex(error!.message, new RegExp(`stage ${stage}, task "doc 7"`));
        t.is(gate[0], 1);
        t.is((await engine.run(task('count'))).report, 0);
      });
    });
  }

  test(`threads ${threads}: a MinHashError of a task is the error of the run`, async (t) => {
    await withEngine(threads, async (engine) => {
      await t.throwsAsync(engine.run(task('problem')), { instanceOf: MinHashError, message: /3 in, 2 out/ });
    });
  });
}

test('threads: destroy ends at once while a task never ends and others wait', async (t) => {
  const engine = await openEngine(1);
  const gate = putGate(engine.store);
  const endless = engine.run(task('loop', { params: { deaths: 9 }, inputs: ['gate'] }));
  const waiting = engine.run(task('echo'));
  const ends = [endless, waiting].map((run) => t.throwsAsync(run, { code: 'INTERRUPTED' }));
  while (Atomics.load(gate, 0) === 0) await new Promise((resolve) => setImmediate(resolve));
  await engine.destroy();
  await Promise.all(ends);
  t.is(Atomics.load(gate, 0), 1);
});
