import test from 'ava';
import fc from 'fast-check';

import type { ShingleParams } from '../../src/text/shingles.js';
import { createShingleStream, shingleSet } from '../../src/text/shingles.js';
import { ENGLISH_STOP_WORDS } from '../../src/text/stopWords.js';
import { cuts, documents, encode, piecesOf, shingleParams } from '../data/shingledDocuments.js';
import { type Shingled, shinglesByBigInt } from './shinglesByBigInt.js';

const paramsOf = (unit: ShingleParams['unit'], size: number, bag = false): ShingleParams => ({
  unit,
  size,
  bag,
  stopWords: ENGLISH_STOP_WORDS,
  seed: 1,
});

const joined = (halves: Uint32Array): bigint[] =>
  Array.from(
    { length: halves.length / 2 },
    (_, i) => BigInt(halves[2 * i]!) | (BigInt(halves[2 * i + 1]!) << 32n),
  );

interface Streamed extends Shingled {
  readonly calls: number[];
  readonly repaired: boolean;
  readonly occurrences: number;
}

function streamed(pieces: readonly Uint8Array[], params: ShingleParams): Streamed {
  const hashes: bigint[] = [];
  const calls: number[] = [];
  const stream = createShingleStream(params, (column, count) => {
    hashes.push(...joined(column.subarray(0, 2 * count)));
    calls.push(count);
  });
  // Documents before it must leave no trace, not even one that was given up in the middle of a sequence.
  stream.push(encode('é\u0301 some words\nthe end \xe9'));
  stream.end();
  stream.begin();
  stream.push(Uint8Array.of(0x61, 0x20, 0x62, 0xff, 0xcc, 0x81, 0xf0, 0x9f));
  hashes.length = 0;
  calls.length = 0;
  stream.begin();
  for (const piece of pieces) stream.push(piece);
  stream.end();
  const { tokens, occurrences, repaired } = stream;
  return { tokens, occurrences, repaired, hashes, calls, contentKey: joined(stream.contentKey) };
}

const setOf = (text: string, params: ShingleParams): Set<bigint> =>
  new Set(joined(shingleSet(encode(text), params)));

/** Sizes of intersection and union. */
function overlap(a: string, b: string, params: ShingleParams): [number, number] {
  const left = setOf(a, params);
  const right = setOf(b, params);
  const common = [...left].filter((hash) => right.has(hash)).length;
  return [common, left.size + right.size - common];
}

test('a shingle stream follows the definitions for any document, parameters and cuts', (t) => {
  fc.assert(
    fc.property(documents, cuts, shingleParams, (bytes, fractions, params) => {
      const expected = shinglesByBigInt(bytes, params);
      const found = streamed(piecesOf(bytes, fractions), params);
      t.deepEqual(found.hashes, expected.hashes);
      t.deepEqual(found.contentKey, expected.contentKey);
      t.is(found.tokens, expected.tokens);
      t.is(found.occurrences, expected.hashes.length);
    }),
    { seed: 1, numRuns: 1000 },
  );
});

test('long documents have the shingles of the definition', (t) => {
  const text = Array.from(
    { length: 11_000 },
    (_, i) => `${(i * 7919) % 5000}é${i % 97 === 0 ? '\n' : ' '}`,
  ).join('');
  const bytes = encode(text);
  const pieces = [bytes.subarray(0, 65_537), bytes.subarray(65_537)];
  for (const params of [
    paramsOf('words', 2, true),
    paramsOf('chars', 9),
    paramsOf('lines', 1),
    paramsOf('bytes', 40),
  ]) {
    const expected = shinglesByBigInt(bytes, params);
    const found = streamed(pieces, params);
    t.true(found.hashes.length === expected.hashes.length);
    t.true(found.hashes.every((hash, i) => hash === expected.hashes[i]));
    t.deepEqual(found.contentKey, expected.contentKey);
  }
});

test('the sink gets at most 65,536 hashes per call, and no call for an empty document', (t) => {
  const bytes = (count: number): Uint8Array => new Uint8Array(count).fill(65);
  t.deepEqual(streamed([bytes(65_536)], paramsOf('bytes', 1)).calls, [65_536]);
  t.deepEqual(streamed([bytes(65_537)], paramsOf('bytes', 1)).calls, [65_536, 1]);
  t.deepEqual(streamed([bytes(30), bytes(12)], paramsOf('bytes', 5)).calls, [38]);
  for (const unit of ['words', 'chars', 'bytes', 'lines', 'stopwords'] as const) {
    const empty = streamed([bytes(0)], paramsOf(unit, 3));
    t.deepEqual([empty.calls, empty.tokens, empty.occurrences], [[], 0, 0]);
  }
  t.is(streamed([encode(' ... \n - ')], paramsOf('words', 3)).tokens, 0);
});

test('a document with fewer than k tokens has one shingle, which no longer document has', (t) => {
  for (const unit of ['words', 'chars', 'bytes', 'lines', 'stopwords'] as const) {
    const seen = new Set<bigint>();
    for (let tokens = 1; tokens <= 8; tokens++) {
      const [hash, ...more] = setOf('z\n'.repeat(tokens), paramsOf(unit, 20));
      t.is(more.length, 0);
      seen.add(hash!);
    }
    t.is(seen.size, 8, unit);
  }
});

