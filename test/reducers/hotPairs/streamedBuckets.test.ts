import test from 'ava';
import fc from 'fast-check';
import { hotPairs } from '../../../reducers/hotPairs.js';
import { isLeftToFirst, StreamedBucket } from '../../../reducers/streamed/streamedBuckets.js';
import { listOf, setOf } from '../bruteForce.js';

/** Members 0, 1, ... in any order of slots. */
const orders = fc.integer({ min: 1, max: 40 }).chain((count) =>
  fc.shuffledSubarray(
    Array.from({ length: count }, (_, i) => i),
    { minLength: count },
  ),
);

test('StreamedBucket and the pairs left to the first member are hotPairs, each pair once', (t) => {
  const bucket = new StreamedBucket();
  fc.assert(
    fc.property(orders, (order) => {
      const slots = new Uint32Array(order.length);
      order.forEach((member, place) => {
        slots[member] = place;
      });
      const documents = Uint32Array.from(order, (_, i) => i);
      const hot = { documents, buckets: new Uint32Array(order.length) };
      const wanted = hotPairs(hot, slots, new Uint32Array(2 * order.length));
      const found: [number, number][] = [];
      bucket.clear();
      for (const member of order) bucket.add(member, (a, b) => found.push([order[a]!, order[b]!]));
      t.is(bucket.first, 0);
      t.is(bucket.orderOfFirst, slots[0]);
      for (const [place, member] of order.entries()) {
        if (isLeftToFirst(bucket.orderOfFirst, place)) found.push([bucket.first, member]);
      }
      t.true(found.every(([a, b]) => a < b));
      t.is(found.length, wanted.count);
      t.deepEqual(setOf(found), setOf(listOf(wanted)));
      t.is(bucket.made, wanted.count);
      t.is(bucket.skipped, wanted.skipped);
    }),
    { seed: 1, numRuns: 300 },
  );
  bucket.clear();
  t.is(bucket.made, 0);
});
