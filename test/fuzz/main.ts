/**
 * `npm run fuzz [-- --cases N] [--seed N] [--only WORDS] [--first N]`: random bytes and damaged valid files through every
 * reader and the block decoder. Ends with 1 at the first crash, broken promise, hang or memory beyond the limit, and
 * says the number by which that case can be run again (`--first` with `--cases 1`).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { Mutator } from './mutations.js';

export interface FuzzTarget {
  readonly name: string;
  /** One case of so many that fall to the target is run: those that take longer. */
  readonly every?: number;
  /** Throws, or rejects, where a promise is broken. */
  run(from: Mutator): void | Promise<void>;
}

export interface FuzzWish {
  readonly folder: string;
  readonly seed: number;
  /** Numbers of the cases: `first` and the `cases` after. */
  readonly first: number;
  readonly cases: number;
  readonly only: string;
}

/** What the loop tells now and then, and at the end. */
export interface FuzzNews {
  readonly done: number;
  /** Cases run, by target. */
  readonly runs: Readonly<Record<string, number>>;
  readonly residentBytes: number;
  readonly end: boolean;
}

/** No case takes a second; processes are stopped for minutes where a machine is shared, so time here is that of the process. */
const HANG_SECONDS = 120;
const MOST_RESIDENT_BYTES = 1.5e9;

function numberAfter(name: string, usual: number): number {
  const at = process.argv.indexOf(name);
  return at < 0 ? usual : Number(process.argv[at + 1]);
}

/** Runs the loop in a thread of its own, so that one that hangs can be told. */
function watch(wish: FuzzWish): Promise<number> {
  const worker = new Worker(new URL('./loop.js', import.meta.url), { workerData: wish });
  const start = performance.now();
  let news: FuzzNews = { done: 0, runs: {}, residentBytes: 0, end: false };
  let quietSince = process.cpuUsage();
  let most = 0;
  return new Promise((resolve) => {
    const end = (code: number, why: string): void => {
      clearInterval(look);
      console.log(why);
      void worker.terminate().then(() => resolve(code));
    };
    const look = setInterval(() => {
      const { user, system } = process.cpuUsage(quietSince);
      if ((user + system) / 1e6 > HANG_SECONDS) end(1, `hangs after case ${wish.first + news.done}`);
    }, 1000);
    worker.on('message', (told: FuzzNews) => {
      news = told;
      quietSince = process.cpuUsage();
      most = Math.max(most, told.residentBytes);
      const seconds = Math.round((performance.now() - start) / 1000);
      console.log(
        `${told.done} of ${wish.cases} cases, ${seconds} s, ${Math.round(told.residentBytes / 1e6)} MB`,
      );
      if (told.residentBytes > MOST_RESIDENT_BYTES)
        end(1, `too much memory before case ${wish.first + told.done}`);
      else if (told.end) end(0, summary(told, most));
    });
    worker.on('error', (error) => end(1, inspect(error)));
  });
}

function summary({ done, runs }: FuzzNews, most: number): string {
  const lines = Object.entries(runs).map(([name, count]) => `  ${String(count).padStart(9)}  ${name}`);
  return [`${done} cases, no fault, at most ${Math.round(most / 1e6)} MB resident`, ...lines].join('\n');
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-fuzz-'));
  const at = process.argv.indexOf('--only');
  process.exitCode = await watch({
    folder,
    seed: numberAfter('--seed', 1),
    first: numberAfter('--first', 0),
    cases: numberAfter('--cases', 1_000_000),
    only: at < 0 ? '' : (process.argv[at + 1] ?? ''),
  });
  rmSync(folder, { recursive: true, force: true });
}

if (pathToFileURL(process.argv[1] ?? '').href === pathToFileURL(fileURLToPath(import.meta.url)).href)
  await main();
