import test from 'ava';
import fc from 'fast-check';
import {
  acceptedPairs,
  countAccepted,
  mergeVerified,
  nearPairs,
  type VerifiedPairs,
} from '../../reducers/verifiedPairs.js';
import { atOnce } from '../../src/arrays/stepwise.js';
import { agreements } from '../../src/blocks/pairs.js';
import { listOf, pairsOf } from './bruteForce.js';

test('agreements compares columns wherever their blocks are and leaves padding out', (t) => {
  const [stride, hashes] = [4, 3];
  const blocks = [Uint32Array.of(1, 2, 3, 9, 1, 5, 3, 9), Uint32Array.of(1, 2, 4, 9)];
  const signatures = {
    blocks,
    blockOf: Uint32Array.of(0, 1, 0),
    columnOf: Uint32Array.of(0, 0, 1),
    stride,
    hashes,
  };
  const pairs = pairsOf([
    [0, 1],
    [0, 2],
    [1, 2],
  ]);
  t.deepEqual([...agreements(pairs, signatures)], [2, 2, 1]);
  t.is(agreements(pairsOf([]), signatures).length, 0);
});

/** Pairs of which all that are accepted, and some others, have evidence. */
const evidence = (rows: readonly (readonly [number, number])[], exact: boolean): VerifiedPairs => {
  const looked = rows.filter(([a, b]) => (a + b) % 2 === 1 || b % 3 === 0);
  return {
    ...pairsOf(rows),
    agreement: Uint16Array.from(rows, ([a, b]) => a * 5 + b),
    accepted: Uint8Array.from(rows, ([a, b]) => (a + b) % 2),
    exact: exact
      ? {
          rows: Uint32Array.from(looked, (row) => rows.indexOf(row)),
          jaccard: Float64Array.from(looked, ([a, b]) => a / (a + b)),
          containmentAB: Float64Array.from(looked, ([a, b]) => a / b),
          containmentBA: Float64Array.from(looked, ([a, b]) => 1 - a / b),
        }
      : null,
  };
};

test('nearPairs are the accepted rows, with the exact resemblance or else the share of equal slots', (t) => {
  const rows = [
    [1, 3],
    [1, 4],
    [2, 7],
  ] as const;
  for (const exact of [true, false]) {
    const verified = evidence(rows, exact);
    const near = atOnce(nearPairs(verified, 64));
    t.deepEqual(listOf(near), [
      [1, 4],
      [2, 7],
    ]);
    t.deepEqual([...near.jaccard], exact ? [1 / 5, 2 / 9] : [9 / 64, 17 / 64]);
    t.deepEqual(listOf(atOnce(acceptedPairs(verified))), listOf(near));
    t.is(countAccepted(verified), 2);
  }
});

test('mergeVerified of two rounds is what both at once would be', (t) => {
  const rowLists = fc.uniqueArray(
    fc.tuple(fc.nat(9), fc.integer({ min: 10, max: 89 }), fc.integer({ min: 0, max: 9 })),
    { maxLength: 200, selector: ([a, b]) => 100 * a + b },
  );
  fc.assert(
    fc.property(rowLists, fc.nat(9), fc.boolean(), (rows, share, exact) => {
      const sorted = rows.sort((x, y) => x[0] - y[0] || x[1] - y[1]);
      const part = (later: boolean): VerifiedPairs =>
        evidence(
          sorted.filter((row) => row[2] < share === later).map(([a, b]) => [a, b] as const),
          exact,
        );
      const all = evidence(
        sorted.map(([a, b]) => [a, b] as const),
        exact,
      );
      t.deepEqual(atOnce(mergeVerified(part(false), part(true))), all);
    }),
    { seed: 1, numRuns: 300 },
  );
});
