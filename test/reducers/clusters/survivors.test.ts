/** The order of survivors in drop lists, against the rules written down over documents. */
import test from 'ava';
import fc from 'fast-check';
import {
  classRanks,
  containedDropList,
  dropList,
  keptDocuments,
  type Precedence,
  pairsAmong,
} from '../../../reducers/dropList.js';
import { atOnce } from '../../../src/arrays/stepwise.js';
import { type Corpus, classesOf, corpora, nearPairsOf, verified } from '../bruteForce.js';

/** An order of documents, some of them protected, which come first, and where wanted a group each. */
interface Survivors {
  readonly corpus: Corpus;
  /** Documents in their order. */
  readonly order: readonly number[];
  readonly precedence: Precedence;
}

function survivorsOf(corpus: Corpus, keys: readonly number[], guarded: number, groups: number): Survivors {
  const documents = corpus.labels.map((_, d) => d);
  const isProtected = Uint8Array.from(documents, (d) => (keys[d]! % 10 < guarded ? 1 : 0));
  const order = [...documents].sort(
    (x, y) => isProtected[y]! - isProtected[x]! || keys[x]! - keys[y]! || x - y,
  );
  const rank = new Uint32Array(order.length);
  order.forEach((d, place) => {
    rank[d] = place;
  });
  const group = groups === 0 ? null : Uint32Array.from(documents, (d) => Math.trunc(keys[d]! / 10) % groups);
  return { corpus, order, precedence: { rank, isProtected: guarded === 0 ? null : isProtected, group } };
}

const scenes: fc.Arbitrary<Survivors> = corpora.chain((corpus) => {
  const count = corpus.labels.length;
  return fc
    .record({
      keys: fc.array(fc.nat(999), { minLength: count, maxLength: count }),
      guarded: fc.constantFrom(0, 0, 1, 4),
      groups: fc.constantFrom(0, 0, 2, 5),
    })
    .map(({ keys, guarded, groups }) => survivorsOf(corpus, keys, guarded, groups));
});

/** The resemblance of two documents that are a pair; undefined where they are none, or of one group. */
function pairOf({ corpus, precedence: { group } }: Survivors, d: number, e: number): number | undefined {
  return group !== null && group[d] === group[e] ? undefined : verified(corpus, d, e);
}

/** The rule word for word. */
function byDefinition(scene: Survivors): { kept: number[]; rows: [number, number, number][] } {
  const kept: number[] = [];
  const rows: [number, number, number][] = [];
  for (const d of scene.order) {
    let best: [number, number] | undefined;
    for (const k of kept) {
      const jaccard = pairOf(scene, k, d);
      if (jaccard !== undefined && (best === undefined || jaccard > best[1])) best = [k, jaccard];
    }
    if (best === undefined || scene.precedence.isProtected?.[d] === 1) kept.push(d);
    else rows.push([d, ...best]);
  }
  return { kept: kept.sort((x, y) => x - y), rows: rows.sort(([x], [y]) => x - y) };
}

test('dropList takes documents in any order, keeps protected ones, and leaves no other pair among the kept', (t) => {
  let guarded = 0;
  fc.assert(
    fc.property(scenes, (scene) => {
      const { corpus, precedence, order } = scene;
      const [classes, near] = [classesOf(corpus), nearPairsOf(corpus)];
      const found = atOnce(dropList(classes, near, precedence));
      const wanted = byDefinition(scene);
      t.deepEqual(
        [...found.kept].flatMap((flag, d) => (flag === 1 ? [d] : [])),
        wanted.kept,
      );
      t.deepEqual(atOnce(keptDocuments(classes, near, precedence)), found.kept);
      const rows = [...found.document].map((d, i): [number, number, number] => {
        return [d, found.keptDocument[i]!, found.jaccard[i]!];
      });
      t.deepEqual(rows, wanted.rows);
      for (const [d, kept, jaccard] of rows) {
        t.is(pairOf(scene, kept, d), jaccard);
        // None is dropped for one that comes after it.
        t.true(order.indexOf(kept) < order.indexOf(d));
      }
      let left = 0;
      for (const d of wanted.kept) {
        for (const e of wanted.kept) {
          if (d >= e || pairOf(scene, d, e) === undefined) continue;
          t.true(precedence.isProtected?.[d] === 1 && precedence.isProtected[e] === 1);
          left++;
        }
      }
      t.is(pairsAmong(classes, near, found.kept, precedence), left);
      if (precedence.isProtected !== null) {
        t.is(pairsAmong(classes, near, precedence.isProtected, precedence), left);
      }
      guarded += left;
    }),
    { seed: 11, numRuns: 1500 },
  );
  t.true(guarded > 100);
});

