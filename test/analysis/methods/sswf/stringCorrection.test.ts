/** Bit vectors give the distance and every match of the plain table. */
import test from 'ava';
import fc from 'fast-check';
import {
  CorrectionMemory,
  type Ends,
  StringCorrection,
} from '../../../../src/analysis/methods/sswf/stringCorrection.js';
import { type PlainCorrection, plainCorrection } from './plainCorrection.js';

const ENDS: readonly Ends[] = ['whole', 'part'];

function corrected(
  base: Uint16Array,
  document: Uint16Array,
  ends: Ends,
  memory = new CorrectionMemory(),
  keptWords?: number,
): PlainCorrection {
  const found = new StringCorrection(base, 64, ends, memory, keptWords).correct(document);
  const { distance, count } = found;
  return {
    distance,
    base: [...found.base.subarray(0, count)],
    document: [...found.document.subarray(0, count)],
  };
}

/** Strings over few symbols have many cheapest corrections, so every tie is met. */
function strings(least: number, most: number): fc.Arbitrary<[Uint16Array, Uint16Array]> {
  return fc.integer({ min: 1, max: 6 }).chain((symbols) => {
    const string = (minLength: number): fc.Arbitrary<Uint16Array> =>
      fc
        .array(fc.integer({ min: 0, max: symbols - 1 }), { minLength, maxLength: most, size: 'max' })
        .map((codes) => Uint16Array.from(codes));
    return fc.tuple(string(Math.max(1, least)), string(least));
  });
}

for (const ends of ENDS) {
  test(`short strings, ${ends}: distance and matches of the plain table`, (t) => {
    fc.assert(
      fc.property(strings(0, 40), ([base, document]) => {
        t.deepEqual(corrected(base, document, ends), plainCorrection(base, document, ends));
      }),
      { seed: 1, numRuns: 600 },
    );
  });

  test(`strings of many blocks, ${ends}: distance and matches of the plain table`, (t) => {
    fc.assert(
      fc.property(strings(0, 400), ([base, document]) => {
        t.deepEqual(corrected(base, document, ends), plainCorrection(base, document, ends));
      }),
      { seed: 2, numRuns: 100 },
    );
  });

  test(`a document in sections, ${ends}: the same as in one`, (t) => {
    const memory = new CorrectionMemory();
    fc.assert(
      fc.property(strings(0, 200), fc.integer({ min: 1, max: 400 }), ([base, document], keptWords) => {
        t.deepEqual(
          corrected(base, document, ends, memory, keptWords),
          plainCorrection(base, document, ends),
        );
      }),
      { seed: 3, numRuns: 150 },
    );
  });

  test(`near copies, ${ends}: distance and matches of the plain table`, (t) => {
    const edits = fc.array(fc.tuple(fc.nat(299), fc.nat(2), fc.nat(9)), { maxLength: 40 });
    const text = fc.array(fc.nat(9), { minLength: 200, maxLength: 300, size: 'max' });
    fc.assert(
      fc.property(text, edits, (codes, changes) => {
        const copy = [...codes];
        for (const [at, kind, code] of changes) {
          copy.splice(at, kind === 1 ? 0 : 1, ...(kind === 2 ? [] : [code]));
        }
        const [base, document] = [Uint16Array.from(codes), Uint16Array.from(copy)];
        t.deepEqual(corrected(base, document, ends), plainCorrection(base, document, ends));
      }),
      { seed: 4, numRuns: 60 },
    );
  });
}

test('strings whose lengths are about a multiple of 32', (t) => {
  for (const length of [31, 32, 33, 63, 64, 65]) {
    const base = Uint16Array.from({ length }, (_, i) => (i * i) % 7);
    const document = Uint16Array.from({ length: 90 }, (_, i) => (i * i * i) % 7);
    for (const ends of ENDS) {
      t.deepEqual(corrected(base, document, ends), plainCorrection(base, document, ends));
    }
  }
});

test('known distances: kitten and sitting, and a word inside another text', (t) => {
  const codes = (word: string): Uint16Array => Uint16Array.from(word, (c) => c.charCodeAt(0) - 64 - 32);
  t.is(corrected(codes('kitten'), codes('sitting'), 'whole').distance, 3);
  t.deepEqual(corrected(codes('mit'), codes('kommitieren'), 'part'), {
    distance: 0,
    base: [0, 1, 2],
    document: [3, 4, 5],
  });
});

test('for an empty document the whole base is deleted', (t) => {
  for (const ends of ENDS) {
    t.deepEqual(corrected(Uint16Array.of(1, 2, 3), new Uint16Array(0), ends), {
      distance: 3,
      base: [],
      document: [],
    });
  }
});
