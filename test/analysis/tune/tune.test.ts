import test from 'ava';
import { signatureLengths, type TuneWish, tune } from '../../../src/analysis/tune/tune.js';
import { MinHashError } from '../../../src/errors.js';

test('tune refuses a wrong wish with every fault', (t) => {
  const wish: TuneWish = { threshold: 2, keys: 0, bands: 3, ceiling: { similarity: 0.9, probability: 2 } };
  const error = t.throws(() => tune(wish), { instanceOf: MinHashError });
  t.deepEqual(
    error?.faults.map(({ detail }) => /^[a-z]+/.exec(detail)![0]),
    ['threshold', 'keys', 'ceiling', 'bands'],
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
