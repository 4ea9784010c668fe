import test from 'ava';
import fc from 'fast-check';
import { clusters, ESTIMATE, EXACT, MEMBER, REPRESENTATIVE } from '../../../reducers/clusters.js';
import type { NearPairs, RowEvidence } from '../../../reducers/verifiedPairs.js';
import { atOnce } from '../../../src/arrays/stepwise.js';
import { type Corpus, classesOf, corpora, identical, nearPairsOf, verified } from '../bruteForce.js';

/** Connected components over documents, smallest first, each ascending. */
function componentsByDefinition(corpus: Corpus): number[][] {
  const seen = new Set<number>();
  const components: number[][] = [];
  corpus.labels.forEach((_, start) => {
    if (seen.has(start)) return;
    const component = [start];
    seen.add(start);
    for (let i = 0; i < component.length; i++) {
      corpus.labels.forEach((__, d) => {
        if (seen.has(d) || verified(corpus, component[i]!, d) === undefined) return;
        seen.add(d);
        component.push(d);
      });
    }
    if (component.length > 1) components.push(component.sort((x, y) => x - y));
  });
  return components;
}

/** The evidence of the pairs whose resemblance is known. Clusters never ask for containments. */
function evidenceOf({ jaccard, count }: NearPairs): RowEvidence {
  const rows = Uint32Array.from({ length: count }, (_, row) => row).filter(
    (row) => !Number.isNaN(jaccard[row]!),
  );
  const none = new Float64Array(rows.length);
  return {
    rows,
    jaccard: Float64Array.from(rows, (row) => jaccard[row]!),
    containmentAB: none,
    containmentBA: none,
  };
}

/** A made-up estimate that names the pair it was asked for. */
const estimateOf = (a: number, b: number): number => 0.5 + a / 1000 + b / 100_000;

/**
 * Near pairs plus, for the pairs of first members at every third distance, rejected ones that were verified
 * (0.3) and candidates that were not (NaN).
 */
function candidatesOf(corpus: Corpus, near: NearPairs): NearPairs {
  const { first } = classesOf(corpus);
  const rows: [number, number, number][] = [];
  for (let a = 0; a < first.length; a++) {
    for (let b = a + 1; b < first.length; b++) {
      const jaccard = verified(corpus, a, b);
      if (first[a] !== a || first[b] !== b || corpus.empty[a] || corpus.empty[b]) continue;
      if (jaccard !== undefined) rows.push([a, b, jaccard]);
      else if ((b - a) % 3 < 2) rows.push([a, b, (b - a) % 3 === 0 ? 0.3 : Number.NaN]);
    }
  }
  if (rows.length < near.count) throw new Error('the candidates lack a near pair');
  return {
    a: Uint32Array.from(rows, (row) => row[0]),
    b: Uint32Array.from(rows, (row) => row[1]),
    jaccard: Float64Array.from(rows, (row) => row[2]),
    count: rows.length,
  };
}

/** Similarity and basis of a member by the rule. */
function similarityByDefinition(
  corpus: Corpus,
  exactMode: boolean,
  representative: number,
  d: number,
): [number, number] {
  if (identical(corpus, representative, d)) return [1, EXACT];
  const first = corpus.labels.findIndex((_, e) => identical(corpus, d, e));
  const jaccard = verified(corpus, representative, first);
  if (exactMode && jaccard !== undefined) return [jaccard, EXACT];
  if (exactMode && Math.abs(first - representative) % 3 === 0) return [0.3, EXACT];
  return [estimateOf(representative, first), ESTIMATE];
}

for (const exactMode of [true, false]) {
  test(`clusters are connected components with ${exactMode ? 'exact' : 'estimated'} similarities`, (t) => {
    fc.assert(
      fc.property(corpora, (corpus) => {
        const near = nearPairsOf(corpus);
        const candidates = candidatesOf(corpus, near);
        const found = atOnce(
          clusters(classesOf(corpus), near, {
            verified: { ...candidates, exact: exactMode ? evidenceOf(candidates) : null },
            estimate: estimateOf,
            threshold: 0.8,
          }),
        );
        const wanted = componentsByDefinition(corpus).flatMap((component, c) =>
          component.map((d) => {
            const [similarity, basis] = similarityByDefinition(corpus, exactMode, component[0]!, d);
            const role = d === component[0] ? REPRESENTATIVE : MEMBER;
            return { cluster: c + 1, document: d, role, similarity, basis };
          }),
        );
        const rows = [...found.document].map((document, i) => ({
          cluster: found.cluster[i]!,
          document,
          role: found.role[i]!,
          similarity: found.similarity[i]!,
          basis: found.basis[i]!,
        }));
        t.deepEqual(rows, wanted);
        const below = wanted.filter((row) => row.similarity < 0.8);
        t.is(found.count, wanted.at(-1)?.cluster ?? 0);
        t.is(found.membersBelow, below.length);
        t.is(found.clustersBelow, new Set(below.map((row) => row.cluster)).size);
      }),
      { seed: 1, numRuns: 1000 },
    );
  });
}

test('clusters hold both ends of a chain and count the member below the threshold', (t) => {
  const corpus: Corpus = {
    labels: [0, 1, 2],
    empty: [false, false, false],
    near: new Map([
      ['0 1', 0.8],
      ['1 2', 0.8],
    ]),
  };
  const near = nearPairsOf(corpus);
  const found = atOnce(
    clusters(classesOf(corpus), near, {
      verified: { ...near, exact: evidenceOf(near) },
      estimate: () => 0.625,
      threshold: 0.8,
    }),
  );
  t.deepEqual([...found.similarity], [1, 0.8, 0.625]);
  t.deepEqual([...found.basis], [EXACT, EXACT, ESTIMATE]);
  t.is(found.membersBelow, 1);
  t.is(found.clustersBelow, 1);
});

test('clusters without near pairs come from identity alone and ask for no estimate', (t) => {
  const corpus: Corpus = { labels: [3, 5, 3], empty: [false, false, false], near: new Map() };
  const near = nearPairsOf(corpus);
  const found = atOnce(
    clusters(classesOf(corpus), near, {
      verified: { ...near, exact: null },
      estimate: () => t.fail() as unknown as number,
      threshold: 0.8,
    }),
  );
  t.deepEqual([...found.document], [0, 2]);
  t.deepEqual([...found.similarity], [1, 1]);
});
