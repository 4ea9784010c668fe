import test from 'ava';
import fc from 'fast-check';
import type { Measure, ShingleSampleParams } from '../../../src/sketch/params.js';
import { binomialBelow, hypergeometricAtMost, MARGIN_LOSS } from '../../../src/sketch/probability.js';
import { createSampleBuilder } from '../../../src/sketch/samples/fingerprintSamples.js';
import {
  fewestDraws,
  leastShared,
  SampleRule,
  sampleMargin,
  sharedProbability,
  smallProbability,
  wholeBelowOf,
} from '../../../src/sketch/samples/sampleRule.js';
import { randomHashes } from '../../data/randomHashes.js';

const WISH = { threshold: 0.8, recall: 0.95, measure: 'resemblance' } as const;

test('leastShared has known answers', (t) => {
  t.is(leastShared(128, WISH), 95);
  t.is(leastShared(100, WISH), 73);
  t.is(leastShared(1, WISH), 1);
  t.is(leastShared(0, WISH), 1);
  t.is(leastShared(128, { threshold: 1, recall: 0.5 }), 128);
  // Beyond 4,096 the share of 4,096 is kept.
  t.is(leastShared(8192, WISH), 2 * leastShared(4096, WISH));
});

test('fewestDraws and wholeBelowOf have known answers', (t) => {
  t.is(fewestDraws(WISH), 2);
  t.is(fewestDraws({ threshold: 0.96, recall: 0.95 }), 1);
  t.is(fewestDraws({ threshold: 0.0001, recall: 0.95 }), null);
  t.is(wholeBelowOf(8, WISH), 89);
  t.is(wholeBelowOf(1, WISH), 2);
  t.true(binomialBelow(89, 1 / 8, 2) <= MARGIN_LOSS && binomialBelow(88, 1 / 8, 2) > MARGIN_LOSS);
  t.is(wholeBelowOf(2 ** 20, WISH), null);
});

test('leastShared is passed by the hypergeometric draws of any union at the threshold as often as promised', (t) => {
  const fraction = (min: number, max: number) => fc.integer({ min, max }).map((n) => n / 1000);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 300 }),
      fc.integer({ min: 0, max: 2000 }),
      fraction(20, 1000),
      fraction(10, 999),
      (draws, more, threshold, recall) => {
        const union = draws + more;
        const common = Math.ceil(union * threshold);
        const least = leastShared(draws, { threshold, recall });
        const lost = hypergeometricAtMost(union, common, draws, least - 1);
        // Where one draw must be enough, a single marked one is all that can be asked for.
        if (least > 1)
          t.true(lost <= 1 - recall + 1e-12, `${draws} of ${union}, ${threshold}, ${recall}: ${lost}`);
        else t.true(lost <= (1 - threshold) ** draws + 1e-12);
      },
    ),
    { seed: 3, numRuns: 800 },
  );
});

test('leastShared never falls with the draws', (t) => {
  for (const wish of [WISH, { threshold: 0.3, recall: 0.999 }, { threshold: 0.5, recall: 0.05 }]) {
    for (let draws = 1; draws < 500; draws++)
      t.true(leastShared(draws, wish) >= leastShared(draws - 1, wish));
  }
});

test('smallProbability is what there is to draw, and what of it has to be common', (t) => {
  t.is(
    smallProbability(24, 1, 8, { ...WISH, measure: 'containment' }).toFixed(6),
    (1 - (7 / 8) ** 24).toFixed(6),
  );
  t.is(smallProbability(10, 1, 1, WISH), 1);
  t.true(smallProbability(24, 0.8, 8, WISH) < smallProbability(24, 0.9, 8, WISH));
});

test('the margin of min-s loses fewer than 1 in 10,000 pairs, and the others have none', (t) => {
  const min: ShingleSampleParams = { sketch: 'min-s', hashes: 128, seed: 1 };
  t.is(sampleMargin(min, WISH), 84 / 128);
  t.true(binomialBelow(128, 0.8, 84) < MARGIN_LOSS);
  t.is(sampleMargin({ sketch: 'mod-m', modulus: 8, wholeBelow: 89, seed: 1 }, WISH), 0);
});

/** Two sets of `only` elements each beside `common` ones. */
function setsOf(common: number, onlyA: number, onlyB: number, seed: number): [Uint32Array, Uint32Array] {
  const all = randomHashes(common + onlyA + onlyB, seed);
  const a = all.subarray(0, 2 * (common + onlyA));
  const b = Uint32Array.from([...all.subarray(0, 2 * common), ...all.subarray(2 * (common + onlyA))]);
  return [a, b];
}

