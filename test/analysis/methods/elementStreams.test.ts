import test from 'ava';
import fc from 'fast-check';
import {
  createElementStream,
  type ElementRule,
  elementsOf,
  wordElements,
} from '../../../src/analysis/methods/elementStreams.js';
import { canonicalText, canonicalTokens } from '../../../src/text/tokens.js';
import { CLASS, codePointTable, SEPARATOR, WHITE_SPACE } from '../../../src/text/unicode/codePoints.js';
import { cuts, documents, encode, piecesOf } from '../../data/shingledDocuments.js';

const flagsOf = (character: string): number => codePointTable().flags[character.codePointAt(0)!]!;

const SEED = 1;
const sentences = (size = 1): ElementRule => ({ kind: 'sentences', size, seed: SEED });
const letters = (size: number): ElementRule => ({ kind: 'letters', size, seed: SEED });

const listed = (elements: Uint32Array): string[] =>
  Array.from({ length: elements.length / 2 }, (_, i) => `${elements[2 * i]} ${elements[2 * i + 1]}`);

const elementsIn = (text: string | Uint8Array, rule: ElementRule): string[] =>
  listed(elementsOf(typeof text === 'string' ? encode(text) : text, rule));

/** The sentences of a text as lists of words, on strings. */
function sentencesOf(bytes: Uint8Array): string[][] {
  const characters = [...canonicalText(bytes)];
  const isBlank = (i: number): boolean => (flagsOf(characters[i]!) & WHITE_SPACE) !== 0;
  const parts: string[] = [''];
  // White space before the first LF belongs to a line that may be blank, too.
  let isBlankLine = true;
  characters.forEach((character, i) => {
    const last = parts.length - 1;
    parts[last] += character;
    const isLineEnd = character === '\n';
    const isEnd = i + 1 === characters.length || isBlank(i + 1);
    if (('.!?'.includes(character) && isEnd) || '。！？'.includes(character)) parts.push('');
    else if (isLineEnd && isBlankLine) parts.push('');
    if (isLineEnd) isBlankLine = true;
    else if (!isBlank(i)) isBlankLine = false;
  });
  return parts
    .map((part) => canonicalTokens(encode(part), { unit: 'words' }))
    .filter(({ length }) => length > 0);
}

const SENTENCE_PARTS = [
  'a',
  'B ',
  'c',
  '. ',
  '.',
  '!',
  '? ',
  '\n',
  '\n \n',
  '\r\n\r\n',
  '。',
  '！',
  'é',
  '一',
  ' ',
  '"',
  '\u0301',
];
const prose = fc
  .array(fc.constantFrom(...SENTENCE_PARTS), { maxLength: 40 })
  .map((parts) => encode(parts.join('')));

test('sentences equal those of a plain version on strings, in order, and are equal if their words are', (t) => {
  fc.assert(
    fc.property(fc.oneof(prose, documents), (bytes) => {
      const text = canonicalText(bytes);
      // Few texts change again when they are made canonical twice, which the plain version does.
      fc.pre(canonicalText(encode(text)) === text);
      const expected = sentencesOf(bytes).flatMap((words) => elementsIn(words.join(' '), sentences()));
      t.deepEqual(elementsIn(bytes, sentences()), expected, JSON.stringify(text));
    }),
    { seed: 1, numRuns: 600 },
  );
});

test('letters are the characters of canonical text that are in words', (t) => {
  const chars = (size: number): ElementRule => ({
    kind: 'shingles',
    shingle: { unit: 'chars', size, bag: false, stopWords: [], seed: SEED },
  });
  fc.assert(
    fc.property(documents, fc.integer({ min: 1, max: 40 }), (bytes, size) => {
      const plain = [...canonicalText(bytes)].filter((one) => (flagsOf(one) & CLASS) !== SEPARATOR).join('');
      // Two letters that were apart may compose once nothing is between them: then the texts are not the same.
      fc.pre(canonicalText(encode(plain)) === plain);
      t.deepEqual(elementsIn(bytes, letters(size)), elementsIn(plain, chars(size)));
    }),
    { seed: 1, numRuns: 500 },
  );
});

test('results do not depend on where the text is cut, and streams may be reused', (t) => {
  const rules = [sentences(), sentences(3), letters(1), letters(25)];
  const streams = rules.map((rule) => {
    const found: string[] = [];
    const stream = createElementStream(rule, (hashes, count) => {
      found.push(...listed(hashes.slice(0, 2 * count)));
    });
    return { rule, stream, found };
  });
  fc.assert(
    fc.property(fc.oneof(prose, documents), cuts, (bytes, fractions) => {
      for (const { rule, stream, found } of streams) {
        found.length = 0;
        stream.begin();
        for (const piece of piecesOf(bytes, fractions)) stream.push(piece.slice());
        stream.end();
        t.deepEqual(found, elementsIn(bytes, rule));
      }
    }),
    { seed: 1, numRuns: 400 },
  );
});

test('white space, case and punctuation make no difference to a sentence', (t) => {
  const rule = sentences();
  const plain = elementsIn('the cat sat on the mat', rule);
  t.is(plain.length, 1);
  for (const same of [
    'The cat sat, on\nthe mat.',
    ' THE  cat (sat) on the mat! ',
    'the cat sat on the mat...',
  ]) {
    t.deepEqual(elementsIn(same, rule), plain, same);
  }
  t.notDeepEqual(elementsIn('the cat on the mat sat', rule), plain);
});

test('sentences end at stops before white space, at wide stops and at blank lines', (t) => {
  const counts = {
    'One. Two! Three? Four': 4,
    'version 1.2 of a.b': 1,
    'one\ntwo': 1,
    'one\n\ntwo\n \t\r\nthree': 3,
    '一。二！三': 3,
    'See e.g. this.': 2,
    '. ! ?': 0,
    '': 0,
    ' \n\n ': 0,
  };
  for (const [text, count] of Object.entries(counts)) {
    t.is(elementsIn(text, sentences()).length, count, JSON.stringify(text));
  }
});

test('consecutive sentences and letters: one element per start, and one for a shorter text', (t) => {
  const text = 'A b. C d. E f. G h. I j.';
  t.is(elementsIn(text, sentences(3)).length, 3);
  t.is(elementsIn('A b. C d.', sentences(3)).length, 1);
  t.not(elementsIn('A b. C d.', sentences(3))[0], elementsIn(text, sentences(3))[0]);
  t.is(elementsIn('a-b, c D e!', letters(3)).length, 3);
  t.deepEqual(elementsIn('a-b, c D e!', letters(3)), elementsIn('ABCDE', letters(3)));
  t.is(elementsIn('ab', letters(3)).length, 1);
  t.is(elementsIn('...', letters(3)).length, 0);
});

test('long texts pass through in bounded pieces', (t) => {
  const many = encode('Some words of a sentence. '.repeat(70_000));
  const sizes: number[] = [];
  const stream = createElementStream(sentences(), (_, count) => sizes.push(count));
  stream.begin();
  stream.push(many);
  stream.end();
  t.deepEqual(sizes, [65_536, 70_000 - 65_536]);
  t.is(stream.repaired, false);
  stream.begin();
  stream.push(Uint8Array.of(0x61, 0xff));
  stream.end();
  t.is(stream.repaired, true);
  t.is(wordElements(['one', 'two words'], { seed: SEED }).length, 6);
});
