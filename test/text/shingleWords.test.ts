import test from 'ava';
import { shingleParams } from '../../src/analysis/measures.js';

import type { ShingleUnit } from '../../src/text/shingles.js';
import { shingleSet } from '../../src/text/shingles.js';
import { shingleWords } from '../../src/text/tokens.js';
import { encode } from '../data/shingledDocuments.js';

/** The texts of all shingles of a document, sorted. */
function wordsOf(text: string, unit: ShingleUnit, size: number, bag = false): string[] {
  const params = shingleParams({ unit, size, bag, stopWords: ['a', 'the'] });
  return shingleWords(encode(text), params, shingleSet(encode(text), params)).sort();
}

test('a shingle hash is put into the words of its first occurrence', (t) => {
  t.deepEqual(wordsOf('A rose is a rose, is a ROSE', 'words', 3), ['a rose is', 'is a rose', 'rose is a']);
  t.deepEqual(wordsOf('ab  ab', 'chars', 2), [' a', 'ab', 'b ']);
  t.deepEqual(wordsOf('one\n\n  TWO\nthree', 'lines', 2), ['one\ntwo', 'two\nthree']);
  t.deepEqual(wordsOf('abc', 'bytes', 2), ['61 62', '62 63']);
  t.deepEqual(wordsOf('he saw the cat and a dog there', 'stopwords', 2), ['a dog', 'the cat']);
});

test('a document with fewer tokens than a shingle is one, repeated ones of a bag have one text', (t) => {
  t.deepEqual(wordsOf('two words', 'words', 5), ['two words']);
  t.deepEqual(wordsOf('no stop word here', 'stopwords', 2), ['no stop word here']);
  t.deepEqual(wordsOf('x x x', 'words', 1, true), ['x', 'x', 'x']);
});

test('what the document does not have is empty, and a long text is cut', (t) => {
  const params = shingleParams({ unit: 'words', size: 1 });
  t.deepEqual(shingleWords(encode('one two'), params, Uint32Array.of(1, 2)), ['']);
  t.deepEqual(shingleWords(encode(''), params, Uint32Array.of(1, 2)), ['']);
  const [long] = wordsOf('x'.repeat(500), 'lines', 1);
  t.is(long, `${'x'.repeat(200)}…`);
  t.is(wordsOf('𝕏'.repeat(500), 'words', 1)[0], `${'𝕏'.repeat(100)}…`);
  t.is(wordsOf(`x${'𝕏'.repeat(500)}`, 'words', 1)[0], `x${'𝕏'.repeat(99)}…`);
});
