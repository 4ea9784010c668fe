/**
 * Is this revision as fast as an earlier one?
 *
 *      node dist/benchmarks/guard.js [REVISION] [--rounds 5] [--size 1] [--out FOLDER]
 *      node dist/benchmarks/guard.js --short
 *
 * REVISION is the last release by default (the file `benchmarks/release`). It is built in a temporary folder, which is
 * kept. Both commands run in turn as processes with a warm page cache, over texts from a seed: files and JSON lines by
 * signature, pages with common parts by exact verification, and one short file for the start. A round gives one ratio
 * of wall time and one of processor time. Both revisions must count the same documents and pairs. Exits with 1 if
 * three of four rounds are more than 5 % slower. --size 5: 100,000 files and a million records.
 * --short is for machines that do other work too. It runs less, and compares the least processor times of all rounds.
 * There are more rounds as long as one is slower. Exits with 1 at 15 %. If the revision is not in the clone or cannot
 * be built, it prints `guard: not run`.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { anyEarlier, edited } from './corpora/edits.js';
import { between, type Random, randomOf } from './corpora/random.js';
import { countOf, UsageError } from './measure/plainErrors.js';
import { COMMAND, type ProductRun, runProduct } from './measure/product.js';
import { type Environment, environment, type Row, record } from './measure/record.js';
import { median } from './measure/turns.js';

/** A higher ratio counts as slower. */
const MOST = 1.05;
/** The same for least processor times on a busy machine. */
const MOST_SHORT = 1.15;
/** Further rounds of the short form begin within this many seconds. */
const SHORT_SECONDS = 40;
const SHORT_ROUNDS = 3;
const SHORT_SIZE = 0.3;
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    size: { type: 'string', default: '1' },
    out: { type: 'string' },
  },
});
const { short } = values;
const lastRelease = (): string => readFileSync(join(ROOT, 'benchmarks/release'), 'utf8').trim();
const [revision = lastRelease(), ...more] = positionals;
if (more.length > 0) throw new UsageError('one REVISION is expected, such as HEAD~1');
const rounds = countOf('--rounds', values.rounds);
const size = short ? SHORT_SIZE : Number(values.size);
if (!(size >= 0.05 && size <= 10)) throw new UsageError(`--size ${values.size}: expected 0.05 to 10`);

/** The built command of the revision; each commit is built once. */
function builtCommand(): { readonly commit: string; readonly command: string } {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe', maxBuffer: 2 ** 30 }).trim();
  const commit = git('rev-parse', '--short', `${revision}^{commit}`);
  const folder = join(tmpdir(), `mr-minhash-guard-${commit}`);
  if (!existsSync(folder)) {
    const scratch = mkdtempSync(join(tmpdir(), 'mr-minhash-guard-'));
    process.stderr.write(`building ${commit} in ${folder}\n`);
    const archive = execFileSync('git', ['archive', commit], { cwd: ROOT, maxBuffer: 2 ** 30 });
    execFileSync('tar', ['-x', '-C', scratch], { input: archive });
    execFileSync('npm', ['install', '--no-audit', '--no-fund'], { cwd: scratch, stdio: 'pipe' });
    renameSync(scratch, folder);
  }
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly bin: Readonly<Record<string, string>>;
  };
  return { commit, command: join(folder, bin['mr-minhash']!) };
}

/** Words with the frequencies of a language: the n-th is about n times rarer than the first. */
class Words {
  readonly #random: Random;
  readonly #words: readonly string[];

  constructor(random: Random, count: number) {
    const letters = 'etaoinshrdlucmfwypvbgk';
    const letter = (): string => letters[Math.floor(letters.length * random() ** 2)]!;
    this.#random = random;
    this.#words = Array.from({ length: count }, () =>
      Array.from({ length: between(random, 2, 9) }, letter).join(''),
    );
  }

  word(): string {
    return this.#words[Math.floor(this.#words.length ** this.#random()) - 1]!;
  }

  /** Text of about `bytes` bytes, in lines. */
  text(bytes: number): string {
    const parts: string[] = [];
    for (let length = 0; length < bytes; ) {
      const word = this.word();
      parts.push(word, parts.length % 26 === 24 ? '\n' : ' ');
      length += word.length + 1;
    }
    return parts.join('');
  }
}

