import test from 'ava';
import fc from 'fast-check';
import { bandPairs, HOT_PREDECESSORS, hotDocuments, hotPairs } from '../../reducers/hotBuckets.js';
import { listOf, setOf } from './bruteForce.js';

/** A hot bucket with many ties in slots and digests. */
const hotBuckets = fc
  .uniqueArray(fc.nat(1000), { maxLength: 60 })
  .map((members) => members.sort((x, y) => x - y))
  .chain((members) =>
    fc.record({
      members: fc.constant(members),
      rows: fc.array(
        fc.tuple(fc.constantFrom(0, 1, 0xffffffff), fc.constantFrom(0, 3, 0x80000000), fc.nat(2)),
        {
          minLength: members.length,
          maxLength: members.length,
        },
      ),
    }),
  );

test('hotPairs joins each member with 8 predecessors by (slot, digest, number) and with the first', (t) => {
  fc.assert(
    fc.property(hotBuckets, ({ members, rows }) => {
      const found = hotPairs(
        Uint32Array.from(members),
        Uint32Array.from(rows, (row) => row[0]),
        Uint32Array.from(rows.flatMap((row) => [row[1], row[2]])),
      );
      const order = members
        .map((member, i) => [rows[i]![0], rows[i]![1], rows[i]![2], member])
        .sort((x, y) => x[0]! - y[0]! || x[1]! - y[1]! || x[2]! - y[2]! || x[3]! - y[3]!)
        .map((row) => row[3]!);
      const wanted = order
        .flatMap((member, p) => [...order.slice(Math.max(0, p - 8), p), members[0]!].map((x) => [x, member]))
        .filter(([x, y]) => x !== y)
        .map(([x, y]): [number, number] => [Math.min(x!, y!), Math.max(x!, y!)]);
      const distinct = setOf(wanted);
      t.deepEqual(setOf(listOf(found)), distinct);
      t.is(found.count, distinct.length);
      t.is(
        found.skipped + found.count,
        members.filter((_, i) => i > 0).reduce((sum, _, i) => sum + i + 1, 0),
      );
    }),
    { seed: 1, numRuns: 500 },
  );
});

test('hotPairs of 100,000 members that tie in everything makes fewer than 9 pairs a member', (t) => {
  const count = 100_000;
  const members = Uint32Array.from({ length: count }, (_, d) => 2 * d + 1);
  const found = hotPairs(members, new Uint32Array(count), new Uint32Array(2 * count));
  // All ties, so the order is that of numbers. Without the first member, which is paired with every other,
  // the p-th of the others (from 0) has min(p, 8) predecessors: 0 + 1 + ... + 7 for eight of them, 8 for the
  // rest.
  const first = count - 1;
  const predecessors = HOT_PREDECESSORS * (count - 1 - 8) + (8 * 7) / 2;
  t.is(found.count, first + predecessors);
  t.is(found.skipped, (count * (count - 1)) / 2 - found.count);
});

test('hotPairs of fewer than two members are none', (t) => {
  for (const members of [[], [4]]) {
    const found = hotPairs(
      Uint32Array.from(members),
      new Uint32Array(members.length),
      new Uint32Array(2 * members.length),
    );
    t.is(found.count, 0);
    t.is(found.skipped, 0);
  }
});

test('bandPairs pairs small buckets all with all and hot ones linearly, and counts what it skipped', (t) => {
  const documents = Uint32Array.from({ length: 33 }, (_, d) => d);
  const source = {
    bands: 1,
    // Documents 0..2 share a bucket, the other 30 another one.
    bucketKeys: (_: number, list: Uint32Array) =>
      Uint32Array.from([...list].flatMap((d) => [0, d < 3 ? 5 : 2])),
    slots: (_: number, list: Uint32Array) => list.map((d) => d % 7),
    digests: (list: Uint32Array) => Uint32Array.from([...list].flatMap((d) => [d % 5, 0])),
  };
  const found = bandPairs(source, 0, documents, 4);
  const pairs = found.pairs.flatMap(listOf);
  t.deepEqual(setOf(pairs.filter(([a]) => a < 3)), ['0 1', '0 2', '1 2']);
  t.is(setOf(pairs).length, pairs.length);
  t.is(pairs.length + found.skipped, 3 + (30 * 29) / 2);
  t.is(found.buckets.buckets, 2);
  t.is(found.buckets.largestBucket, 30);
  t.deepEqual([...found.buckets.hotMembers], [...documents.subarray(3)]);
});

test('hotDocuments is the sorted union of the hot buckets of all bands', (t) => {
  const lists = [Uint32Array.of(3, 5, 9), Uint32Array.of(0, 5), new Uint32Array(0)];
  t.deepEqual([...hotDocuments(lists, 10)], [0, 3, 5, 9]);
  t.is(hotDocuments([], 0).length, 0);
});
