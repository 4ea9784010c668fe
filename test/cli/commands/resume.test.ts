/** The built command: interrupted, and gone on with by the command that it names. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { run } from '../../../src/coordinator/run.js';
import { mixedCorpus } from '../../coordinator/resume/takenUp.js';
import { prepared } from '../../coordinator/runs/finished.js';
import { resultBytes } from '../../coordinator/runs/resultFiles.js';
import { programHere } from '../programHere.js';

const MAIN = fileURLToPath(new URL('../../../package/cli.js', import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line of a shell in which `mr-minhash` is the built command; in this process where a shell has nothing to change. */
async function shell(cwd: string, line: string): Promise<Ended> {
  if (!/['"\\;]/.test(line)) return programHere(cwd, line.split(' ').slice(1));
  const { status, stdout, stderr } = spawnSync(
    '/bin/sh',
    [
      '-c',
      `mr_minhash() { "${process.execPath}" "${MAIN}" "$@"; }; ${line.replace(/^mr-minhash /, 'mr_minhash ')}`,
    ],
    { cwd, encoding: 'utf8' },
  );
  return { code: status, stdout, stderr };
}

const SKETCHED = /^sketch: /m;

/** Runs the command and interrupts it when a stage is over. */
function interrupted(cwd: string, argv: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [MAIN, ...argv], { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    const isNew = !SKETCHED.test(stderr);
    stderr += text;
    if (isNew && SKETCHED.test(stderr)) child.kill('SIGINT');
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout: '', stderr })));
}

async function scene(t: ExecutionContext) {
  const { folder, options } = prepared(t, mixedCorpus());
  await run({ ...options, out: join(folder, 'whole'), threads: 0, threshold: 0.5 });
  return { folder, whole: resultBytes(join(folder, 'whole')) };
}

