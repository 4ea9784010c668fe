import test from 'ava';
import { manber } from '../../../src/analysis/methods/chunks/manber.js';
import { elementsOf } from '../../../src/analysis/methods/elementStreams.js';
import { randomFrom } from '../../data/seededTexts.js';
import { PARAMS, valuesOf } from './methodValues.js';

function randomBytes(seed: number, length: number): Uint8Array {
  const random = randomFrom(seed);
  return Uint8Array.from({ length }, () => 97 + Math.floor(26 * random()));
}

test('one fingerprint in 256 is selected, those whose low 8 bits are zero', (t) => {
  const text = randomBytes(1, 400_000);
  const elements = elementsOf(text, manber.elements(PARAMS));
  t.is(elements.length / 2, 400_000 - 49);
  const selected = elements.filter((low, i) => i % 2 === 0 && (low & 0xff) === 0).length;
  // 1562 expected, standard deviation 40: five of them on either side.
  t.true(Math.abs(selected - 400_000 / 256) < 200, `${selected}`);
});

test('the share of common fingerprints is about the share of common text, in both directions', (t) => {
  const shared = randomBytes(2, 200_000);
  const a = Buffer.concat([randomBytes(3, 100_000), shared]);
  const b = Buffer.concat([shared, randomBytes(4, 300_000)]);
  const [larger, ofA, ofB] = valuesOf(manber, a, b) as [number, number, number];
  // 1172 and 1953 fingerprints: five standard deviations are 0.07 and 0.06.
  t.true(Math.abs(ofA - 2 / 3) < 0.07, `${ofA}`);
  t.true(Math.abs(ofB - 2 / 5) < 0.06, `${ofB}`);
  t.is(larger, ofA);
});

test('bytes are not normalized, and a text may be too short for any fingerprint', (t) => {
  const text = Buffer.from(randomBytes(5, 20_000)).toString();
  t.deepEqual(valuesOf(manber, text, text), [1, 1, 1]);
  t.is(valuesOf(manber, text, text.toUpperCase()), null);
  t.is(valuesOf(manber, 'short', 'short'), null);
});
