import test from 'ava';
import fc from 'fast-check';
import { componentClusters, keptClusters } from '../../reducers/clusters.js';
import { dropList, dropsAtThresholds } from '../../reducers/dropList.js';
import { duplicateGroups } from '../../reducers/duplicateGroups.js';
import {
  countedRows,
  groupPairs,
  identicalPairs,
  type PairRules,
  type VerifiedPairs,
} from '../../reducers/groupPairs.js';
import type { Pairs } from '../../src/blocks/pairs.js';

const THRESHOLD = 0.5;

interface GroupPairs extends Pairs {
  readonly jaccard: Float64Array;
}

/** A corpus of few documents: their contents by number, and the similarity of two contents. */
interface Corpus {
  readonly contents: readonly number[];
  readonly references: number;
  readonly onlyAgainst: boolean;
  similarity(x: number, y: number): number;
}

const corpora = fc
  .record({
    contents: fc.array(fc.nat({ max: 6 }), { maxLength: 16 }),
    references: fc.nat({ max: 5 }),
    onlyAgainst: fc.boolean(),
    similarities: fc.array(fc.constantFrom(0.2, 0.3, 0.5, 0.6, 0.85, 0.96, 1), {
      minLength: 49,
      maxLength: 49,
    }),
  })
  .map(
    ({ contents, references, onlyAgainst, similarities }): Corpus => ({
      contents,
      references: Math.min(references, contents.length),
      onlyAgainst,
      similarity: (x, y) => (x === y ? 1 : similarities[7 * Math.min(x, y) + Math.max(x, y)]!),
    }),
  );

/** Whether two documents, a < b, are compared at all. */
function isCompared({ references, onlyAgainst }: Corpus, a: number, b: number): boolean {
  return b >= references && !(onlyAgainst && references > 0 && a >= references);
}

function similarityOf({ contents, similarity }: Corpus, a: number, b: number): number {
  return similarity(contents[a]!, contents[b]!);
}

function rulesOf({ contents, references, onlyAgainst }: Corpus): PairRules {
  const keys = Uint32Array.from(contents.flatMap((content) => [content, 0, 0, 0]));
  const groups = duplicateGroups(contents.length, [
    { numbers: Uint32Array.from(contents.keys()), keys, textKeys: null },
  ]);
  return { groups, references, onlyAgainst: onlyAgainst && references > 0 };
}

/** All pairs of documents that take part, as bands and sets would find them. */
function pairsOf(corpus: Corpus): GroupPairs {
  const { contents, references } = corpus;
  const isFirst = (d: number) => contents.indexOf(contents[d]!) === d;
  const isFirstOther = (d: number) =>
    d >= references &&
    contents.indexOf(contents[d]!) < references &&
    contents.indexOf(contents[d]!, references) === d;
  const documents = [...contents.keys()].filter((d) => isFirst(d) || isFirstOther(d));
  const rows = documents.flatMap((a) =>
    documents
      .filter((b) => a < b && isCompared(corpus, a, b))
      .map((b) => [a, b, similarityOf(corpus, a, b)] as const),
  );
  return {
    count: rows.length,
    a: Uint32Array.from(rows, ([a]) => a),
    b: Uint32Array.from(rows, ([, b]) => b),
    jaccard: Float64Array.from(rows, ([, , jaccard]) => jaccard),
  };
}

function picked({ a, b, jaccard }: GroupPairs, rows: Iterable<number>): GroupPairs {
  const some = Uint32Array.from(rows);
  return {
    count: some.length,
    a: some.map((row) => a[row]!),
    b: some.map((row) => b[row]!),
    jaccard: Float64Array.from(some, (row) => jaccard[row]!),
  };
}

/** Pairs of groups as the run makes them: all that were verified, and the accepted ones. */
function decided(corpus: Corpus) {
  const rules = rulesOf(corpus);
  const all = pairsOf(corpus);
  const counted = picked(all, rules.references === 0 ? all.a.keys() : countedRows(rules, all));
  const verified = grouped(rules, counted);
  return { rules, counted, verified, near: inParts(verified) };
}