/** How often of `times` two sets become candidates. */
function timesFound(
  params: ShingleSampleParams,
  measure: Measure,
  sizes: readonly [common: number, onlyA: number, onlyB: number],
  times: number,
): number {
  const rule = new SampleRule(params, { ...WISH, measure });
  const builder = createSampleBuilder(params);
  let found = 0;
  for (let seed = 1; seed <= times; seed++) {
    const [one, other] = setsOf(...sizes, seed).map((hashes) => {
      builder.begin();
      builder.push(hashes, hashes.length / 2);
      return builder.finish();
    });
    const inOne = new Set<string>();
    for (let i = 0; i < one!.values.length; i += 2) inOne.add(`${one!.values[i]} ${one!.values[i + 1]}`);
    let shared = 0;
    for (let i = 0; i < other!.values.length; i += 2) {
      if (inOne.has(`${other!.values[i]} ${other!.values[i + 1]}`)) shared++;
    }
    const document = {
      size: Uint32Array.of(one!.values.length / 2, other!.values.length / 2),
      sampled: Uint32Array.of(one!.sampled, other!.sampled),
      whole: Uint8Array.of(one!.whole ? 1 : 0, other!.whole ? 1 : 0),
    };
    if (shared > 0 && rule.passes(document, 0, 1, shared)) found++;
  }
  return found;
}

const MIN: ShingleSampleParams = { sketch: 'min-s', hashes: 64, seed: 5 };
const MOD: ShingleSampleParams = { sketch: 'mod-m', modulus: 8, wholeBelow: 89, seed: 5 };

for (const [params, measure, sizes] of [
  [MIN, 'resemblance', [400, 50, 50]],
  [MIN, 'resemblance', [80, 10, 10]],
  [MIN, 'resemblance', [56, 7, 7]],
  [MOD, 'resemblance', [400, 50, 50]],
  [MOD, 'resemblance', [80, 10, 10]],
  [MOD, 'resemblance', [76, 19, 0]],
  [MOD, 'containment', [80, 20, 1900]],
  [MOD, 'containment', [400, 100, 1500]],
] as const) {
  test(`pairs at the threshold of ${sizes.join(', ')} elements are found by ${params.sketch}, ${measure}`, (t) => {
    // 200 independent draws at 0.95 have a standard deviation of 3.1: four of them below 190.
    t.true(timesFound(params, measure, sizes, 200) >= 190 - 13);
  });
}

test('sets that are whole are found for sure at the threshold, and never below it', (t) => {
  for (const params of [MIN, MOD]) {
    t.is(timesFound(params, 'resemblance', [40, 5, 5], 50), 50);
    t.is(timesFound(params, 'resemblance', [39, 5, 5], 50), 0);
  }
  t.is(timesFound(MOD, 'containment', [8, 2, 60], 50), 50);
  t.is(timesFound(MOD, 'containment', [7, 2, 60], 50), 0);
});

test('a small set in a large one is found as often as smallProbability says', (t) => {
  const wish = { ...WISH, measure: 'containment' } as const;
  const expected = smallProbability(20, 0.8, 8, wish);
  const found = timesFound(MOD, 'containment', [16, 4, 800], 500) / 500;
  // Four standard deviations of 500 draws; common elements of a finite set spread less than binomially.
  const deviation = Math.sqrt((expected * (1 - expected)) / 500);
  t.true(Math.abs(found - expected) < 4 * deviation + 0.01, `${found} against ${expected}`);
});

test('pairs far below the threshold are seldom candidates', (t) => {
  t.true(sharedProbability(0.5, 64, WISH) < 1e-3);
  t.is(timesFound(MIN, 'resemblance', [100, 100, 100], 200), 0);
});

test('a bound of what is shared counts no more than a sample holds', (t) => {
  const sizes = {
    size: Uint32Array.of(50, 400),
    sampled: Uint32Array.of(50, 60),
    whole: Uint8Array.of(0, 0),
  };
  for (const measure of ['resemblance', 'containment'] as const) {
    const wish = { threshold: 0.95, recall: 0.95, measure };
    const rule = new SampleRule({ sketch: 'mod-m', modulus: 8, wholeBelow: 89, seed: 1 }, wish);
    // 50 of 60 are too few of 0.95 by resemblance; of containment they are all.
    t.is(rule.passes(sizes, 0, 1, 50), measure === 'containment');
    t.is(rule.passes(sizes, 0, 1, 1000), measure === 'containment');
  }
});
