import test from 'ava';
import type { VerifiedPairs } from '../../../reducers/verifiedPairs.js';
import { remainingPairs, renamedPairs } from '../../../src/coordinator/verify/verify.js';

test('renamedPairs turns pairs round where the new name comes later, and sorts; remainingPairs drops void ones', (t) => {
  const pairs: VerifiedPairs = {
    count: 4,
    a: Uint32Array.of(0, 0, 1, 3),
    b: Uint32Array.of(1, 3, 4, 4),
    agreement: Uint16Array.of(10, 20, 30, 40),
    accepted: Uint8Array.of(0, 1, 0, 1),
    exact: {
      rows: Uint32Array.of(1, 2, 3),
      jaccard: Float64Array.of(0.2, 0.3, 0.4),
      containmentAB: Float64Array.of(0.21, 0.31, 0.41),
      containmentBA: Float64Array.of(0.22, 0.32, 0.42),
    },
  };
  // 0 is called 5, 1 is gone.
  const renamed = (some: VerifiedPairs): VerifiedPairs => {
    const left = remainingPairs(some, Uint8Array.of(0, 1, 0, 0, 0, 0));
    const newName = (d: number): number => (d === 0 ? 5 : d);
    return renamedPairs(left, { a: left.a.map(newName), b: left.b.map(newName) });
  };
  const moved = renamed(pairs);
  t.deepEqual(moved, {
    count: 2,
    a: Uint32Array.of(3, 3),
    b: Uint32Array.of(4, 5),
    agreement: Uint16Array.of(40, 20),
    accepted: Uint8Array.of(1, 1),
    exact: {
      rows: Uint32Array.of(0, 1),
      jaccard: Float64Array.of(0.4, 0.2),
      containmentAB: Float64Array.of(0.41, 0.22),
      containmentBA: Float64Array.of(0.42, 0.21),
    },
  });
  const seldom = { ...pairs.exact!, rows: Uint32Array.of(0, 1, 2) };
  t.deepEqual(renamed({ ...pairs, exact: seldom }).exact, {
    rows: Uint32Array.of(1),
    jaccard: Float64Array.of(0.3),
    containmentAB: Float64Array.of(0.32),
    containmentBA: Float64Array.of(0.31),
  });
  t.is(renamed({ ...pairs, exact: null }).exact, null);
});