/** The pairs in two parts, the second of which may begin with the `a` of the first. */
function inParts({ a, b, count, jaccard }: GroupPairs): VerifiedPairs {
  const middle = count >> 1;
  return {
    parts: () =>
      [[0, middle] as const, [middle, count] as const].map(([from, to]) => ({
        ...{ a: a.subarray(from, to), b: b.subarray(from, to), count: to - from },
        similarityOf: (i) => jaccard[from + i]!,
        isNear: (i) => jaccard[from + i]! >= THRESHOLD,
      })),
  };
}

function grouped(rules: PairRules, pairs: GroupPairs): GroupPairs {
  const { rows, ...named } = groupPairs(rules, pairs);
  return {
    ...named,
    jaccard: Float64Array.from(named.a.subarray(0, named.count), (_, i) => pairs.jaccard[rows?.[i] ?? i]!),
  };
}

/** The definition, document by document. */
function naiveDrops(corpus: Corpus, threshold: number): [document: number, kept: number, jaccard: number][] {
  const kept: number[] = [];
  const drops: [number, number, number][] = [];
  for (const d of corpus.contents.keys()) {
    const offers = kept
      .filter((k) => isCompared(corpus, k, d) && similarityOf(corpus, k, d) >= threshold)
      .map((k) => [d, k, similarityOf(corpus, k, d)] as [number, number, number])
      .sort((x, y) => y[2] - x[2] || x[1] - y[1]);
    if (offers.length === 0) kept.push(d);
    else drops.push(offers[0]!);
  }
  return drops;
}

const ROUNDS = { seed: 5, numRuns: 500 };

test('a document is dropped for the earlier kept document that it resembles most; reference documents never are', (t) => {
  fc.assert(
    fc.property(corpora, (corpus) => {
      const { rules, near } = decided(corpus);
      const { document, kept, jaccard } = dropList(rules, near);
      const rows = Array.from(document, (d, i) => [d, kept[i]!, jaccard[i]!]);
      t.deepEqual(rows, naiveDrops(corpus, THRESHOLD));
    }),
    ROUNDS,
  );
});

test('a higher threshold drops as many documents as a run at that threshold', (t) => {
  fc.assert(
    fc.property(corpora, (corpus) => {
      const { rules, near } = decided(corpus);
      const drops = dropsAtThresholds(rules, near, THRESHOLD, 3);
      t.deepEqual(drops.at(-1), { threshold: THRESHOLD, dropped: 3 });
      t.is(drops.length, 10);
      for (const { threshold, dropped } of drops.slice(0, -1))
        t.is(dropped, naiveDrops(corpus, threshold).length);
    }),
    ROUNDS,
  );
});

test('two groups of identical documents are one pair, although a group with references takes part twice', (t) => {
  fc.assert(
    fc.property(corpora, (corpus) => {
      const { counted, verified } = decided(corpus);
      const names = Array.from(counted.a, (a, i) =>
        [corpus.contents[a]!, corpus.contents[counted.b[i]!]!].sort().join(' '),
      );
      t.is(new Set(names).size, names.length);
      t.is(verified.count, counted.count);
      const wanted = new Set<string>();
      for (const a of corpus.contents.keys())
        for (let b = a + 1; b < corpus.contents.length; b++)
          if (isCompared(corpus, a, b) && corpus.contents[a] !== corpus.contents[b])
            wanted.add([corpus.contents[a]!, corpus.contents[b]!].sort().join(' '));
      t.deepEqual([...names].sort(), [...wanted].sort());
    }),
    ROUNDS,
  );
});