test('the rank of a class is that of its first member in the order', (t) => {
  fc.assert(
    fc.property(scenes, ({ corpus, precedence }) => {
      const classes = classesOf(corpus);
      const ranks = classRanks(classes, precedence)!;
      const best = new Map<number, number>();
      classes.first.forEach((first, d) => {
        best.set(first, Math.min(best.get(first) ?? Number.POSITIVE_INFINITY, precedence.rank![d]!));
      });
      for (const [first, rank] of best) t.is(ranks[first], rank);
    }),
    { seed: 12, numRuns: 200 },
  );
});

/** Sets of a few elements, with an order of their own. */
const sets = fc.array(fc.tuple(fc.uniqueArray(fc.nat(7), { minLength: 1, maxLength: 6 }), fc.nat(999)), {
  maxLength: 18,
});

test('containedDropList goes by size, then by any order, and never drops what is protected', (t) => {
  let left = 0;
  fc.assert(
    fc.property(
      sets,
      fc.constantFrom(0.5, 0.8, 1),
      fc.constantFrom(0, 3),
      (documents, threshold, guarded) => {
        const label = ([set]: readonly [readonly number[], number]): number =>
          set.reduce((bits, e) => bits | (1 << e), 0);
        const names = [...new Set(documents.map(label))];
        const corpus: Corpus = {
          labels: documents.map((one) => names.indexOf(label(one))),
          empty: documents.map(() => false),
          near: new Map(),
        };
        const keys = documents.map(([, key]) => key);
        const { order, precedence } = survivorsOf(corpus, keys, guarded, 0);
        const sizeOf = (d: number): number => documents[d]![0].length;
        /** The share of `d` in `k`, where it is a pair that lets `k` stand for `d`. */
        const share = (k: number, d: number): number | undefined => {
          const both = documents[d]![0].filter((e) => documents[k]![0].includes(e)).length;
          const smaller = both / Math.min(sizeOf(d), sizeOf(k));
          return both > 0 && sizeOf(k) >= sizeOf(d) && smaller >= threshold ? smaller : undefined;
        };
        const classes = classesOf(corpus);
        const rows = order
          .flatMap((a) => order.map((b): [number, number] => [a, b]))
          .filter(([a, b]) => classes.first[a] === a && classes.first[b] === b)
          .filter(([a, b]) => sizeOf(a) > sizeOf(b) || (sizeOf(a) === sizeOf(b) && a < b))
          .flatMap(([a, b]) => (share(a, b) === undefined ? [] : [{ a, b, share: share(a, b)! }]));
        const pairs = {
          count: rows.length,
          container: Uint32Array.from(rows, ({ a }) => a),
          contained: Uint32Array.from(rows, ({ b }) => b),
          equal: Uint8Array.from(rows, ({ a, b }) => (sizeOf(a) === sizeOf(b) ? 1 : 0)),
          containment: Float64Array.from(rows, (row) => row.share),
        };
        const found = atOnce(containedDropList(classes, pairs, precedence));
        const kept: number[] = [];
        const wanted: [number, number, number][] = [];
        const bySize = [...order].sort((x, y) => sizeOf(y) - sizeOf(x));
        for (const d of bySize) {
          const [best] = kept
            .flatMap((k): [number, number][] => (share(k, d) === undefined ? [] : [[k, share(k, d)!]]))
            .sort((x, y) => y[1] - x[1] || precedence.rank![x[0]]! - precedence.rank![y[0]]!);
          if (best === undefined || precedence.isProtected?.[d] === 1) kept.push(d);
          else wanted.push([d, ...best]);
        }
        const got = [...found.document].map((d, i) => [d, found.keptDocument[i]!, found.jaccard[i]!]);
        t.deepEqual(
          got,
          wanted.sort(([x], [y]) => x - y),
        );
        // Of two kept ones none contains the other, unless the smaller one is protected.
        for (const [i, d] of kept.entries()) {
          for (const k of kept.slice(0, i)) {
            if (share(k, d) === undefined) continue;
            t.is(precedence.isProtected?.[d], 1);
            left++;
          }
        }
      },
    ),
    { seed: 14, numRuns: 800 },
  );
  t.true(left > 50);
});
