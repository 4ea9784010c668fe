import test from 'ava';
import fc from 'fast-check';
import { editDistance, nearestName } from '../../src/options/nearestName.js';

test('nearestName corrects typing errors and rejects other names', (t) => {
  const names = ['threshold', 'threads', 'hotBucket', 'rows'];
  t.is(nearestName('thraeds', names), 'threads');
  t.is(nearestName('hot-bucket', names), 'hotBucket');
  t.is(nearestName('row', names), 'rows');
  t.is(nearestName('colour', names), null);
  t.is(nearestName('', names), null);
  // By its beginning, where only one name has such.
  t.is(nearestName('tresh', names), 'threshold');
  t.is(nearestName('thre', names), null);
});

test('editDistance is symmetric and zero for equal texts', (t) => {
  fc.assert(
    fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
      return editDistance(a, b) === editDistance(b, a) && editDistance(a, a) === 0;
    }),
    { seed: 1, numRuns: 300 },
  );
  t.is(editDistance('abc', 'acb'), 1);
  t.is(editDistance('abc', ''), 3);
});
