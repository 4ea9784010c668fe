/** Identity and clusters of documents with groups, beside the rules written down over all pairs. */
import test from 'ava';
import fc from 'fast-check';
import { clusters } from '../../reducers/clusters.js';
import { BY_PLACE, dropList } from '../../reducers/dropList.js';
import { identicalPairCount, identicalPairs } from '../../reducers/identicalPairs.js';
import { atOnce } from '../../src/arrays/stepwise.js';
import {
  comparedGroups,
  crossNames,
  linkedClasses,
  mixedClasses,
} from '../../src/coordinator/verify/crossIdentity.js';
import { classesOf, corpora, listOf, nearPairsOf, verified } from './bruteForce.js';

/** Corpora with up to 5 groups. */
const cases = corpora.chain((corpus) =>
  fc.record({
    corpus: fc.constant(corpus),
    group: fc
      .integer({ min: 1, max: 5 })
      .chain((some) =>
        fc
          .array(fc.nat(some - 1), { minLength: corpus.labels.length, maxLength: corpus.labels.length })
          .map((groups) => Uint32Array.from(groups)),
      ),
  }),
);
type Case = typeof cases extends fc.Arbitrary<infer C> ? C : never;

/** All verified pairs of two groups. */
function crossVerified({ corpus, group }: Case): [number, number, number][] {
  const pairs: [number, number, number][] = [];
  for (let a = 0; a < group.length; a++) {
    for (let b = a + 1; b < group.length; b++) {
      const jaccard = verified(corpus, a, b);
      if (jaccard !== undefined && group[a] !== group[b]) pairs.push([a, b, jaccard]);
    }
  }
  return pairs;
}

/** The near pairs of classes that make pairs of two groups, as they are compared. */
function nearOf({ corpus, group }: Case) {
  const classes = classesOf(corpus);
  const { of } = comparedGroups(classes, group, new Uint32Array(group.length));
  const near = nearPairsOf(corpus);
  const rows = listOf(near).flatMap(([a, b], row) => (of[a] === of[b] ? [] : [row]));
  return {
    classes,
    near: {
      a: Uint32Array.from(rows, (row) => near.a[row]!),
      b: Uint32Array.from(rows, (row) => near.b[row]!),
      jaccard: Float64Array.from(rows, (row) => near.jaccard[row]!),
      count: rows.length,
    },
  };
}

/** Documents that chains of pairs connect, as text. */
function components(count: number, pairs: readonly (readonly number[])[]): string[] {
  const root = Array.from({ length: count }, (_, d) => d);
  const rootOf = (d: number): number => (root[d] === d ? d : rootOf(root[d]!));
  for (const [a, b] of pairs) root[Math.max(rootOf(a!), rootOf(b!))] = Math.min(rootOf(a!), rootOf(b!));
  const found = new Map<number, number[]>();
  root.forEach((_, d) => {
    found.set(rootOf(d), [...(found.get(rootOf(d)) ?? []), d]);
  });
  return [...found.values()]
    .filter((members) => members.length > 1)
    .map(String)
    .sort();
}

test('classes are compared where some of their documents are of two groups, and named by such', (t) => {
  fc.assert(
    fc.property(cases, (one) => {
      const { corpus, group } = one;
      const { classes, near } = nearOf(one);
      const nearLabels = (a: number, b: number): string =>
        [corpus.labels[a]!, corpus.labels[b]!].sort((x, y) => x - y).join(' ');
      const wanted = new Set(
        crossVerified(one)
          .filter(([a, b]) => corpus.labels[a] !== corpus.labels[b])
          .map(([a, b]) => nearLabels(a, b)),
      );
      t.deepEqual(
        listOf(near)
          .map(([a, b]) => nearLabels(a, b))
          .sort(),
        [...wanted].sort(),
      );

      const names = crossNames(classes, group, near) ?? near;
      for (let row = 0; row < near.count; row++) {
        t.not(group[names.a[row]!], group[names.b[row]!]);
        t.is(classes.first[names.a[row]!], near.a[row]);
        t.is(classes.first[names.b[row]!], near.b[row]);
      }
    }),
    { seed: 1, numRuns: 200 },
  );
});

