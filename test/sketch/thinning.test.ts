import test from 'ava';
import fc from 'fast-check';
import { binOf } from '../../src/arrays/hashing.js';
import { rowChunkOf } from '../../src/sketch/rowChunks.js';
import { randomWords } from '../data/randomHashes.js';
import { createThinning } from '../kernel/referenceThinning.js';

const NONE = new Uint32Array(0);

const keptOf = (elements: Uint32Array, sample: number, seed = 1, eliminated = NONE): Uint32Array => {
  const list = elements.slice();
  const kept = createThinning({ sample, seed, eliminated }).keep(list, list.length / 2);
  return list.slice(0, 2 * kept);
};

function randomHashes(count: number, seed: number): Uint32Array {
  const next = randomWords(seed);
  return Uint32Array.from({ length: 2 * count }, () => next());
}

const hashes = fc.uint32Array({ maxLength: 60 }).map((words) => words.subarray(0, words.length & ~1));

test('keep of sample 1 without elimination keeps all, and of no elements none', (t) => {
  fc.assert(
    fc.property(hashes, (list) => t.deepEqual(keptOf(list, 1), list.slice())),
    { seed: 1 },
  );
  t.deepEqual(keptOf(NONE, 16), NONE);
});

test('keep is a property of single elements: order, repetition and partition do not matter', (t) => {
  fc.assert(
    fc.property(hashes, fc.integer({ min: 1, max: 5 }), fc.maxSafeNat(), (list, sample, seed) => {
      const expected: number[] = [];
      for (let i = 0; i < list.length; i += 2) {
        expected.push(...keptOf(list.subarray(i, i + 2), sample, seed, list.subarray(0, 2)));
      }
      t.deepEqual([...keptOf(list, sample, seed, list.subarray(0, 2))], expected);
    }),
    { seed: 1, numRuns: 300 },
  );
});

test('eliminated elements are never kept, 0 and the greatest among them, and all others are', (t) => {
  const list = Uint32Array.of(0, 0, 5, 0, 0, 5, 5, 5, 0xffffffff, 0xffffffff, 0, 1);
  const eliminated = Uint32Array.of(0xffffffff, 0xffffffff, 0, 0, 0, 5);
  t.deepEqual([...keptOf(list, 1, 1, eliminated)], [5, 0, 5, 5, 0, 1]);
});

test('one element in N is kept, whatever its bin or row chunk', (t) => {
  const count = 200_000;
  const list = randomHashes(count, 7);
  for (const sample of [2, 3, 16, 100]) {
    const kept = keptOf(list, sample);
    const size = kept.length / 2;
    // Binomial: five standard deviations.
    const spread = 5 * Math.sqrt((count / sample) * (1 - 1 / sample));
    t.true(Math.abs(size - count / sample) < spread, `${size} of ${count} for ${sample}`);
    const bins = new Float64Array(64);
    const chunks = new Float64Array(64);
    for (let i = 0; i < kept.length; i += 2) {
      bins[binOf(kept[i + 1]!, 64)]!++;
      chunks[rowChunkOf(kept[i]!, kept[i + 1]!, 64)]!++;
    }
    for (const counts of [bins, chunks]) {
      const expected = size / 64;
      const chi = counts.reduce((sum, got) => sum + (got - expected) ** 2 / expected, 0);
      // Chi-square with 63 degrees of freedom passes 126 with probability 4e-6.
      t.true(chi < 126, `${chi} for ${sample}`);
    }
  }
});

test('another seed is another sample', (t) => {
  const list = randomHashes(2000, 3);
  const one = new Set<string>();
  const kept = keptOf(list, 4, 1);
  for (let i = 0; i < kept.length; i += 2) one.add(`${kept[i]} ${kept[i + 1]}`);
  const other = keptOf(list, 4, 2);
  let both = 0;
  for (let i = 0; i < other.length; i += 2) if (one.has(`${other[i]} ${other[i + 1]}`)) both++;
  // 2000/16 = 125 expected, standard deviation 10.8.
  t.true(both > 70 && both < 180, `${both}`);
});
