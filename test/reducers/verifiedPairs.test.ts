import test from 'ava';
import fc from 'fast-check';
import {
  acceptedPairs,
  agreeingPairs,
  agreements,
  countAccepted,
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
    blockOf: Uint32Array.of(0, 1, 0),
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

test('agreeingPairs unites lists, leaves out what is known and accepts by the count', (t) => {
  const signatures = {
    blocks: [Uint32Array.of(1, 2, 3, 1, 2, 4, 1, 5, 6)],
    blockOf: new Uint32Array(3),
    columnOf: Uint32Array.of(0, 1, 2),
    stride: 3,
    hashes: 3,
  };
  const one = pairsOf([
    [0, 1],
    [1, 2],
  ]);
  const other = pairsOf([[0, 2]]);
  const found = agreeingPairs([one, other, one], [pairsOf([[1, 2]])], signatures, 2);
  t.deepEqual(listOf(found), [
    [0, 1],
    [0, 2],
  ]);
  t.deepEqual([...found.agreement], [2, 1]);
  t.deepEqual([...found.accepted], [1, 0]);
});

const evidence = (rows: readonly (readonly [number, number])[], exact: boolean): VerifiedPairs => ({
  ...pairsOf(rows),
  agreement: Uint16Array.from(rows, ([a, b]) => a * 5 + b),
  accepted: Uint8Array.from(rows, ([a, b]) => (a + b) % 2),
  exact: exact
    ? {
        jaccard: Float64Array.from(rows, ([a, b]) => a / (a + b)),
        containmentAB: Float64Array.from(rows, ([a, b]) => a / b),
        containmentBA: Float64Array.from(rows, ([a, b]) => 1 - a / b),
      }
    : null,
});

test('nearPairs are the accepted rows, with the exact resemblance or else the share of equal slots', (t) => {
  const rows = [
    [1, 3],
    [1, 4],
    [2, 7],
  ] as const;
  for (const exact of [true, false]) {
    const verified = evidence(rows, exact);
    const near = nearPairs(verified, 64);
    t.deepEqual(listOf(near), [
      [1, 4],
      [2, 7],
    ]);
    t.deepEqual([...near.jaccard], exact ? [1 / 5, 2 / 9] : [9 / 64, 17 / 64]);
    t.deepEqual(listOf(acceptedPairs(verified)), listOf(near));
    t.is(countAccepted(verified), 2);
  }
});

test('mergeVerified of two rounds is what both at once would be', (t) => {
  const rowLists = fc.uniqueArray(
    fc.tuple(fc.nat(9), fc.integer({ min: 10, max: 89 }), fc.integer({ min: 0, max: 9 })),
    { maxLength: 200, selector: ([a, b]) => 100 * a + b },
  );
  fc.assert(
    fc.property(rowLists, fc.nat(9), fc.boolean(), (rows, share, exact) => {
      const sorted = rows.sort((x, y) => x[0] - y[0] || x[1] - y[1]);
      const part = (later: boolean): VerifiedPairs =>
        evidence(
          sorted.filter((row) => row[2] < share === later).map(([a, b]) => [a, b] as const),
          exact,
        );
      const all = evidence(
        sorted.map(([a, b]) => [a, b] as const),
        exact,
      );
      t.deepEqual(mergeVerified(part(false), part(true)), all);
    }),
    { seed: 1, numRuns: 300 },
  );
});
