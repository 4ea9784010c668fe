import test from 'ava';
import { scam } from '../../../src/analysis/methods/words/scam.js';
import { PARAMS, valuesOf } from './methodValues.js';

test('the subset measure is asymmetric: a contained text has 1, for any other content', (t) => {
  // F(R) = (1, 1, 1): all of R is in S, 3 of the 5 squares of S are in R.
  t.deepEqual(valuesOf(scam, 'a b c', 'a b c d e'), [1, 1, 3 / 5]);
  t.deepEqual(valuesOf(scam, 'a b c d e', 'a b c'), [1, 3 / 5, 1]);
});

test('words count if their frequencies are close, by epsilon 2.5: less than twice as often', (t) => {
  // 2.5 - (2/3 + 3/2) > 0, and 2.5 - (1/2 + 2) is 0: not close.
  t.deepEqual(valuesOf(scam, 'a a b', 'a a a b'), [1, (2 * 3 + 1) / 5, (2 * 3 + 1) / 10]);
  t.deepEqual(valuesOf(scam, 'a b', 'a a b'), [1 / 2, 1 / 2, 1 / 5]);
  t.is(valuesOf(scam, 'a', 'a a'), null);
});

test('a subset measure above 1 is a similarity of 1', (t) => {
  const values = valuesOf(scam, 'a a b b', 'a a a b b b')!;
  t.deepEqual(values, [1, 12 / 8, 12 / 18]);
});

test('order and case make no difference', (t) => {
  t.deepEqual(valuesOf(scam, 'to be or not to be', 'NOT be; be or to to'), [1, 1, 1]);
});

test('stop words have no weight', (t) => {
  const params = { ...PARAMS, shingle: { ...PARAMS.shingle, stopWords: ['The', 'of'] } };
  t.is(valuesOf(scam, 'the cat of the house', 'the dog of the garden', params), null);
  t.deepEqual(valuesOf(scam, 'the cat of the house', 'cat the dog', params), [1 / 2, 1 / 2, 1 / 2]);
  t.is(valuesOf(scam, 'the of', 'the of', params), null);
});
