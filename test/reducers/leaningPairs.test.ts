import test from 'ava';
import fc from 'fast-check';
import { leaningDocuments, leaningPairs } from '../../reducers/leaningPairs.js';
import { listOf, pairsOf, setOf } from './bruteForce.js';

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

test('leaningDocuments are dropped hot documents whose earlier kept ones are all at risk', (t) => {
  let found = 0;
  fc.assert(
    fc.property(someDocuments, someDocuments, somePairs, somePairs, (hot, keptList, near, round) => {
      const kept = Uint8Array.from({ length: COUNT }, (_, d) => Number(keptList.includes(d)));
      const wanted = hot.filter((d) => {
        const standIns = near.filter(([a, b]) => b === d && kept[a] === 1).map(([a]) => a);
        return (
          kept[d] === 0 &&
          standIns.length > 0 &&
          standIns.every((k) => round.some(([, later]) => later === k))
        );
      });
      const leaning = leaningDocuments(Uint32Array.from(hot), kept, pairsOf(near), pairsOf(round));
      t.deepEqual([...leaning], wanted);
      found += wanted.length;
    }),
    { seed: 1, numRuns: 500 },
  );
  t.true(found > 100, `${found} leaning documents`);
});

test('leaningPairs join every leaning document with the first kept document of its bucket', (t) => {
  fc.assert(
    fc.property(
      someDocuments,
      someDocuments,
      fc.array(fc.tuple(fc.nat(2), fc.nat(1)), { minLength: COUNT, maxLength: COUNT }),
      (documents, others, buckets) => {
        const leaning = others.filter((d) => !documents.includes(d));
        const keys = Uint32Array.from([...documents, ...leaning].flatMap((d) => buckets[d]!));
        const found = leaningPairs(keys, Uint32Array.from(documents), Uint32Array.from(leaning));
        const wanted = leaning.flatMap((d): [number, number][] => {
          const first = documents.find((k) => String(buckets[k]) === String(buckets[d]));
          return first === undefined ? [] : [[Math.min(first, d), Math.max(first, d)]];
        });
        t.deepEqual(setOf(listOf(found)), setOf(wanted));
        t.is(found.count, wanted.length);
      },
    ),
    { seed: 2, numRuns: 500 },
  );
});

test('leaningPairs of nothing are none', (t) => {
  const none = new Uint32Array(0);
  t.is(leaningPairs(none, none, none).count, 0);
  t.is(leaningPairs(Uint32Array.of(1, 2), none, Uint32Array.of(5)).count, 0);
  t.is(leaningPairs(Uint32Array.of(1, 2), Uint32Array.of(5), none).count, 0);
});
