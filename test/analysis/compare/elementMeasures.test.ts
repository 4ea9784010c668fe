import test from 'ava';
import fc from 'fast-check';
import {
  bagSimilarity,
  sketchOfElements,
  sumUnionOf,
} from '../../../src/analysis/compare/elementMeasures.js';
import { estimateResemblance } from '../../../src/analysis/measures.js';
import { jaccardOf } from '../../../src/analysis/textbook.js';

test('bagSimilarity of the bags of MMDS, example 3.2 and exercise 3.1.2', (t) => {
  t.deepEqual(bagSimilarity('aaab', 'aabbc'), { common: 3, sumUnion: 3 / 9, maxUnion: 3 / 6 });
  const bags = [
    [1, 1, 1, 2],
    [1, 1, 2, 2, 3],
    [1, 2, 3, 4],
  ] as const;
  t.is(bagSimilarity(bags[0], bags[1]).sumUnion, 3 / 9);
  t.is(bagSimilarity(bags[0], bags[2]).sumUnion, 2 / 8);
  t.is(bagSimilarity(bags[1], bags[2]).sumUnion, 3 / 9);
  t.deepEqual(bagSimilarity(bags[0], bags[0]), { common: 4, sumUnion: 1 / 2, maxUnion: 1 });
  t.deepEqual(bagSimilarity([], []), { common: 0, sumUnion: 0, maxUnion: 0 });
  t.deepEqual(bagSimilarity('a', ''), { common: 0, sumUnion: 0, maxUnion: 0 });
});

test('the max union is the Jaccard of labelled elements, and the sum union J / (1 + J), at most 1/2', (t) => {
  const bag = fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 30 });
  const labelled = (elements: readonly number[]): string[] =>
    elements.map(
      (element, i) => `${element} ${elements.slice(0, i).filter((one) => one === element).length}`,
    );
  fc.assert(
    fc.property(bag, bag, (a, b) => {
      const { sumUnion, maxUnion } = bagSimilarity(a, b);
      t.is(maxUnion, jaccardOf(labelled(a), labelled(b)));
      t.true(Math.abs(sumUnion - sumUnionOf(maxUnion)) < 1e-12);
      t.true(sumUnion <= 1 / 2);
    }),
    { seed: 7, numRuns: 300 },
  );
});

test('sumUnionOf an estimate keeps its bounds around its value', (t) => {
  t.deepEqual(sumUnionOf({ value: 0.5, lower: 0.25, upper: 1 }), { value: 1 / 3, lower: 0.2, upper: 0.5 });
});

test('sketchOfElements estimates sets, and bags by both unions', (t) => {
  const a = Array.from({ length: 300 }, (_, i) => `item ${i % 100}`);
  const b = Array.from({ length: 200 }, (_, i) => `item ${i % 100}`);
  const hashes = 1024;
  for (const sketch of ['fss', 'classic'] as const) {
    const sets = estimateResemblance(
      sketchOfElements(a, { sketch, hashes }),
      sketchOfElements(b, { sketch, hashes }),
    );
    t.is(sets.value, 1, sketch);
    const options = { sketch, hashes, bag: true };
    const bags = estimateResemblance(sketchOfElements(a, options), sketchOfElements(b, options));
    const exact = bagSimilarity(a, b);
    // Of 95 % bounds; with these seeds they hold.
    t.true(bags.lower <= exact.maxUnion && exact.maxUnion <= bags.upper, sketch);
    const sum = sumUnionOf(bags);
    t.true(sum.lower <= exact.sumUnion && exact.sumUnion <= sum.upper, sketch);
  }
});

test('sketchOfElements ignores order and empty elements, and accepts bytes', (t) => {
  const one = sketchOfElements(['a', 'b', 'c', 'a']);
  t.deepEqual(sketchOfElements([new TextEncoder().encode('c'), '', 'b', 'a']), one);
  t.true(sketchOfElements(['']).empty);
  t.notDeepEqual(sketchOfElements(['a', 'b', 'c', 'a'], { bag: true }).slots, one.slots);
  t.throws(() => sketchOfElements([], { hashes: 5 }), { code: 'OPTION_INVALID' });
  t.throws(() => sketchOfElements([], { seed: -1 }), { code: 'OPTION_INVALID' });
  const bag = sketchOfElements(['a'], { bag: true });
  t.throws(() => estimateResemblance(one, bag), { code: 'SKETCHES_DIFFER' });
});
