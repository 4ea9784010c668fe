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

test('the first power of two that holds all buckets, where all pairs together are few enough', (t) => {
  t.is(sizesOf(257).hotBucket(257), 512);
  t.is(sizesOf(512, 513).hotBucket(1000), 1024);
  t.is(sizesOf(300, 9000).hotBucket(9000), 16_384);
  // Ten bands of 1,024: 5,237,760 pairs.
  t.is(sizesOf(...Array.from({ length: 10 }, () => 1024)).hotBucket(1024), 1024);
});

test('where all pairs would be too many, those of as many buckets as a document may cost', (t) => {
  // 15,000 members have 1.1e8 pairs; two of 300 have 89,700, which are 128 for each of 701 documents.
  t.is(sizesOf(300, 15_000).hotBucket(15_300), 8192);
  t.is(sizesOf(300, 300, 15_000).hotBucket(701), 8192);
  t.is(sizesOf(300, 300, 15_000).hotBucket(700), 256);
  t.is(sizesOf(300, 15_000).hotBucket(1e6), 16_384);
  // Near copies: of few documents even all pairs are many, in the buckets of all bands.
  t.is(sizesOf(...Array.from({ length: 20 }, () => 1000)).hotBucket(1000), 512);
});

test('pairs of small buckets count, however they are told', (t) => {
  const sizes = sizesOf(300);
  sizes.add(32, 1e8);
  t.is(sizes.hotBucket(1000), 256);
});

test('what was given holds where buckets are looked at one by one', (t) => {
  t.is(leastHotBucket('auto'), 256);
  t.is(leastHotBucket(7), 7);
  t.is(mostPartners(7, 100), 700);
  t.is(mostPartners('auto', 100), 7e5);
  t.is(mostPartners('auto', 20_000), 1e8);
  t.is(mostPartners('auto', 1e6), 2.56e8);
});
