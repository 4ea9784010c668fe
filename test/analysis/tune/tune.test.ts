import test from 'ava';
import { compareSettings, signatureLengths, type TuneWish, tune } from '../../../src/analysis/tune/tune.js';
import { MinHashError } from '../../../src/errors.js';

test('tune chooses as run does and says what is missed', (t) => {
  const { setting, curve, misses, signatureShare, reason, hashes } = tune();
  t.deepEqual([setting.bands, setting.rows, hashes, reason], [18, 7, 128, 'recall']);
  t.is(curve.find(({ similarity }) => similarity === 0.8)!.probability, setting.atThreshold);
  t.is(misses.find(({ similarity }) => similarity === 0.8)!.missed.toFixed(4), '0.0145');
  t.true(Math.abs(signatureShare - 0.5) < 0.05);
});

test('tune seeks the length for a ceiling', (t) => {
  const { setting, hashes } = tune({ threshold: 0.9, ceiling: { similarity: 0.6, probability: 0.01 } });
  t.is(hashes, setting.slots);
  t.deepEqual([setting.bands, setting.rows], [12, 14]);
});

test('tune refuses a wrong wish with every fault', (t) => {
  const wish: TuneWish = { threshold: 2, keys: 0, bands: 3, ceiling: { similarity: 0.9, probability: 2 } };
  const error = t.throws(() => tune(wish), { instanceOf: MinHashError });
  t.deepEqual(
    error?.faults.map(({ detail }) => /^[a-z]+/.exec(detail)![0]),
    ['threshold', 'keys', 'ceiling', 'bands'],
  );
  t.throws(() => tune({ recall: 0.9999, hashes: 16, threshold: 0.1 }), { message: /not reachable/ });
});

test('compareSettings gives each setting its curve', (t) => {
  const [first, second] = compareSettings(
    [
      { bands: 20, rows: 5 },
      { bands: 16, rows: 8 },
    ],
    0.8,
  );
  t.is(first!.atThreshold.toFixed(4), '0.9996');
  t.is(second!.curve.length, 21);
});

test('signatureLengths has its defaults and their inverse', (t) => {
  const { table, least, leastAtHalf, error, confidence } = signatureLengths();
  t.deepEqual([error, confidence], [0.05, 0.95]);
  t.is(table.find(({ slots }) => slots === 128)!.within.toFixed(4), '0.8477');
  t.true(least! < leastAtHalf!);
  t.is(signatureLengths({ error: 0.001 }).least, null);
});
