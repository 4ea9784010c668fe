import test from 'ava';
import fc from 'fast-check';
import { Winnower, winnowing } from '../../../src/analysis/methods/chunks/winnowing.js';
import { elementsOf } from '../../../src/analysis/methods/elementStreams.js';
import { randomFrom } from '../../data/seededTexts.js';
import { matchOf, PARAMS, valuesOf } from './methodValues.js';

/** What is selected of small hashes: hash and position. */
function winnowed(hashes: readonly number[], window: number, piece = hashes.length): [number, number][] {
  const selected: [number, number][] = [];
  const winnower = new Winnower(window, (column, count, positions) => {
    for (let i = 0; i < count; i++) selected.push([column[2 * i]!, positions[i]!]);
  });
  winnower.begin();
  for (let i = 0; i < hashes.length; i += piece) {
    const part = hashes.slice(i, i + piece);
    winnower.take(Uint32Array.from(part.flatMap((hash) => [hash, 0])), part.length);
  }
  winnower.end();
  return selected;
}

/** Robust winnowing as the paper defines it, window by window. */
function plainly(hashes: readonly number[], window: number): [number, number][] {
  const selected: number[] = [];
  const windows = Math.max(hashes.length > 0 ? 1 : 0, hashes.length - window + 1);
  for (let start = 0; start < windows; start++) {
    const least = Math.min(...hashes.slice(start, start + window));
    const last = selected.at(-1);
    if (last !== undefined && last >= start && hashes[last] === least) continue;
    selected.push(hashes.slice(0, start + window).lastIndexOf(least));
  }
  return selected.map((at) => [hashes[at]!, at]);
}

test('the example of the paper', (t) => {
  const hashes = [77, 74, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 74, 42, 17, 98];
  t.deepEqual(winnowed(hashes, 4), [
    [17, 3],
    [17, 6],
    [8, 8],
    [39, 11],
    [17, 15],
  ]);
});

test('the selection follows the definition, however hashes are passed', (t) => {
  const property = fc.property(
    fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 60 }),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 20 }),
    (hashes, window, piece) => {
      t.deepEqual(winnowed(hashes, window, piece), plainly(hashes, window));
    },
  );
  fc.assert(property, { seed: 1, numRuns: 1000 });
});

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const lettersFrom = (random: () => number, length: number): string =>
  Array.from({ length }, () => LETTERS[Math.floor(26 * random())]).join('');

test('every match of the guarantee threshold is found, none below the noise threshold', (t) => {
  const seeds = fc.integer({ min: 0, max: 2 ** 31 });
  const property = fc.property(
    seeds,
    fc.integer({ min: 1, max: 30 }),
    fc.integer({ min: 0, max: 40 }),
    (seed, noise, more) => {
      const params = { ...PARAMS, noise, guarantee: noise + more };
      const random = randomFrom(seed);
      const match = lettersFrom(random, noise + more);
      // Letters of two halves of the alphabet: nothing else can match.
      const around = (text: string, from: number): string =>
        `${lettersFrom(random, 50)} ${text}, ${lettersFrom(random, 70)}`.replace(/[a-z]+/g, (word) =>
          word === text
            ? word
            : word.replace(/./g, (one) => String.fromCodePoint(from + one.charCodeAt(0) - 97)),
        );
      // Greek and Cyrillic.
      const [a, b] = [around(match, 0x3b1), around(match, 0x430)];
      t.not(valuesOf(winnowing, a, b, params), null, `${seed} ${noise} ${more}`);
      const short = match.slice(0, noise - 1);
      if (short !== '') t.is(valuesOf(winnowing, around(short, 0x3b1), around(short, 0x430), params), null);
    },
  );
  fc.assert(property, { seed: 1, numRuns: 200 });
});

test('2 / (w + 1) of the positions of random text are selected', (t) => {
  const length = 200_000;
  const elements = elementsOf(
    new TextEncoder().encode(lettersFrom(randomFrom(7), length)),
    winnowing.elements({ ...PARAMS, noise: 12 }),
  );
  for (const window of [1, 2, 10, 100]) {
    let selected = 0;
    const winnower = new Winnower(window, (_, count) => {
      selected += count;
    });
    winnower.begin();
    winnower.take(elements, elements.length / 2);
    winnower.end();
    const expected = 2 / (window + 1);
    const density = selected / (elements.length / 2);
    // Windows that are w apart select independently, so the standard deviation is at most that of length / w trials of what a
    // window adds, of which there are at most w: sqrt(density * w / length). Five of them.
    const tolerance = 5 * Math.sqrt((expected * window) / length);
    t.true(Math.abs(density - expected) <= tolerance, `w ${window}: ${density}, ${expected}`);
  }
});

test('a copied passage counts as the share of the fingerprints it has', (t) => {
  const random = randomFrom(3);
  const [passage, before, after] = [4000, 6000, 10_000].map((length) => lettersFrom(random, length));
  const [larger, ofBase, ofDocument] = valuesOf(winnowing, `${before}${passage}`, `${passage}${after}`)!;
  // Of some 900 fingerprints of the base 2/5, of 1400 of the document 2/7; five standard deviations are below 0.09.
  t.true(Math.abs(ofBase! - 2 / 5) < 0.09, `${ofBase}`);
  t.true(Math.abs(ofDocument! - 2 / 7) < 0.09, `${ofDocument}`);
  t.is(larger, ofBase);
});

test('texts shorter than a window match themselves, however elements are passed', (t) => {
  t.deepEqual(valuesOf(winnowing, 'Abc', 'a-b c'), [1, 1, 1]);
  t.deepEqual(valuesOf(winnowing, 'abcdefghij', 'ABCDEFGHIJ'), [1, 1, 1]);
  t.is(valuesOf(winnowing, 'abc', 'abd'), null);
  const rule = winnowing.elements(PARAMS);
  const text = new TextEncoder().encode(lettersFrom(randomFrom(9), 5000));
  const elements = elementsOf(text, rule);
  const matcher = winnowing.prepare([elements.slice(0, 4000)], PARAMS, null, 0);
  const whole = matchOf(matcher, elements, 1e6);
  for (const most of [1, 7, 64]) t.deepEqual(matchOf(matcher, elements, most), whole);
});
