import test from 'ava';
import {
  cosine,
  identity,
  innerProduct,
  normalisedInnerProduct,
} from '../../../src/analysis/methods/words/hoadZobel.js';
import { canonicalTokens } from '../../../src/text/tokens.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { factsOf, matchesOf, PARAMS, valuesOf } from './methodValues.js';

const CORPUS = [
  'the cat sat on the mat',
  'the dog sat',
  'a cat and a dog and a mat',
  'the the the end',
  'nothing here',
];

const near = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-12 * Math.abs(b);

/** The four values as the docstring has them, on strings. */
function plainly(base: string, document: string): number[] {
  const wordsOf = (text: string): string[] =>
    canonicalTokens(new TextEncoder().encode(text), { unit: 'words' });
  const countsOf = (text: string): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
    return counts;
  };
  const rarity = (word: string): number =>
    CORPUS.length / Math.max(1, CORPUS.filter((text) => wordsOf(text).includes(word)).length);
  const [q, d] = [countsOf(base), countsOf(document)];
  const shared = [...q.keys()].filter((word) => d.has(word));
  const inQ = (word: string): number => Math.log(1 + rarity(word)) * (1 + Math.log(q.get(word)!));
  const inD = (word: string): number => 1 + Math.log(d.get(word)!);
  const sum = (words: Iterable<string>, of: (word: string) => number): number =>
    [...words].reduce((total, word) => total + of(word), 0);
  const product = sum(shared, (word) => inQ(word) * inD(word));
  const norms = Math.sqrt(sum(q.keys(), (word) => inQ(word) ** 2) * sum(d.keys(), (word) => inD(word) ** 2));
  const same = sum(shared, (word) => rarity(word) / (1 + Math.abs(q.get(word)! - d.get(word)!)));
  const lengths = Math.abs(wordsOf(base).length - wordsOf(document).length);
  return [same / (1 + Math.log(1 + lengths)), product, product / wordsOf(document).length, product / norms];
}

test('values follow the formulas', (t) => {
  const facts = factsOf(CORPUS, identity);
  const texts = [...CORPUS, 'the cat', 'mat mat mat dog', 'a word that no text has and a cat'];
  for (const base of texts) {
    for (const document of texts) {
      const values = [identity, innerProduct, normalisedInnerProduct, cosine].map(
        (method) => valuesOf(method, base, document, PARAMS, facts)?.[0] ?? 0,
      );
      const expected = plainly(base, document);
      t.true(
        values.every((value, i) => near(value, expected[i]!)),
        `${base} | ${document}: ${values} ${expected}`,
      );
    }
  }
});

test('the identity measure has the original first, then its versions by how much was edited', (t) => {
  const random = randomFrom(8);
  const others = Array.from({ length: 100 }, () => wordsFrom(random, 600).join(' '));
  const base = wordsFrom(random, 600);
  const versions = [0, 20, 100, 300].map((edits) => edited(random, base, edits).join(' '));
  const documents = [...others, ...versions];
  const facts = factsOf(documents, identity);
  const values = matchesOf(identity, [base.join(' ')], documents, PARAMS, facts).map(
    (found) => found.get(0)?.[0] ?? 0,
  );
  const ranked = values.map((_, i) => i).sort((a, b) => values[b]! - values[a]!);
  t.deepEqual(ranked.slice(0, 4), [100, 101, 102, 103]);
});

test('the cosine is at most 1 and ignores length; the inner product prefers long documents', (t) => {
  const facts = factsOf(CORPUS, cosine);
  for (const text of CORPUS) {
    const [own] = valuesOf(cosine, text, text, PARAMS, facts)!;
    t.true(own! > 0.9 && own! <= 1, `${text}: ${own}`);
  }
  const both = (document: string): number[] =>
    [cosine, innerProduct].map((method) => valuesOf(method, 'cat dog', document, PARAMS, facts)![0]!);
  const [short, long] = [both('cat dog'), both('cat dog cat dog cat dog and a mat')];
  t.true(short[0]! > long[0]!);
  t.true(short[1]! < long[1]!);
});

test('without a corpus all words have the same weight', (t) => {
  t.deepEqual(valuesOf(identity, 'a b', 'a b'), [2]);
  t.deepEqual(valuesOf(innerProduct, 'a b', 'a c'), [Math.log(2)]);
  t.true(near(valuesOf(cosine, 'a b c', 'c b a')![0]!, 1));
});
