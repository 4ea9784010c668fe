/** `mr-minhash run --input sets`, as a user runs it. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { temporaryFolder } from '../storage/temporaryFolder.js';

const MAIN = fileURLToPath(new URL('../../cli/main.js', import.meta.url));
const RATINGS =
  'user,item,stars\nann,Alien,5\nbob,Alien,4\nann,Brazil,4\nbob,Brazil,5\nann,Casino,1\nbob,Casino,2\n';

function cli(cwd: string, args: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
    cwd,
    input,
    encoding: 'utf8',
  });
  return { code: status, stdout, stderr };
}

test('ratings as CSV with named columns give pairs of users, and of items', (t) => {
  const folder = temporaryFolder(t, { 'ratings.csv': RATINGS });
  const flags = ['--input', 'sets', '--threshold', '0.5', '--threads', '2'];
  const users = cli(folder, [
    'run',
    'ratings.csv',
    ...flags,
    '--columns',
    'user,item,stars',
    '--ratings',
    'stars',
  ]);
  t.is(users.code, 0, users.stderr);
  t.regex(users.stdout, /^Sets {8}2 sets read$/m);
  // 4 + 4 + 1 of 5 + 5 + 2 stars.
  const pairs = readFileSync(join(folder, 'mr-minhash-out/pairs/part-00000.tsv'), 'utf8');
  t.regex(pairs, /\nann\tbob\t0\.750000\t/);
  const items = [
    'run',
    'ratings.csv',
    ...flags,
    '--columns',
    'item,user',
    '--out',
    'items',
    '--fail-on-duplicates',
  ];
  t.is(cli(folder, items).code, 3);
  t.is(cli(folder, ['verify', 'items']).code, 0);
  t.regex(cli(folder, ['inspect', 'items', '--pair', 'Alien', 'Casino']).stdout, /the same 2 elements/);
});

test('lines come from standard input, and what is no row is named there', (t) => {
  const folder = temporaryFolder(t);
  const { code, stdout } = cli(folder, ['run', '-', '--input', 'sets'], 'a\tx\nb\tx\nnone\n');
  t.is(code, 0);
  t.regex(stdout, /1 SETS_NO_ELEMENT: the line has no element/);
  t.regex(readFileSync(join(folder, 'mr-minhash-out/skipped.tsv'), 'utf8'), /\n-#3\tSETS_NO_ELEMENT/);
});

test('every fault of the options is told at once, with exit code 2, and nothing is written', (t) => {
  const folder = temporaryFolder(t, { x: 'a\tx\n' });
  const flags = ['--input', 'sets', '--columns', 'user', '--shingle', 'words:2', '--liked-from', '0'];
  const { code, stderr } = cli(folder, ['run', 'x', ...flags]);
  t.is(code, 2);
  t.regex(stderr, /--columns user: expected two or three different fields/);
  t.regex(stderr, /--shingle: expected with texts, got --input sets/);
  t.regex(stderr, /--liked-from 0: expected a number above 0/);
  t.is(cli(folder, ['run', 'x', '--columns', '1,2']).code, 2);
  t.is(cli(folder, ['tune', 'x', '--input', 'sets']).code, 2);
  t.is(cli(folder, ['compare', 'a', 'b', '--in', 'x', '--input', 'sets']).code, 2);
});

test('--print-config of sets is a config that gives the same run, and --dry-run its plan', (t) => {
  const folder = temporaryFolder(t, { x: 'a\tx\nb\tx\n' });
  const flags = ['run', 'x', '--input', 'sets', '--bag', '--columns', '1,2'];
  const config = cli(folder, [...flags, '--print-config']);
  writeFileSync(join(folder, 'config.json'), config.stdout);
  t.is(cli(folder, [...flags, '--out', 'one']).code, 0);
  t.is(cli(folder, ['run', '--config', 'config.json', '--out', 'two']).code, 0);
  const manifest = (out: string): string => readFileSync(join(folder, out, 'manifest.json'), 'utf8');
  t.is(manifest('one'), manifest('two'));
  t.regex(cli(folder, [...flags, '--dry-run']).stdout, /tasks for tilesOfSets: 1/);
});
