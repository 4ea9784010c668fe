/** The order of survivors in drop lists, against the rules written down over documents. */
import test from 'ava';
import fc from 'fast-check';
import {
  classRanks,
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