test('identical documents of two groups have rows that connect them: one fewer than they are', (t) => {
  fc.assert(
    fc.property(cases, fc.nat(4), (one, texts) => {
      const { corpus, group } = one;
      const mixed = mixedClasses(classesOf(corpus), group);
      // Some have the same text and some only the same tokens.
      const textOf = (d: number): number => (d * 7) % (texts + 1);
      const classes = { ...mixed, texts: mixed.members.map(textOf) };
      const all = crossVerified(one).filter(([a, b]) => corpus.labels[a] === corpus.labels[b]);
      const { count, a, b, isSame } = identicalPairs(classes, group);
      t.is(count, identicalPairCount(classes));
      const rows = Array.from(a, (one, i) => [one, b[i]!] as [number, number]);
      rows.forEach(([one, other], i) => {
        t.true(one < other);
        if (i > 0) t.true(a[i - 1]! < one || (a[i - 1] === one && b[i - 1]! < other));
        t.is(isSame[i] === 1, textOf(one) === textOf(other));
      });
      t.is(rows.length, mixed.members.length - mixed.firsts.length);
      t.true(rows.every(([a, b]) => group[a] !== group[b]));
      t.deepEqual(components(group.length, rows), components(group.length, all));
    }),
    { seed: 2, numRuns: 200 },
  );
});

test('clusters are what chains of pairs of two groups connect', (t) => {
  fc.assert(
    fc.property(cases, (one) => {
      const { classes, near } = nearOf(one);
      const { cluster, document } = atOnce(
        clusters(linkedClasses(classes, one.group, near), near, {
          verified: { a: near.a, b: near.b, count: near.count, exact: null },
          estimate: () => 1,
          threshold: 0.5,
        }),
      );
      const found = new Map<number, number[]>();
      cluster.forEach((number, row) => {
        found.set(number, [...(found.get(number) ?? []), document[row]!]);
      });
      t.deepEqual([...found.values()].map(String).sort(), components(one.group.length, crossVerified(one)));
    }),
    { seed: 3, numRuns: 200 },
  );
});

test('of groups a document is dropped only for a kept one of another, and no pair of two groups is left', (t) => {
  fc.assert(
    fc.property(cases, fc.boolean(), (one, isReference) => {
      const { group } = one;
      const { classes, near } = nearOf(one);
      // Documents of group 0 are protected, and come first.
      const isProtected = isReference ? Uint8Array.from(group, (g) => (g === 0 ? 1 : 0)) : null;
      const order = [...group.keys()].sort((d, e) => {
        return isReference ? Number(group[d] !== 0) - Number(group[e] !== 0) || d - e : d - e;
      });
      const rank = new Uint32Array(group.length);
      order.forEach((d, place) => {
        rank[d] = place;
      });
      const precedence = isReference ? { rank, isProtected, group } : { ...BY_PLACE, group };
      const { kept, document, keptDocument, jaccard } = atOnce(dropList(classes, near, precedence));
      const pairs = new Map(crossVerified(one).map(([a, b, j]) => [`${a} ${b}`, j]));
      document.forEach((d, row) => {
        const keeper = keptDocument[row]!;
        t.is(kept[d], 0);
        t.is(kept[keeper], 1);
        t.is(pairs.get(`${Math.min(d, keeper)} ${Math.max(d, keeper)}`), jaccard[row]);
        if (isReference) t.not(group[d], 0);
      });
      t.is(
        document.length,
        kept.reduce((sum, one) => sum + 1 - one, 0),
      );
      for (const [a, b] of crossVerified(one)) t.false(kept[a] === 1 && kept[b] === 1);
    }),
    { seed: 4, numRuns: 200 },
  );
});