test.serial('^C names the command to go on with, and pasted it does', async (t) => {
  const { folder, whole } = await scene(t);
  const first = await interrupted(folder, [
    'run',
    'in',
    '--out',
    "an out's",
    '--threshold',
    '0.5',
    '--threads',
    '0',
    '--checkpoint-after',
    '0',
  ]);
  t.is(first.code, 130, first.stderr);
  const command = /^hint: go on with: (mr-minhash run --resume --out .*)$/m.exec(first.stderr)?.[1];
  t.is(command, `mr-minhash run --resume --out 'an out'\\''s'`);
  const refused = await shell(folder, `mr-minhash run in --out 'an out'\\''s' --threshold 0.5`);
  t.is(refused.code, 2);
  t.regex(refused.stderr, /unfinished run: .*\nhint: take it up with --resume, start over with --force/);
  const second = await shell(folder, `${command}`);
  t.is(second.code, 0, second.stderr);
  t.true(
    second.stderr.startsWith(
      `resume: PATHs and flags from an out's/.mr-minhash: ${folder}/in --threshold 0.5 `,
    ),
  );
  t.regex(second.stderr, /^resume: the run in an out's goes on; done so far: 9 column blocks$/m);
  t.regex(second.stdout, /^Resumed {5}9 of 9 column blocks$/m);
  t.deepEqual(resultBytes(join(folder, "an out's")), whole);
  const third = await shell(folder, `${command} --json`);
  t.is(third.code, 0, third.stderr);
  t.regex(
    third.stderr,
    /^resume: an out's holds the finished result of these PATHs, nothing is left to do; whether their files/m,
  );
  const stages = JSON.parse(readFileSync(join(folder, "an out's", 'stats.json'), 'utf8')).stages;
  t.is(stages.find(({ stage }: { stage: string }) => stage === 'sketch').tasks, 0);
  t.is(JSON.parse(third.stdout).resumed, 'finished');
});

test.serial('--resume names every difference and leaves the run as it was', async (t) => {
  const { folder, whole } = await scene(t);
  await interrupted(folder, [
    'run',
    'in',
    '--out',
    'out',
    '--threshold',
    '0.5',
    '--threads',
    '0',
    '--checkpoint-after',
    '0',
  ]);
  const other = await shell(
    folder,
    'mr-minhash run in --resume --out out --threshold 0.5 --seed 2 --expand-identical --shards 3',
  );
  t.is(other.code, 2);
  t.deepEqual(other.stderr.trimEnd().split('\n'), [
    'error: the run in the output folder is another one: --expand-identical was false, is true',
    'error: the run in the output folder is another one: --seed was 1, is 2',
    'hint: start over with --force, or give again what it was given: --resume --out DIR alone takes PATHs and flags from it',
  ]);
  const both = await shell(folder, 'mr-minhash run in --resume --force --out out');
  t.is(both.code, 2);
  t.regex(both.stderr, /^error: --force --resume: expected one of the two, got both$/m);
  const on = await shell(folder, 'mr-minhash run --resume --out out --threads 1 --shards 3 --quiet');
  const noted = `resume: PATHs and flags from out/.mr-minhash: ${join(folder, 'in')} --threshold 0.5 --checkpoint-after 0\n`;
  t.deepEqual(on, { code: 0, stdout: '', stderr: noted });
  t.deepEqual(resultBytes(join(folder, 'out')), whole);
});

test.serial(
  '--resume without a run begins one, and without PATH and run there is none to begin',
  async (t) => {
    const { folder, whole } = await scene(t);
    const bare = await shell(folder, 'mr-minhash run --resume --out out');
    t.is(bare.code, 2);
    t.regex(
      bare.stderr,
      /^error: no PATH was given: --resume: there is no folder out; give the PATHs, and /m,
    );
    t.false(existsSync(join(folder, 'out')));
    const first = await shell(
      folder,
      'mr-minhash run in --resume --out out --threshold 0.5 --keep-work --threads 0',
    );
    t.is(first.code, 0);
    t.regex(first.stderr, /^resume: out holds no unfinished run, so one begins$/m);
    t.true(existsSync(join(folder, 'out/.work/run.json')));
    t.is((await shell(folder, 'mr-minhash verify out')).code, 0);
    rmSync(join(folder, 'out/.work'), { recursive: true });
    rmSync(join(folder, 'out/stats.json'));
    const unnoted = await shell(folder, 'mr-minhash run --resume --out out');
    t.is(unnoted.code, 2);
    t.regex(unnoted.stderr, /the finished result in out has no stats\.json that can be read; give its PATHs/);
    t.is((await shell(folder, 'mr-minhash run in --out out --threshold 0.5 --force --threads 0')).code, 0);
    t.deepEqual(resultBytes(join(folder, 'out')), whole);
  },
);

test.serial(
  '^C of a run with --force leaves the earlier result, and both commands say what is there',
  async (t) => {
    const { folder, whole } = await scene(t);
    const old = ['run', 'in', '--out', 'out', '--threads', '0', '--checkpoint-after', '0'];
    t.is((await shell(folder, `mr-minhash ${old.join(' ')} --threshold 0.9 --quiet`)).code, 0);
    const before = resultBytes(join(folder, 'out'));
    const first = await interrupted(folder, [...old, '--threshold', '0.5', '--force']);
    t.is(first.code, 130, first.stderr);
    t.regex(first.stderr, /^interrupted: out holds the earlier result, and in its \.new an unfinished run$/m);
    t.regex(first.stderr, /^hint: go on with: mr-minhash run --resume --out out$/m);
    const there = Object.entries(resultBytes(join(folder, 'out'))).filter(
      ([name]) => !name.startsWith('.new/'),
    );
    t.deepEqual(Object.fromEntries(there), before);
    const verified = await shell(folder, 'mr-minhash verify out');
    t.is(verified.code, 0);
    t.regex(
      verified.stdout,
      /^beside it, in out\/\.new, is an unfinished run to replace it: mr-minhash run --resume --out out goes on with it$/m,
    );
    const failed = await shell(folder, 'mkdir none; mr_minhash run none --out out --force');
    t.is(failed.code, 1);
    t.regex(
      failed.stderr,
      /^error: nothing was read, .*\nhint: .*\nhint: out holds the earlier result, as it was\n/,
    );
    t.is((await shell(folder, 'mr-minhash run --resume --out out --quiet')).code, 0);
    t.deepEqual(resultBytes(join(folder, 'out')), whole);
  },
);
