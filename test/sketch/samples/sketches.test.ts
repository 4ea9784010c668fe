import test from 'ava';
import fc from 'fast-check';
import {
  coarserSketch,
  type LevelSketch,
  LevelSketchBuilder,
  levelOf,
} from '../../../src/sketch/samples/levelSketch.js';
import { type MinSketch, MinSketchBuilder } from '../../../src/sketch/samples/minSketch.js';
import { isMultiple, type ModSketch, ModSketchBuilder } from '../../../src/sketch/samples/modSketch.js';
import { OccurrenceLabels } from '../../../src/text/labels.js';
import { bigOf, randomHashes } from '../../data/randomHashes.js';
import { bigsOf, columnOf, naiveElements } from './naiveSketches.js';

/** Columns with repetitions: elements drawn from few values, or from all. */
const columns = fc.oneof(
  fc.array(fc.bigInt({ min: 0n, max: 40n }), { maxLength: 200 }).map(columnOf),
  fc.integer({ min: 0, max: 400 }).map((count) => randomHashes(count, count + 1)),
  fc.constantFrom(columnOf([]), columnOf([0n]), columnOf([0n, (1n << 64n) - 1n, 1n << 32n, 0n])),
);
const seeds = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

interface Builder<S> {
  begin(): void;
  push(hashes: Uint32Array, count: number): void;
  finish(): S;
}

/** Pushed in batches of `batch`, after another set that must leave nothing behind. */
function sketchOf<S>(builder: Builder<S>, hashes: Uint32Array, batch = 1000): S {
  builder.begin();
  builder.push(randomHashes(30, 9), 30);
  builder.finish();
  builder.begin();
  for (let from = 0; from < hashes.length; from += 2 * batch) {
    const part = hashes.slice(from, from + 2 * batch);
    builder.push(part, part.length / 2);
  }
  return builder.finish();
}

