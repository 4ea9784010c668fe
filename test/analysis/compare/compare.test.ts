/** Two texts by every measure: known answers of Broder 1997 and MMDS, laws, and bounds that hold as often as they say. */
import test from 'ava';
import fc from 'fast-check';
import {
  type Comparison,
  compareTexts,
  containment,
  estimateResemblance,
  explainTexts,
  MinHashError,
  MOST_EXPLAINED_BYTES,
  resemblance,
  sketchOf,
} from '../../../src/index.js';

const A = 'a rose is a rose is a rose';
const B = 'a rose is a flower which is a rose';

const estimateOf = ({ sets }: Comparison, sketch: string, measure = 'resemblance') =>
  sets.estimates.find((estimate) => estimate.sketch === sketch && estimate.measure === measure)!;

test('compareTexts gives Broder`s roses: labelled bags and sets of 1, 2 and 3 words', (t) => {
  const found = [1, 2, 3].map((size) => compareTexts(A, B, { size }));
  t.deepEqual(
    found.map(({ bags }) => bags.resemblance),
    [7 / 10, 5 / 10, 3 / 10],
  );
  t.deepEqual(
    found.map(({ sets }) => sets.resemblance),
    [3 / 5, 3 / 6, 3 / 7],
  );
  t.deepEqual(
    found.map(({ sets }) => sets.distance),
    [1 - 3 / 5, 1 - 3 / 6, 1 - 3 / 7],
  );
  t.deepEqual([found[0]!.sets.containmentAInB, found[0]!.sets.containmentBInA], [1, 3 / 5]);
  t.deepEqual([found[0]!.bags.containmentAInB, found[0]!.bags.containmentBInA], [7 / 8, 7 / 9]);
  // The samples hold all of so small sets: what they say is exact, by Rabin fingerprints as ids, too.
  for (const { sets, bags } of found) {
    for (const { resemblance, estimates } of [sets, bags]) {
      const row = estimates.find(({ sketch }) => sketch === 'min-s-rabin')!;
      t.like(row, { measure: 'resemblance', value: resemblance, exact: resemblance, complete: true });
    }
  }
});

test('the 4-shingling of a rose is a rose is a rose is a bag of five and a set of three', (t) => {
  const { a, identical, bags } = compareTexts(A, A, { size: 4 });
  t.deepEqual(a, { bytes: A.length, tokens: 8, shingles: 5, distinct: 3 });
  t.deepEqual(identical, { bytes: true, tokens: true });
  t.is(bags.resemblance, 1);
});

test('equal bytes and equal canonical tokens are reported separately', (t) => {
  const { identical, sets } = compareTexts('One two,  THREE.', 'one two three', { size: 2 });
  t.deepEqual(identical, { bytes: false, tokens: true });
  t.is(sets.resemblance, 1);
  t.false(compareTexts('One', 'one', { unit: 'bytes' }).identical.tokens);
});

test('a text without tokens resembles nothing, and all its estimates are 0', (t) => {
  const both = compareTexts('', ' ');
  t.deepEqual([both.sets.resemblance, both.sets.distance, both.sets.containmentAInB], [0, 1, 0]);
  t.is(estimateOf(both, 'fss').value, 0);
  t.is(estimateOf(both, 'min-s').value, null);
  const one = compareTexts('', A);
  t.true([...one.sets.estimates, ...one.bags.estimates].every(({ holds }) => holds));
  t.is(estimateOf(one, 'classic').value, 0);
  t.is(estimateOf(one, 'min-s').value, 0);
});

test('a sketch of the whole set is exact: m = 1, s above the union, L_0', (t) => {
  const found = compareTexts(A, B, { size: 2, modulus: 1, samples: 100 });
  for (const sketch of ['min-s', 'mod-m', 'l-i', 'min-s-mod-m', 'min-s-rabin']) {
    t.like(estimateOf(found, sketch), { value: 1 / 2, error: 0, complete: true, lower: 1 / 2, upper: 1 / 2 });
  }
  t.like(estimateOf(found, 'l-i', 'containmentAInB'), { value: 1, exact: 1, complete: true });
  t.false(estimateOf(found, 'classic').complete);
});

