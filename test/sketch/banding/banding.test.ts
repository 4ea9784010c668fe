import test from 'ava';
import fc from 'fast-check';
import { chooseBands, probabilityOfCandidate, sCurve, thresholdOf } from '../../../src/sketch/banding.js';

test('probabilityOfCandidate: figure 3.8, the S-curve for b = 20 and r = 5', (t) => {
  const found = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7].map((s) => probabilityOfCandidate(s, 20, 5).toFixed(3));
  t.deepEqual(found, ['0.006', '0.047', '0.186', '0.470', '0.802', '0.975']);
  t.is(probabilityOfCandidate(0.8, 20, 5).toFixed(4), '0.9996');
});

test('probabilityOfCandidate keeps its digits if it is tiny, and is exact at 0 and 1', (t) => {
  // 1 - (1 - p)^b = bp (1 - (b-1)p/2 ...): with p = 1e-20 all digits of bp.
  t.true(Math.abs(probabilityOfCandidate(0.01, 100, 10) / 1e-18 - 1) < 1e-12);
  t.is(probabilityOfCandidate(0, 20, 5), 0);
  t.is(probabilityOfCandidate(1, 20, 5), 1);
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer({ min: 1, max: 1024 }),
      fc.integer({ min: 1, max: 64 }),
      (s, bands, rows) => {
        const stable = -Math.expm1(bands * Math.log1p(-(s ** rows)));
        t.true(Math.abs(probabilityOfCandidate(s, bands, rows) - stable) <= 1e-12);
      },
    ),
    { seed: 1, numRuns: 500 },
  );
});

test('thresholdOf: .549 for 20 bands of 5, and the figures of 80 bands of 3 and 50 bands of 4', (t) => {
  t.is(thresholdOf(20, 5).toFixed(3), '0.549');
  t.is(thresholdOf(80, 3).toFixed(3), '0.232');
  t.is(thresholdOf(50, 4).toFixed(3), '0.376');
  t.is(thresholdOf(16, 4).toFixed(6), '0.500000');
  t.is(thresholdOf(1, 1), 1);
  for (const [bands, rows] of [
    [1, 9],
    [1024, 1],
    [3, 300],
  ] as const) {
    t.true(Math.abs(thresholdOf(bands, rows) - (1 / bands) ** (1 / rows)) < 1e-12);
  }
});

test('sCurve: 21 points that rise from 0 to 1', (t) => {
  const points = sCurve(18, 7);
  t.is(points.length, 21);
  t.deepEqual(points[0], { similarity: 0, probability: 0 });
  t.deepEqual(points[20], { similarity: 1, probability: 1 });
  t.is(points[16]!.similarity, 0.8);
  t.is(points[16]!.probability, probabilityOfCandidate(0.8, 18, 7));
  for (let i = 1; i <= 20; i++) t.true(points[i]!.probability >= points[i - 1]!.probability);
});

test('chooseBands: threshold .8, 128 hashes, recall .95 gives 18 bands of 7 rows and .985', (t) => {
  const { bands, rows, probability } = chooseBands({ threshold: 0.8, recall: 0.95, hashes: 128 });
  t.deepEqual([bands, rows], [18, 7]);
  t.is(Math.floor(probability * 1000), 985);
});

test('chooseBands keeps given bands and rows', (t) => {
  const wish = { threshold: 0.8, recall: 0.95, hashes: 128 };
  const at = (bands: number, rows: number) => ({
    bands,
    rows,
    probability: probabilityOfCandidate(0.8, bands, rows),
  });
  t.deepEqual(chooseBands({ ...wish, rows: 8 }), at(16, 8));
  t.deepEqual(chooseBands({ ...wish, rows: 5 }), at(25, 5));
  t.deepEqual(chooseBands({ ...wish, bands: 20, rows: 5 }), at(20, 5));
  // 20 bands: 6 rows fit and reach the recall (.997). 4 bands: 2 rows (.983) do, 3 rows (.943) do not.
  t.deepEqual(chooseBands({ ...wish, bands: 20 }), at(20, 6));
  t.deepEqual(chooseBands({ ...wish, bands: 4 }), at(4, 2));
});

test('chooseBands: a recall out of reach gives the most probable choice and its probability', (t) => {
  const few = chooseBands({ threshold: 0.05, recall: 0.99, hashes: 16 });
  t.deepEqual([few.bands, few.rows], [16, 1]);
  t.true(few.probability < 0.99);
  t.deepEqual(chooseBands({ threshold: 0.5, recall: 0.99, hashes: 128, bands: 2 }), {
    bands: 2,
    rows: 1,
    probability: 0.75,
  });
  t.is(chooseBands({ threshold: 0, recall: 0.95, hashes: 128 }).probability, 0);
});

test('chooseBands: more rows would not reach the recall, for any requirements', (t) => {
  const wish = fc.record({
    threshold: fc.double({ min: 0.05, max: 1, noNaN: true }),
    recall: fc.double({ min: 0.5, max: 0.999, noNaN: true }),
    hashes: fc.integer({ min: 16, max: 1024 }),
  });
  fc.assert(
    fc.property(wish, ({ threshold, recall, hashes }) => {
      const { bands, rows, probability } = chooseBands({ threshold, recall, hashes });
      t.true(bands * rows <= hashes && rows >= 1 && bands === Math.floor(hashes / rows));
      if (rows > 1) t.true(probability >= recall);
      for (let more = rows + 1; more <= hashes; more++) {
        t.true(probabilityOfCandidate(threshold, Math.floor(hashes / more), more) < recall);
      }
    }),
    { seed: 1, numRuns: 100 },
  );
});
