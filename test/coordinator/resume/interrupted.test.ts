/**
 * The keyboard's interrupt in the middle of a run of the built command, and of a run of the library.
 *
 * Nothing here waits for a time: the signal is sent when the command says that a stage is over, and the input
 * of the next stage is held back until then.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { run } from '../../../src/coordinator/run.js';
import { MinHashError } from '../../../src/errors.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { type Files, prepared, resultOf } from '../runs/finished.js';

const INTERRUPTED = new RegExp(
  '^interrupted: out holds an unfinished run\n' +
    'hint: go on with: mr-minhash run --resume --out out\n' +
    'hint: the same command with --force starts over$',
  'm',
);

const MAIN = fileURLToPath(new URL('../../../package/cli.js', import.meta.url));

/** Enough near copies that stages after the first take a while. */
function corpus(): Files {
  const random = randomFrom(130);
  const files: Record<string, string> = {};
  for (let family = 0; family < 4; family++) {
    const words = wordsFrom(random, 3000);
    for (let copy = 0; copy < 150; copy++) files[`${family}/${copy}`] = edited(random, words, 3).join(' ');
  }
  return files;
}

interface Stopped {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

/**
 * Runs the command, sends SIGINT when `word` is said, and waits until the process and its streams are closed.
 */
function interruptedAt(
  t: ExecutionContext,
  cwd: string,
  argv: readonly string[],
  word: RegExp,
  signal: NodeJS.Signals = 'SIGINT',
): Promise<Stopped> {
  const child: ChildProcess = spawn(process.execPath, [MAIN, ...argv], { cwd });
  t.teardown(() => child.kill('SIGKILL'));
  let stderr = '';
  let sent = false;
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    if (!sent && word.test(stderr)) {
      sent = true;
      child.kill(signal);
    }
  });
  return new Promise((resolve) => child.on('close', (code, by) => resolve({ code, signal: by, stderr })));
}

for (const [threads, asked] of [
  ['0', 'SIGINT'],
  ['2', 'SIGINT'],
  ['0', 'SIGTERM'],
  ['2', 'SIGTERM'],
] as const) {
  test.serial(`${asked} in the middle ends the command with 130, with ${threads} threads`, async (t) => {
    const { folder, options } = prepared(t, corpus());
    const argv = [
      'run',
      'in',
      '--out',
      'out',
      '--threads',
      threads,
      '--threshold',
      '0.5',
      '--checkpoint-after',
      '0',
    ];
    const { code, signal, stderr } = await interruptedAt(t, folder, argv, /^sketch: /m, asked);
    // The process is gone with all its threads, or its streams would not have closed.
    t.deepEqual([code, signal], [130, null], stderr);
    t.regex(stderr, INTERRUPTED);
    t.false(existsSync(join(options.out, '_SUCCESS')));
    t.false(existsSync(join(options.out, '.mr-minhash.lock')));
    const refused = await t.throwsAsync(run({ ...options, threads: 0 }), { instanceOf: MinHashError });
    t.is((refused as MinHashError).code, 'OUTPUT_UNFINISHED');
    // What a signal leaves is the same for both, and does not hang on the threads that it ended.
    if (asked === 'SIGTERM' || threads === '0') return;
    const report = await run({ ...options, threads: 0, force: true, threshold: 0.5 });
    t.is(report.counts.read, 600);
    t.true(resultOf(options.out).pairs.length > 0);
  });
}

test.serial('a signal given while standard input is silent ends the run', async (t) => {
  const { options } = prepared(t, {});
  const controller = new AbortController();
  const silent = new Readable({ read: () => controller.abort() });
  const hooks = { signal: controller.signal, stdin: silent };
  const error = await t.throwsAsync(run({ ...options, paths: ['-'], threads: 0 }, hooks), {
    instanceOf: MinHashError,
  });
  t.is((error as MinHashError).code, 'INTERRUPTED');
  t.false(existsSync(join(options.out, '_SUCCESS')));
});

test.serial('an interrupt while standard input is silent ends the command', async (t) => {
  const { folder, options } = prepared(t, {});
  const argv = ['run', '-', '--out', 'out', '--verbose', '--threads', '1', '--checkpoint-after', '0'];
  // Nothing ever comes on standard input, which stays open.
  const { code, stderr } = await interruptedAt(t, folder, argv, /\n/);
  t.is(code, 130, stderr);
  t.false(existsSync(join(options.out, '_SUCCESS')));
});

for (const stage of ['sketch', 'bands', 'verify', 'write']) {
  test.serial(`a signal given in the stage ${stage} ends a run of the library as INTERRUPTED`, async (t) => {
    const random = randomFrom(1);
    const page = wordsFrom(random, 100);
    const files = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [
        `${i}.jsonl`,
        JSON.stringify({ text: edited(random, page, 1).join(' ') }),
      ]),
    );
    const { options } = prepared(t, files);
    const controller = new AbortController();
    const hooks = {
      signal: controller.signal,
      onProgress: (progress: { stage: string }) => {
        if (progress.stage === stage) controller.abort();
      },
    };
    const error = await t.throwsAsync(run({ ...options, threads: 0 }, hooks), { instanceOf: MinHashError });
    t.is((error as MinHashError).code, 'INTERRUPTED');
    t.is((error as MinHashError).exitCode, 130);
    t.false(existsSync(join(options.out, '_SUCCESS')));
    await run({ ...options, threads: 0, force: true });
    t.true(existsSync(join(options.out, '_SUCCESS')));
  });
}
