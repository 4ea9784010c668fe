/** Inputs and options take bounded time, and signals end the built program. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { CLI, folder, said } from './boundedProgram.js';
import { programHere } from './programHere.js';

test.serial('a glob with many stars is matched with a long name in linear time', async (t) => {
  mkdirSync(join(folder, 'long'));
  writeFileSync(join(folder, 'long', 'a'.repeat(200)), 'one text\n');
  const words = ['--include', '*a*a*a*a*a*a*b', '--exclude', '*a*a*a*a*a*c', '--out', join(folder, 'o')];
  const { code, stderr } = await programHere(folder, ['run', 'long', ...words]);
  t.is(code, 1, stderr);
  t.regex(stderr, /1 file .*by --include and --exclude/);
});

test.serial('files of options are regular files or pipes of a bounded size', async (t) => {
  const large = join(folder, 'large.json');
  writeFileSync(large, ' '.repeat(1_000_001));
  const cases = [
    ['/dev/zero', 'a device, expected a file or a pipe'],
    [folder, 'a directory, expected a file or a pipe'],
    [large, 'it is larger than 1 MB, the most that this option takes'],
  ] as const;
  for (const [file, why] of cases) {
    const { code, stderr } = await programHere(folder, ['run', folder, '--config', file]);
    t.is(code, 2);
    t.true(stderr.includes(`--config ${file}: ${why}`), stderr);
  }
  const stopWords = ['run', folder, '--shingle', 'stopwords:3', '--stop-words', '/dev/zero'];
  const words = (await programHere(folder, stopWords)).stderr;
  t.true(words.includes('--stop-words /dev/zero: a device, expected a file or a pipe'), words);
  const bases = (await programHere(folder, ['query', '--base-list', '/dev/zero', folder])).stderr;
  t.true(bases.includes('--base-list /dev/zero: a device, expected a file or a pipe'), bases);
  const command = `echo '{"threshold": 0.75}' | "${process.execPath}" "${CLI}" run x --config /dev/stdin --print-config`;
  const piped = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
  t.true(piped.stdout.includes('"threshold": 0.75'), piped.stderr);
});

/** What the program reads before it is sent the signal: more than a pipe and its first pieces hold. */
const READ_FIRST = 1_000_000;

/** The exit code of a command that reads standard input without end, and is sent a signal while it does. */
function ended(words: readonly string[], signal: NodeJS.Signals) {
  const child = spawn(process.execPath, [CLI, ...words], { stdio: ['pipe', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (text: Buffer) => {
    stderr += text;
  });
  child.stdin.on('error', () => {});
  const lines = Buffer.from('{"text": "one line of many, none of which is the last"}\n'.repeat(20_000));
  let isSent = false;
  let written = 0;
  const feed = (): void => {
    written += lines.length;
    if (!isSent && written > READ_FIRST) isSent = child.kill(signal);
    if (child.stdin.writable) child.stdin.write(lines, () => setImmediate(feed));
  };
  child.stdin.write(lines, feed);
  // The stream has no end: only the signal ends the command.
  return new Promise<{ code: number | null; stderr: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, stderr }));
  });
}

for (const [signal, words] of [
  ['SIGINT', ['run', '-', '--text-field', 'text', '--out', join(folder, 'run')]],
  ['SIGHUP', ['filter', '-', '--text-field', 'text']],
  ['SIGTERM', ['query', join(folder, 'base.txt'), '-', '--text-field', 'text']],
] as const) {
  test.serial(`${signal} ends ${words[0]} ${words[2]} ${words[3]} while it reads a stream`, async (t) => {
    writeFileSync(join(folder, 'base.txt'), 'one text of many');
    const { code, stderr } = await ended(words, signal);
    t.is(code, 130, stderr);
  });
}

test.serial('a signal ends a command that waits for a pipe of an option', async (t) => {
  const [result, pipe] = [join(folder, 'result'), join(folder, 'pipe')];
  t.is(said('run', join(folder, 'base.txt'), '--out', result).status, 0);
  t.is(spawnSync('mkfifo', [pipe]).status, 0);
  const words = ['apply', result, '--to', join(folder, 'applied'), '--drop-list', pipe];
  const child = spawn(process.execPath, [CLI, ...words], { stdio: 'ignore' });
  const closed = new Promise((resolve) => child.on('close', (_, signal) => resolve(signal)));
  // Opened as soon as the command reads it; nothing is ever written.
  const writer = await open(pipe, 'w');
  child.kill('SIGTERM');
  t.is(await closed, 'SIGTERM');
  await writer.close();
});

test.serial('a file instead of a result is a usage error', async (t) => {
  const file = join(folder, 'text.txt');
  writeFileSync(file, 'a text');
  for (const words of [
    ['inspect'],
    ['view', '--save', join(folder, 'page.html')],
    ['apply', '--to', join(folder, 'to')],
    ['view'],
  ]) {
    const { code, stderr } = await programHere(folder, [words[0]!, file, ...words.slice(1)]);
    t.is(code, 2, stderr);
    t.true(stderr.includes(`the folder holds no finished result: ${file}`), stderr);
  }
});

test.serial('a signal ends a run while it searches for pairs', async (t) => {
  const near = join(folder, 'near.jsonl');
  const lines = Array.from(
    { length: 30_000 },
    (_, i) => `{"text": "one of many near copies, number ${i % 5000}"}\n`,
  );
  writeFileSync(near, lines.join(''));
  const words = ['run', near, '--text-field', 'text', '--threads', '1', '--verbose'];
  const child = spawn(process.execPath, [CLI, ...words, '--out', join(folder, 'pairs')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  let isSent = false;
  child.stderr.on('data', (text: Buffer) => {
    stderr += text;
    if (!isSent && stderr.includes('sketch:')) isSent = child.kill('SIGHUP');
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  t.is(code, 130, stderr);
});
