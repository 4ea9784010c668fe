/** Buckets and distinct pairs in the kernel: the same as the reducers, whatever the keys. */
import test from 'ava';
import fc from 'fast-check';
import type { BandKeys, Pairs } from '../../src/blocks/pairs.js';
import { createWasmKernel } from '../../src/kernel/wasm.js';
import { deepSame } from '../data/deepSame.js';
import { randomWords } from '../data/randomHashes.js';
import { listOf, pairsOf } from '../reducers/bruteForce.js';
import { bucketPairs, distinctPairs } from './referencePairs.js';
import { kernelModule, seeds } from './sketchKernels.js';

const pairing = createWasmKernel(kernelModule).pairing!;

/** Keys of which many tie: in both words, in the high one alone, or in the low one alone. */
type Ties = 'none' | 'all' | 'high' | 'low' | 'some';

function keysOf(ties: Ties, count: number, names: number, next: () => number): Uint32Array {
  const keys = new Uint32Array(2 * count);
  for (let i = 0; i < count; i++) {
    const name = next() % names;
    const both = ties === 'all' || (ties === 'some' && next() % 2 === 0);
    keys[2 * i] = ties === 'low' ? 3 : both || ties === 'high' ? Math.imul(name, 0x9e3779b1) : next();
    keys[2 * i + 1] = ties === 'high' ? 0xffffffff : both || ties === 'low' ? name * 0x1000003 : next();
  }
  return keys;
}