const ROSE = 'a rose is a rose is a rose';
const FLOWER = 'a rose is a flower which is a rose';

test('the 4-shingles of "a rose is a rose is a rose" are five in the bag and three as a set', (t) => {
  // Broder 1997, section 2: the set is {(a,rose,is,a), (rose,is,a,rose), (is,a,rose,is)}.
  t.is(setOf(ROSE, paramsOf('words', 4, true)).size, 5);
  t.is(streamed([encode(ROSE)], paramsOf('words', 4)).occurrences, 5);
  t.is(setOf(ROSE, paramsOf('words', 4)).size, 3);
});

test('the roses of Broder 1997 resemble each other as he says, by options A and B', (t) => {
  t.deepEqual(overlap(ROSE, FLOWER, paramsOf('words', 1, true)), [7, 10]);
  t.deepEqual(overlap(ROSE, FLOWER, paramsOf('words', 2, true)), [5, 10]);
  t.deepEqual(overlap(ROSE, FLOWER, paramsOf('words', 3, true)), [3, 10]);
  t.deepEqual(overlap(ROSE, FLOWER, paramsOf('words', 1)), [3, 5]);
  t.deepEqual(overlap(ROSE, FLOWER, paramsOf('words', 2)), [3, 6]);
  t.deepEqual(overlap(ROSE, FLOWER, paramsOf('words', 3)), [3, 7]);
});

test('the intersection of labelled bags counts an element as often as both have it', (t) => {
  // Mining of Massive Datasets, example 3.2: {a,a,a,b} and {a,a,b,b,c} have 3 in common.
  t.is(overlap('a a a b', 'a a b b c', paramsOf('words', 1, true))[0], 3);
});

test('abcdabd has the five 2-shingles of Mining of Massive Datasets, example 3.3', (t) => {
  const shingles = setOf('abcdabd', paramsOf('chars', 2));
  t.is(shingles.size, 5);
  const each = ['ab', 'bc', 'cd', 'da', 'bd'].flatMap((text) => [...setOf(text, paramsOf('chars', 2))]);
  t.deepEqual(each.sort(), [...shingles].sort());
});

test('with blanks, touch down and touchdown share no 9-shingle', (t) => {
  // Mining of Massive Datasets, example 3.4.
  const plane = 'The plane was ready for touch down.';
  const quarterback = 'The quarterback scored a touchdown';
  t.is(overlap(plane, quarterback, paramsOf('chars', 9))[0], 0);
  const [touchdown] = setOf('touchdown', paramsOf('chars', 9));
  t.true(setOf(quarterback, paramsOf('chars', 9)).has(touchdown!));
  t.false(setOf(plane, paramsOf('chars', 9)).has(touchdown!));
});

const ARTICLE =
  'A spokesperson for the Sudzo Corporation revealed today that studies have shown ' +
  'it is good for people to buy Sudzo products.';

test('the news article has nine stop word shingles and the ad none', (t) => {
  // Mining of Massive Datasets, example 3.5.
  const params = paramsOf('stopwords', 3);
  const article = streamed([encode(ARTICLE)], params).hashes;
  t.is(article.length, 9);
  const first = ['A spokesperson for', 'for the Sudzo', 'the Sudzo Corporation'];
  t.deepEqual(
    article.slice(0, 3),
    first.flatMap((text) => streamed([encode(text)], paramsOf('words', 3)).hashes),
  );
  const ad = streamed([encode('Buy Sudzo.')], params);
  t.deepEqual([ad.tokens, ad.occurrences], [2, 1]);
});

test('a stop word too near the end starts no shingle', (t) => {
  // Only "for" has two words after it; in the second text no stop word has, so all its tokens are one
  // shingle.
  t.is(streamed([encode('good for people to buy')], paramsOf('stopwords', 3)).occurrences, 1);
  const none = streamed([encode('good people buy to it')], paramsOf('stopwords', 3));
  t.deepEqual([none.tokens, none.occurrences], [5, 1]);
  t.notDeepEqual(none.hashes, streamed([encode('good people buy to us')], paramsOf('stopwords', 3)).hashes);
});

test('shingleSet is sorted and distinct', (t) => {
  const hashes = joined(shingleSet(encode('to be or not to be '.repeat(50) + ARTICLE), paramsOf('words', 2)));
  t.deepEqual(
    hashes,
    [...new Set(hashes)].sort((a, b) => (a < b ? -1 : 1)),
  );
  t.is(shingleSet(new Uint8Array(0), paramsOf('words', 2)).length, 0);
});

test('another seed gives other shingles', (t) => {
  for (const unit of ['words', 'chars', 'bytes', 'lines', 'stopwords'] as const) {
    const one = setOf(ARTICLE, paramsOf(unit, 2));
    const two = setOf(ARTICLE, { ...paramsOf(unit, 2), seed: 2 });
    t.is([...one].filter((hash) => two.has(hash)).length, 0, unit);
  }
});
