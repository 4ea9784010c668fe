/**
 * How the built command ends if the reader of its output has ended, or another run writes to its folder.
 *
 * Disks that are full or read-only, and runs that are killed at any moment, are those of test/faults.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { sharedFolder } from '../data/temporaryFolder.js';
import { programHere } from './programHere.js';

const MAIN = fileURLToPath(new URL('../../package/cli.js', import.meta.url));
const RECORDS = Array.from({ length: 40 }, (_, i) => {
  const text = `a rose is a rose is a rose and family ${i >> 1} has a text of its own ${i >> 1}`;
  return `${JSON.stringify({ id: `r${i}`, text: i % 2 === 0 ? text : text.toUpperCase() })}\n`;
}).join('');
const folder = sharedFolder({
  'records.jsonl': RECORDS,
  'a.txt': 'a rose is a rose',
  'b.txt': 'a rose is a flower',
});
const RUN = ['run', 'records.jsonl', '--threads', '0', '--threshold', '0.9', '--shingle', 'words:2'];

interface Ended {
  readonly status: number | null;
  readonly stderr: string;
}

function ended(
  argv: readonly string[],
  stdout: number | 'pipe' = 'pipe',
  stderr: number | 'pipe' = 'pipe',
  input = '',
): Ended & { readonly stdout: string } {
  return spawnSync(process.execPath, [MAIN, ...argv], {
    ...{ cwd: folder, stdio: ['pipe', stdout, stderr], input, encoding: 'utf8', timeout: 60_000 },
  });
}

test.before('a result', (t) => {
  const { status, stderr } = ended([...RUN, '--out', 'result', '--quiet']);
  t.is(status, 0, stderr);
});

/** A pipe whose reader has gone away before the first byte. */
function closedPipe(): number {
  const path = join(folder, 'pipe');
  rmSync(path, { force: true });
  spawnSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path, 'w');
  closeSync(reader);
  return writer;
}

/** One command for each way to print: whole texts, rows as they are found, and answers after files are written. */
const PRINTING: readonly (readonly string[])[] = [
  ['--help'],
  ['filter', '--dropped', 'dropped.tsv', '--counts', 'counts.json'],
  ['view', 'result', '--save', '-'],
  ['apply', 'result', '--list', 'kept'],
  ['apply', 'result', '--to', 'corpus', '--json'],
  [...RUN, '--out', 'again', '--json'],
];

const withPipes = process.platform === 'win32' ? test.skip : test.serial;

for (const both of [false, true]) {
  withPipes(`a closed pipe ends commands quietly${both ? ', as stderr too' : ''}`, (t) => {
    for (const argv of PRINTING.filter(([name]) => !both || ['filter', 'run'].includes(name!))) {
      for (const name of ['dropped.tsv', 'counts.json', 'corpus', 'again']) {
        rmSync(join(folder, name), { recursive: true, force: true });
      }
      const pipe = closedPipe();
      const { status, stderr } = ended(argv, pipe, both ? pipe : 'pipe', RECORDS);
      closeSync(pipe);
      t.is(status, 0, argv.join(' '));
      t.notRegex(stderr ?? '', /error|EPIPE|^ +at /m, argv.join(' '));
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
      t.deepEqual(
        files.filter((name) => /\.tmp$|mr-minhash-new/.test(name)),
        [],
        argv.join(' '),
      );
      if (argv.includes('again')) t.true(existsSync(join(folder, 'again/_SUCCESS')));
      if (argv.includes('corpus')) t.true(existsSync(join(folder, 'corpus/records.jsonl')));
      // What could not be passed on does not count as passed.
      if (argv.includes('counts.json'))
        t.like(JSON.parse(readFileSync(join(folder, 'counts.json'), 'utf8')), { complete: false });
    }
  });
}

withPipes('a reader of the first line gets it, and the command ends with 0', (t) => {
  const { status, stdout, stderr } = spawnSync(
    'sh',
    ['-c', '{ "$@"; echo "code $?" >&2; } | head -n 1', 'sh', process.execPath, MAIN, 'run', '--help'],
    { cwd: folder, encoding: 'utf8' },
  );
  t.deepEqual([status, stdout, stderr], [0, 'Usage: mr-minhash run [options] [PATH...]\n', 'code 0\n']);
});

/** A run that holds its folder until its standard input ends or it is killed. */
async function holdingRun(out: string) {
  const child = spawn(process.execPath, [MAIN, 'run', '-', '--threads', '0', '--out', out], { cwd: folder });
  const lock = join(folder, `.${out}.mr-minhash-new`, 'writer');
  // A lock is made, then written.
  const isHeld = () => existsSync(lock) && readFileSync(lock, 'utf8') !== '';
  while (!isHeld() && child.exitCode === null) await pause(5);
  return { child, lock };
}

test.serial(
  'a second run into a folder is rejected with the number of the first process; a killed run locks nothing',
  async (t) => {
    const { child, lock } = await holdingRun('held');
    t.teardown(() => child.kill('SIGKILL'));
    const held = readFileSync(lock, 'utf8');
    for (const flags of [[], ['--force']]) {
      const { code, stderr } = await programHere(folder, [...RUN, '--out', 'held', ...flags]);
      t.is(code, 2);
      t.true(stderr.includes(`error: the output folder is locked: `), stderr);
      t.true(stderr.includes(`: process ${child.pid} is writing there`), stderr);
      t.is(readFileSync(lock, 'utf8'), held);
    }
    child.kill('SIGKILL');
    await once(child, 'exit');
    t.true(existsSync(lock));
    const { code, stderr } = await programHere(folder, [...RUN, '--out', 'held', '--quiet']);
    t.deepEqual([code, stderr], [0, '']);
    t.false(existsSync(lock));
    t.is((await programHere(folder, ['verify', 'held'])).code, 0);
  },
);
