import test from 'ava';
import fc from 'fast-check';
import { probabilityOfCandidate } from '../../../src/sketch/banding.js';
import { binomialProbabilities, candidateShares } from '../../../src/sketch/probability.js';

/** By looking at every placement of c equal slots. */
function bruteForce(hashes: number, bands: number, rows: number): number[] {
  const hits = new Array<number>(hashes + 1).fill(0);
  const all = new Array<number>(hashes + 1).fill(0);
  for (let mask = 0; mask < 1 << hashes; mask++) {
    let count = 0;
    for (let slot = 0; slot < hashes; slot++) count += (mask >> slot) & 1;
    let shared = false;
    for (let band = 0; band < bands; band++) {
      const wanted = ((1 << rows) - 1) << (band * rows);
      if ((mask & wanted) === wanted) shared = true;
    }
    all[count]!++;
    if (shared) hits[count]!++;
  }
  return hits.map((hit, c) => hit / all[c]!);
}

test('candidateShares equals the result of trying all placements', (t) => {
  for (const [hashes, bands, rows] of [
    [10, 3, 3],
    [12, 4, 3],
    [11, 1, 5],
    [9, 9, 1],
    [12, 2, 6],
  ] as const) {
    const expected = bruteForce(hashes, bands, rows);
    candidateShares(hashes, bands, rows).forEach((share, c) => {
      t.true(Math.abs(share - expected[c]!) < 1e-12, `${hashes} ${bands} ${rows} ${c}`);
    });
  }
});

test('candidateShares: the mean over binomial agreements is the S-curve', (t) => {
  fc.assert(
    fc.property(
      fc.integer({ min: 16, max: 300 }),
      fc.integer({ min: 1, max: 12 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (hashes, rows, s) => {
        const bands = Math.floor(hashes / rows);
        const shares = candidateShares(hashes, bands, rows);
        const mean = binomialProbabilities(hashes, s).reduce((sum, p, c) => sum + p * shares[c]!, 0);
        t.true(Math.abs(mean - probabilityOfCandidate(s, bands, rows)) < 1e-9);
      },
    ),
    { seed: 1, numRuns: 60 },
  );
});

test('candidateShares rises from 0 to 1, also for the longest signature', (t) => {
  for (const [bands, rows] of [
    [128, 8],
    [1024, 1],
    [1, 1024],
    [20, 5],
  ] as const) {
    const shares = candidateShares(1024, bands, rows);
    t.is(shares[0], 0);
    t.is(shares[rows - 1], 0);
    t.is(shares[1024], 1);
    for (let c = 1; c <= 1024; c++) t.true(shares[c]! >= shares[c - 1]! - 1e-12);
  }
});
