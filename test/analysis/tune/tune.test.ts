import test from 'ava';
import { signatureLengths, type TuneWish, tune } from '../../../src/analysis/tune/tune.js';
import { MinHashError } from '../../../src/errors.js';

test('tune rejects invalid requirements with all problems', (t) => {
  const wish: TuneWish = { threshold: 2, recall: 7, bands: 0 };
  const error = t.throws(() => tune(wish), { instanceOf: MinHashError });
  t.deepEqual(
    error?.problems.map(({ detail }) => /^[a-z]+/.exec(detail)![0]),
    ['threshold', 'bands', 'recall'],
  );
  t.throws(() => tune({ recall: 0.9999, hashes: 16, threshold: 0.1 }), { message: /not reachable/ });
});

test('signatureLengths has its defaults and their inverse', (t) => {
  const { table, least, leastAtHalf, error, confidence } = signatureLengths();
  t.deepEqual([error, confidence], [0.05, 0.95]);
  t.is(table.find(({ slots }) => slots === 128)!.within.toFixed(4), '0.8477');
  t.true(least! < leastAtHalf!);
  t.is(signatureLengths({ error: 0.001 }).least, null);
});
