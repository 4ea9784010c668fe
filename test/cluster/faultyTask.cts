/**
 * Stands for the program of tasks that is shipped, and fails as it is told to; the true one is `real.cjs` beside it, or that of
 * MR_MINHASH_REAL.
 *
 * MR_MINHASH_FAULT is `KIND:FOLDER`. The fault strikes tasks of a side while the folder has a file `armed-map` or `armed-reduce`;
 * they leave their process id there. `first`: a piece of the output, then exit code 1; `memory`: more memory than the container
 * has; both at the first attempt of a task (Spark does not say which one it is: the first two starts of a side of a job). `slow`: it waits, so that it can be killed.
 */
const { spawnSync }: typeof import('node:child_process') = require('node:child_process');
const { existsSync, mkdirSync, writeFileSync, writeSync }: typeof import('node:fs') = require('node:fs');
const { join }: typeof import('node:path') = require('node:path');

const [kind = '', folder = ''] = (process.env.MR_MINHASH_FAULT ?? '').split(':');
const [, side, ...options] = process.argv.slice(2);
const isArmed = kind !== '' && existsSync(join(folder, `armed-${side}`));
const real = process.env.MR_MINHASH_REAL ?? join(__dirname, 'real.cjs');

function isFirst(): boolean {
  const attempt = process.env.mapreduce_task_attempt_id;
  if (attempt !== undefined) return attempt.endsWith('_0');
  return [1, 2].some((start) => {
    try {
      // The manifest is that of the job.
      mkdirSync(join(folder, `start-${start}-${side}-${options.at(-1)}`));
      return true;
    } catch {
      return false;
    }
  });
}

const sleep = (milliseconds: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
};

function failFirst(): never {
  const words = [real, ...process.argv.slice(2)];
  const { stdout } = spawnSync(process.execPath, words, {
    stdio: ['inherit', 'pipe', 'ignore'],
    maxBuffer: 2 ** 30,
  });
  writeSync(1, stdout.subarray(0, Math.min(stdout.length >> 1, 10_000)));
  writeSync(2, 'error: this attempt fails on purpose\n');
  process.exit(1);
}

function takeMemory(): never {
  const held = Array.from({ length: 12 }, () => Buffer.alloc(2 ** 27, 1));
  sleep(30_000);
  // Nobody minded.
  process.exit(held.length);
}

if (isArmed && (kind === 'slow' || isFirst())) {
  writeFileSync(join(folder, `${side}.${process.pid}`), '');
  if (kind === 'first') failFirst();
  if (kind === 'memory') takeMemory();
  sleep(10_000);
}
require(real);
