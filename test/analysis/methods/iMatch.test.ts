import test from 'ava';
import { iMatch } from '../../../src/analysis/methods/words/iMatch.js';
import { randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { factsOf, matchesOf, PARAMS, valuesOf } from './methodValues.js';

const random = randomFrom(4);
const common = ['the', 'of', 'and'];
/** 200 texts of which each has the common words, and words that some others have. */
const corpus = Array.from({ length: 200 }, () => [...common, ...wordsFrom(random, 400)].join(' '));

function shuffled(text: string): string {
  return text
    .split(' ')
    .map((word) => [random(), word] as const)
    .sort(([a], [b]) => a - b)
    .map(([, word]) => word)
    .join(' ');
}

test('reordered documents match, also with repeated words', (t) => {
  const facts = factsOf(corpus, iMatch);
  const bases = corpus.slice(0, 5);
  const moved = bases.map((text) => `${shuffled(text)} ${text.slice(0, 100).replace(/ \S*$/, '')}`);
  matchesOf(iMatch, bases, moved, PARAMS, facts).forEach((found, i) => {
    t.deepEqual([...found], [[i, [1]]]);
  });
});

test('words of all documents, and words of a single one, make no difference; others do', (t) => {
  const facts = factsOf(corpus, iMatch);
  const [base] = corpus;
  t.deepEqual(valuesOf(iMatch, base!, base!.replace('the of', ''), PARAMS, facts), [1]);
  t.deepEqual(valuesOf(iMatch, base!, `${base} neverseen misspelld`, PARAMS, facts), [1]);
  const more = corpus[1]!.split(' ').find((word) => !base!.split(' ').includes(word))!;
  t.is(valuesOf(iMatch, base!, `${base} ${more}`, PARAMS, facts), null);
});

test('without a corpus every word counts', (t) => {
  t.deepEqual(valuesOf(iMatch, 'a b c', 'C b, a a'), [1]);
  t.is(valuesOf(iMatch, 'a b c', 'a b'), null);
});

test('documents without remaining words match nothing', (t) => {
  const facts = factsOf(corpus, iMatch);
  t.is(valuesOf(iMatch, 'the of and', 'the of and', PARAMS, facts), null);
  t.is(valuesOf(iMatch, '', ''), null);
  t.deepEqual(
    matchesOf(iMatch, ['', 'a', 'a a'], ['a', ''])[0],
    new Map([
      [1, [1]],
      [2, [1]],
    ]),
  );
});
