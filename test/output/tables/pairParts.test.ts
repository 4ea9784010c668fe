import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { identicalPairs } from '../../../reducers/identicalPairs.js';
import type { DuplicateGroups } from '../../../reducers/identityClasses.js';
import { partName } from '../../../src/output/fileNames.js';
import { idTableOf } from '../../../src/output/tables/escaping.js';
import { type NearPairs, planPairParts, writePairsPart } from '../../../src/output/tables/pairTable.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { textOf as contentOf } from '../resultSample.js';

type Pair = readonly [a: number, b: number, kind: 'near' | 'identical' | 'same-tokens'];

/** Near pairs with empty containments. */
function nearPairsOf(pairs: readonly (readonly [number, number])[]): NearPairs {
  const count = pairs.length;
  return {
    count,
    a: Uint32Array.from(pairs, ([a]) => a),
    b: Uint32Array.from(pairs, ([, b]) => b),
    agreement: new Uint16Array(count).fill(96),
    exact: {
      jaccard: new Float64Array(count).fill(0.9),
      containmentAB: new Float64Array(count).fill(0.95),
      containmentBA: new Float64Array(count).fill(Number.NaN),
    },
  };
}

/** `textOf`: a number for the text of a document; absent: those of a class are the same. */
function classesOf(
  lists: readonly (readonly number[])[],
  textOf: (document: number) => number = () => 0,
): Omit<DuplicateGroups, 'firsts'> {
  const offsets = [0];
  for (const list of lists) offsets.push(offsets.at(-1)! + list.length);
  const texts = lists.flatMap((list) =>
    list.map((document) => list.find((d) => textOf(d) === textOf(document))!),
  );
  return {
    offsets: Uint32Array.from(offsets),
    members: Uint32Array.from(lists.flat()),
    texts: Uint32Array.from(texts),
  };
}

/** The rows by their definition: near pairs and the pairs of every class, sorted. */
function expectedRows(
  near: readonly (readonly [number, number])[],
  lists: readonly (readonly number[])[],
  textOf: (document: number) => number,
): Pair[] {
  const rows: Pair[] = near.map(([a, b]) => [a, b, 'near']);
  for (const list of lists) {
    const [a, ...others] = list;
    for (const b of others) rows.push([a!, b, textOf(a!) === textOf(b) ? 'identical' : 'same-tokens']);
  }
  return rows.sort(([a, b], [c, d]) => a - c || b - d);
}

/** Documents thrown into classes, and near pairs between the first members of different classes. */
const cases = fc.record({
  classOf: fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 40 }),
  texts: fc.nat({ max: 4 }),
  pairs: fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 60 }),
  rowsPerPart: fc.integer({ min: 1, max: 12 }),
});

test('the parts together are near and identity pairs in (a, b) order, cut every rowsPerPart rows', (t) => {
  const root = temporaryFolder(t);
  mkdirSync(join(root, 'pairs'));
  fc.assert(
    fc.property(cases, ({ classOf, texts, pairs, rowsPerPart }) => {
      const textOf = (document: number): number => (document * 7) % (texts + 1);
      const groups = [...new Set(classOf)].map((c) => classOf.flatMap((d, i) => (d === c ? [i] : [])));
      const firsts = groups.map((group) => group[0]!);
      const keys = new Set(
        pairs
          .map(([x, y]) => [firsts[x % firsts.length]!, firsts[y % firsts.length]!].sort((p, q) => p - q))
          .filter(([x, y]) => x !== y)
          .map(([x, y]) => x! * 1000 + y!),
      );
      const near = [...keys]
        .sort((x, y) => x - y)
        .map((key) => [Math.floor(key / 1000), key % 1000] as const);
      const lists = groups.filter((group) => group.length > 1);
      const expected = expectedRows(near, lists, textOf);
      const columns = nearPairsOf(near);
      // The last class first: pairs do not depend on the order of classes.
      const classes = classesOf([...lists].reverse(), textOf);
      const identical = identicalPairs(classes, null);
      const ids = idTableOf(classOf.map((_, i) => `d${i}`));
      const rows: string[] = [];
      const parts = planPairParts(columns, identical, rowsPerPart);
      parts.forEach((part, number) => {
        const place = { root, file: partName('pairs', number) };
        const written = writePairsPart(place, ids, columns, 128, identical, part);
        const lines = contentOf(root, written).trimEnd().split('\n').slice(1);
        if (lines.length !== part.rows || written.rows !== part.rows) throw new Error('rows of a part');
        if (number < parts.length - 1 && part.rows !== rowsPerPart)
          throw new Error('a part that is not full');
        rows.push(...lines);
      });
      const wanted = expected.map(([a, b, kind]) =>
        kind === 'near'
          ? `d${a}\td${b}\t0.900000\t0.750000\t0.950000\t\tnear`
          : `d${a}\td${b}\t1.000000\t1.000000\t1.000000\t1.000000\t${kind}`,
      );
      if (rows.join('\n') !== wanted.join('\n'))
        throw new Error(`${rows.join('\n')} is not ${wanted.join('\n')}`);
      return parts.length === Math.max(1, Math.ceil(expected.length / rowsPerPart));
    }),
    { seed: 1, numRuns: 100 },
  );
  t.pass();
});

test('outside exact mode the agreement is the resemblance, and only identical documents contain one another', (t) => {
  const root = temporaryFolder(t);
  mkdirSync(join(root, 'pairs'));
  const near = { ...nearPairsOf([[0, 1]]), exact: null };
  const identical = identicalPairs(classesOf([[0, 2]]), null);
  const [part] = planPairParts(near, identical);
  const place = { root, file: partName('pairs', 0) };
  const text =
    'a\tb\tjaccard\tagreement\tcontainment_a_in_b\tcontainment_b_in_a\tkind\n' +
    'd0\td1\t0.750000\t0.750000\t\t\tnear\n' +
    'd0\td2\t1.000000\t1.000000\t1.000000\t1.000000\tidentical\n';
  writePairsPart(place, idTableOf(['d0', 'd1', 'd2']), near, 128, identical, part!);
  t.is(contentOf(root, place.file), text);
});

test('planPairParts of no rows is one part without rows', (t) => {
  const none = identicalPairs(classesOf([]), null);
  t.deepEqual(planPairParts(nearPairsOf([]), none), [{ part: 0, rows: 0, near: 0, identical: 0 }]);
});
