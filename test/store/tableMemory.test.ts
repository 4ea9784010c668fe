import test from 'ava';
import { MinHashError } from '../../src/errors.js';
import { budgetOf, TableMemory, UNBOUNDED } from '../../src/store/budget.js';

test('TableMemory refuses what is more than is left, and says with which budget it fits', (t) => {
  const budget = budgetOf(300e6, 2);
  const tables = new TableMemory(budget);
  tables.take('1 table', budget.tables - 10_000_000);
  const error = t.throws(() => tables.take('5 tables', 20_000_000, () => 7_000_000), {
    instanceOf: MinHashError,
  });
  t.is(error.code, 'MEMORY_BUDGET');
  const found = /5 tables take 20\.0 MB, of which 10\.0 MB are left; memory (\d+)MB has room/.exec(
    error.message,
  );
  t.truthy(found);
  const larger = budgetOf(1e6 * Number(found![1]), 2);
  t.true(larger.tables >= budget.tables + 17_000_000);
  // What was refused is not taken.
  tables.take('2 tables', 10_000_000);
  t.throws(() => tables.take('1 byte', 1));
  tables.give(1);
  t.notThrows(() => tables.take('1 byte', 1));
});

test('TableMemory without a budget takes anything', (t) => {
  t.notThrows(() => new TableMemory(UNBOUNDED).take('all', 1e15));
});

test('blocks have less room by what workers hold, and tables where it is most of the memory', (t) => {
  const tables = new TableMemory(budgetOf(1e9, 2));
  const room = tables.roomOfBlocks;
  tables.working = 1e8;
  t.is(tables.roomOfBlocks, room - 1e8);
  t.notThrows(() => tables.expect('tables', 400e6));
  tables.working = 6e8;
  t.throws(() => tables.expect('tables', 400e6), {
    message: /400.0 MB, of which 304.0 MB are left; memory 1203MB/,
  });
  tables.working = 2e9;
  t.is(tables.roomOfBlocks, 0);
});