test('MIN_s and MIN_s(MOD_m) are the smallest of the distinct elements, however they are pushed', (t) => {
  const most = fc.integer({ min: 1, max: 60 });
  fc.assert(
    fc.property(columns, seeds, most, fc.integer({ min: 1, max: 7 }), most, (hashes, seed, s, m, batch) => {
      const sketch = sketchOf(new MinSketchBuilder({ seed, bag: false, most: s, modulus: m }), hashes, batch);
      const expected = naiveElements(hashes, seed).filter((value) => value % BigInt(m) === 0n);
      t.deepEqual(bigsOf(sketch.values), expected.slice(0, s));
      t.is(sketch.size, Math.min(s, expected.length));
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
  const sketch = sketchOf(new MinSketchBuilder({ seed: 5, bag: false, most: 16, modulus: 1 }), falling);
  t.deepEqual(bigsOf(sketch.values), naiveElements(hashes, 5).slice(0, 16));
});

test('MOD_m is what is 0 mod m, for moduli up to 2^32', (t) => {
  fc.assert(
    fc.property(columns, seeds, fc.integer({ min: 1, max: 20 }), (hashes, seed, modulus) => {
      const sketch = sketchOf(new ModSketchBuilder({ seed, bag: false, modulus }), hashes, 7);
      const expected = naiveElements(hashes, seed).filter((value) => value % BigInt(modulus) === 0n);
      t.deepEqual(bigsOf(sketch.values), expected);
      t.is(sketch.size, expected.length);
    }),
    { seed: 1, numRuns: 200 },
  );
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
});

test('L_i is MOD of 2^i, with i from the size of the document', (t) => {
  fc.assert(
    fc.property(columns, seeds, fc.integer({ min: 1, max: 120 }), (hashes, seed, unit) => {
      const sketch = sketchOf(new LevelSketchBuilder({ seed, bag: false, unit }), hashes, 13);
      const n = hashes.length / 2;
      t.is(sketch.elements, n);
      t.is(sketch.level, n < unit ? 0 : Math.floor(Math.log2(n / unit)));
      const expected = naiveElements(hashes, seed).filter(
        (value) => value % (1n << BigInt(sketch.level)) === 0n,
      );
      t.deepEqual(bigsOf(sketch.values), expected);
    }),
    { seed: 1, numRuns: 200 },
  );
  t.deepEqual(
    [0, 99, 100, 199, 200, 399, 400, 100 * 2 ** 40].map((n) => levelOf(n, 100)),
    [0, 0, 0, 0, 1, 1, 2, 40],
  );
});

test('L_(i+1) from L_i is L_(i+1) from the document, at every level', (t) => {
  const hashes = randomHashes(3000, 3);
  const elements = naiveElements(hashes, 8);
  // A unit beyond the size keeps level 0: the whole document.
  const whole = sketchOf(new LevelSketchBuilder({ seed: 8, bag: false, unit: 4000 }), hashes);
  let sketch: LevelSketch = whole;
  for (let level = 1; level <= 63; level++) {
    sketch = coarserSketch(sketch, level);
    const expected = elements.filter((value) => value % (1n << BigInt(level)) === 0n);
    t.deepEqual(bigsOf(sketch.values), expected);
    t.deepEqual(coarserSketch(whole, level).values, sketch.values);
  }
  for (const unit of [50, 100, 700, 1500]) {
    const built = sketchOf(new LevelSketchBuilder({ seed: 8, bag: false, unit }), hashes);
    t.deepEqual(built.values, coarserSketch(whole, built.level).values);
  }
  t.throws(() => coarserSketch(sketch, 3), { instanceOf: RangeError });
});

test('coarserSketch at levels 31 to 63: the borders of the halves', (t) => {
  for (const bit of [30, 31, 32, 33, 62, 63]) {
    const values = columnOf([1n << BigInt(bit)]);
    const sketch: LevelSketch = { unit: 100, level: 0, elements: 1, values, size: 1 };
    for (let level = 0; level <= 63; level++) {
      t.is(coarserSketch(sketch, level).size, level <= bit ? 1 : 0, `bit ${bit}, level ${level}`);
    }
  }
});

test('option A: occurrences are labelled before they are sampled, and counted anew in every set', (t) => {
  const hashes = columnOf([7n, 7n, 8n, 7n, 9n, 8n]);
  const labelled = hashes.slice();
  new OccurrenceLabels(3).label(labelled, 6);
  const expected = naiveElements(labelled, 3);
  t.is(expected.length, 6);
  for (const batch of [1, 2, 6]) {
    const min = sketchOf(new MinSketchBuilder({ seed: 3, bag: true, most: 6, modulus: 1 }), hashes, batch);
    const mod = sketchOf(new ModSketchBuilder({ seed: 3, bag: true, modulus: 1 }), hashes, batch);
    const level = sketchOf(new LevelSketchBuilder({ seed: 3, bag: true, unit: 100 }), hashes, batch);
    for (const sketch of [min, mod, level]) t.deepEqual(bigsOf(sketch.values), expected);
  }
  t.deepEqual(hashes, columnOf([7n, 7n, 8n, 7n, 9n, 8n]));
});

test('sketches are results: what is pushed later does not change them', (t) => {
  const builders: Builder<{ values: Uint32Array }>[] = [
    new MinSketchBuilder({ seed: 1, bag: false, most: 10, modulus: 1 }),
    new ModSketchBuilder({ seed: 1, bag: false, modulus: 2 }),
    new LevelSketchBuilder({ seed: 1, bag: false, unit: 10 }),
  ];
  for (const builder of builders) {
    const sketch = sketchOf(builder, randomHashes(50, 1));
    const before = sketch.values.slice();
    builder.push(randomHashes(50, 2), 50);
    builder.finish();
    t.deepEqual(sketch.values, before);
  }
});

test('parameters out of range are refused', (t) => {
  const min = (most: number, modulus: number): MinSketch =>
    new MinSketchBuilder({ seed: 1, bag: false, most, modulus }).finish();
  const level = (unit: number): LevelSketch => new LevelSketchBuilder({ seed: 1, bag: false, unit }).finish();
  const mod = (modulus: number): ModSketch => new ModSketchBuilder({ seed: 1, bag: false, modulus }).finish();
  const faults: readonly (() => unknown)[] = [
    () => min(0, 1),
    () => min(5, 0),
    () => mod(2 ** 32 + 1),
    () => mod(1.5),
    () => level(0),
  ];
  for (const fault of faults) t.throws(fault, { instanceOf: RangeError, message: /expected/ });
});
