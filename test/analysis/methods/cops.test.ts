import test from 'ava';
import { cops, copsOverlapping } from '../../../src/analysis/methods/chunks/cops.js';
import { randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { valuesOf } from './methodValues.js';

const random = randomFrom(15);
const sentence = (): string => `${wordsFrom(random, 12).join(' ')}.`;
const own = Array.from({ length: 40 }, sentence);
const other = Array.from({ length: 60 }, sentence);

test('sentences planted in another text are found, with the share of either', (t) => {
  const planted = [...other.slice(0, 30), ...own.slice(10, 20), ...other.slice(30)];
  t.deepEqual(valuesOf(cops, own.join(' '), planted.join(' ')), [10 / 40, 10 / 40, 10 / 70]);
  // Of ten sentences in a row eight runs of three are whole.
  t.deepEqual(valuesOf(copsOverlapping, own.join(' '), planted.join(' ')), [8 / 38, 8 / 38, 8 / 68]);
});

test('sentences are found after a move, and with other case, white space and punctuation', (t) => {
  const moved = [...own].reverse().map((one) => `  ${one.toUpperCase().replaceAll(' ', ',\n')}\n`);
  t.deepEqual(valuesOf(cops, own.join(' '), moved.join('\n')), [1, 1, 1]);
  t.is(valuesOf(copsOverlapping, own.join(' '), moved.join('\n')), null);
});

test('one word changed in every sentence hides them all', (t) => {
  const changed = own.map((one) => `x ${one}`);
  t.is(valuesOf(cops, own.join(' '), changed.join(' ')), null);
});

test('a single common sentence matches for sentences, but not for runs of sentences', (t) => {
  const [a, b] = [own, other].map((text) => [
    ...text.slice(0, 20),
    'All rights reserved.',
    ...text.slice(20, 30),
  ]);
  t.deepEqual(valuesOf(cops, a!.join(' '), b!.join(' ')), [1 / 31, 1 / 31, 1 / 31]);
  t.is(valuesOf(copsOverlapping, a!.join(' '), b!.join(' ')), null);
});

test('a repeated sentence counts once', (t) => {
  t.deepEqual(valuesOf(cops, 'One two. Three. One two.', 'One two. Four.'), [1 / 2, 1 / 2, 1 / 2]);
});
