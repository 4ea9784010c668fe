/** How many workers a run starts: what a quick look at the PATHs tells. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { check } from '../../../src/coordinator/start/checked.js';
import { workersFor } from '../../../src/coordinator/start/workers.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';

const QUARTER_MEGABYTE = 1 << 18;

/** A folder with files of these sizes. */
function folderOf(t: ExecutionContext, ...sizes: readonly number[]): string {
  const folder = temporaryFolder(t);
  for (const [i, size] of sizes.entries()) writeFileSync(join(folder, `${i}.txt`), Buffer.alloc(size, 'a'));
  return folder;
}

const asked = (threads: number, ...paths: readonly string[]): number => workersFor({ threads, paths });

test('the number of workers grows with the text up to the limit', (t) => {
  t.is(asked(8, folderOf(t, 0)), 1);
  t.is(asked(8, folderOf(t, 10)), 1);
  t.is(asked(8, folderOf(t, QUARTER_MEGABYTE)), 1);
  t.is(asked(8, folderOf(t, QUARTER_MEGABYTE, 1)), 2);
  t.is(asked(8, folderOf(t, 3 * QUARTER_MEGABYTE), folderOf(t, 2 * QUARTER_MEGABYTE)), 5);
  t.is(asked(2, folderOf(t, 9 * QUARTER_MEGABYTE)), 2);
  t.is(asked(1, folderOf(t, 9 * QUARTER_MEGABYTE)), 1);
  t.is(asked(0, folderOf(t, 10)), 0);
});

test('with least 0, half the text that is worth a worker starts none', (t) => {
  const least = (threads: number, size: number): number =>
    workersFor({ threads, paths: [folderOf(t, size)] }, 0);
  t.is(least(8, QUARTER_MEGABYTE / 2), 0);
  t.is(least(8, QUARTER_MEGABYTE / 2 + 1), 1);
  t.is(least(1, QUARTER_MEGABYTE), 1);
  t.is(workersFor({ threads: 8, paths: ['-'] }, 0), 8);
});

test('only workers that a run starts count for memory', async (t) => {
  const paths = [folderOf(t, 10)];
  const out = join(paths[0]!, 'out');
  const memory = 85e6;
  t.is((await check({ paths, out, memory, threads: 1 })).execution.threads, 1);
});

test('subfolders are included', (t) => {
  const folder = folderOf(t, 10);
  mkdirSync(join(folder, 'deep/er'), { recursive: true });
  writeFileSync(join(folder, 'deep/er/a.txt'), Buffer.alloc(QUARTER_MEGABYTE));
  t.is(asked(8, folder), 2);
});

test('all workers start if the amount of text is unknown', (t) => {
  const folder = folderOf(t, 10);
  t.is(asked(8, '-'), 8);
  t.is(asked(8, join(folder, 'nowhere')), 8);
  writeFileSync(join(folder, 'packed.GZ'), '');
  t.is(asked(8, folder), 8);
  t.is(asked(8, folderOf(t, ...new Array<number>(65).fill(1))), 8);
  const ring = folderOf(t, 10);
  symlinkSync(ring, join(ring, 'again'));
  t.is(asked(8, ring), 8);
});
