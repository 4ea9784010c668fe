import test from 'ava';
import { pairSample, pairSegments, sampleStep } from '../../src/blocks/pairs.js';

const pairs = (count: number) => ({
  a: Uint32Array.from({ length: count + 3 }, (_, i) => i >> 3),
  b: Uint32Array.from({ length: count + 3 }, (_, i) => 1000 + i),
  count,
});

test('pairSegments are the rows in order, in blocks of so many', (t) => {
  for (const [count, sizes] of [
    [0, []],
    [1, [1]],
    [1024, [1024]],
    [2500, [1024, 1024, 452]],
  ] as const) {
    const blocks = [...pairSegments(pairs(count), 1024)];
    t.deepEqual(
      blocks.map(({ columns }) => columns.a!.length),
      [...sizes],
    );
    t.deepEqual(
      blocks.flatMap(({ columns }) => [...columns.b!]),
      [...pairs(count).b.subarray(0, count)],
    );
    t.true(blocks.every(({ buffer }) => buffer instanceof SharedArrayBuffer));
  }
});

test('pairSample has every row of a short list and every 256th of a longer one', (t) => {
  t.is(sampleStep(4096), 1);
  t.is(sampleStep(4097), 256);
  t.deepEqual([...pairSample(pairs(5), 1).b], [1000, 1001, 1002, 1003, 1004]);
  t.deepEqual([...pairSample(pairs(513), 256).b], [1000, 1256, 1512]);
  t.deepEqual([...pairSample(pairs(512), 256).b], [1000, 1256]);
  t.is(pairSample(pairs(0), 256).count, 0);
});
