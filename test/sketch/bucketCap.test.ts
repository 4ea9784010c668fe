/** The cap that follows from the sizes of buckets. */
import test from 'ava';
import { autoCap, SIZE_CLASSES } from '../../src/sketch/bucketCap.js';

/** Pairs by class of size: class k has buckets of 2^(k-1) + 1 to 2^k members. */
function sizes(pairs: Readonly<Record<number, number>>): Float64Array {
  const all = new Float64Array(SIZE_CLASSES);
  for (const [k, count] of Object.entries(pairs)) all[Number(k)] = count;
  return all;
}

test('the cap is the largest power of two whose buckets have at most 150 million pairs', (t) => {
  t.is(autoCap(sizes({ 9: 1e8, 10: 5e7, 12: 1 }), 1e6), 1024);
  t.is(autoCap(sizes({ 9: 1e8, 10: 5e7 + 1, 12: 1 }), 1e6), 512);
});

test('it leaves at most 7,000 pairs per document', (t) => {
  t.is(autoCap(sizes({ 9: 7000 * 100 }), 100), 512);
  t.is(autoCap(sizes({ 9: 7000 * 100 + 1 }), 100), 256);
});

test('it is at least 256, and no larger than the largest bucket needs', (t) => {
  t.is(autoCap(sizes({ 3: 1e9 }), 1e6), 256);
  t.is(autoCap(sizes({ 1: 10 }), 1e6), 256);
  t.is(autoCap(sizes({ 1: 10, 11: 10 }), 1e6), 2048);
  t.is(autoCap([], 0), 256);
});
