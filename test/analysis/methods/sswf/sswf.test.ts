/** The method as a whole: the values follow from the plain steps of the paper, for several bases at once. */
import test from 'ava';
import fc from 'fast-check';
import { elementsOf, wordRule } from '../../../../src/analysis/methods/elementStreams.js';
import { CodedWords } from '../../../../src/analysis/methods/sswf/codedWords.js';
import { removeNoise } from '../../../../src/analysis/methods/sswf/noise.js';
import { sswf } from '../../../../src/analysis/methods/sswf/sswf.js';
import { selectedWords } from '../../../../src/analysis/methods/sswf/wordChoice.js';
import { FingerprintTable } from '../../../../src/arrays/hashTable.js';
import { plainCorrection } from './plainCorrection.js';
import { type Answer, compareAll, compared } from './sswfHere.js';

const NO_STOPS = new FingerprintTable();

/** What the paper's steps give, one after the other and nothing ruled out. */
function plainAnswer(base: string, document: string): Answer | null {
  const elements = (text: string): Uint32Array =>
    elementsOf(new TextEncoder().encode(text), wordRule({ seed: 1 }));
  const words = selectedWords(elements(base), 70, NO_STOPS);
  if (words.length < 6) return null;
  const [a, b] = [base, document].map((text) => {
    const coded = new CodedWords([words]);
    const all = elements(text);
    coded.take(all, all.length / 2);
    return coded.codesOf(0).slice();
  }) as [Uint16Array, Uint16Array];
  const found = plainCorrection(a, b, 'whole');
  const kept = {
    count: found.base.length,
    base: Uint32Array.from(found.base),
    document: Uint32Array.from(found.document),
  };
  const matches = removeNoise(kept, a.length, b.length);
  if (matches === 0) return null;
  return {
    resemblance: matches / Math.max(a.length, b.length),
    containment: matches / Math.min(a.length, b.length),
    matches,
    distance: found.distance,
    base: a.length,
    document: b.length,
  };
}

const texts = fc
  .array(fc.constantFrom(...'abcdefgh'), { minLength: 10, maxLength: 60, size: 'max' })
  .map((words) => words.join(' '));

test('random texts: every value equals that of the plain steps, for one and for several bases', (t) => {
  let told = 0;
  fc.assert(
    fc.property(fc.array(texts, { minLength: 1, maxLength: 4 }), texts, (bases, random) => {
      const wish = { stopWords: [] };
      // Of two random texts few are alike.
      const documents = [random, `${bases[0]} ${random}`, `${random} ${bases.at(-1)}`];
      const rows = compareAll(bases, documents, wish);
      documents.forEach((document, d) => {
        bases.forEach((base, b) => {
          const expected = plainAnswer(base, document);
          if (expected !== null) told++;
          const answer = rows[d]![b]!;
          t.deepEqual(answer.matches === 0 ? null : answer, expected);
          t.deepEqual(answer, compared(base, document, wish));
        });
      });
    }),
    { seed: 1, numRuns: 50 },
  );
  t.true(told > 0);
});

test('every base that reaches the minimum is reported', (t) => {
  let told = 0;
  const least = fc.double({ min: 0.01, max: 1, noNaN: true });
  fc.assert(
    fc.property(texts, texts, least, fc.constantFrom(1, 3), (base, random, wanted, pieces) => {
      for (const document of [random, `${base} ${random}`, `${random} ${base}`, base]) {
        const all = compared(base, document, { stopWords: [], pieces });
        const found = compared(base, document, { stopWords: [], pieces, least: wanted });
        if (all.resemblance >= wanted) {
          t.deepEqual(found, all);
          told++;
        } else t.true(found.matches === 0 || found.matches === all.matches);
      }
    }),
    { seed: 2, numRuns: 80 },
  );
  t.true(told > 0);
});

test('bases with fewer than three selected words are reported', (t) => {
  const three = 'a b c a b c a b c';
  const bases = ['', 'a b a b a b', three, 'a a a b b b c c', `${three} d`].map((text) =>
    elementsOf(new TextEncoder().encode(text), wordRule({ seed: 1 })),
  );
  const shingle = { unit: 'words', size: 5, bag: false, stopWords: [], seed: 1 } as const;
  const params = { shingle, words: 70, pieces: 1, noise: 5, guarantee: 9 };
  t.deepEqual(sswf.prepare(bases, params, null, 0).barren, [0, 1, 3]);
});

test('in pieces no symbol counts twice, and equal fingerprints are 1', (t) => {
  fc.assert(
    fc.property(texts, texts, fc.integer({ min: 2, max: 30 }), (base, random, pieces) => {
      const wish = { stopWords: [], pieces };
      const answer = compared(base, `${random} ${base} ${random} ${base}`, wish);
      t.true(answer.matches <= Math.min(answer.base, answer.document));
      t.true(answer.resemblance <= answer.containment && answer.containment <= 1);
      const own = compared(base, base, wish);
      t.is(own.resemblance, own.base === 0 ? 0 : 1);
    }),
    { seed: 3, numRuns: 40 },
  );
});
