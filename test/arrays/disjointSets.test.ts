import test from 'ava';
import fc from 'fast-check';
import { disjointSets, rootOf, unite } from '../../src/arrays/disjointSets.js';

test('disjointSets: only unions connect members, and the root is the smallest member', (t) => {
  const edges = fc.array(fc.tuple(fc.nat(39), fc.nat(39)), { maxLength: 60 });
  fc.assert(
    fc.property(edges, (pairs) => {
      const sets = disjointSets(40);
      const labels = Array.from({ length: 40 }, (_, member) => member);
      for (const [a, b] of pairs) {
        const [labelA, labelB] = [labels[a]!, labels[b]!];
        t.is(unite(sets, a, b), labelA !== labelB);
        const least = Math.min(labelA, labelB);
        labels.forEach((label, member) => {
          if (label === labelA || label === labelB) labels[member] = least;
        });
      }
      t.deepEqual(
        labels.map((_, member) => rootOf(sets, member)),
        labels,
      );
    }),
    { seed: 1, numRuns: 300 },
  );
});

test('disjointSets: 200,000 members united from the far end have the first as root', (t) => {
  const count = 200_000;
  const sets = disjointSets(count);
  for (let member = count - 1; member > 0; member--) unite(sets, member - 1, member);
  t.is(rootOf(sets, count - 1), 0);
  t.true(disjointSets(0).length === 0);
});
