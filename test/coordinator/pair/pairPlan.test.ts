import test from 'ava';
import { pairPlan } from '../../../src/coordinator/pair/pairPlan.js';
import { budgetOf, UNBOUNDED } from '../../../src/store/budget.js';

const SIZES = { columns: 100_000, bands: 20, hashes: 128 };

test('pairPlan without a budget holds everything, in numbers that a task can be told', (t) => {
  const { keysHeld, signaturesHeld, pairs, held, read, segmentRows, hotMembers } = pairPlan(UNBOUNDED, SIZES);
  t.true(keysHeld && signaturesHeld);
  for (const number of [pairs, segmentRows, hotMembers, ...Object.values(held), ...Object.values(read)]) {
    t.true(Number.isSafeInteger(number));
  }
});

test('pairPlan holds signatures before it holds bucket keys, and neither with the least budget', (t) => {
  // Signatures of 51 MB and keys of 16 MB, in a fifth of what the workers leave.
  const plans = [136e6, 400e6, 1e9].map((memory) => pairPlan(budgetOf(memory, 2), SIZES));
  t.deepEqual(
    plans.map(({ signaturesHeld, keysHeld }) => [signaturesHeld, keysHeld]),
    [
      [false, false],
      [true, false],
      [true, true],
    ],
  );
});

test('pairPlan makes slices of whole segments, which hold whole steps of a sample, for any budget', (t) => {
  for (const task of [0, 1, 1e4, 1e5, 4e6, 5e7, 1e9]) {
    for (const bands of [1, 7, 1024]) {
      const plan = pairPlan({ ...UNBOUNDED, task }, { ...SIZES, bands });
      t.is(plan.pairs % plan.segmentRows, 0);
      t.is(plan.segmentRows % 1024, 0);
      t.true(plan.held.rows >= 1024 && plan.read.rows >= 1024 && plan.read.ranges >= 1);
      t.true(plan.pairs >= plan.segmentRows && plan.entries >= 1 && plan.hotMembers >= 1);
    }
  }
});