/** Entries that ascend with gaps, their keys at places of their own in blocks of all lengths. */
function bandOf(ties: Ties, count: number, names: number, blocks: number, seed: number) {
  const next = randomWords(seed);
  const columns = count + (next() % 7);
  const all = keysOf(ties, columns, names, next);
  const cuts = Array.from({ length: blocks - 1 }, () => next() % (columns + 1)).sort((x, y) => x - y);
  const ends = [0, ...cuts, columns];
  const order = Array.from({ length: columns }, (_, i) => i);
  for (let i = columns - 1; i > 0; i--) {
    const j = next() % (i + 1);
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  let document = 0;
  const documents = Uint32Array.from({ length: count }, () => {
    document += 1 + (next() % 3);
    return document;
  });
  const keys: BandKeys = {
    blocks: ends.slice(1).map((end, i) => all.slice(2 * ends[i]!, 2 * end)),
    places: Uint32Array.from(order.slice(0, count)),
  };
  return { keys, documents };
}

const bands = fc.record({
  ties: fc.constantFrom<Ties>('none', 'all', 'high', 'low', 'some'),
  count: fc.oneof(fc.nat(40), fc.nat(700)),
  names: fc.integer({ min: 1, max: 200 }),
  blocks: fc.integer({ min: 1, max: 4 }),
  hotBucket: fc.constantFrom(1, 2, 3, 20, 256, 1e9, 2 ** 40),
  seed: seeds,
});

test('bucketPairs in the kernel: keys that tie in either word, in blocks, hot and not', (t) => {
  fc.assert(
    fc.property(bands, ({ ties, count, names, blocks, hotBucket, seed }) => {
      const { keys, documents } = bandOf(ties, count, names, blocks, seed);
      deepSame(t, pairing.bucketPairs(keys, documents, hotBucket), bucketPairs(keys, documents, hotBucket));
      const own = { blocks: [keysOf(ties, count, names, randomWords(seed))], places: null };
      deepSame(t, pairing.bucketPairs(own, documents, hotBucket), bucketPairs(own, documents, hotBucket));
    }),
    { seed: 1, numRuns: 200 },
  );
});

test('bucketPairs in the kernel: any slice of the pairs, without groups and of few', (t) => {
  const some = fc.option(fc.integer({ min: 1, max: 6 }));
  fc.assert(
    fc.property(
      bands,
      fc.nat(5000),
      fc.nat(3000),
      some,
      ({ ties, count, names, hotBucket, seed }, from, most, few) => {
        const next = randomWords(seed + 1);
        const groups =
          few === null ? null : { of: Uint32Array.from({ length: 3 * count }, () => next() % few) };
        const keys = { blocks: [keysOf(ties, count, names, randomWords(seed))], places: null };
        const documents = Uint32Array.from({ length: count }, (_, d) => 3 * d);
        const found = pairing.bucketPairs(keys, documents, hotBucket, { from, most }, groups);
        deepSame(t, found, bucketPairs(keys, documents, hotBucket, { from, most }, groups));
        const all = bucketPairs(keys, documents, hotBucket, undefined, groups);
        t.is(found.total, all.count);
        deepSame(t, listOf(found), listOf(all).slice(from, from + most));
        deepSame(t, found.hot, all.hot);
      },
    ),
    { seed: 1, numRuns: 150 },
  );
});

test('bucketPairs in the kernel hands out more pairs than leave it at a time', (t) => {
  // 2 buckets of 400 and one of 301: 204,750 pairs, and the step ends within the pairs of a document.
  const count = 1101;
  const keys = Uint32Array.from({ length: 2 * count }, (_, i) =>
    i % 2 === 0 ? 1 : (((i - 1) / 2) % 1101) % 3,
  );
  const documents = Uint32Array.from({ length: count }, (_, d) => 2 * d);
  const band = { blocks: [keys], places: null };
  const found = pairing.bucketPairs(band, documents, 500);
  t.true(found.count > 131072);
  deepSame(t, found, bucketPairs(band, documents, 500));
});

test('bucketPairs in the kernel: 300,000 documents of one bucket, and 200,000 of buckets of their own', (t) => {
  const one = { blocks: [new Uint32Array(600_000)], places: null };
  const many = Uint32Array.from({ length: 300_000 }, (_, d) => d);
  const found = pairing.bucketPairs(one, many, 256);
  t.is(found.count, 0);
  deepSame(t, [found.buckets, found.largestBucket, found.hotBuckets], [1, 300_000, 1]);
  deepSame(t, found.hot.documents, many);
  // All high words equal: the low ones have to tell 200,000 keys apart.
  const low = { blocks: [Uint32Array.from({ length: 400_000 }, (_, i) => (i % 2) * 9 || i)], places: null };
  const apart = pairing.bucketPairs(low, many.subarray(0, 200_000), 256);
  deepSame(t, [apart.count, apart.buckets, apart.largestBucket], [0, 0, 1]);
});

/** Pairs among `documents`, sorted or not, with repetitions. */
function randomPairs(count: number, documents: number, next: () => number): Pairs {
  return pairsOf(
    Array.from({ length: count }, (): [number, number] => {
      const a = next() % documents;
      const b = (a + 1 + (next() % (documents - 1))) % documents;
      return [Math.min(a, b), Math.max(a, b)];
    }),
  );
}

const pairLists = fc.record({
  counts: fc.array(fc.oneof(fc.nat(5), fc.nat(400)), { maxLength: 4 }),
  known: fc.array(fc.nat(300), { maxLength: 3 }),
  documents: fc.constantFrom(2, 3, 20, 300, 70_000, 0xffffffff),
  seed: seeds,
});

test('distinctPairs in the kernel: the sorted union without what is known', (t) => {
  fc.assert(
    fc.property(pairLists, ({ counts, known, documents, seed }) => {
      const next = randomWords(seed);
      const lists = counts.map((count) => randomPairs(count, documents, next));
      const old = known.map((count) => distinctPairs([randomPairs(count, documents, next)]));
      // What the lists hold is known in part; rows past `count` are nobody's.
      if (old.length > 0 && lists.length > 0) old.push(distinctPairs([lists[0]!], old));
      const longer = lists.map(({ a, b, count }) => ({
        a: Uint32Array.from([...a, 1]),
        b: Uint32Array.from([...b, 2]),
        count,
      }));
      deepSame(t, listOf(pairing.distinctPairs(longer, old)), listOf(distinctPairs(lists, old)));
    }),
    { seed: 1, numRuns: 200 },
  );
});

test('distinctPairs in the kernel: a long list of known pairs before a short one', (t) => {
  // A kernel of its own, whose memory ends soon after what it asks for.
  const kernel = createWasmKernel(kernelModule).pairing!;
  const next = randomWords(8);
  const known = [200_000, 1].map((count) => distinctPairs([randomPairs(count, 1000, next)]));
  const list = randomPairs(30, 1000, next);
  deepSame(t, listOf(kernel.distinctPairs([list], known)), listOf(distinctPairs([list], known)));
});
