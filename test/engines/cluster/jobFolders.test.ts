/** What is kept of jobs: one whose output is not what it was is made anew. */
import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { clusterFiles } from '../../../src/engines/cluster/clusterFiles.js';
import { JobFolders } from '../../../src/engines/cluster/jobFolders.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';

test('a job is whole while all parts of its output are there in their sizes', async (t) => {
  const folder = temporaryFolder(t);
  const files = clusterFiles({ shell: ['false'] });
  const work = await files.qualified(join(folder, 'work'));
  const first = await JobFolders.open(files, work);
  const { attempt, output } = await first.begin('001-sketch');
  const place = output.replace(/^file:/, '');
  const make = (): void => {
    mkdirSync(place, { recursive: true });
    for (const part of ['part-00000', 'part-00001']) writeFileSync(join(place, part), part.repeat(9));
    writeFileSync(join(place, '_SUCCESS'), '');
  };
  make();
  await first.end({ job: '001-sketch', key: 'k', attempt, records: 2, sums: {} });
  const isWhole = async (key: string): Promise<boolean> =>
    (await JobFolders.open(files, work)).wholeOf('001-sketch', key) !== null;
  t.true(await isWhole('k'));
  t.false(await isWhole('another'));
  writeFileSync(join(place, '.part-00001.crc'), 'beside');
  t.true(await isWhole('k'));
  truncateSync(join(place, 'part-00000'), 5);
  t.false(await isWhole('k'));
  make();
  rmSync(join(place, 'part-00001'));
  t.false(await isWhole('k'));
  make();
  rmSync(join(place, '_SUCCESS'));
  t.false(await isWhole('k'));
  make();
  const stats = join(folder, 'work/001-sketch/_STATS.json');
  const whole = readFileSync(stats, 'utf8');
  t.true(await isWhole('k'));
  for (const damaged of [
    '',
    'null\n',
    '{"job": "001-sk',
    whole.slice(0, -5),
    whole.replace('"records":2', '"records":3'),
  ]) {
    writeFileSync(stats, damaged);
    t.false(await isWhole('k'));
  }
});

test('a run that does not go on with an earlier one takes no job over, and writes beside what is there', async (t) => {
  const folder = temporaryFolder(t);
  const files = clusterFiles({ shell: ['false'] });
  const work = await files.qualified(join(folder, 'work'));
  const earlier = await JobFolders.open(files, work);
  const { attempt, output } = await earlier.begin('001-sketch');
  const place = output.replace(/^file:/, '');
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'part-00000'), 'of another text');
  writeFileSync(join(place, '_SUCCESS'), '');
  await earlier.end({ job: '001-sketch', key: 'k', attempt, records: 1, sums: {} });
  t.not((await JobFolders.open(files, work)).wholeOf('001-sketch', 'k'), null);
  const fresh = await JobFolders.open(files, work, true);
  t.is(fresh.wholeOf('001-sketch', 'k'), null);
  t.true(fresh.isPresent('001-sketch'));
  t.not((await fresh.begin('001-sketch')).output, output);
});
