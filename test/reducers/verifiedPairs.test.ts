import test from 'ava';
import fc from 'fast-check';
import {
  agreements,
  estimatedPairs,
  exactPairs,
  mergeVerified,
  nearPairs,
  type VerifiedPairs,
} from '../../reducers/verifiedPairs.js';
import { listOf, pairsOf } from './bruteForce.js';

/** Equal slots, as the kernel counts them. */
function equalSlots(
  a: Uint32Array,
  aOffset: number,
  b: Uint32Array,
  bOffset: number,
  hashes: number,
): number {
  let equal = 0;
  for (let i = 0; i < hashes; i++) if (a[aOffset + i] === b[bOffset + i]) equal++;
  return equal;
}

/** Common hashes of two lists, as the kernel counts them. */
function commonHashes(
  a: Uint32Array,
  aFrom: number,
  aTo: number,
  b: Uint32Array,
  bFrom: number,
  bTo: number,
): number {
  const names = (list: Uint32Array, from: number, to: number): string[] =>
    Array.from({ length: to - from }, (_, i) => `${list[2 * (from + i)]} ${list[2 * (from + i) + 1]}`);
  const other = new Set(names(b, bFrom, bTo));
  return names(a, aFrom, aTo).filter((name) => other.has(name)).length;
}

/** Documents as sets of small numbers, spread over two blocks; some documents have no set. */
const setCorpora = fc
  .array(
    fc.record({
      set: fc.uniqueArray(fc.nat(12), { minLength: 1, maxLength: 10 }),
      block: fc.constantFrom(-1, 0, 0, 0, 1, 1, 1),
    }),
    { minLength: 2, maxLength: 10 },
  )
  .chain((documents) =>
    fc.record({
      documents: fc.constant(documents),
      agreement: fc.array(fc.nat(20), { minLength: 100, maxLength: 100 }),
      threshold: fc.constantFrom(0.5, 0.55, 0.8, 1),
    }),
  );

type SetDocument = { readonly set: readonly number[]; readonly block: number };

function storedSets(documents: readonly SetDocument[]): Parameters<typeof exactPairs>[3] {
  const setIndex = new Uint32Array(documents.length);
  const sets = [0, 1].map((block) => {
    const hashes: number[] = [];
    const offsets = [0];
    documents.forEach((document, d) => {
      if (document.block !== block) return;
      setIndex[d] = offsets.length - 1;
      const sorted = [...document.set].sort((x, y) => x - y);
      for (const element of sorted) hashes.push(element * 7, element);
      offsets.push(hashes.length / 2);
    });
    return { hashes: Uint32Array.from(hashes), offsets: Float64Array.from(offsets) };
  });
  return { sets, setBlock: Int32Array.from(documents, (document) => document.block), setIndex };
}

const allPairs = (count: number): [number, number][] =>
  Array.from({ length: count }, (_, a) => a).flatMap((a) =>
    Array.from({ length: count - a - 1 }, (_, i): [number, number] => [a, a + 1 + i]),
  );

test('exactPairs gives resemblance and both containments of every pair at or above the margin', (t) => {
  fc.assert(
    fc.property(setCorpora, ({ documents, agreement, threshold }) => {
      const pairs = pairsOf(allPairs(documents.length));
      const slots = Uint16Array.from(agreement.slice(0, pairs.count));
      const rule = { leastAgreement: 8, threshold };
      const found = exactPairs(pairs, slots, rule, storedSets(documents), commonHashes);
      let verified = 0;
      let missing = 0;
      for (let i = 0; i < pairs.count; i++) {
        const [a, b] = [documents[pairs.a[i]!]!, documents[pairs.b[i]!]!];
        const common = a.set.filter((element) => b.set.includes(element)).length;
        const absent = a.block < 0 || b.block < 0;
        if (slots[i]! >= 8 && absent) missing++;
        if (slots[i]! < 8 || absent) {
          t.is(found.jaccard[i], Number.NaN);
          t.is(found.containmentAB[i], Number.NaN);
          t.is(found.containmentBA[i], Number.NaN);
          t.is(found.accepted[i], 0);
          continue;
        }
        verified++;
        const jaccard = common / (a.set.length + b.set.length - common);
        t.is(found.jaccard[i], jaccard);
        t.is(found.containmentAB[i], common / a.set.length);
        t.is(found.containmentBA[i], common / b.set.length);
        t.is(found.accepted[i], jaccard >= threshold ? 1 : 0);
      }
      t.is(found.verified, verified);
      t.is(found.missing, missing);
    }),
    { seed: 1, numRuns: 300 },
  );
});

test('exactPairs accepts 11 of 20 at a threshold of 0.55', (t) => {
  const set = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);
  const stored = storedSets([
    { set: set(0, 15), block: 0 },
    { set: set(4, 20), block: 1 },
  ]);
  const rule = { leastAgreement: 0, threshold: 0.55 };
  const found = exactPairs(pairsOf([[0, 1]]), Uint16Array.of(70), rule, stored, commonHashes);
  t.is(found.jaccard[0], 11 / 20);
  t.is(found.accepted[0], 1);
});

test('agreements compares columns wherever their blocks are and leaves padding out', (t) => {
  const [stride, hashes] = [4, 3];
  const blocks = [Uint32Array.of(1, 2, 3, 9, 1, 5, 3, 9), Uint32Array.of(1, 2, 4, 9)];
  const signatures = {
    blocks,
    blockOf: Uint16Array.of(0, 1, 0),
    columnOf: Uint32Array.of(0, 0, 1),
    stride,
    hashes,
  };
  const pairs = pairsOf([
    [0, 1],
    [0, 2],
    [1, 2],
  ]);
  t.deepEqual([...agreements(pairs, signatures, equalSlots)], [2, 2, 1]);
  t.is(agreements(pairsOf([]), signatures, equalSlots).length, 0);
});

test('estimatedPairs accepts by the share of equal slots and claims no containment', (t) => {
  const pairs = pairsOf([
    [0, 1],
    [0, 2],
  ]);
  const found = estimatedPairs(pairs, Uint16Array.of(80, 79), 100, 0.8);
  t.deepEqual([...found.jaccard], [0.8, 0.79]);
  t.deepEqual([...found.accepted], [1, 0]);
  t.deepEqual([...found.containmentAB], [Number.NaN, Number.NaN]);
  const near = nearPairs(found);
  t.deepEqual(listOf(near), [[0, 1]]);
  t.deepEqual([...near.jaccard], [0.8]);
});

test('mergeVerified of two rounds is what both at once would be', (t) => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(fc.nat(9), fc.integer({ min: 10, max: 19 }), fc.boolean()), {
        maxLength: 40,
        selector: ([a, b]) => 100 * a + b,
      }),
      (rows) => {
        const sorted = rows.sort((x, y) => x[0] - y[0] || x[1] - y[1]);
        const evidence = (list: typeof rows): VerifiedPairs => ({
          ...estimatedPairs(
            pairsOf(list.map(([a, b]) => [a, b] as const)),
            Uint16Array.from(list, ([a, b]) => a * 5 + b),
            64,
            0.5,
          ),
          containmentAB: Float64Array.from(list, ([a, b]) => a / b),
          containmentBA: Float64Array.from(list, ([a, b]) => 1 - a / b),
        });
        const merged = mergeVerified(
          evidence(sorted.filter((row) => row[2])),
          evidence(sorted.filter((row) => !row[2])),
        );
        t.deepEqual(merged, evidence(sorted));
      },
    ),
    { seed: 1, numRuns: 300 },
  );
});
