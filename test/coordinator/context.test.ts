/** The counts and the memory that a run checks while it works. */
import test from 'ava';
import { Run } from '../../src/coordinator/context.js';
import { createInlineEngine } from '../../src/engines/inline.js';
import type { MinHashError } from '../../src/errors.js';
import { checkOptions } from '../../src/options/check.js';
import { budgetOf } from '../../src/store/budget.js';
import { Store } from '../../src/store/store.js';

async function newRun(): Promise<Run> {
  const { params } = checkOptions({ paths: ['corpus'] }).resolved;
  const engine = await createInlineEngine({
    tasks: { TASKS: {} },
    setup: {},
    store: new Store(),
    workerData: {},
  });
  return new Run(params, engine, undefined, undefined, budgetOf(200e6, 1));
}

test('a stage that loses an item ends the run with its counts', async (t) => {
  const run = await newRun();
  const error = await t.throwsAsync<MinHashError>(
    run.stage('sketch', () => {
      run.balance('documents', 5, { read: 3, skipped: 2 });
      run.balance('documents', 6, { read: 3, skipped: 2 });
    }),
  );
  t.is(error.code, 'COUNTS_UNBALANCED');
  t.true(error.message.includes('stage sketch, documents: 6 in, 5 out (3 read, 2 skipped)'));
});

test('tables that exceed their part of the budget end the run with their entries', async (t) => {
  const run = await newRun();
  run.takeTables('1000 documents', 1e6);
  run.takeTables('1000 documents', -1e6);
  const error = t.throws<MinHashError>(() => run.takeTables('2000 documents', 200e6));
  t.is(error.code, 'MEMORY_BUDGET');
  t.true(error.message.includes('2000 documents so far'));
});
