/** `mr-minhash run --input sets`, as a user runs it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { programHere } from '../programHere.js';

const RATINGS =
  'user,item,stars\nann,Alien,5\nbob,Alien,4\nann,Brazil,4\nbob,Brazil,5\nann,Casino,1\nbob,Casino,2\n';

const cli = programHere;

test.serial('ratings as CSV with named columns give pairs of users, and of items', async (t) => {
  const folder = temporaryFolder(t, { 'ratings.csv': RATINGS });
  const flags = ['--input', 'sets', '--threshold', '0.5', '--threads'];
  const users = await cli(folder, [
    'run',
    'ratings.csv',
    ...flags,
    '2',
    '--columns',
    'user,item,stars',
    '--ratings',
    'stars',
    '--verbose',
  ]);
  t.is(users.code, 0, users.stderr);
  t.regex(users.stdout, /^Sets\n(.*\n)? +2 {2}of them were compared$/m);
  // 4 + 4 + 1 of 5 + 5 + 2 stars.
  const pairs = readFileSync(join(folder, 'mr-minhash-out/pairs/part-00000.tsv'), 'utf8');
  t.regex(pairs, /\nann\tbob\t0\.750000\t/);
  const items = [
    'run',
    'ratings.csv',
    ...flags,
    '0',
    '--columns',
    'item,user',
    '--out',
    'items',
    '--fail-on-duplicates',
  ];
  t.is((await cli(folder, items)).code, 3);
  t.is((await cli(folder, ['verify', 'items'])).code, 0);
  t.regex(
    (await cli(folder, ['inspect', 'items', '--pair', 'Alien', 'Casino'])).stdout,
    /the same 2 elements/,
  );
});

test.serial('lines come from standard input, and what is no row is named there', async (t) => {
  const folder = temporaryFolder(t);
  const { code, stdout } = await cli(
    folder,
    ['run', '-', '--input', 'sets', '--threads', '0', '--verbose'],
    'a\tx\nb\tx\nnone\n',
  );
  t.is(code, 0);
  t.regex(stdout, /1 SETS_NO_ELEMENT: the line has no element/);
  t.regex(
    readFileSync(join(folder, 'mr-minhash-out/skipped.tsv'), 'utf8'),
    /\n-#3\tskipped\tSETS_NO_ELEMENT/,
  );
});

test.serial('tune and compare take no sets', async (t) => {
  const folder = temporaryFolder(t, { x: 'a\tx\n' });
  t.is((await cli(folder, ['tune', 'x', '--input', 'sets'])).code, 2);
  t.is((await cli(folder, ['compare', 'a', 'b', '--in', 'x', '--input', 'sets'])).code, 2);
});

test.serial(
  '--print-config of sets is a config that gives the same run, and --dry-run its plan',
  async (t) => {
    const folder = temporaryFolder(t, { x: 'a\tx\nb\tx\n' });
    const flags = ['run', 'x', '--input', 'sets', '--bag', '--columns', '1,2', '--threads', '0'];
    const config = await cli(folder, [...flags, '--print-config']);
    writeFileSync(join(folder, 'config.json'), config.stdout);
    t.is((await cli(folder, [...flags, '--out', 'one'])).code, 0);
    t.is((await cli(folder, ['run', '--config', 'config.json', '--out', 'two'])).code, 0);
    const manifest = (out: string): string => readFileSync(join(folder, out, 'manifest.json'), 'utf8');
    t.is(manifest('one'), manifest('two'));
    t.regex((await cli(folder, [...flags, '--dry-run'])).stdout, /tasks for rows: 1/);
  },
);
