import test from 'ava';
import fc from 'fast-check';
import {
  beginningOfWidth,
  cutToWidth,
  paddedToWidth,
  textWidth,
  wrappedWords,
} from '../../../cli/show/width.js';

test('textWidth counts wide characters twice and combining marks as 0', (t) => {
  t.is(textWidth('abc'), 3);
  t.is(textWidth('漢字'), 4);
  t.is(textWidth('ｆ'), 2);
  t.is(textWidth('e\u0301'), 1);
  t.is(textWidth('🙂'), 2);
  t.is(textWidth('a\u200bb'), 2);
  t.is(textWidth(''), 0);
});

test('cutToWidth never exceeds the width and marks the cut', (t) => {
  t.is(cutToWidth('abcdef', 6), 'abcdef');
  t.is(cutToWidth('abcdef', 5), 'abcd…');
  t.is(cutToWidth('漢字漢字', 6), '漢字…');
  t.is(cutToWidth('abc', 1), '');
  t.is(cutToWidth('abc', -1), '');
});

test('paddedToWidth pads to a number of columns', (t) => {
  t.is(paddedToWidth('漢', 4), '漢  ');
  t.is(paddedToWidth('abc', 2), 'abc');
});

test('beginningOfWidth takes at least one character', (t) => {
  t.is(beginningOfWidth('漢字', 1), '漢');
  t.is(beginningOfWidth('漢字', 3), '漢');
  t.is(beginningOfWidth('', 3), '');
});

test('wrappedWords keeps every character in order and every line in its width', (t) => {
  const words = fc.array(fc.stringMatching(/^[a-z漢é]{1,30}$/), { maxLength: 30 });
  fc.assert(
    fc.property(words, fc.integer({ min: 2, max: 40 }), (list, columns) => {
      const lines = wrappedWords(list, columns);
      const inWidth = lines.every((line) => line !== '' && textWidth(line) <= columns);
      return inWidth && lines.join('').replaceAll(' ', '') === list.join('');
    }),
    { seed: 1, numRuns: 300 },
  );
  t.deepEqual(wrappedWords([], 10), []);
  t.deepEqual(wrappedWords(['the', 'quick', 'brown'], 9), ['the quick', 'brown']);
  t.deepEqual(wrappedWords(['a', 'abcdefgh'], 4), ['a', 'abcd', 'efgh']);
});
