/** Sets that take several rows of a task: the result of one machine. */
import { join } from 'node:path';
import test from 'ava';
import { randomFrom } from '../../data/seededTexts.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { runOnDuckDb, runOnOneMachine, tablesIn } from './sqlRun.js';

test('two documents of 600,000 words have the same result as on one machine', async (t) => {
  const random = randomFrom(9);
  const words = Array.from({ length: 600_000 }, () => `w${Math.floor(1e6 * random())}`);
  const copy = [...words];
  for (let edit = 0; edit < 3000; edit++) copy[Math.floor(random() * copy.length)] = `e${edit}`;
  const folder = temporaryFolder(t, { 'a.txt': words.join(' '), 'b.txt': copy.join(' ') });
  const paths = [join(folder, 'a.txt'), join(folder, 'b.txt')];
  const { counts } = await runOnOneMachine({ paths, out: join(folder, 'one') });
  await runOnDuckDb({ paths, out: join(folder, 'sql') });
  t.deepEqual(tablesIn(join(folder, 'sql')), tablesIn(join(folder, 'one')));
  t.is(counts.dropped, 1);
});
