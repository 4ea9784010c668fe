import test from 'ava';
import {
  bySize,
  computedCost,
  figure,
  type MeasuredRun,
  SIZES,
  sumOf,
  tasksOf,
  totalRow,
} from '../../../benchmarks/cluster/computedCosts.js';
import type { StageCost } from '../../../benchmarks/cluster/meter.js';

const none = { tasks: 0, records: 0, bytes: 0, taken: 0, seconds: 0 };
const side = (bytes: number, taken: number): StageCost['map'] => ({
  tasks: 1,
  records: 1,
  bytes,
  taken,
  seconds: 36,
});
const sketch: StageCost = { stage: 'sketch', jobs: new Set(['1']), map: side(1e6, 0), reduce: none };
const components: StageCost = {
  stage: 'components',
  jobs: new Set(['2']),
  map: side(2e3, 1e6),
  reduce: side(3e3, 2e3),
};
const starEdges: StageCost = { ...components, stage: 'starEdges' };
const run: MeasuredRun = {
  ...{ documents: 1000, textBytes: 5e6, hashes: 128, nearDocuments: 100, factBytes: 300 },
  stages: new Map([sketch, components, starEdges].map((one) => [one.stage, one])),
  finish: { seconds: 1, bytes: 1 },
};

test('costs grow with documents; a stage without Reduce shuffles nothing, components are found by stars where they are many', (t) => {
  t.deepEqual(computedCost(sketch, 1000, 1e6), { shuffled: 0, written: 1e9, coreHours: 10 });
  const one = { shuffled: 2e6, written: 3e6, coreHours: 20 };
  t.deepEqual(computedCost(components, 1000, 1e6), one);
  t.deepEqual(computedCost(starEdges, 1000, 1e6), sumOf([]));
  t.deepEqual(computedCost(components, 1000, 1e8), sumOf([]));
  t.is(computedCost(starEdges, 1000, 1e8).shuffled, 2e8);
  t.deepEqual(sumOf([one, one]), { shuffled: 4e6, written: 6e6, coreHours: 40 });
});

test('tasks: splits of what is read, and as many Reduce tasks as a run makes', (t) => {
  // 5 GB: 38 splits; 20 Reduce tasks, by whose outputs there are as many Maps.
  t.is(tasksOf(run, 1e6), 38 + 20 + 20);
});

test('figures have up to three digits, and one stands for all that are the same', (t) => {
  t.deepEqual([0, 1e-9, 0.01234, 9.87, 98.76, 12_345].map(figure), [
    '0',
    '< 0.0001',
    '0.012',
    '9.9',
    '98.8',
    '12,300',
  ]);
  t.is(bySize([4, 4, 4]), '4');
  t.is(bySize([null, 1, 20]), '– / 1 / 20');
  t.is(SIZES.length, 3);
  t.regex(totalRow('all', run).join('|'), /^\*\*all\*\*\|2\|0.002 \/ 0.2 \/ 20\|/);
});
