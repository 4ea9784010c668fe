/** Inputs that are pipes: named PATHs and standard input, with every command that reads. */
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { temporaryFolder } from '../data/temporaryFolder.js';
import { programHere } from './programHere.js';

const PROGRAM = new URL('../../package/cli.js', import.meta.url).pathname;
const TEXT = Array.from({ length: 40 }, (_, i) => `word${i}`).join(' ');
const LINES = ['a', 'b'].map((id) => `${JSON.stringify({ id, text: TEXT })}\n`).join('');

/** Runs a command while `cat` writes files to pipes that are named as they are on the command line. */
async function withPipes(
  cwd: string,
  argv: readonly string[],
  pipes: Readonly<Record<string, string>>,
  input = '',
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  for (const [pipe, file] of Object.entries(pipes)) {
    execFileSync('mkfifo', [pipe], { cwd });
    const target = openSync(join(cwd, file), 'r');
    spawn('sh', ['-c', `exec cat > ${pipe}`], { cwd, stdio: [target, 'ignore', 'ignore'] });
    closeSync(target);
  }
  return said(spawn(process.execPath, [PROGRAM, ...argv], { cwd, stdio: ['pipe', 'pipe', 'pipe'] }), input);
}

async function said(child: ReturnType<typeof spawn>, input: string) {
  const out = { stdout: '', stderr: '' };
  child.stdout!.on('data', (piece) => (out.stdout += piece));
  child.stderr!.on('data', (piece) => (out.stderr += piece));
  child.stdin?.end(input);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, ...out };
}

const FILES = {
  'a.txt': TEXT,
  'b.txt': `${TEXT} more`,
  'in.jsonl': LINES,
  'f/a.txt': TEXT,
  'words.txt': 'a\nthe\n',
};

for (const [command, argv, pipes, expected] of [
  ['compare', ['compare', 'p', 'q'], { p: 'a.txt', q: 'b.txt' }, /Jaccard similarity +0\.97/],
  ['compare --in', ['compare', 'a', 'b', '--in', 'p'], { p: 'in.jsonl' }, /Jaccard similarity +1\.0/],
  ['query', ['query', 'p', 'q'], { p: 'a.txt', q: 'in.jsonl' }, /\ta\t1\.000000/],
  [
    'run --against',
    ['run', 'p', '--against', 'q', '--out', 'x'],
    { p: 'in.jsonl', q: 'b.txt' },
    /0 of 2 doc/,
  ],
  [
    'run --ignore --stop-words',
    ['run', 'f', '--ignore', 'p', '--shingle', 'stopwords:3', '--stop-words', 'q', '--out', 'x'],
    { p: 'a.txt', q: 'words.txt' },
    /0 of 1 document/,
  ],
] as const) {
  test(`${command} reads pipes`, async (t) => {
    const folder = temporaryFolder(t, FILES);
    const { code, stdout, stderr } = await withPipes(folder, argv, pipes);
    t.is(code, 0, stderr);
    t.regex(stdout, expected);
  });
}

test('filter reads a reference from a pipe', async (t) => {
  const folder = temporaryFolder(t, FILES);
  const { code, stdout, stderr } = await withPipes(
    folder,
    ['filter', '--against', 'p'],
    { p: 'a.txt' },
    LINES,
  );
  t.deepEqual([code, stdout], [0, ''], stderr);
});

test('/dev/stdin behind a pipe is read as a file by its content', async (t) => {
  const folder = temporaryFolder(t, FILES);
  const command = `cat in.jsonl | "${process.execPath}" "${PROGRAM}" run /dev/stdin --out x`;
  const { code, stdout, stderr } = await said(spawn('sh', ['-c', command], { cwd: folder }), '');
  t.is(code, 0, stderr);
  t.regex(stdout, /1 of 2 documents can be dropped/);
});

test.serial('tune reads its inputs more than once, and rejects pipes', async (t) => {
  const folder = temporaryFolder(t, FILES);
  execFileSync('mkfifo', ['p'], { cwd: folder });
  const { code, stderr } = await programHere(folder, ['tune', 'p']);
  t.is(code, 2);
  t.regex(stderr, /PATH p: a pipe, which can be read only once/);
});

test.serial('a pipe in a directory is skipped', async (t) => {
  const folder = temporaryFolder(t, FILES);
  execFileSync('mkfifo', ['f/pipe'], { cwd: folder });
  const { code, stdout } = await programHere(folder, ['run', 'f', '--out', 'x']);
  t.is(code, 0);
  t.regex(stdout, /1 NOT_A_FILE/);
});

for (const argv of [['run', '-', '--out', 'x'], ['filter']]) {
  test(`standard input that is a directory is rejected: ${argv[0]}`, async (t) => {
    const folder = temporaryFolder(t, FILES);
    const directory = openSync(join(folder, 'f'), 'r');
    const child = spawn(process.execPath, [PROGRAM, ...argv], {
      cwd: folder,
      stdio: [directory, 'pipe', 'pipe'],
    });
    const { code, stderr } = await said(child, '');
    closeSync(directory);
    t.is(code, 2, stderr);
    t.regex(stderr, /standard input is a directory; pass it as PATH/);
  });
}

test.serial('empty standard input is reported with what to type', async (t) => {
  const folder = temporaryFolder(t, FILES);
  const { code, stderr } = await programHere(folder, ['run', '-', '--out', 'x']);
  t.is(code, 1);
  t.regex(
    stderr,
    /which was empty or had a header or blank lines only\nhint: pipe records to it, such as: cat FILE/,
  );
});