test('options out of range are rejected', (t) => {
  const bad = [
    { hashes: 15 },
    { samples: 0 },
    { modulus: 0 },
    { modulus: 2 ** 33 },
    { levelUnit: 1.5 },
    { size: 64 },
  ];
  for (const options of bad) t.throws(() => compareTexts(A, B, options), { instanceOf: MinHashError });
  t.throws(() => explainTexts(A, B, {}, -1), { instanceOf: MinHashError });
  const large = new Uint8Array(MOST_EXPLAINED_BYTES + 1);
  t.throws(() => explainTexts(A, large), { instanceOf: MinHashError });
});

test('the estimates of signatures are those of estimateResemblance', (t) => {
  const found = compareTexts(A, B, { size: 2, hashes: 64, seed: 3 });
  for (const sketch of ['fss', 'classic'] as const) {
    const options = { size: 2, hashes: 64, seed: 3, sketch };
    const { value, lower, upper } = estimateResemblance(sketchOf(A, options), sketchOf(B, options));
    t.like(estimateOf(found, sketch), { value, lower, upper });
  }
});

const texts = fc
  .array(fc.constantFrom('a', 'b', 'c', 'the', 'of', 'd'), { maxLength: 40 })
  .map((words) => words.join(' '));
const units = fc.constantFrom('words', 'chars', 'bytes', 'stopwords', 'lines');

test('compareTexts is symmetric, agrees with the single measures, and its estimates are shares', (t) => {
  fc.assert(
    fc.property(texts, texts, units, fc.integer({ min: 1, max: 4 }), (x, y, unit, size) => {
      const options = { unit, size, hashes: 16, modulus: 2, levelUnit: 4 } as const;
      const [one, other] = [compareTexts(x, y, options), compareTexts(y, x, options)];
      t.is(one.sets.resemblance, resemblance(x, y, { unit, size }));
      t.is(one.bags.resemblance, resemblance(x, y, { unit, size, bag: true }));
      t.is(one.bags.containmentAInB, containment(x, y, { unit, size, bag: true }));
      t.is(one.sets.containmentAInB, other.sets.containmentBInA);
      t.is(one.bags.sumUnion, other.bags.sumUnion);
      t.true(one.bags.sumUnion <= 1 / 2);
      for (const sketch of ['fss', 'classic', 'min-s', 'mod-m', 'l-i', 'min-s-mod-m', 'min-s-rabin']) {
        t.deepEqual(estimateOf(one, sketch), estimateOf(other, sketch));
      }
      for (const { value, lower, upper, common, samples, complete, exact } of one.sets.estimates) {
        t.is(value, samples === 0 ? null : common / samples);
        t.true(value === null || (lower <= value && value <= upper));
        if (complete) t.is(value, exact);
      }
    }),
    { seed: 1, numRuns: 60 },
  );
});

test('explainTexts lists as many shingles as the sets have elements, and each as often as it occurs', (t) => {
  fc.assert(
    fc.property(texts, texts, units, fc.integer({ min: 1, max: 4 }), (x, y, unit, size) => {
      const { sets, bags, a, b } = compareTexts(x, y, { unit, size, hashes: 16 });
      const lists = explainTexts(x, y, { unit, size }, 1000);
      t.is(lists.shared.count, sets.common);
      t.is(lists.onlyInA.count, a.distinct - sets.common);
      t.is(lists.onlyInB.count, b.distinct - sets.common);
      const common = lists.shared.shown.reduce((sum, { inA, inB }) => sum + Math.min(inA, inB), 0);
      t.is(common, bags.common);
    }),
    { seed: 1, numRuns: 60 },
  );
});

test('explainTexts shows the first of each list, and the texts of the shingles', (t) => {
  t.deepEqual(explainTexts(A, B, { size: 3 }, 1), {
    shared: { count: 3, shown: [{ text: 'a rose is', inA: 2, inB: 1 }] },
    onlyInA: { count: 0, shown: [] },
    onlyInB: { count: 4, shown: [{ text: 'is a flower', inA: 0, inB: 1 }] },
  });
  t.is(explainTexts('ab', 'b', { unit: 'bytes', size: 2 }).onlyInA.shown[0]!.text, '61 62');
  t.is(explainTexts('x\ny', '', { unit: 'lines', size: 2 }).onlyInA.shown[0]!.text, 'x\ny');
});
