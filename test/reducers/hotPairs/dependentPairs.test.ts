import test from 'ava';
import fc from 'fast-check';
import { dependentDocuments, dependentPairs } from '../../../reducers/hotPairs.js';
import { listOf, pairsOf } from '../bruteForce.js';

const COUNT = 16;
const someDocuments = fc
  .uniqueArray(fc.nat(COUNT - 1), { minLength: 4, maxLength: COUNT })
  .map((list) => list.sort((x, y) => x - y));
const somePairs = fc
  .array(fc.tuple(fc.nat(COUNT - 1), fc.nat(COUNT - 1)), { minLength: 10, maxLength: 30 })
  .map((rows) =>
    rows
      .filter(([a, b]) => a !== b)
      .map(([a, b]): [number, number] => [Math.min(a, b), Math.max(a, b)])
      .sort((x, y) => x[0] - y[0] || x[1] - y[1]),
  );

test('dependentDocuments are dropped documents whose earlier kept ones are all at risk', (t) => {
  let found = 0;
  fc.assert(
    fc.property(someDocuments, somePairs, somePairs, (keptList, near, round) => {
      const kept = Uint8Array.from({ length: COUNT }, (_, d) => Number(keptList.includes(d)));
      const wanted = Array.from(kept, (_, d) => d).filter((d) => {
        const standIns = near.filter(([a, b]) => b === d && kept[a] === 1).map(([a]) => a);
        return (
          kept[d] === 0 &&
          standIns.length > 0 &&
          standIns.every((k) => round.some(([, later]) => later === k))
        );
      });
      const dependent = dependentDocuments(kept, pairsOf(near), pairsOf(round));
      t.deepEqual(
        [...dependent].flatMap((flag, d) => (flag === 1 ? [d] : [])),
        wanted,
      );
      found += wanted.length;
    }),
    { seed: 1, numRuns: 500 },
  );
  t.true(found > 100, `${found} dependent documents`);
});

const flags = (list: readonly number[]): Uint8Array =>
  Uint8Array.from({ length: COUNT }, (_, d) => Number(list.includes(d)));

test('dependentPairs join every dependent member with the first kept document of its bucket', (t) => {
  fc.assert(
    fc.property(
      someDocuments,
      someDocuments,
      someDocuments,
      fc.array(fc.nat(3), { minLength: COUNT, maxLength: COUNT }),
      (members, keptList, others, names) => {
        const dependent = others.filter((d) => !keptList.includes(d));
        const hot = {
          documents: Uint32Array.from(members),
          buckets: Uint32Array.from(members, (d) => names[d]!),
        };
        const found = dependentPairs(hot, flags(keptList), flags(dependent));
        const wanted = dependent
          .filter((d) => members.includes(d))
          .flatMap((d): [number, number][] => {
            const first = members.find((k) => keptList.includes(k) && names[k] === names[d]);
            return first === undefined ? [] : [[Math.min(first, d), Math.max(first, d)]];
          });
        t.deepEqual(
          listOf(found),
          wanted.sort((x, y) => x[0] - y[0] || x[1] - y[1]),
        );
      },
    ),
    { seed: 2, numRuns: 500 },
  );
});

test('dependentPairs of nothing are none', (t) => {
  const none = { documents: new Uint32Array(0), buckets: new Uint32Array(0) };
  const one = { documents: Uint32Array.of(5), buckets: Uint32Array.of(0) };
  t.is(dependentPairs(none, flags([]), flags([])).count, 0);
  t.is(dependentPairs(one, flags([]), flags([5])).count, 0);
  t.is(dependentPairs(one, flags([5]), flags([])).count, 0);
});
