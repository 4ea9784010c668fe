/** A short round of `npm run fuzz`. */
import test from 'ava';
import { temporaryFolder } from '../data/temporaryFolder.js';
import { inputTargets, runCases } from './cases.js';

test('1,500 damaged inputs break no promise of a reader or of the block decoder', async (t) => {
  const targets = inputTargets(temporaryFolder(t));
  const runs = await runCases(targets, { seed: 7, first: 0, cases: 1500, only: '' });
  t.is(
    Object.values(runs).reduce((sum, count) => sum + count, 0),
    1500,
  );
  t.true(Object.keys(runs).length > 12);
});
