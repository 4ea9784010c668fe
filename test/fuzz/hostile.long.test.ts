/** Many more forged folders than in hostile.test.ts, others than those. */
import test from 'ava';
import { fuzz } from './main.js';

test('3,000 forged results and unfinished runs change nothing outside and start nothing', async (t) => {
  t.timeout(7_200_000);
  const { problems } = await fuzz({ set: 'folders', seed: 8, first: 0, cases: 3_000, only: '' });
  t.deepEqual(problems, []);
});
