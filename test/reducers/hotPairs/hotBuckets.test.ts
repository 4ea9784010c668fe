import test from 'ava';
import fc from 'fast-check';
import { hotDocuments, hotPairs, keptMembers } from '../../../reducers/hotPairs.js';
import { HOT_PREDECESSORS } from '../../../reducers/memberPairs.js';
import { listOf, setOf } from '../bruteForce.js';

/** Hot buckets with many ties in slots and hashes; row: slot, high and low half of the id's hash, bucket. */
const hotBuckets = fc
  .uniqueArray(fc.nat(1000), { maxLength: 60 })
  .map((members) => members.sort((x, y) => x - y))
  .chain((members) =>
    fc.record({
      members: fc.constant(members),
      rows: fc.array(
        fc.tuple(fc.constantFrom(0, 1, 0xffffffff), fc.constantFrom(0, 3, 0x80000000), fc.nat(2), fc.nat(2)),
        { minLength: members.length, maxLength: members.length },
      ),
    }),
  );

/** Numbers of the buckets in the order of their first members. */
function numbered(names: readonly number[]): number[] {
  const order = [...new Set(names)];
  return names.map((name) => order.indexOf(name));
}

test('hotPairs joins each member with 8 predecessors by (slot, id hash, number) and with the first', (t) => {
  fc.assert(
    fc.property(hotBuckets, ({ members, rows }) => {
      const buckets = numbered(rows.map((row) => row[3]));
      const found = hotPairs(
        { documents: Uint32Array.from(members), buckets: Uint32Array.from(buckets) },
        Uint32Array.from(rows, (row) => row[0]),
        Uint32Array.from(rows.flatMap((row) => [row[2], row[1]])),
      );
      let all = 0;
      const wanted = [0, 1, 2].flatMap((bucket) => {
        const order = members
          .map((member, i) => [rows[i]![0], rows[i]![1], rows[i]![2], member, buckets[i]!])
          .filter((row) => row[4] === bucket)
          .sort((x, y) => x[0]! - y[0]! || x[1]! - y[1]! || x[2]! - y[2]! || x[3]! - y[3]!)
          .map((row) => row[3]!);
        all += (order.length * (order.length - 1)) / 2;
        const first = Math.min(...order);
        return order
          .flatMap((member, p) => [...order.slice(Math.max(0, p - 8), p), first].map((x) => [x, member]))
          .filter(([x, y]) => x !== y)
          .map(([x, y]): [number, number] => [Math.min(x!, y!), Math.max(x!, y!)]);
      });
      const distinct = setOf(wanted);
      t.deepEqual(setOf(listOf(found)), distinct);
      t.is(found.count, distinct.length);
      t.is(found.skipped + found.count, all);
    }),
    { seed: 1, numRuns: 500 },
  );
});

test('hotPairs of 100,000 members that tie in everything makes fewer than 9 pairs a member', (t) => {
  const count = 100_000;
  const documents = Uint32Array.from({ length: count }, (_, d) => 2 * d + 1);
  const hot = { documents, buckets: new Uint32Array(count) };
  const found = hotPairs(hot, new Uint32Array(count), new Uint32Array(2 * count));
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
    const hot = { documents: Uint32Array.from(members), buckets: new Uint32Array(members.length) };
    const found = hotPairs(hot, new Uint32Array(members.length), new Uint32Array(2 * members.length));
    t.is(found.count, 0);
    t.is(found.skipped, 0);
  }
});

test('hotDocuments is the sorted union of the hot buckets of all bands', (t) => {
  const lists = [[3, 5, 9], [0, 5], []].map((documents) => ({
    documents: Uint32Array.from(documents),
    buckets: new Uint32Array(documents.length),
  }));
  t.deepEqual([...hotDocuments(lists, 10)], [0, 3, 5, 9]);
  t.is(hotDocuments([], 0).length, 0);
});

test('keptMembers are the kept ones under the numbers of their buckets', (t) => {
  const hot = { documents: Uint32Array.of(1, 2, 4, 5), buckets: Uint32Array.of(0, 1, 1, 0) };
  const left = keptMembers(hot, Uint8Array.of(1, 0, 1, 1, 1, 0));
  t.deepEqual([...left.documents], [2, 4]);
  t.deepEqual([...left.buckets], [1, 1]);
});
