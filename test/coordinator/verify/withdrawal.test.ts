import test from 'ava';
import type { VerifiedPairs } from '../../../reducers/verifiedPairs.js';
import { heirsOf, inheritedMembers, inheritedPairs, NONE } from '../../../src/coordinator/verify/verify.js';

test('heirsOf names the next member for a withdrawn first, and nobody where the class is gone', (t) => {
  // Classes {0, 2, 5}, {1}, {3, 4}; 0, 1 and 4 are withdrawn.
  const before = Uint32Array.of(0, 1, 0, 3, 3, 0);
  const after = Uint32Array.of(0, 1, 2, 3, 4, 2);
  const heir = heirsOf(before, after, Uint8Array.of(1, 1, 0, 0, 1, 0));
  t.deepEqual([...heir], [2, NONE, 2, 3, NONE, 5]);
});

test('inheritedPairs turns pairs round where the heir comes later, drops void ones and sorts', (t) => {
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
  // 0 hands over to 5, 1 is gone.
  const moved = inheritedPairs(pairs, Uint32Array.of(5, NONE, 2, 3, 4, 5));
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
  t.deepEqual(inheritedPairs({ ...pairs, exact: seldom }, Uint32Array.of(5, NONE, 2, 3, 4, 5)).exact, {
    rows: Uint32Array.of(1),
    jaccard: Float64Array.of(0.3),
    containmentAB: Float64Array.of(0.32),
    containmentBA: Float64Array.of(0.31),
  });
  t.is(inheritedPairs({ ...pairs, exact: null }, Uint32Array.of(5, NONE, 2, 3, 4, 5)).exact, null);
});

test('inheritedMembers sorts the heirs in under the numbers of their buckets', (t) => {
  const members = { documents: Uint32Array.of(0, 1, 3, 4), buckets: Uint32Array.of(0, 1, 0, 1) };
  const moved = inheritedMembers(members, Uint32Array.of(5, NONE, 2, 3, 4, 5));
  t.deepEqual([...moved.documents], [3, 4, 5]);
  t.deepEqual([...moved.buckets], [0, 1, 0]);
});
