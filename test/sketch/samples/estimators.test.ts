import test from 'ava';
import {
  type LevelSketch,
  levelContainment,
  levelResemblance,
  levelSketchOf as levelSketchOfElements,
  type MinSketch,
  type ModSketch,
  minResemblance,
  minSketchOf,
  modContainment,
  modResemblance,
  modSketchOf,
  type SampleEstimate,
  shareEstimate,
} from '../../../src/sketch/samples/estimators.js';
import { multiplesOf, permutedSet } from '../../../src/sketch/samples/permutedElements.js';
import { rabinTables, rabinWindows } from '../../../src/sketch/samples/rabin.js';
import { OccurrenceLabels } from '../../../src/text/labels.js';
import { randomHashes } from '../../data/randomHashes.js';

const minOf = (hashes: Uint32Array, most: number, modulus = 1, seed = 1): MinSketch =>
  minSketchOf(permutedSet(hashes, seed), most, modulus);

const modOf = (hashes: Uint32Array, modulus: number, seed = 1): ModSketch =>
  modSketchOf(permutedSet(hashes, seed), modulus);

const levelSketchOf = (hashes: Uint32Array, unit: number, seed = 1): LevelSketch =>
  levelSketchOfElements(permutedSet(hashes, seed), unit);

/** Shingles of the paper's two sentences, as fingerprints of 40 bits. */
function shinglesOf(text: string, size: number): Uint32Array {
  const words = new Uint8Array(8 * text.split(' ').length);
  for (const [i, word] of text.split(' ').entries()) words.set(new TextEncoder().encode(word), 8 * i);
  // Words of one width, as section 4.3 of the paper has it: every eighth window begins at a word.
  const windows = rabinWindows(rabinTables(40, 1), words, 8 * size).filter((_, at) => at % 8 === 0);
  return new Uint32Array(windows.buffer);
}

test('the paper: a rose is a rose is a rose, and a rose is a flower which is a rose', (t) => {
  const known = [
    [true, 1, 7, 10],
    [true, 2, 5, 10],
    [true, 3, 3, 10],
    [false, 1, 3, 5],
    [false, 2, 3, 6],
    [false, 3, 3, 7],
  ] as const;
  for (const [bag, size, common, union] of known) {
    const [a, b] = ['a rose is a rose is a rose', 'a rose is a flower which is a rose'].map((text) => {
      const shingles = shinglesOf(text, size);
      // Option A: occurrences are labelled before they are sampled.
      if (bag) new OccurrenceLabels(3).label(shingles, shingles.length / 2);
      return shingles;
    }) as [Uint32Array, Uint32Array];
    const estimates = [
      minResemblance(minOf(a, 50), minOf(b, 50)),
      modResemblance(modOf(a, 1), modOf(b, 1)),
      levelResemblance(levelSketchOf(a, 50), levelSketchOf(b, 50)),
    ];
    for (const { value, lower, upper, standardError, exact } of estimates) {
      t.is(value, common / union, `option ${bag ? 'A' : 'B'}, size ${size}`);
      t.deepEqual([lower, upper, standardError, exact], [value, value, 0, true]);
    }
  }
});

test('resemblance from MIN_s uses only the first s elements of the union', (t) => {
  const sketch = (most: number, ...values: number[]): MinSketch => {
    return { most, modulus: 1, values: Uint32Array.from(values.flatMap((value) => [value, 0])) };
  };
  // The union begins 1 2 3 4 5: of these 2 and 4 are in both; 9 is common but comes too late.
  const estimate = minResemblance(sketch(5, 1, 2, 4, 8, 9), sketch(5, 2, 3, 4, 5, 9));
  t.deepEqual([estimate.common, estimate.samples, estimate.exact], [2, 5, false]);
  // Exactly s elements: more may have been left out.
  t.false(minResemblance(sketch(3, 1, 2), sketch(3, 2, 3)).exact);
  t.true(minResemblance(sketch(4, 1, 2), sketch(4, 2, 3)).exact);
  // The smaller s counts.
  t.is(minResemblance(sketch(5, 1, 2, 4, 8, 9), sketch(3, 2, 3, 4)).samples, 3);
});

test('the resemblance of two empty sets is undefined, that of one empty set is 0', (t) => {
  const none = new Uint32Array(0);
  const some = randomHashes(5, 1);
  const undefinedOnes = [
    minResemblance(minOf(none, 9), minOf(none, 9)),
    modResemblance(modOf(none, 1), modOf(none, 1)),
    levelResemblance(levelSketchOf(none, 9), levelSketchOf(none, 9)),
    modContainment(modOf(none, 1), modOf(some, 1), 0),
  ];
  for (const { value, standardError, lower, upper, samples, exact } of undefinedOnes) {
    t.true(Number.isNaN(value) && Number.isNaN(standardError));
    t.deepEqual([lower, upper, samples, exact], [0, 1, 0, false]);
  }
  t.is(minResemblance(minOf(none, 9), minOf(some, 9)).value, 0);
  t.is(modResemblance(modOf(none, 1), modOf(some, 1)).value, 0);
  t.is(modContainment(modOf(some, 1), modOf(none, 1), 5).value, 0);
  t.is(modContainment(modOf(some, 1), modOf(some, 1), 5).value, 1);
});

