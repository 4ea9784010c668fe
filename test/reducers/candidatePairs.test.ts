import test from 'ava';
import fc from 'fast-check';
import { type BandKeys, bucketPairs, distinctPairs, withoutKnown } from '../../reducers/candidatePairs.js';
import { listOf, pairsOf } from './bruteForce.js';

/** Entries of one band: ascending documents and small bucket names, spread over both words of the key. */
const bands = fc
  .uniqueArray(fc.nat(1000), { maxLength: 40 })
  .map((documents) => documents.sort((x, y) => x - y))
  .chain((documents) =>
    fc.record({
      documents: fc.constant(documents),
      buckets: fc.array(fc.nat(7), { minLength: documents.length, maxLength: documents.length }),
      hotBucket: fc.integer({ min: 1, max: 8 }),
    }),
  );

const keysOf = (buckets: readonly number[]): BandKeys => ({
  blocks: [
    Uint32Array.from(buckets.flatMap((bucket) => [(bucket & 1) * 0xffffffff, (bucket >> 1) * 0x50000000])),
  ],
  places: null,
});

test('bucketPairs are all pairs that share a bucket, sorted; buckets above the limit come as members', (t) => {
  fc.assert(
    fc.property(bands, ({ documents, buckets, hotBucket }) => {
      const found = bucketPairs(keysOf(buckets), Uint32Array.from(documents), hotBucket);
      const names = [...new Set(buckets)];
      const groups = names.map((bucket) => documents.filter((_, i) => buckets[i] === bucket));
      const wanted = groups
        .filter((group) => group.length <= hotBucket)
        .flatMap((group) =>
          group.flatMap((a) => group.filter((b) => a < b).map((b): [number, number] => [a, b])),
        );
      t.deepEqual(listOf(found), sortedDistinct(wanted));
      t.is(found.count, wanted.length);
      t.is(found.buckets, groups.filter((group) => group.length > 1).length);
      t.is(found.largestBucket, Math.max(0, ...groups.map((group) => group.length)));
      // `names` and so `groups` are in the order of first members.
      const hot = groups.filter((group) => group.length > Math.max(1, hotBucket));
      t.is(found.hotBuckets, hot.length);
      const members = documents.flatMap((d) => {
        const bucket = hot.findIndex((group) => group.includes(d));
        return bucket < 0 ? [] : [[d, bucket]];
      });
      t.deepEqual(
        [...found.hot.documents].map((d, i) => [d, found.hot.buckets[i]]),
        members,
      );
    }),
    { seed: 1, numRuns: 500 },
  );
});

test('bucketPairs finds keys by their places in blocks, and leaves its input as it was', (t) => {
  const blocks = [Uint32Array.of(2, 0, 1, 0), Uint32Array.of(9, 9, 2, 0)];
  const places = Uint32Array.of(3, 1, 0);
  const documents = Uint32Array.of(3, 4, 5);
  t.deepEqual(listOf(bucketPairs({ blocks, places }, documents, 256)), [[3, 5]]);
  t.deepEqual(
    blocks.map((block) => [...block]),
    [
      [2, 0, 1, 0],
      [9, 9, 2, 0],
    ],
  );
  t.deepEqual([...places, ...documents], [3, 1, 0, 3, 4, 5]);
});

test('bucketPairs of one bucket of 300,000 documents is one hot bucket without a pair', (t) => {
  const count = 300_000;
  const documents = Uint32Array.from({ length: count }, (_, d) => d);
  const found = bucketPairs({ blocks: [new Uint32Array(2 * count)], places: null }, documents, 256);
  t.is(found.count, 0);
  t.is(found.buckets, 1);
  t.is(found.hotBuckets, 1);
  t.is(found.largestBucket, count);
  t.true(found.hot.documents.every((member, i) => member === i));
  t.true(found.hot.buckets.every((bucket) => bucket === 0));
});

const pairLists = fc
  .array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 40 })
  .map((rows) => rows.map(([x, y]): [number, number] => [Math.min(x, y), Math.max(x, y) + 1]));

const sortedDistinct = (rows: readonly (readonly [number, number])[]): (readonly [number, number])[] =>
  rows
    .filter((row, i) => rows.findIndex((other) => other[0] === row[0] && other[1] === row[1]) === i)
    .sort((x, y) => x[0] - y[0] || x[1] - y[1]);

test('distinctPairs is the sorted union of its lists', (t) => {
  fc.assert(
    fc.property(fc.array(pairLists, { maxLength: 4 }), (lists) => {
      t.deepEqual(listOf(distinctPairs(lists.map(pairsOf))), sortedDistinct(lists.flat()));
    }),
    { seed: 1, numRuns: 300 },
  );
});

test('distinctPairs looks at the first `count` rows of a list only', (t) => {
  const list = { a: Uint32Array.of(1, 7), b: Uint32Array.of(2, 8), count: 1 };
  t.deepEqual(listOf(distinctPairs([list, list])), [[1, 2]]);
});

test('withoutKnown is the sorted difference', (t) => {
  fc.assert(
    fc.property(pairLists, pairLists, (some, other) => {
      const pairs = sortedDistinct(some);
      const known = sortedDistinct(other);
      const wanted = pairs.filter(([a, b]) => !known.some((row) => row[0] === a && row[1] === b));
      t.deepEqual(listOf(withoutKnown(pairsOf(pairs), pairsOf(known))), wanted);
    }),
    { seed: 1, numRuns: 300 },
  );
});
