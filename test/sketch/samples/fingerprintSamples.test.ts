import test from 'ava';
import fc from 'fast-check';
import type { ShingleSampleParams } from '../../../src/sketch/params.js';
import {
  createSampleBuilder,
  mergedSample,
  type Sample,
} from '../../../src/sketch/samples/fingerprintSamples.js';
import { bigOf, randomHashes } from '../../data/randomHashes.js';
import { bigsOf, columnOf, naiveElements } from './naiveSketches.js';

const columns = fc.oneof(
  fc.array(fc.bigInt({ min: 0n, max: 60n }), { maxLength: 200 }).map(columnOf),
  fc.integer({ min: 0, max: 300 }).map((count) => randomHashes(count, count + 1)),
  fc.constantFrom(columnOf([]), columnOf([0n]), columnOf([0n, (1n << 64n) - 1n, 1n << 32n, 0n])),
);

const kinds: fc.Arbitrary<ShingleSampleParams> = fc.oneof(
  fc.record({
    sketch: fc.constant('min-s' as const),
    hashes: fc.integer({ min: 1, max: 120 }),
    seed: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
  }),
  fc.record({
    sketch: fc.constant('mod-m' as const),
    modulus: fc.integer({ min: 1, max: 30 }),
    wholeBelow: fc.integer({ min: 1, max: 150 }),
    seed: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
  }),
);

/** The sample by definition: the whole set sorted, and what of it is kept. */
function naiveSample(
  hashes: Uint32Array,
  params: ShingleSampleParams,
): { values: bigint[]; whole: boolean; sampled: number } {
  const all = naiveElements(hashes, params.seed);
  if (params.sketch === 'min-s') {
    const values = all.slice(0, params.hashes);
    return { values, whole: all.length < params.hashes, sampled: values.length };
  }
  const multiples = all.filter((value) => value % BigInt(params.modulus) === 0n);
  const whole = params.modulus === 1 || all.length < params.wholeBelow;
  return { values: whole ? all : multiples, whole, sampled: multiples.length };
}

const plain = ({ values, whole, sampled }: Sample) => ({ values: bigsOf(values), whole, sampled });

test('createSampleBuilder makes the sample of the definition, whatever was pushed before and in which batches', (t) => {
  fc.assert(
    fc.property(columns, kinds, fc.integer({ min: 1, max: 90 }), (hashes, params, batch) => {
      const builder = createSampleBuilder(params);
      builder.begin();
      builder.push(randomHashes(200, 5), 200);
      builder.begin();
      for (let from = 0; from < hashes.length; from += 2 * batch) {
        const part = hashes.subarray(from, from + 2 * batch);
        builder.push(part, part.length / 2);
      }
      t.deepEqual(plain(builder.finish()), naiveSample(hashes, params));
    }),
    { seed: 1, numRuns: 300 },
  );
});

test('MIN_s of a falling column, which moves the heap at every element', (t) => {
  const hashes = randomHashes(3000, 4);
  const rank = new Map(naiveElements(hashes, 5).map((value, i) => [value, i] as const));
  const order = Array.from({ length: 3000 }, (_, i) => [bigOf(hashes, i), i] as const);
  const ranked = order.map(([value]) => [rank.get(naiveElements(columnOf([value]), 5)[0]!)!, value] as const);
  const falling = columnOf(ranked.sort((a, b) => b[0] - a[0]).map(([, value]) => value));
  const builder = createSampleBuilder({ sketch: 'min-s', hashes: 16, seed: 5 });
  builder.begin();
  builder.push(falling, 3000);
  t.deepEqual(bigsOf(builder.finish().values), naiveElements(hashes, 5).slice(0, 16));
});

test('samples are results: what is pushed later does not change them', (t) => {
  for (const params of [
    { sketch: 'min-s', hashes: 10, seed: 1 },
    { sketch: 'mod-m', modulus: 2, wholeBelow: 0, seed: 1 },
  ] as const) {
    const builder = createSampleBuilder(params);
    builder.begin();
    builder.push(randomHashes(50, 1), 50);
    const { values } = builder.finish();
    const before = values.slice();
    builder.push(randomHashes(50, 2), 50);
    builder.finish();
    t.deepEqual(values, before);
  }
});

test('mergedSample of any parts, overlapping ones too, is the sample of their union', (t) => {
  fc.assert(
    fc.property(fc.array(columns, { maxLength: 5 }), kinds, (parts, params) => {
      const builder = createSampleBuilder(params);
      const samples = parts.map((hashes) => {
        builder.begin();
        builder.push(hashes, hashes.length / 2);
        return builder.finish();
      });
      const union = Uint32Array.from(parts.flatMap((hashes) => [...hashes]));
      t.deepEqual(plain(mergedSample(samples, params)), naiveSample(union, params));
      const nested = [mergedSample(samples.slice(0, 2), params), ...samples.slice(2)];
      t.deepEqual(plain(mergedSample(nested, params)), naiveSample(union, params));
    }),
    { seed: 2, numRuns: 300 },
  );
});
