/** Inputs that are not regular files, links of every kind, and folders inside each other. */
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { watchedRun } from '../../faults/watchedRun.js';

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

test('devices, pipes and sockets are reported without waiting, and links in the tree without following', async (t) => {
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
  t.regex(summary, /of 2 documents can be dropped/);
  t.deepEqual(
    rowsOf(out, 'skipped.tsv').map((row) => row.replace(/:.*/, '')),
    [
      'dangling\tleft out\tLINK_BROKEN',
      'device\tleft out\tLINK_OUTSIDE',
      'itself\tleft out\tLINK_BROKEN',
      'one-way\tleft out\tLINK_BROKEN',
      'other-way\tleft out\tLINK_BROKEN',
      'out\tleft out\tLINK_OUTSIDE',
      'out-by-folder\tleft out\tLINK_OUTSIDE',
      'pipe\tskipped\tNOT_A_FILE',
      'pipe.jsonl\tskipped\tNOT_A_FILE',
      'socket\tskipped\tNOT_A_FILE',
      'sub/again.txt\tleft out\tLINK_INSIDE',
      'sub/manifest.json\tskipped\tNOT_A_FILE',
      'sub/up\tleft out\tLINK_INSIDE',
      'to-pipe\tleft out\tLINK_INSIDE',
    ],
  );
});

test('a drop list over links never drops the file while keeping the link', async (t) => {
  const folder = temporaryFolder(t, { 'in/z.txt': PAGE, 'in/sub/z.txt': `${PAGE} b`, 'other/y.txt': PAGE });
  const inputs = join(folder, 'in');
  const links = {
    'a.txt': 'z.txt',
    'sub/a.txt': '../z.txt',
    'b.txt': '../other/y.txt',
    all: 'sub',
    'c.txt': 'gone',
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(inputs, name));
  linkSync(join(inputs, 'z.txt'), join(inputs, 'hard.txt'));
  const ran = await watchedRun(
    ['run', inputs, '--out', join(folder, 'out'), '--threads', '0', '--verbose', '--json'],
    240,
  );
  t.is(ran.code, 0, ran.stderr);
  t.deepEqual(
    rowsOf(join(folder, 'out'), 'duplicates.tsv').map((row) => row.split('\t').slice(0, 2)),
    [
      ['sub/z.txt', 'hard.txt'],
      ['z.txt', 'hard.txt'],
    ],
  );
  t.deepEqual(
    rowsOf(join(folder, 'out'), 'skipped.tsv').map((row) => row.replace(/:.*/, '')),
    [
      'a.txt\tleft out\tLINK_INSIDE',
      'all\tleft out\tLINK_INSIDE',
      'b.txt\tleft out\tLINK_OUTSIDE',
      'c.txt\tleft out\tLINK_BROKEN',
      'sub/a.txt\tleft out\tLINK_INSIDE',
    ],
  );
  const counted = { inside: 3, outside: 1, broken: 1 };
  t.deepEqual(JSON.parse(ran.stdout).leftOut.links, counted);
  const told = (name: string) => JSON.parse(readFileSync(join(folder, 'out', name), 'utf8'));
  t.deepEqual(told('stats.json').left_out.links, counted);
  t.deepEqual(told('manifest.json').counts.left_out, { LINK_BROKEN: 1, LINK_INSIDE: 3, LINK_OUTSIDE: 1 });
  // A PATH may be a link, to a file or a folder.
  const linked = await runOver(t, [join(inputs, 'a.txt'), join(inputs, 'all')], join(folder, 'linked'));
  t.regex(linked, /of 2 documents can be dropped/);
  t.deepEqual(rowsOf(join(folder, 'linked'), 'duplicates.tsv'), [
    'all/z.txt\ta.txt\t0.982456\tall/z.txt\ta.txt',
  ]);
});

test('a device as PATH is reported too', async (t) => {
  const folder = temporaryFolder(t);
  const { code, stderr } = await watchedRun(
    ['run', '/dev/zero', '/dev/null', '--out', join(folder, 'out')],
    240,
  );
  t.is(code, 1);
  t.regex(stderr, /skipped: 2 locations NOT_A_FILE, not a regular file/);
});

test('a corpus inside the output folder is rejected, and an output folder inside the corpus is not read', async (t) => {
  const folder = temporaryFolder(t, { 'in/a.txt': PAGE, 'in/b.txt': PAGE });
  const inputs = join(folder, 'in');
  const out = join(inputs, 'deep', 'out');
  t.regex(await runOver(t, [inputs], out), /of 2 documents can be dropped/);
  mkdirSync(join(out, 'corpus'));
  writeFileSync(join(out, 'corpus', 'c.txt'), PAGE);
  const other = join(folder, 'other');
  for (const place of [join(out, 'corpus'), out]) {
    const refused = await watchedRun(['run', place, '--out', out, '--force'], 240);
    t.is(refused.code, 2);
    t.regex(refused.stderr, /a PATH is in a result of mr-minhash or in the output folder: "/);
  }
  t.regex(await runOver(t, [inputs], other), /of 2 documents can be dropped/);
  const inside = await watchedRun(['run', inputs, '--out', inputs], 240);
  t.is(inside.code, 2);
  t.regex(inside.stderr, /a PATH is in a result of mr-minhash or in the output folder/);
});
