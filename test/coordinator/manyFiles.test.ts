/** More files than are looked at one by one: sizes are sampled, and nothing but the plan and the progress may differ. */
import { join } from 'node:path';
import test from 'ava';
import type { Progress } from '../../src/coordinator/context.js';
import { plan } from '../../src/coordinator/planning/plan.js';
import { SIZED_FILES } from '../../src/readers/list/sizes.js';
import { finished, pairNames } from './runs/finished.js';

const WORDS = 'the quick brown fox jumps over the lazy dog and runs away from it all';

test('a run over many files gives the same result, and reports progress in batches', async (t) => {
  const files: Record<string, string> = {};
  for (let i = 0; i <= SIZED_FILES; i++) files[`${String(i % 7)}/${i}.txt`] = `file number ${i} alone`;
  files['3/copy.txt'] = WORDS;
  files['5/copy.txt'] = `${WORDS}!`;
  const seen: Progress[] = [];
  const { inputs, report, pairs } = await finished(t, files, {}, { onProgress: (one) => seen.push(one) });
  t.deepEqual(pairNames(pairs), ['3/copy.txt 5/copy.txt same-tokens']);
  t.is(report.counts.read, SIZED_FILES + 3);
  const { unit, done, total } = seen.filter(({ stage }) => stage === 'sketch').at(-1)!;
  t.is(unit, 'batches');
  t.is(done, total!);
  const planned = await plan({ paths: [inputs], out: join(inputs, '../other') });
  t.is(planned.columnBlocks, total!);
  const bytes = Object.values(files).reduce((sum, text) => sum + text.length, 0);
  t.is(planned.bytes, bytes);
});
