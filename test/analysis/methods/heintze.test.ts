import test from 'ava';
import { heintze } from '../../../src/analysis/methods/chunks/heintze.js';
import { elementsOf } from '../../../src/analysis/methods/elementStreams.js';
import { randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { PARAMS, valuesOf } from './methodValues.js';

const textOf = (seed: number, words: number): string => wordsFrom(randomFrom(seed), words).join(' ');

test('a document with few substrings is compared exactly', (t) => {
  // 30 letters a substring: 60 letters have 31 substrings, 45 of them 16.
  const letters = 'abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz'.slice(0, 60);
  t.is(elementsOf(Buffer.from(letters), heintze.elements(PARAMS)).length / 2, 31);
  t.deepEqual(valuesOf(heintze, letters, letters.slice(0, 45)), [1, 16 / 31, 1]);
});

test('the share of a document in one up to ten times as long is estimated from 100 substrings', (t) => {
  const part = textOf(1, 2000);
  const whole = `${textOf(2, 8000)} ${part} ${textOf(3, 8000)}`;
  const [larger, ofPart, ofWhole] = valuesOf(heintze, part, whole) as [number, number, number];
  t.true(ofPart > 0.97, `${ofPart}`);
  t.is(larger, ofPart);
  // A ninth: of 100 substrings, five standard deviations are 0.16.
  t.true(Math.abs(ofWhole - 1 / 9) < 0.16, `${ofWhole}`);
});

test('a part of a document a hundred times as long is hardly found: fingerprints have a fixed size', (t) => {
  const part = textOf(1, 500);
  const whole = `${part} ${textOf(4, 50_000)}`;
  const ofPart = valuesOf(heintze, part, whole)?.[1] ?? 0;
  t.true(ofPart < 0.5, `${ofPart}`);
});

test('white space, punctuation and case make no difference; unrelated texts have nothing in common', (t) => {
  const text = textOf(5, 1000);
  t.deepEqual(valuesOf(heintze, text, text.toUpperCase().replaceAll(' ', ' - ')), [1, 1, 1]);
  t.is(valuesOf(heintze, text, textOf(6, 1000)), null);
});