interface Work {
  readonly title: string;
  readonly args: readonly string[];
}

function madeWork(folder: string): readonly Work[] {
  const random = randomOf(14);
  const words = new Words(random, 60_000);
  const nextText = (originals: ReturnType<typeof anyEarlier>, bytes: number): string => {
    const original = random() < 0.15 ? originals.take() : undefined;
    if (original !== undefined) return edited(original, random() * 0.1, words, random);
    const text = words.text(bytes);
    originals.add(text);
    return text;
  };

  const files = anyEarlier(5_000, random);
  for (let i = 0; i < 20_000 * size; i++) {
    const below = join(folder, 'files', String(Math.floor(i / 1000)));
    if (i % 1000 === 0) mkdirSync(below, { recursive: true });
    writeFileSync(join(below, `${i}.txt`), nextText(files, between(random, 3000, 7000)));
  }

  const records = anyEarlier(5_000, random);
  const lines = Array.from(
    { length: 200_000 * size },
    (_, i) => `${JSON.stringify({ id: `r${i}`, text: nextText(records, between(random, 250, 650)) })}\n`,
  );
  writeFileSync(join(folder, 'records.jsonl'), lines.join(''));

  // Half of a page is that of its site, with a few words changed: resemblances around one half, with dozens of candidates.
  const sites = Array.from({ length: 400 * size }, () => words.text(1500));
  const pages = Array.from({ length: 20_000 * size }, (_, i) => {
    const site = edited(sites[Math.floor(random() * sites.length)]!, random() * 0.06, words, random);
    return `${JSON.stringify({ id: `p${i}`, text: site + words.text(between(random, 200, 1500)) })}\n`;
  });
  writeFileSync(join(folder, 'pages.jsonl'), pages.join(''));

  mkdirSync(join(folder, 'one'));
  writeFileSync(join(folder, 'one/short.txt'), 'one short text is enough to see what a start costs');

  const threads = ['--threads', '2'];
  const bands = ['--bands', '20', '--rows', '5', ...threads];
  const works = [
    // As it is typed: so little starts no worker.
    { title: 'start', args: [join(folder, 'one')] },
    { title: 'files, signature', args: [join(folder, 'files'), '--verify', 'signature', ...bands] },
    { title: 'files, exact', args: [join(folder, 'files'), ...bands] },
    { title: 'records, signature', args: [join(folder, 'records.jsonl'), '--verify', 'signature', ...bands] },
    { title: 'records, exact', args: [join(folder, 'records.jsonl'), ...bands] },
    { title: 'pages, exact at 0.5', args: [join(folder, 'pages.jsonl'), '--threshold', '0.5', ...bands] },
  ];
  const isIncluded = (title: string): boolean =>
    !short || ['start', 'files, signature', 'records, exact'].includes(title);
  return works.filter(({ title }) => isIncluded(title));
}

/** The counts that must be equal. Pairs may differ between two releases, so the short form does not compare them. */
const COUNTED = short ? ['documents'] : ['documents', 'skipped', 'candidate_pairs', 'verified_pairs'];

const answerOf = ({ counts }: ProductRun): string =>
  COUNTED.map((name) => `${name} ${JSON.stringify(counts[name])}`).join(', ');

interface Compared {
  readonly title: string;
  /** New to old, a round each. */
  readonly wall: number[];
  readonly cpu: number[];
  readonly old: ProductRun[];
  readonly now: ProductRun[];
}

/** The least processor time of now to the least of before. */
function leastRatio({ old, now }: Compared): number {
  const least = (runs: readonly ProductRun[]): number => Math.min(...runs.map(({ cpu }) => cpu));
  return least(now) / least(old);
}

/** Whether there is a round of this number, the first of which, -1, only warms caches. */
function hasRound(round: number, seconds: number, comparisons: readonly Compared[]): boolean {
  if (!short) return round < rounds;
  if (round < SHORT_ROUNDS) return true;
  return seconds < SHORT_SECONDS && comparisons.some((comparison) => leastRatio(comparison) > MOST_SHORT);
}

