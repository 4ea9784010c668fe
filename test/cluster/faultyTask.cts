/**
 * Stands for the program of tasks in the archive, and fails as it is told to; the true one is `real.cjs` beside it.
 *
 * MR_MINHASH_FAULT is `KIND FOLDER`: `first` writes a piece of its output and ends with 1, at the first attempt of each task;
 * `slow` waits, and leaves its process id in the folder; `memory` takes more memory than its container has, at the first attempt.
 */
const { spawnSync }: typeof import('node:child_process') = require('node:child_process');
const { writeFileSync, writeSync }: typeof import('node:fs') = require('node:fs');
const { join }: typeof import('node:path') = require('node:path');

const [kind = '', folder = ''] = (process.env.MR_MINHASH_FAULT ?? '').split(' ');
const [, side] = process.argv.slice(2);
const isFirst = /_0$/.test(process.env.mapreduce_task_attempt_id ?? '');
const sleep = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
const real = join(__dirname, 'real.cjs');

if (kind !== '') writeFileSync(join(folder, `${side}.${process.pid}`), '');
if (kind === 'first' && isFirst) {
  const words = [real, ...process.argv.slice(2)];
  const { stdout } = spawnSync(process.execPath, words, {
    stdio: ['inherit', 'pipe', 'ignore'],
    maxBuffer: 2 ** 30,
  });
  writeSync(1, stdout.subarray(0, Math.min(stdout.length >> 1, 10_000)));
  writeSync(2, 'error: this attempt fails on purpose\n');
  process.exit(1);
}
if (kind === 'memory' && isFirst) {
  const held = Array.from({ length: 12 }, () => Buffer.alloc(2 ** 27, 1));
  for (let i = 0; i < 60; i++) sleep(500);
  process.exit(held.length);
}
if (kind === 'slow') sleep(8000);
require(real);
