import test from 'ava';
import { partName, partNumberOf } from '../../../src/result/fileNames.js';
import { planParts } from '../../../src/result/tables/tables.js';

test('planParts of no rows is one part without rows', (t) => {
  t.deepEqual(planParts(0), [{ part: 0, from: 0, to: 0 }]);
});

test('planParts begins a new part every rowsPerPart rows and never leaves one empty', (t) => {
  t.deepEqual(planParts(4, 2), [
    { part: 0, from: 0, to: 2 },
    { part: 1, from: 2, to: 4 },
  ]);
  t.deepEqual(planParts(5, 2).at(-1), { part: 2, from: 4, to: 5 });
  t.is(planParts(1_000_000).length, 1);
  t.is(planParts(1_000_001).length, 2);
});

test('partNumberOf reverses partName', (t) => {
  t.is(partName('pairs', 12), 'pairs/part-00012.tsv');
  t.is(partNumberOf('pairs/part-00012.tsv', 'pairs'), 12);
  t.is(partNumberOf(partName('pairs', 123456), 'pairs'), 123456);
  t.is(partNumberOf('pairs/part-00012.tsv', 'clusters'), -1);
  t.is(partNumberOf('pairs/part-00012.tsv.tmp', 'pairs'), -1);
});
