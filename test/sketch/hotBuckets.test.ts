import test from 'ava';
import { BucketSizes, LEAST_HOT, leastHotBucket, mostPartners } from '../../src/sketch/hotBuckets.js';

function sizesOf(...buckets: readonly number[]): BucketSizes {
  const sizes = new BucketSizes();
  for (const size of buckets) sizes.add(size);
  return sizes;
}

test('without large buckets the least is chosen', (t) => {
  t.is(sizesOf().hotBucket(0), LEAST_HOT);
  t.is(sizesOf(2, 3, 256).hotBucket(1e6), LEAST_HOT);
});

test('the first power of two that holds all buckets, where their pairs stay within the budget', (t) => {
  t.is(sizesOf(257).hotBucket(257), 512);
  t.is(sizesOf(512, 513).hotBucket(1000), 1024);
  t.is(sizesOf(300, 9000).hotBucket(9000), 16_384);
});

test('larger buckets are hot where all pairs would be too many', (t) => {
  // 11,000 members have 6e7 pairs, so that what is smaller than they are is not hot; of 1e6 documents 1.28e8 are allowed.
  t.is(sizesOf(300, 11_000).hotBucket(11_300), 8192);
  t.is(sizesOf(300, 11_000).hotBucket(1e6), 16_384);
  // Buckets of all bands count.
  t.is(sizesOf(...Array.from({ length: 20 }, () => 3000)).hotBucket(3000), 2048);
});

test('pairs of small buckets count, however they are told', (t) => {
  const sizes = sizesOf(300);
  sizes.add(32, 5e7);
  t.is(sizes.hotBucket(1000), 256);
});

test('what was given holds where buckets are looked at one by one', (t) => {
  t.is(leastHotBucket('auto'), 256);
  t.is(leastHotBucket(7), 7);
  t.is(mostPartners(7, 100), 700);
  t.is(mostPartners('auto', 100), 5e7);
  t.is(mostPartners('auto', 1e6), 2.56e8);
});
