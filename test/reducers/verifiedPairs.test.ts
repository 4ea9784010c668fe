import test from 'ava';
import fc from 'fast-check';
import {
  agreements,
  estimatedPairs,
  mergeVerified,
  nearPairs,
  type VerifiedPairs,
} from '../../reducers/verifiedPairs.js';
import { listOf, pairsOf } from './bruteForce.js';

/** Equal slots, as the kernel counts them. */
function equalSlots(
  a: Uint32Array,
  aOffset: number,
  b: Uint32Array,
  bOffset: number,
  hashes: number,
): number {
  let equal = 0;
  for (let i = 0; i < hashes; i++) if (a[aOffset + i] === b[bOffset + i]) equal++;
  return equal;
}

test('agreements compares columns wherever their blocks are and leaves padding out', (t) => {
  const [stride, hashes] = [4, 3];
  const blocks = [Uint32Array.of(1, 2, 3, 9, 1, 5, 3, 9), Uint32Array.of(1, 2, 4, 9)];
  const signatures = {
    blocks,
    blockOf: Uint16Array.of(0, 1, 0),
    columnOf: Uint32Array.of(0, 0, 1),
    stride,
    hashes,
  };
  const pairs = pairsOf([
    [0, 1],
    [0, 2],
    [1, 2],
  ]);
  t.deepEqual([...agreements(pairs, signatures, equalSlots)], [2, 2, 1]);
  t.is(agreements(pairsOf([]), signatures, equalSlots).length, 0);
});

test('estimatedPairs accepts by the share of equal slots and claims no containment', (t) => {
  const pairs = pairsOf([
    [0, 1],
    [0, 2],
  ]);
  const found = estimatedPairs(pairs, Uint16Array.of(80, 79), 100, 0.8);
  t.deepEqual([...found.jaccard], [0.8, 0.79]);
  t.deepEqual([...found.accepted], [1, 0]);
  t.deepEqual([...found.containmentAB], [Number.NaN, Number.NaN]);
  const near = nearPairs(found);
  t.deepEqual(listOf(near), [[0, 1]]);
  t.deepEqual([...near.jaccard], [0.8]);
});

test('mergeVerified of two rounds is what both at once would be', (t) => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(fc.nat(9), fc.integer({ min: 10, max: 19 }), fc.boolean()), {
        maxLength: 40,
        selector: ([a, b]) => 100 * a + b,
      }),
      (rows) => {
        const sorted = rows.sort((x, y) => x[0] - y[0] || x[1] - y[1]);
        const evidence = (list: typeof rows): VerifiedPairs => ({
          ...estimatedPairs(
            pairsOf(list.map(([a, b]) => [a, b] as const)),
            Uint16Array.from(list, ([a, b]) => a * 5 + b),
            64,
            0.5,
          ),
          containmentAB: Float64Array.from(list, ([a, b]) => a / b),
          containmentBA: Float64Array.from(list, ([a, b]) => 1 - a / b),
        });
        const merged = mergeVerified(
          evidence(sorted.filter((row) => row[2])),
          evidence(sorted.filter((row) => !row[2])),
        );
        t.deepEqual(merged, evidence(sorted));
      },
    ),
    { seed: 1, numRuns: 300 },
  );
});
