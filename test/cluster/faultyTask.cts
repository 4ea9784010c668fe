/**
 * Stands for the program of tasks in the archive, and fails as it is told to; the true one is `real.cjs` beside it.
 *
 * MR_MINHASH_FAULT is `KIND:FOLDER`. The fault strikes tasks of a side while the folder has a file `armed-map` or `armed-reduce`;
 * they leave their process id there. `first`: a piece of the output, then exit code 1; `memory`: more memory than the container
 * has; both at the first attempt of a task. `slow`: it waits, so that it can be killed.
 */
const { spawnSync }: typeof import('node:child_process') = require('node:child_process');
const { existsSync, writeFileSync, writeSync }: typeof import('node:fs') = require('node:fs');
const { join }: typeof import('node:path') = require('node:path');

const [kind = '', folder = ''] = (process.env.MR_MINHASH_FAULT ?? '').split(':');
const [, side] = process.argv.slice(2);
const isFirst = /_0$/.test(process.env.mapreduce_task_attempt_id ?? '');
const isArmed = kind !== '' && existsSync(join(folder, `armed-${side}`));
const real = join(__dirname, 'real.cjs');

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

if (isArmed && (kind === 'slow' || isFirst)) {
  writeFileSync(join(folder, `${side}.${process.pid}`), '');
  if (kind === 'first') failFirst();
  if (kind === 'memory') takeMemory();
  sleep(10_000);
}
require(real);
