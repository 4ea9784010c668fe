import test from 'ava';
import { OccurrenceLabels } from '../../../src/text/labels.js';

const COUNT = 150_000;

/** Each hash twice, the second time after all were seen once; low halves collide by the thousand. */
function hashesTwice(): Uint32Array {
  const hashes = new Uint32Array(4 * COUNT);
  for (let i = 0; i < 2 * COUNT; i++) {
    hashes[2 * i] = Math.imul(i % COUNT, 0x9e3779b1) >>> 3;
    hashes[2 * i + 1] = i % COUNT;
  }
  return hashes;
}

test('OccurrenceLabels keeps first occurrences and labels later ones, also when its table grows', (t) => {
  const labels = new OccurrenceLabels(1);
  const before = hashesTwice();
  const after = hashesTwice();
  labels.label(after, 2 * COUNT);
  const expected = new Uint32Array(2);
  let wrong = 0;
  for (let i = 0; i < 2 * COUNT; i++) {
    labels.writeLabelled(expected, 0, before[2 * i]!, before[2 * i + 1]!, i < COUNT ? 1 : 2);
    if (after[2 * i] !== expected[0] || after[2 * i + 1] !== expected[1]) wrong++;
  }
  t.is(wrong, 0);
  t.not(after[2 * COUNT], before[2 * COUNT]);
});

test('OccurrenceLabels resets a large document at begin', (t) => {
  const labels = new OccurrenceLabels(1);
  labels.label(hashesTwice(), 2 * COUNT);
  for (let round = 0; round < 2; round++) {
    labels.begin();
    const hashes = hashesTwice();
    labels.label(hashes, COUNT);
    t.true(Buffer.from(hashes.buffer).equals(Buffer.from(hashesTwice().buffer)));
  }
});
