import test from 'ava';
import fc from 'fast-check';
import { writtenTokens } from '../../../src/analysis/result/writtenTokens.js';
import type { Normalization } from '../../../src/text/preparedText.js';
import type { ShingleUnit } from '../../../src/text/shingles.js';
import { canonicalTokens } from '../../../src/text/tokens.js';
import { encode } from '../../data/shingledDocuments.js';

type NormalizeWord = Normalization[number];

const UNITS: readonly ShingleUnit[] = ['words', 'chars', 'lines', 'stopwords', 'bytes'];

/** Texts of what is hard: marks, Hangul, capitals that change their length, white space, astral letters, damaged UTF-8. */
const PIECES = [
  ...[
    'a',
    'Z',
    'İ',
    'ß',
    'é',
    'e\u0301',
    '\u0301',
    '\u0344',
    'Å',
    'Å',
    '中',
    'か\u3099',
    '가',
    '\u1100\u1161\u11a8',
  ],
  ...[
    ' ',
    '\n',
    '\r\n',
    '\u3000',
    '\u2028',
    '.',
    '1',
    '😀',
    '𝔘',
    '\ufeff',
    '\u034f',
    '\u0378',
    'ﬁ',
    '\u0958',
  ],
].map((piece) => [...encode(piece)]);
const bytes = fc
  .array(
    fc.oneof(
      fc.constantFrom(...PIECES),
      fc.integer({ min: 128, max: 255 }).map((byte) => [byte]),
    ),
    {
      maxLength: 40,
    },
  )
  .map((pieces) => Uint8Array.from(pieces.flat()));

test('each canonical token has a position, in text order', (t) => {
  fc.assert(
    fc.property(bytes, fc.constantFrom(...UNITS), (document, unit) => {
      const { text, from, to } = writtenTokens(document, { unit });
      t.is(from.length, canonicalTokens(document, { unit }).length);
      t.is(to.length, from.length);
      for (let i = 0; i < from.length; i++) {
        t.true(from[i]! < to[i]! && to[i]! <= text.length);
        if (i > 0) t.true(from[i]! >= from[i - 1]! && to[i]! >= to[i - 1]!);
      }
    }),
    { seed: 17, numRuns: 1000 },
  );
});

test('each token of a normalized text has a position too', (t) => {
  const prepared = fc.subarray<NormalizeWord>(['casefold', 'no-marks', 'no-digits']);
  const form = fc.constantFrom<NormalizeWord>('nfc', 'nfkc');
  fc.assert(
    fc.property(bytes, fc.constantFrom(...UNITS), form, prepared, (document, unit, first, others) => {
      const params = { unit, normalize: [first, ...others] };
      const { text, from, to } = writtenTokens(document, params);
      t.is(from.length, canonicalTokens(document, params).length);
      for (let i = 0; i < from.length; i++) {
        t.true(from[i]! < to[i]! && to[i]! <= text.length);
        if (i > 0) t.true(from[i]! >= from[i - 1]! && to[i]! >= to[i - 1]!);
      }
    }),
    { seed: 19, numRuns: 500 },
  );
  const { text, from, to } = writtenTokens(encode('x 1\u0301234 \ufb01n'), {
    unit: 'words',
    normalize: ['nfkc', 'no-marks', 'no-digits'],
  });
  t.deepEqual(
    [...from].map((at, i) => text.slice(at, to[i])),
    ['x', '1\u0301234', '\ufb01n'],
  );
});

test('the original text at the position of a token gives that token again', (t) => {
  const plain = fc.array(
    fc.constantFrom('Straße', 'CAFE\u0301', 'I\u0307x', '한국', '中文', ' ', '-', '.\n', '😀', '7'),
    {
      maxLength: 30,
    },
  );
  fc.assert(
    fc.property(plain, fc.constantFrom<ShingleUnit>('words', 'chars', 'lines'), (parts, unit) => {
      const document = encode(parts.join(''));
      const { text, from, to } = writtenTokens(document, { unit });
      const tokens = canonicalTokens(document, { unit });
      t.is(from.length, tokens.length);
      tokens.forEach((token, i) => {
        const own = canonicalTokens(encode(text.slice(from[i], to[i])), { unit });
        t.deepEqual(own, token === ' ' ? [] : [token]);
      });
    }),
    { seed: 18, numRuns: 500 },
  );
});

test('positions are correct after more than thirty consecutive marks, and after a byte order mark', (t) => {
  const { from, to } = writtenTokens(encode(`\ufeffa${'\u0301'.repeat(40)} B`), {
    unit: 'words',
  });
  t.deepEqual([...from], [1, 43]);
  t.deepEqual([...to], [42, 44]);
});
