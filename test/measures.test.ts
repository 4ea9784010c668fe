/** The library's measures of two texts: known answers of Broder 1997, section 2, and their laws. */
import test from 'ava';
import { containment, estimateResemblance, resemblance, sketchOf } from '../src/index.js';

const A = 'a rose is a rose is a rose';
const B = 'a rose is a flower which is a rose';

test('Broder`s roses: resemblance of sets and of labelled bags for shingles of 1, 2 and 3 words', (t) => {
  t.deepEqual(
    [1, 2, 3].map((size) => resemblance(A, B, { size, bag: true })),
    [7 / 10, 5 / 10, 3 / 10],
  );
  t.deepEqual(
    [1, 2, 3].map((size) => resemblance(A, B, { size })),
    [3 / 5, 3 / 6, 3 / 7],
  );
});

test('containment is the share of the first text`s shingles, and is not symmetric', (t) => {
  t.is(containment(A, B, { size: 1 }), 1);
  t.is(containment(B, A, { size: 1 }), 3 / 5);
  t.is(containment('', A), 0);
});

test('an estimate comes with bounds that hold the exact value here, and is exact for equal texts', (t) => {
  for (const sketch of ['fss', 'classic', 'oph'] as const) {
    const [a, b] = [sketchOf(A, { size: 1, sketch }), sketchOf(B, { size: 1, sketch })];
    const { value, lower, upper } = estimateResemblance(a, b);
    t.true(lower <= value && value <= upper);
    t.true(lower <= 0.6 && 0.6 <= upper, `${sketch}: ${lower}..${upper}`);
    t.is(estimateResemblance(a, a).value, 1);
  }
});

test('two empty texts are no duplicates of each other', (t) => {
  t.is(resemblance('', ''), 0);
  t.is(estimateResemblance(sketchOf(''), sketchOf(' ')).value, 0);
});

test('sketches of different parameters are refused, and so are parameters out of range', (t) => {
  t.throws(() => estimateResemblance(sketchOf(A), sketchOf(A, { size: 4 })), { instanceOf: RangeError });
  t.throws(() => estimateResemblance(sketchOf(A), sketchOf(A, { seed: 2 })), { instanceOf: RangeError });
  t.throws(() => sketchOf(A, { hashes: 15 }), { instanceOf: RangeError });
  t.throws(() => resemblance(A, B, { size: 0 }), { instanceOf: RangeError });
  t.throws(() => resemblance(A, B, { seed: -1 }), { instanceOf: RangeError });
});