async function compared(works: readonly Work[], before: string): Promise<readonly Compared[]> {
  const comparisons = works.map(({ title }): Compared => ({ title, wall: [], cpu: [], old: [], now: [] }));
  const begun = performance.now();
  for (let round = -1; hasRound(round, (performance.now() - begun) / 1000, comparisons); round++) {
    for (const [i, { title, args }] of works.entries()) {
      const comparison = comparisons[i]!;
      const runs: ProductRun[] = [];
      // The second command profits from warm caches, so the order alternates.
      for (const which of round % 2 === 0 ? [0, 1] : [1, 0]) {
        runs[which] = await runProduct(args, which === 0 ? before : COMMAND);
      }
      const [old, now] = runs as [ProductRun, ProductRun];
      if (answerOf(old) !== answerOf(now)) {
        throw new Error(`${title}: before ${answerOf(old)}; now ${answerOf(now)}`);
      }
      process.stderr.write(
        `round ${round + 1}, ${title}: ${old.wall.toFixed(2)} s, now ${now.wall.toFixed(2)} s\n`,
      );
      if (round < 0) continue;
      comparison.old.push(old);
      comparison.now.push(now);
      comparison.wall.push(now.wall / old.wall);
      comparison.cpu.push(now.cpu / old.cpu);
    }
  }
  return comparisons;
}

/** The value below which the share of the values lies. */
function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.round(share * (sorted.length - 1))]!;
}

const spread = (ratios: readonly number[]): string =>
  `${median(ratios).toFixed(3)} (${quantile(ratios, 0.25).toFixed(3)} to ${quantile(ratios, 0.75).toFixed(3)})`;

/** The built command of the earlier revision. If it cannot be built, the short form only prints the reason. */
function builtOrNot(): ReturnType<typeof builtCommand> | null {
  try {
    return builtCommand();
  } catch (error) {
    if (!short) throw error;
    const [reason] = String(error instanceof Error ? error.message : error).split('\n');
    console.log(`guard: not run: ${revision} is not in this clone, or cannot be built: ${reason}`);
    return null;
  }
}

async function runsBeside(command: string): Promise<readonly Compared[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-guard-texts-'));
  try {
    return await compared(madeWork(folder), command);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The ratios of least processor times; the exit code. */
function printRatios(comparisons: readonly Compared[], commit: string): number {
  for (const comparison of comparisons) {
    const ratio = leastRatio(comparison);
    console.log(
      `${ratio > MOST_SHORT ? 'slower' : 'ok'}: ${comparison.title}: ${ratio.toFixed(2)} of ${commit}`,
    );
  }
  const most = Math.max(...comparisons.map(leastRatio));
  console.log(`at most ${most.toFixed(2)} of the processor time of ${commit}`);
  return most > MOST_SHORT ? 1 : 0;
}

/** The table of all rounds; the exit code. */
function recordTable(comparisons: readonly Compared[], commit: string, where: Environment): number {
  const slower = comparisons.flatMap(({ title, wall, cpu }) => [
    ...(quantile(wall, 0.25) > MOST ? [`${title}: wall time`] : []),
    ...(quantile(cpu, 0.25) > MOST ? [`${title}: processor time`] : []),
  ]);
  const rows: Row[] = comparisons.map(({ title, wall, cpu, old, now }) => [
    title,
    median(old.map((run) => run.wall)).toFixed(2),
    median(now.map((run) => run.wall)).toFixed(2),
    spread(wall),
    median(old.map((run) => run.cpu)).toFixed(2),
    median(now.map((run) => run.cpu)).toFixed(2),
    spread(cpu),
  ]);
  const heads = [
    'work',
    `wall s at ${commit}`,
    'wall s now',
    'ratio (quartiles)',
    `CPU s at ${commit}`,
    'CPU s now',
    'ratio (quartiles)',
  ];
  record('guard', `is it as fast as ${commit}?`, where, { heads, rows }, comparisons, values.out);
  for (const what of slower) console.log(`slower: ${what}`);
  return slower.length > 0 ? 1 : 0;
}

const built = builtOrNot();
if (built !== null) {
  const { commit, command } = built;
  const where = environment();
  const comparisons = await runsBeside(command);
  process.exitCode = short ? printRatios(comparisons, commit) : recordTable(comparisons, commit, where);
}
