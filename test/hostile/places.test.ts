/** What is no regular file, links of every kind, and folders inside each other. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { watchedRun } from '../faults/watchedRun.js';
import { randomFrom, wordsFrom } from '../pipeline/seededTexts.js';
import { temporaryFolder } from '../storage/temporaryFolder.js';

const PAGE = wordsFrom(randomFrom(22), 60).join(' ');

async function runOver(
  t: ExecutionContext,
  paths: readonly string[],
  out: string,
  code = 0,
): Promise<string> {
  const ran = await watchedRun(['run', ...paths, '--out', out, '--threads', '0'], 240);
  t.is(ran.code, code, ran.stderr);
  return ran.stdout + ran.stderr;
}

const rowsOf = (out: string, file: string): string[] =>
  readFileSync(join(out, file), 'utf8').trimEnd().split('\n').slice(1);

test('devices, pipes and sockets are named and never waited for, links are followed inside the tree alone', async (t) => {
  const folder = temporaryFolder(t, { 'in/a.txt': PAGE, 'in/sub/b.txt': `${PAGE} b`, 'outside.txt': PAGE });
  const inputs = join(folder, 'in');
  execFileSync('mkfifo', [
    join(inputs, 'pipe'),
    join(inputs, 'pipe.jsonl'),
    join(inputs, 'sub', 'manifest.json'),
  ]);
  const server = createServer().listen(join(inputs, 'socket'));
  t.teardown(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const links = {
    'one-way': 'other-way',
    'other-way': 'one-way',
    itself: 'itself',
    dangling: 'nowhere',
    device: '/dev/zero',
    out: '../outside.txt',
    'out-by-folder': '..',
    'sub/up': '..',
    'sub/again.txt': '../a.txt',
    'to-pipe': 'pipe',
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(inputs, name));
  const out = join(folder, 'result');
  const summary = await runOver(t, [inputs], out);
  t.regex(summary, /3 documents read/);
  const unreadable = 'UNREADABLE: the file cannot be opened or read';
  const special = 'NOT_A_FILE: not a regular file (a device, pipe or socket)';
  t.deepEqual(rowsOf(out, 'skipped.tsv'), [
    `dangling\t${unreadable}`,
    `itself\t${unreadable}`,
    `one-way\t${unreadable}`,
    `other-way\t${unreadable}`,
    `pipe\t${special}`,
    `pipe.jsonl\t${special}`,
    `socket\t${special}`,
    `sub/manifest.json\t${special}`,
  ]);
});

test('a device as PATH is named too', async (t) => {
  const folder = temporaryFolder(t);
  const { code, stderr } = await watchedRun(
    ['run', '/dev/zero', '/dev/null', '--out', join(folder, 'out')],
    240,
  );
  t.is(code, 1);
  t.regex(stderr, /skipped: 2 places NOT_A_FILE, not a regular file/);
});

test('a corpus inside the output folder is refused, an output folder inside the corpus is not read', async (t) => {
  const folder = temporaryFolder(t, { 'in/a.txt': PAGE, 'in/b.txt': PAGE });
  const inputs = join(folder, 'in');
  const out = join(inputs, 'deep', 'out');
  t.regex(await runOver(t, [inputs], out), /2 documents read/);
  mkdirSync(join(out, 'corpus'));
  writeFileSync(join(out, 'corpus', 'c.txt'), PAGE);
  const other = join(folder, 'other');
  for (const place of [join(out, 'corpus'), out]) {
    const refused = await watchedRun(['run', place, '--out', out, '--force'], 240);
    t.is(refused.code, 2);
    t.regex(refused.stderr, /a PATH is or lies in a result of mr-minhash or the output folder: "/);
  }
  t.regex(await runOver(t, [inputs], other), /2 documents read/);
  const inside = await watchedRun(['run', inputs, '--out', inputs], 240);
  t.is(inside.code, 2);
  t.regex(
    inside.stderr,
    /PATH is a result of mr-minhash or lies in the output folder|holds files that are no result/,
  );
});
