import test from 'ava';
import fc from 'fast-check';
import { atOnce } from '../../../src/arrays/stepwise.js';
import {
  type GreedyParams,
  greedyClusters,
  type SketchColumns,
} from '../../../src/sketch/samples/fingerprintClusters.js';
import { randomHashes, randomWords } from '../../data/randomHashes.js';
import { columnOf } from './naiveSketches.js';

function columnsOf(documents: readonly (readonly number[])[]): SketchColumns {
  const starts = [0];
  for (const document of documents) starts.push(starts.at(-1)! + document.length);
  // Spread over both halves, keeping the order.
  const values = columnOf(documents.flat().map((value) => (BigInt(value) << 31n) | BigInt(value % 3)));
  return { starts: Uint32Array.from(starts), values };
}

const ALL = Number.POSITIVE_INFINITY;

/** The share of a document's fingerprints that the representative has. */
function shareOf(document: readonly number[], representative: readonly number[]): number {
  return document.filter((x) => representative.includes(x)).length / document.length;
}

function naiveClusters(documents: readonly (readonly number[])[], params: GreedyParams): number[] {
  const clusters: { members: number[][]; representative: number[] }[] = [];
  return documents.map((document) => {
    const values = clusters.map(({ representative }) => shareOf(document, representative));
    const best = values.reduce((found, value, i) => (value > (values[found] ?? 0) ? i : found), -1);
    const joined = best >= 0 && values[best]! >= params.threshold ? best : clusters.length;
    if (joined === clusters.length) clusters.push({ members: [], representative: [...document] });
    const cluster = clusters[joined]!;
    cluster.members.push([...document]);
    if (params.representative !== 'first' && Number.isInteger(Math.log2(cluster.members.length))) {
      const counts = new Map<number, number>();
      for (const value of cluster.members.flat()) counts.set(value, (counts.get(value) ?? 0) + 1);
      const popular = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
      cluster.representative = popular
        .slice(0, params.representative)
        .map(([value]) => value)
        .sort((a, b) => a - b);
    }
    return joined;
  });
}

const document = fc.uniqueArray(fc.nat(25), { maxLength: 10 }).map((values) => values.sort((a, b) => a - b));

test('greedyClusters does what its definition says, for every representative', (t) => {
  const params = fc.record({
    threshold: fc.constantFrom(0.1, 0.3, 0.5, 0.75, 1),
    representative: fc.constantFrom('first' as const, 1, 4, 10),
    followed: fc.constant(ALL),
  });
  fc.assert(
    fc.property(fc.array(document, { maxLength: 40 }), params, (documents, given) => {
      const found = atOnce(greedyClusters(columnsOf(documents), given));
      const expected = naiveClusters(documents, given);
      t.deepEqual([...found.clusters], expected);
      t.is(found.count, new Set(expected).size);
    }),
    { seed: 1, numRuns: 600 },
  );
});

test('documents with empty sketches are alone, and nothing makes no clusters', (t) => {
  const params: GreedyParams = { threshold: 0.5, representative: 'first', followed: ALL };
  const found = atOnce(greedyClusters(columnsOf([[], [1, 2], [], [1, 2], []]), params));
  t.deepEqual([...found.clusters], [0, 1, 2, 1, 3]);
  t.is(atOnce(greedyClusters(columnsOf([]), params)).count, 0);
});

test('20,000 documents of 2,000 groups: every group is found again', (t) => {
  const GROUPS = 2000;
  const words = randomWords(1);
  const hashes = randomHashes(GROUPS * 40, 1);
  const groups = Array.from({ length: 20_000 }, (_, i) => (i < GROUPS ? i : words() % GROUPS));
  const starts = Uint32Array.from({ length: groups.length + 1 }, (_, i) => 32 * i);
  const values = new Uint32Array(2 * 32 * groups.length);
  for (const [i, group] of groups.entries()) {
    // 32 of the group's 40 values, without the 8 from a random place on: common to two are at least 24.
    const skip = words() % 33;
    const own = hashes.subarray(80 * group, 80 * group + 80);
    const kept = Uint32Array.from([...own.subarray(0, 2 * skip), ...own.subarray(2 * skip + 16)]);
    const pairs = new BigUint64Array(kept.buffer).sort();
    values.set(new Uint32Array(pairs.buffer), 64 * i);
  }
  for (const representative of ['first', 40] as const) {
    const found = atOnce(
      greedyClusters({ starts, values }, { threshold: 0.6, representative, followed: ALL }),
    );
    t.is(found.count, GROUPS);
    t.deepEqual([...found.clusters], groups);
  }
});

test('a fingerprint is followed to its first clusters only, and what is common is counted in full', (t) => {
  fc.assert(
    fc.property(
      fc.array(document, { maxLength: 40 }),
      fc.integer({ min: 1, max: 4 }),
      (documents, followed) => {
        const params: GreedyParams = { threshold: 0.4, representative: 'first', followed };
        const { clusters, uncompared } = atOnce(greedyClusters(columnsOf(documents), params));
        const lists = new Map<number, number[]>();
        const representatives: (readonly number[])[] = [];
        let founded = 0;
        for (const [i, values] of documents.entries()) {
          const met = [...new Set(values.flatMap((value) => (lists.get(value) ?? []).slice(0, followed)))];
          const estimates = met.map((cluster) => shareOf(values, representatives[cluster]!));
          const best = met
            .filter((_, k) => estimates[k]! >= 0.4)
            .sort((x, y) => estimates[met.indexOf(y)]! - estimates[met.indexOf(x)]! || x - y)[0];
          if (best === undefined) {
            if (values.some((value) => (lists.get(value)?.length ?? 0) > followed)) founded++;
            for (const value of values)
              lists.set(value, [...(lists.get(value) ?? []), representatives.length]);
            representatives.push(values);
          }
          t.is(clusters[i], best ?? representatives.length - 1);
        }
        t.is(uncompared, founded);
      },
    ),
    { seed: 3, numRuns: 400 },
  );
});
