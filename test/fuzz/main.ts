/**
 * `npm run fuzz [-- --set inputs|folders] [--cases N] [--seed N] [--only WORDS] [--first N]`: `inputs`: random bytes and damaged valid
 * files through every reader and the block decoder; `folders`: forged folders through the commands that read them. Cases run in a
 * process of their own, so that one that hangs, dies or takes too much is told by its number. Ends with 1 at the first broken
 * promise, and says the line that runs that case again.
 */
import { fork } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Mutator } from './mutations.js';

export interface FuzzTarget {
  readonly name: string;
  /** One case of so many that fall to the target is run: those that take longer. */
  readonly every?: number;
  /** Throws, or rejects, where a promise is broken. */
  run(from: Mutator): void | Promise<void>;
}

export interface FuzzWish {
  readonly set: 'inputs' | 'folders';
  readonly seed: number;
  /** Numbers of the cases: `first` and the `cases` after. */
  readonly first: number;
  readonly cases: number;
  /** Targets whose names hold this. */
  readonly only: string;
}

/** What the loop tells before a case, of those that are quick before every thousandth, and at the end. */
export interface FuzzNews {
  /** The case that begins; null: all were run. */
  readonly begins: number | null;
  /** What is wrong with it. */
  readonly problem?: string;
  /** Cases run, by target. */
  readonly runs: Readonly<Record<string, number>>;
  readonly mostKilobytes: number;
}

export interface FuzzRound {
  /** The cases that broke a promise, each with the words that run it again. */
  readonly problems: readonly string[];
  /** Cases run, by target. */
  readonly runs: Readonly<Record<string, number>>;
  readonly mostKilobytes: number;
}

/** No case takes ten seconds of the processor; where a machine is shared it waits for one. */
const HANG_MILLISECONDS = 120_000;

type Told = (news: FuzzNews) => void;

/** Runs cases up to the first problem, and returns where to go on. */
function roundFrom(wish: FuzzWish, told: Told): Promise<FuzzRound & { readonly next: number }> {
  const { set, seed, first, cases, only } = wish;
  const loop = fileURLToPath(new URL('./loop.js', import.meta.url));
  const child = fork(loop, [JSON.stringify(wish)], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let last: FuzzNews = { begins: first, problem: 'ended before its first case', runs: {}, mostKilobytes: 0 };
  let stderr = '';
  let hang: NodeJS.Timeout | undefined;
  let hangs = false;
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.on('message', (news: FuzzNews) => {
    clearTimeout(hang);
    last = news;
    told(news);
    hang = setTimeout(() => {
      hangs = true;
      child.kill('SIGKILL');
    }, HANG_MILLISECONDS);
  });
  return new Promise((resolve) => {
    child.on('close', () => {
      clearTimeout(hang);
      const { begins, problem = hangs ? 'hangs' : 'the process died', runs, mostKilobytes } = last;
      if (begins === null) return resolve({ problems: [], runs, mostKilobytes, next: first + cases });
      const again = `npm run fuzz -- --set ${set} --seed ${seed} --first ${begins} --cases 1 --only '${only}'`;
      const problems = [`case ${begins} of seed ${seed} (${again}): ${problem}${stderr}`];
      resolve({ problems, runs, mostKilobytes, next: begins + 1 });
    });
  });
}

/** Runs all cases, up to `most` that break a promise. */
export async function fuzz(wish: FuzzWish, most = 1, told: Told = () => {}): Promise<FuzzRound> {
  const { first, cases } = wish;
  const problems: string[] = [];
  const runs: Record<string, number> = {};
  let mostKilobytes = 0;
  for (let at = first; at < first + cases && problems.length < most; ) {
    const round = await roundFrom({ ...wish, first: at, cases: first + cases - at }, told);
    problems.push(...round.problems);
    for (const [name, count] of Object.entries(round.runs)) runs[name] = (runs[name] ?? 0) + count;
    mostKilobytes = Math.max(mostKilobytes, round.mostKilobytes);
    at = round.next;
  }
  return { problems, runs, mostKilobytes };
}

function wordAfter(name: string, usual: string): string {
  const at = process.argv.indexOf(name);
  return at < 0 ? usual : (process.argv[at + 1] ?? usual);
}

async function main(): Promise<void> {
  const set = wordAfter('--set', 'inputs') === 'folders' ? 'folders' : 'inputs';
  const cases = Number(wordAfter('--cases', set === 'folders' ? '10000' : '1000000'));
  const [seed, first] = [Number(wordAfter('--seed', '1')), Number(wordAfter('--first', '0'))];
  const start = performance.now();
  let shown = start;
  const { problems, runs, mostKilobytes } = await fuzz(
    { set, seed, first, cases, only: wordAfter('--only', '') },
    Number(wordAfter('--problems', '1')),
    ({ begins, mostKilobytes: kilobytes }) => {
      if (begins === null || performance.now() - shown < 10_000) return;
      shown = performance.now();
      const seconds = Math.round((shown - start) / 1000);
      console.log(`${begins - first} of ${cases} cases, ${seconds} s, ${Math.round(kilobytes / 1000)} MB`);
    },
  );
  for (const problem of problems) console.log(problem);
  for (const [name, count] of Object.entries(runs)) console.log(`${String(count).padStart(9)}  ${name}`);
  console.log(`${problems.length} problems, at most ${Math.round(mostKilobytes / 1000)} MB resident`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

if (pathToFileURL(process.argv[1] ?? '').href === pathToFileURL(fileURLToPath(import.meta.url)).href)
  await main();