/** The components of a graph over documents, each ascending, in the order of their first documents; those of two or more. */
function components(documents: number, edges: readonly (readonly [number, number])[]): number[][] {
  const root = Array.from({ length: documents }, (_, d) => d);
  for (let changed = true; changed; ) {
    changed = false;
    for (const [a, b] of edges) {
      const least = Math.min(root[a]!, root[b]!);
      changed ||= root[a] !== least || root[b] !== least;
      root[a] = least;
      root[b] = least;
    }
  }
  return [...new Set(root)]
    .sort((x, y) => x - y)
    .map((one) => [...root.keys()].filter((d) => root[d] === one))
    .filter((list) => list.length > 1);
}

function edgesOf(corpus: Corpus, isEdge: (a: number, b: number) => boolean): [number, number][] {
  const documents = [...corpus.contents.keys()];
  return documents.flatMap((a) =>
    documents
      .filter((b) => a < b && isCompared(corpus, a, b) && isEdge(a, b))
      .map((b): [number, number] => [a, b]),
  );
}

test('identical documents are connected by one pair less than a group has documents', (t) => {
  fc.assert(
    fc.property(corpora, (corpus) => {
      const { a, b, count } = identicalPairs(rulesOf(corpus));
      const rows = Array.from(a, (one, i) => [one, b[i]!] as const);
      t.deepEqual(
        rows,
        [...rows].sort((x, y) => x[0] - y[0] || x[1] - y[1]),
      );
      const groups = components(
        corpus.contents.length,
        edgesOf(corpus, (x, y) => corpus.contents[x] === corpus.contents[y]),
      );
      t.deepEqual(components(corpus.contents.length, rows), groups);
      t.is(
        count,
        groups.reduce((sum, group) => sum + group.length - 1, 0),
      );
      t.true(rows.every(([x, y]) => isCompared(corpus, x, y)));
    }),
    ROUNDS,
  );
});

/** Clusters as lists of documents. */
function listed({
  cluster,
  document,
}: {
  readonly cluster: Uint32Array;
  readonly document: Uint32Array;
}): number[][] {
  const lists: number[][] = [];
  document.forEach((d, row) => {
    if (row === 0 || cluster[row] !== cluster[row - 1]) lists.push([]);
    lists.at(-1)!.push(d);
  });
  return lists;
}

test('clusters are the connected components of accepted pairs, with the similarity to their first document', (t) => {
  fc.assert(
    fc.property(corpora, (corpus) => {
      const { rules, near } = decided(corpus);
      const rows = componentClusters(rules, near, true);
      const edges = edgesOf(corpus, (a, b) => similarityOf(corpus, a, b) >= THRESHOLD);
      const wanted = components(corpus.contents.length, edges);
      t.deepEqual(listed(rows), wanted);
      t.is(rows.count, wanted.length);
      wanted
        .flatMap((list) => list.map((d) => [list[0]!, d] as const))
        .forEach(([first, d], row) => {
          t.is(rows.role[row], d === first ? 0 : 1);
          const similarity = rows.similarity[row]!;
          if (!Number.isNaN(similarity)) t.is(similarity, similarityOf(corpus, first, d));
          else t.false(isCompared(corpus, first, d) && rules.references === 0);
        });
    }),
    ROUNDS,
  );
});

test('greedy clusters are the kept documents with the documents that are dropped for them', (t) => {
  fc.assert(
    fc.property(corpora, (corpus) => {
      const { rules, near } = decided(corpus);
      const rows = keptClusters(rules, dropList(rules, near), true);
      const drops = naiveDrops(corpus, THRESHOLD);
      const wanted = [...new Set(drops.map(([, kept]) => kept))].sort((x, y) => x - y);
      t.deepEqual(
        listed(rows),
        wanted.map((kept) =>
          [kept, ...drops.filter((drop) => drop[1] === kept).map(([d]) => d)].sort((x, y) => x - y),
        ),
      );
      rows.document.forEach((d, row) => {
        const drop = drops.find(([document]) => document === d);
        t.is(rows.similarity[row], drop?.[2] ?? 1);
      });
    }),
    ROUNDS,
  );
});
