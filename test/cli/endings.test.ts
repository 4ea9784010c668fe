/**
 * How the built command ends where something else ended first: the reader of its output, or another run in its folder.
 *
 * Disks that are full or read-only, and runs that are killed at any moment, are those of test/faults.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { sharedFolder } from '../data/temporaryFolder.js';
import { programHere } from './programHere.js';

const MAIN = fileURLToPath(new URL('../../package/cli.js', import.meta.url));
const RECORDS = Array.from({ length: 40 }, (_, i) => {
  const text = `a rose is a rose is a rose and family ${i >> 1} has a text of its own ${i >> 1}`;
  return `${JSON.stringify({ id: `r${i}`, text: i % 2 === 0 ? text : text.toUpperCase() })}\n`;
}).join('');
/** Loaded before the command: what it reads of one place has no end, and in the middle of it the process gets a signal. */
const ENDLESS = `
  const fs = require('node:fs');
  const { place, signal, bytes, after } = JSON.parse(process.env.ENDLESS);
  const member = Buffer.from(bytes, 'base64');
  const { openSync, closeSync, readSync, opendirSync } = fs;
  const { open } = fs.promises;
  const next = new Map();
  const isHere = (path) => (path instanceof Uint8Array ? Buffer.from(path).toString() : String(path)).includes(place);
  let isSent = false;
  const send = () => {
    if (!isSent) process.kill(process.pid, signal);
    isSent = true;
  };
  fs.promises.open = (path, ...more) => {
    if (isHere(path)) send();
    return open(path, ...more);
  };
  fs.openSync = (path, ...more) => {
    const descriptor = openSync(path, ...more);
    if (member.length > 0 && isHere(path)) next.set(descriptor, 0);
    return descriptor;
  };
  fs.closeSync = (descriptor) => {
    next.delete(descriptor);
    closeSync(descriptor);
  };
  fs.readSync = (descriptor, into, ...more) => {
    if (!next.has(descriptor)) return readSync(descriptor, into, ...more);
    const [offset, length, position] = more;
    const from = position ?? next.get(descriptor);
    next.set(descriptor, from + length);
    if (from + length > after) send();
    for (let i = 0; i < length; i++) into[offset + i] = member[(from + i) % member.length];
    return length;
  };
  fs.opendirSync = (path, ...more) => {
    const dir = opendirSync(path, ...more);
    if (!isHere(path)) return dir;
    send();
    const entry = { name: 'f', isFile: () => true, isDirectory: () => false, isSymbolicLink: () => false };
    return { readSync: () => entry, closeSync: () => dir.closeSync() };
  };
  require('node:module').syncBuiltinESMExports();
`;
const folder = sharedFolder({
  'records.jsonl': RECORDS,
  'a.txt': 'a rose is a rose',
  'b.txt': 'a rose is a flower',
  'endless.cjs': ENDLESS,
  'endless.jsonl.gz': gzipSync(RECORDS),
  'endless.json': '[]',
  'endless.d/': '',
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

const PRINTING: readonly (readonly string[])[] = [
  ['--help'],
  ['completion', 'bash'],
  ['tune', '--threshold', '0.8'],
  ['compare', 'a.txt', 'b.txt'],
  ['query', 'a.txt', 'records.jsonl'],
  ['filter', '--dropped', 'dropped.tsv', '--counts', 'counts.json'],
  ['inspect', 'result'],
  ['inspect', 'result', '--json'],
  ['verify', 'result'],
  ['view', 'result', '--save', '-'],
  ['apply', 'result', '--list', 'kept'],
  ['apply', 'result', '--to', 'corpus', '--json'],
  [...RUN, '--out', 'again', '--json'],
  [...RUN, '--print-config'],
];

const withPipes = process.platform === 'win32' ? test.skip : test.serial;

for (const both of [false, true]) {
  withPipes(`a closed pipe ends every command quietly${both ? ', as stderr too' : ''}`, (t) => {
    for (const argv of PRINTING.filter(
      ([name]) => !both || ['--help', 'filter', 'view', 'run'].includes(name!),
    )) {
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

withPipes('a reader that takes the beginning gets it', (t) => {
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
  'a second run is refused by the name of the first, also with --force; a killed one holds nothing',
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

function endsBySignal(
  argv: readonly string[],
  endless: {
    readonly place: string;
    readonly signal: string;
    readonly bytes: string;
    readonly after: number;
  },
): Ended {
  return spawnSync(process.execPath, ['-r', './endless.cjs', MAIN, ...argv], {
    ...{ cwd: folder, encoding: 'utf8', timeout: 60_000, killSignal: 'SIGKILL' },
    env: { ...process.env, ENDLESS: JSON.stringify(endless) },
  });
}

/** Where the command reads without an end, and where in it the signal comes; a run that is deaf there never ends. */
const HEARD = [
  ['SIGINT', 'while a folder is listed', 'endless.d', '', 0],
  ['SIGTERM', 'by who reads packed records', 'endless.jsonl.gz', gzipSync(RECORDS), 1 << 20],
  [
    'SIGHUP',
    'by who reads an array',
    'endless.json',
    `[${'{"id": "a", "text": "a rose"},'.repeat(9)}`,
    1 << 20,
  ],
] as const;

for (const [signal, where, place, bytes, after] of HEARD) {
  withPipes(`${signal} is heard ${where}`, (t) => {
    const endless = { place, signal, bytes: Buffer.from(bytes).toString('base64'), after };
    const argv = ['run', place, '--threads', '1', '--out', `out-${signal}`];
    const { status, stderr } = endsBySignal(argv, endless);
    t.is(status, 130, stderr);
    t.regex(stderr, /^interrupted: /m);
  });
}

withPipes('SIGHUP is heard by apply, between the files that it writes, and nothing of them is left', (t) => {
  const paths = ['one.jsonl', 'other.jsonl'];
  for (const path of paths) writeFileSync(join(folder, path), RECORDS.replaceAll('"r', `"${path}`));
  t.is(ended(['run', ...paths, '--threads', '0', '--out', 'of-two', '--quiet']).status, 0);
  const endless = { place: 'one.jsonl', signal: 'SIGHUP', bytes: '', after: Number.MAX_SAFE_INTEGER };
  const { status, stderr } = endsBySignal(['apply', 'of-two', '--to', 'of-two-clean', '--quiet'], endless);
  t.deepEqual([status, stderr], [130, 'interrupted: nothing was written; the same command starts over\n']);
  t.false(existsSync(join(folder, 'of-two-clean')));
});