test('sketches of different levels are compared at the coarser level', (t) => {
  const b = randomHashes(6000, 1);
  const a = b.slice(0, 2 * 1500);
  const [fine, coarse] = [levelSketchOf(a, 100), levelSketchOf(b, 100)];
  t.is(fine.level, 3);
  t.is(coarse.level, 5);
  const contained = levelContainment(fine, coarse, 1500);
  const size = coarse.values.length / 2;
  t.is(contained.value, 1);
  t.is(contained.samples, multiplesOf(fine.values, 2 ** 5).length / 2);
  t.is(levelResemblance(fine, coarse).value, contained.samples / size);
  t.is(levelContainment(coarse, fine, 6000).value, contained.samples / size);
});

test('bounds are narrower if the number of elements is known, and exact for a sample of all', (t) => {
  const a = randomHashes(100, 1);
  const b = randomHashes(60, 1);
  const [sketchA, sketchB] = [modOf(a, 2), modOf(b, 2)];
  const size = sketchA.values.length / 2;
  const without = shareEstimate(modContainment(sketchA, sketchB, 100).common, size, false);
  const known = modContainment(sketchA, sketchB, 100);
  t.is(known.value, without.value);
  t.true(known.lower > without.lower && known.upper < without.upper);
  t.true(known.standardError < without.standardError);
  t.true(known.lower <= 0.6 && 0.6 <= known.upper);
  const all = modContainment(sketchA, sketchB, size);
  t.deepEqual([all.lower, all.upper, all.exact], [all.value, all.value, true]);
});

test('shareEstimate: the standard error, and the bounds of Clopper and Pearson', (t) => {
  const estimate = shareEstimate(90, 100, false);
  t.true(Math.abs(estimate.standardError - 0.03) < 1e-15);
  t.deepEqual([estimate.lower.toFixed(3), estimate.upper.toFixed(3)], ['0.824', '0.951']);
});

const TRIALS = 800;
const COMMON = 240;
const ONLY_A = 60;
const ONLY_B = 100;
const UNION = COMMON + ONLY_A + ONLY_B;
const RESEMBLANCE = COMMON / UNION;
const CONTAINMENT = COMMON / (COMMON + ONLY_A);

type Estimator = (a: Uint32Array, b: Uint32Array, seed: number) => SampleEstimate;

/** What is estimated, the elements drawn from, and how. Every one draws about 50 of them. */
const ESTIMATORS: Readonly<
  Record<string, readonly [truth: number, population: number, estimator: Estimator]>
> = {
  'resemblance from MIN_50': [
    RESEMBLANCE,
    UNION,
    (a, b, seed) => minResemblance(minOf(a, 50, 1, seed), minOf(b, 50, 1, seed)),
  ],
  'resemblance from MIN_50(MOD_3)': [
    RESEMBLANCE,
    UNION,
    (a, b, seed) => minResemblance(minOf(a, 50, 3, seed), minOf(b, 50, 3, seed)),
  ],
  'resemblance from MOD_7': [
    RESEMBLANCE,
    UNION,
    (a, b, seed) => modResemblance(modOf(a, 7, seed), modOf(b, 7, seed)),
  ],
  'containment from MOD_6': [
    CONTAINMENT,
    COMMON + ONLY_A,
    (a, b, seed) => modContainment(modOf(a, 6, seed), modOf(b, 6, seed), COMMON + ONLY_A),
  ],
  'resemblance from L_i': [
    RESEMBLANCE,
    UNION,
    (a, b, seed) => levelResemblance(levelSketchOf(a, 40, seed), levelSketchOf(b, 40, seed)),
  ],
  'containment from L_i, levels 2 and 3': [
    CONTAINMENT,
    COMMON + ONLY_A,
    (a, b, seed) => levelContainment(levelSketchOf(a, 42, seed), levelSketchOf(b, 42, seed), COMMON + ONLY_A),
  ],
};

for (const [name, [truth, population, estimator]] of Object.entries(ESTIMATORS)) {
  test(`${name}: unbiased, spread and covered as stated`, (t) => {
    const all = randomHashes(UNION, 77);
    const a = all.slice(0, 2 * (COMMON + ONLY_A));
    const b = Uint32Array.from([...all.slice(0, 2 * COMMON), ...all.slice(2 * (COMMON + ONLY_A))]);
    let sum = 0;
    let variances = 0;
    let squares = 0;
    let covered = 0;
    for (let seed = 1; seed <= TRIALS; seed++) {
      const { value, lower, upper, samples } = estimator(a, b, seed);
      // Drawn without replacement: hypergeometric, given the number drawn.
      const left = (population - samples) / (population - 1);
      const variance = ((truth * (1 - truth)) / samples) * left;
      sum += value;
      variances += variance;
      squares += (value - truth) ** 2 / variance;
      if (lower <= truth && truth <= upper) covered++;
    }
    // Five standard errors each. A squared deviation of a nearly normal number has the variance 2 (a little
    // more where few are drawn: 3 is safe).
    t.true(Math.abs(sum / TRIALS - truth) < (5 * Math.sqrt(variances)) / TRIALS, `mean ${sum / TRIALS}`);
    t.true(Math.abs(squares / TRIALS - 1) < 5 * Math.sqrt(3 / TRIALS), `spread ${squares / TRIALS}`);
    t.true(covered / TRIALS > 0.95 - 5 * Math.sqrt((0.95 * 0.05) / TRIALS), `covered ${covered / TRIALS}`);
  });
}
