/** Forged folders through the commands that read them; `npm run fuzz -- --set folders --cases N` draws more. */
import test from 'ava';
import { fuzz } from './main.js';

test('20 forged results and unfinished runs change nothing outside and start nothing', async (t) => {
  const { problems, runs } = await fuzz({ set: 'folders', seed: 7, first: 0, cases: 20, only: '' });
  t.deepEqual(problems, []);
  t.deepEqual(Object.keys(runs).sort(), [
    'a link in a result',
    'a link in a run',
    'a result',
    'bytes of a run',
    'giants',
  ]);
});
