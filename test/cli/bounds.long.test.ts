/** What an input can't buy: time without end. By the built program. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { folder, said } from './boundedProgram.js';

test('a table of quotes that never end and of many names is read in linear time', (t) => {
  const rows = Array.from({ length: 200_000 }, (_, i) => `${i},"some text number ${i}\n`).join('');
  writeFileSync(join(folder, 'open.csv'), `id,text\n${rows}z,${'y'.repeat(6_000_000)}\n`);
  const names = Array.from({ length: 100_000 }, (_, i) => `c${i}`);
  writeFileSync(join(folder, 'wide.csv'), `${names.join()},text\n${','.repeat(100_000)}one text\n`);
  for (const name of ['open.csv', 'wide.csv']) {
    const out = join(folder, `${name}.out`);
    const { status, stderr } = said('run', join(folder, name), '--text-field', 'text', '--out', out);
    t.is(status, 0, stderr);
  }
});
