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

test('where all pairs would be too many, as many as may be, if they are a fair share of all', (t) => {
  const times = (count: number, size: number): number[] => Array.from({ length: count }, () => size);
  // 30 buckets of 2,000 have 6e7 pairs, ten of 4,000 have 8e7: together more than 7,000 for each of 19,000 documents.
  const pages = [...times(30, 2000), ...times(10, 4000)];
  t.is(sizesOf(...pages).hotBucket(30_000), 4096);
  t.is(sizesOf(...pages).hotBucket(19_000), 2048);
  t.is(sizesOf(...pages, ...times(5, 4000)).hotBucket(1e6), 2048);
  t.is(sizesOf(...pages, ...times(5, 4000)).hotBucket(2e6), 4096);
  // A little more than a quarter of all, and a little less.
  t.is(sizesOf(...pages, ...times(12, 4000)).hotBucket(8600), 2048);
  t.is(sizesOf(...pages, ...times(13, 4000)).hotBucket(8600), 256);
  // Near copies: the pairs of middling buckets are hardly any of them.
  t.is(sizesOf(300, 1000, 15_000, 15_000).hotBucket(15_300), 256);
  t.is(sizesOf(...times(20, 1000)).hotBucket(1000), 256);
});

test('pairs of small buckets count, however they are told', (t) => {
  const sizes = sizesOf(300);
  sizes.add(32, 1e8);
  t.is(sizes.hotBucket(1000), 256);
  t.is(sizes.hotBucket(20_000), 512);
});

test('what was given holds where buckets are looked at one by one', (t) => {
  t.is(leastHotBucket('auto'), 256);
  t.is(leastHotBucket(7), 7);
  t.is(mostPartners(7, 100), 700);
  t.is(mostPartners('auto', 100), 7e5);
  t.is(mostPartners('auto', 20_000), 1.4e8);
  t.is(mostPartners('auto', 1e6), 2.56e8);
});
