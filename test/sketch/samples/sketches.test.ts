import test from 'ava';
import fc from 'fast-check';
import { levelOf, levelSketchOf, minSketchOf, modSketchOf } from '../../../src/sketch/samples/estimators.js';
import { isMultiple, multiplesOf, permutedSet } from '../../../src/sketch/samples/permutedElements.js';
import { randomHashes } from '../../data/randomHashes.js';
import { bigsOf, columnOf, naiveElements } from './naiveSketches.js';

/** Columns with repetitions: elements drawn from few values, or from all. */
const columns = fc.oneof(
  fc.array(fc.bigInt({ min: 0n, max: 40n }), { maxLength: 200 }).map(columnOf),
  fc.integer({ min: 0, max: 400 }).map((count) => randomHashes(count, count + 1)),
  fc.constantFrom(columnOf([]), columnOf([0n]), columnOf([0n, (1n << 64n) - 1n, 1n << 32n, 0n])),
);
const seeds = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

test('MIN_s, MOD_m, MIN_s(MOD_m) and L_i are what the paper defines', (t) => {
  const [most, moduli, units] = [60, 20, 120].map((max) => fc.integer({ min: 1, max }));
  fc.assert(
    fc.property(columns, seeds, most!, moduli!, units!, (hashes, seed, s, m, unit) => {
      const elements = permutedSet(hashes, seed);
      const all = naiveElements(hashes, seed);
      const multiples = (modulus: number): bigint[] => all.filter((value) => value % BigInt(modulus) === 0n);
      t.deepEqual(bigsOf(elements), all);
      t.deepEqual(bigsOf(minSketchOf(elements, s).values), all.slice(0, s));
      t.deepEqual(bigsOf(minSketchOf(elements, s, m).values), multiples(m).slice(0, s));
      t.deepEqual(bigsOf(modSketchOf(elements, m).values), multiples(m));
      const { level, values } = levelSketchOf(elements, unit);
      t.is(level, all.length < unit ? 0 : Math.floor(Math.log2(all.length / unit)));
      t.deepEqual(bigsOf(values), multiples(2 ** level));
    }),
    { seed: 1, numRuns: 300 },
  );
  t.deepEqual(
    [0, 99, 100, 199, 200, 399, 400, 100 * 2 ** 40].map((n) => levelOf(n, 100)),
    [0, 0, 0, 0, 1, 1, 2, 40],
  );
});

test('isMultiple is exact for moduli up to 2^32 and for powers of two', (t) => {
  const value = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n });
  const modulus = fc.integer({ min: 1, max: 2 ** 32 });
  fc.assert(
    fc.property(value, modulus, fc.boolean(), (x, m, divisible) => {
      const number = divisible ? x - (x % BigInt(m)) : x;
      const low = Number(number & 0xffffffffn);
      t.is(isMultiple(low, Number(number >> 32n), m), number % BigInt(m) === 0n);
      t.is(isMultiple(low | 0, Number(number >> 32n) | 0, m), number % BigInt(m) === 0n);
    }),
    { seed: 1, numRuns: 500, examples: [[(1n << 64n) - 1n, 2 ** 32, true]] },
  );
  // The borders of the halves.
  for (const bit of [30, 31, 32, 33, 62, 63]) {
    const values = columnOf([1n << BigInt(bit)]);
    for (let level = 0; level <= 63; level++)
      t.is(multiplesOf(values, 2 ** level).length, level <= bit ? 2 : 0, `bit ${bit}, level ${level}`);
  }
});
