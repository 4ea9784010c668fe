import test from 'ava';
import fc from 'fast-check';
import {
  type FingerprintRows,
  popularFingerprints,
  withoutPopular,
} from '../../../src/sketch/samples/popularFingerprints.js';
import { randomWords } from '../../data/randomHashes.js';
import { bigsOf, columnOf } from './naiveSketches.js';

function rowsOf(rows: readonly (readonly [bigint, number])[]): FingerprintRows {
  const fingerprints = columnOf([...rows.map(([fingerprint]) => fingerprint), 5n, 5n]);
  const documents = Uint32Array.from([...rows.map(([, document]) => document), 1, 2]);
  // Two rows more than are in use.
  return { fingerprints, documents, count: rows.length };
}

const row = fc.tuple(
  fc.oneof(fc.bigInt({ min: 0n, max: 8n }), fc.bigInt({ min: 0n, max: 1n << 63n })),
  fc.nat(9),
);

test('popularFingerprints counts documents, in whatever order rows come and however often', (t) => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 150 }), fc.nat(6), fc.boolean(), (given, most, ordered) => {
      const list = ordered ? [...given].sort((a, b) => a[1] - b[1]) : given;
      const rows = rowsOf(list);
      const before = rows.fingerprints.slice();
      const popular = popularFingerprints(rows, most);
      const documents = new Map<bigint, Set<number>>();
      for (const [fingerprint, document] of list) {
        documents.set(fingerprint, (documents.get(fingerprint) ?? new Set()).add(document));
      }
      const expected = [...documents]
        .filter(([, set]) => set.size > most)
        .sort((a, b) => (a[0] < b[0] ? -1 : 1));
      t.deepEqual(
        bigsOf(popular.fingerprints),
        expected.map(([fingerprint]) => fingerprint),
      );
      t.deepEqual(
        [...popular.documents],
        expected.map(([, set]) => set.size),
      );
      t.is(popular.size, expected.length);
      t.deepEqual(rows.fingerprints, before);

      const gone = new Set(expected.map(([fingerprint]) => fingerprint));
      const left = list.filter(([fingerprint]) => !gone.has(fingerprint));
      const thinned = withoutPopular(rows, popular);
      t.is(thinned.count, left.length);
      t.deepEqual(
        bigsOf(thinned.fingerprints),
        left.map(([fingerprint]) => fingerprint),
      );
      t.deepEqual(
        [...thinned.documents],
        left.map(([, document]) => document),
      );
    }),
    { seed: 1, numRuns: 300 },
  );
});

test('a fingerprint in every one of 200,000 documents is found among rows in no order', (t) => {
  const count = 400_000;
  const words = randomWords(1);
  const fingerprints = new Uint32Array(2 * count);
  const documents = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    documents[i] = (Math.imul(i >>> 1, 77_777) >>> 0) % 200_000;
    if (i % 2 === 0) continue;
    fingerprints[2 * i] = words();
    fingerprints[2 * i + 1] = words();
  }
  const popular = popularFingerprints({ fingerprints, documents, count }, 1000);
  t.deepEqual(bigsOf(popular.fingerprints), [0n]);
  t.is(popular.documents[0], new Set(documents).size);
  t.is(withoutPopular({ fingerprints, documents, count }, popular).count, count / 2);
});
