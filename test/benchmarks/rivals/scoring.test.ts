import test from 'ava';
import type { Prepared } from '../../../benchmarks/rivals/prepared.js';
import { pairOf, score } from '../../../benchmarks/rivals/scoring.js';
import { evenSample } from '../../../benchmarks/rivals/truth.js';

const IDS = ['a', 'b', 'c', 'd', 'e'];
/** `c` has the words of `a`. */
const PREPARED: Prepared = {
  file: '',
  ids: IDS,
  positions: new Map(IDS.map((id, i) => [id, i])),
  firsts: Uint32Array.of(0, 1, 0, 3, 4),
  textBytes: 0,
  digest: '',
};
/** True are a-b, d-e, and the copy c of a. */
const TRUTH = { near: new Set([pairOf(PREPARED, 0, 1), pairOf(PREPARED, 3, 4)]), identical: 1, sample: null };

async function* rows(...given: string[]): AsyncGenerator<readonly string[]> {
  for (const one of given) yield one.split(' ');
}

test('score of pairs counts documents with the same words as one', async (t) => {
  const found = await score(PREPARED, TRUTH, 'pairs', rows('b a', 'c b', 'b c', 'a c', 'd b'));
  t.deepEqual(found, { pairs: 3, found: 2, recall: 2 / 3, precision: 2 / 3 });
});

test('score of clusters takes every pair within one for reported', async (t) => {
  const found = await score(PREPARED, TRUTH, 'clusters', rows('1 a', '1 b', '1 c', '1 d'));
  // Pairs of a, b and d, and the copy.
  t.deepEqual(found, { pairs: 4, found: 2, recall: 2 / 3, precision: 2 / 4 });
});

test('score against a sample counts the pairs that have one of it', async (t) => {
  // The pairs of d are known: d-e is true.
  const truth = { near: new Set([pairOf(PREPARED, 3, 4)]), identical: 0, sample: new Set([3]) };
  const pairs = await score(PREPARED, truth, 'pairs', rows('a b', 'a c', 'd b', 'd e'));
  t.deepEqual(pairs, { pairs: 4, found: 1, recall: 1, precision: 1 / 2 });
  const clusters = await score(PREPARED, truth, 'clusters', rows('1 a', '1 b', '1 c', '1 d'));
  // Of the pairs of a, b, d and the copy, those of d: two.
  t.deepEqual(clusters, { pairs: 4, found: 0, recall: 0, precision: 0 });
});

test('evenSample takes first documents only, and no more than there are', (t) => {
  t.deepEqual(evenSample(PREPARED, 2), new Set([1, 4]));
  t.deepEqual(evenSample(PREPARED, 100), new Set([0, 1, 3, 4]));
});

test('score of nothing is no recall and full precision', async (t) => {
  t.deepEqual(await score(PREPARED, TRUTH, 'pairs', rows()), { pairs: 0, found: 0, recall: 0, precision: 1 });
  t.deepEqual(await score(PREPARED, TRUTH, 'clusters', rows()), {
    pairs: 0,
    found: 0,
    recall: 0,
    precision: 1,
  });
});

test('score of an answer with an unknown id fails', async (t) => {
  await t.throwsAsync(score(PREPARED, TRUTH, 'pairs', rows('a z')), { message: /the id z/ });
});
