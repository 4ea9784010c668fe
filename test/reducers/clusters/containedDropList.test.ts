/** The drop list by containment, against the rule written down over sorted documents. */
import test from 'ava';
import fc from 'fast-check';
import { containedDropList, containedPairs, guardOf } from '../../../reducers/dropList.js';
import { identityClasses } from '../../../reducers/identityClasses.js';
import type { VerifiedPairs } from '../../../reducers/verifiedPairs.js';
import { atOnce } from '../../../src/arrays/stepwise.js';

/** Documents as sets of a few elements (0 is empty), so that sizes tie, sets repeat and contain each other. */
const corpora = fc.array(fc.uniqueArray(fc.nat(7), { maxLength: 6 }), { maxLength: 22 });

const common = (x: readonly number[], y: readonly number[]): number => x.filter((e) => y.includes(e)).length;
const keyOf = (set: readonly number[]): string => [...set].sort().join(' ');

function classesOf(documents: readonly (readonly number[])[]) {
  const keys = new Uint32Array(4 * documents.length);
  documents.forEach((set, d) => {
    keys[4 * d] = set.reduce((bits, e) => bits | (1 << e), 0);
  });
  return atOnce(
    identityClasses(
      keys,
      Uint8Array.from(documents, (set) => (set.length === 0 ? 1 : 0)),
    ),
  );
}

/** The accepted pairs of exact mode, over first members. */
function verifiedPairs(documents: readonly (readonly number[])[], threshold: number): VerifiedPairs {
  const { first } = classesOf(documents);
  const rows: [number, number, number, number, number][] = [];
  documents.forEach((x, a) => {
    documents.forEach((y, b) => {
      if (b <= a || x.length * y.length === 0 || first[a] !== a || first[b] !== b) return;
      const both = common(x, y);
      if (both === 0) return;
      rows.push([a, b, both / (x.length + y.length - both), both / x.length, both / y.length]);
    });
  });
  const column = (i: number): Float64Array => Float64Array.from(rows, (row) => row[i]!);
  return {
    a: Uint32Array.from(rows, (row) => row[0]),
    b: Uint32Array.from(rows, (row) => row[1]),
    count: rows.length,
    agreement: column(2),
    accepted: Uint8Array.from(rows, (row) => (Math.max(row[3], row[4]) >= threshold ? 1 : 0)),
    exact: {
      rows: Uint32Array.from(rows.keys()),
      jaccard: column(2),
      containmentAB: column(3),
      containmentBA: column(4),
    },
  };
}

/** The rule over all documents, sorted by distinct size descending and then by number. */
function byTheRule(documents: readonly (readonly number[])[], threshold: number) {
  const order = [...documents.keys()].sort((x, y) => documents[y]!.length - documents[x]!.length || x - y);
  const kept: number[] = [];
  const dropped = new Map<number, readonly [kept: number, share: number]>();
  for (const d of order) {
    const set = documents[d]!;
    const best = kept
      .map((k) => {
        const same = keyOf(documents[k]!) === keyOf(set);
        return [k, same ? 1 : common(set, documents[k]!) / set.length] as const;
      })
      .filter(([, share]) => set.length > 0 && share >= threshold)
      .sort((x, y) => y[1] - x[1] || x[0] - y[0])[0];
    if (best === undefined) kept.push(d);
    else dropped.set(d, best);
  }
  return [...dropped].sort((x, y) => x[0] - y[0]).map(([d, [k, share]]) => [d, k, share]);
}

test('containedDropList is the rule over documents by size and number, copies included', (t) => {
  fc.assert(
    fc.property(corpora, fc.constantFrom(0.4, 0.5, 0.75, 0.8, 1), (documents, threshold) => {
      const found = atOnce(
        containedDropList(
          classesOf(documents),
          atOnce(containedPairs([verifiedPairs(documents, threshold)])),
        ),
      );
      const got = Array.from(found.document, (d, i) => [d, found.keptDocument[i]!, found.jaccard[i]!]);
      t.deepEqual(got, byTheRule(documents, threshold));
      t.is(found.kept.reduce((sum, one) => sum + one, 0) + got.length, documents.length);
    }),
    { seed: 6, numRuns: 1000 },
  );
});

test('a text that contains another is kept, whatever the order of their ids', (t) => {
  const documents = [[1, 2], [5], [1, 2, 3, 4], [1, 2, 3]];
  const found = atOnce(
    containedDropList(classesOf(documents), atOnce(containedPairs([verifiedPairs(documents, 1)]))),
  );
  t.deepEqual([...found.document], [0, 3]);
  t.deepEqual([...found.keptDocument], [2, 2]);
});

test('a copy names no text of its size that comes after it, though that has more of it than the kept one', (t) => {
  // 3 has half of 0 and stays; 0 and its copy go for it. 2 has more of them, stays, and comes before 4 alone.
  const copy = [1, 2, 3, 4];
  const documents = [copy, copy, [1, 3, 4, 8], [1, 2, 5, 6, 7], copy];
  const found = atOnce(
    containedDropList(classesOf(documents), atOnce(containedPairs([verifiedPairs(documents, 0.5)]))),
  );
  t.deepEqual([...found.document], [0, 1, 4]);
  t.deepEqual([...found.keptDocument], [3, 3, 2]);
  t.deepEqual([...found.jaccard], [0.5, 0.5, 0.75]);
});

test('outside exact mode there are no pairs to drop by', (t) => {
  const verified = { ...verifiedPairs([[1], [1, 2]], 0.5), exact: null };
  t.is(atOnce(containedPairs([verified])).count, 0);
});

test('what is protected contains also larger texts, as far as they are in it, of other groups alone', (t) => {
  const cases = fc.record({
    documents: corpora,
    flags: fc.array(fc.boolean(), { minLength: 22, maxLength: 22 }),
    threshold: fc.constantFrom(0.4, 0.5, 0.75, 1),
    isReference: fc.boolean(),
  });
  fc.assert(
    fc.property(cases, ({ documents, flags, threshold, isReference }) => {
      const isProtected = Uint8Array.from(documents, (_, d) => (flags[d] === true ? 1 : 0));
      const order = [...isProtected.keys()].sort((x, y) => isProtected[y]! - isProtected[x]! || x - y);
      const rank = new Uint32Array(documents.length);
      order.forEach((d, place) => {
        rank[d] = place;
      });
      // Of a reference all documents are protected, and only they are compared with the others.
      const group = isReference ? Uint32Array.from(isProtected, (flag) => 1 - flag) : null;
      const precedence = { rank, isProtected, group };
      const classes = classesOf(documents);
      const guard = guardOf(classes, precedence, threshold);
      const pairs = atOnce(containedPairs([verifiedPairs(documents, threshold)], guard));
      const { kept, document, keptDocument, jaccard } = atOnce(containedDropList(classes, pairs, precedence));
      const shareOf = (d: number, of: number): number =>
        common(documents[d]!, documents[of]!) / documents[d]!.length;
      document.forEach((d, row) => {
        t.is(isProtected[d], 0);
        t.is(kept[keptDocument[row]!], 1);
        t.is(jaccard[row], shareOf(d, keptDocument[row]!));
        t.true(jaccard[row]! >= threshold);
        if (isReference) t.is(isProtected[keptDocument[row]!], 1);
      });
      documents.forEach((set, d) => {
        const isIn = documents.some((_, e) => isProtected[e] === 1 && shareOf(d, e) >= threshold);
        if (isProtected[d] === 0 && set.length > 0 && isIn) t.is(kept[d], 0);
      });
    }),
    { seed: 7, numRuns: 300 },
  );
});
