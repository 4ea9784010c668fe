import test from 'ava';
import { pairPlan } from '../../../src/coordinator/pair/pairPlan.js';
import { budgetOf, UNBOUNDED } from '../../../src/store/budget.js';

const SIZES = { columns: 100_000, hashes: 128, workers: 2 };

test('pairPlan without a budget holds everything, in numbers that a task can be told', (t) => {
  const { signaturesHeld, pairs, held, read, hotMembers } = pairPlan(UNBOUNDED, SIZES);
  t.true(signaturesHeld);
  for (const number of [pairs, hotMembers, ...Object.values(held), ...Object.values(read)]) {
    t.true(Number.isSafeInteger(number));
  }
});

test('pairPlan holds signatures where they fit', (t) => {
  // Signatures of 51 MB, in a fifth of what the workers leave.
  const plans = [136e6, 400e6].map((memory) => pairPlan(budgetOf(memory, 2), SIZES));
  t.deepEqual(
    plans.map(({ signaturesHeld }) => signaturesHeld),
    [false, true],
  );
});

test('pairPlan has room for some pairs and members, with any budget', (t) => {
  for (const task of [0, 1, 1e4, 1e5, 4e6, 5e7, 1e9]) {
    const plan = pairPlan({ ...UNBOUNDED, task }, SIZES);
    t.true(plan.held.rows >= 1024 && plan.read.rows >= 1024 && plan.read.ranges >= 1);
    t.true(plan.pairs >= 1024 && plan.hotMembers >= 1);
  }
});
