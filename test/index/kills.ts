/**
 * Kills commands that write an index at random moments, and checks that the index is the one before or the one after. Too slow for
 * every run of the tests: `npm run test:index [-- KILLS [SEED]]`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { randomWords } from '../data/randomHashes.js';

const CLI = fileURLToPath(new URL('../../package/cli.js', import.meta.url));
const [kills = 50, seed = 1] = process.argv.slice(2).map(Number);
const random = randomWords(seed);
const root = mkdtempSync(join(tmpdir(), 'mr-minhash-kills-'));
const PORTIONS = 10;

function lines(name: string): string {
  const word = (): string => `w${random() % 500}`;
  return Array.from({ length: 400 }, (_, i) => {
    const words = Array.from({ length: 50 }, (_, k) => (i % 3 === 0 ? `same${i % 7}-${k}` : word()));
    if (i % 3 === 0) words[random() % 50] = word();
    return `${JSON.stringify({ id: `${name}-${i}`, text: words.join(' ') })}\n`;
  }).join('');
}

/** Runs a command to its end; its exit code and output. */
function done(cwd: string, words: readonly string[], input?: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...words], {
    cwd,
    input,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

/** What an index answers; null: there is none. */
function state(cwd: string): string | null {
  if (!existsSync(join(cwd, 'ix'))) return null;
  const check = done(cwd, ['index', 'check', 'ix']);
  if (check.status !== 0) throw new Error(`${cwd}: ${check.stdout}${check.stderr}`);
  const list = ['index', 'portions', 'ix'];
  return done(cwd, list).stdout + done(cwd, ['query', 'probe', 'ix', '--top', '50', '--quiet']).stdout;
}

/** Kills a command after some milliseconds; false: it ended before. */
async function killed(
  cwd: string,
  words: readonly string[],
  input: string | null,
  after: number,
): Promise<boolean> {
  const child = spawn(process.execPath, [CLI, ...words], { cwd, stdio: ['pipe', 'ignore', 'ignore'] });
  child.stdin.on('error', () => {});
  child.stdin.end(input ?? '');
  const ended = new Promise<boolean>((resolve) => {
    child.once('exit', (_, signal) => resolve(signal === 'SIGKILL'));
  });
  await Promise.race([wait(after), ended]);
  child.kill('SIGKILL');
  return ended;
}

let [before, after, inTime] = [0, 0, 0];
try {
  const base = join(root, 'base');
  mkdirSync(base);
  for (let i = 0; i < PORTIONS; i++) writeFileSync(join(base, `p${i}.jsonl`), lines(`p${i}`));
  writeFileSync(join(base, 'probe'), Array.from({ length: 50 }, (_, k) => `same3-${k}`).join(' '));
  done(base, ['index', 'create', 'ix', '--threshold', '0.7']);
  for (let i = 0; i < 8; i++) done(base, ['index', 'add', 'ix', `p${i}.jsonl`, '--portion', `p${i}`, '-q']);
  const commands: readonly (readonly [words: readonly string[], input: string | null])[] = [
    [['index', 'create', 'ix', '--threshold', '0.8'], null],
    [['index', 'add', 'ix', 'p8.jsonl', '--portion', 'p8', '-q'], null],
    [['index', 'remove', 'ix', '--portion', 'p2', '-q'], null],
    [['index', 'compact', 'ix', '-q'], null],
    [['run', 'p9.jsonl', '--against', 'ix', '--append', '--portion', 'p9', '--out', 'found', '-q'], null],
    [['filter', '--index', 'ix', '--append', '--portion', 'p9', '-q'], lines('filtered')],
  ];
  for (let kill = 0; kill < kills; kill++) {
    const [words, input] = commands[kill % commands.length]!;
    const isCreate = words[1] === 'create';
    const folder = join(root, 'killed');
    const whole = join(root, 'whole');
    for (const copy of [folder, whole]) {
      rmSync(copy, { recursive: true, force: true });
      cpSync(base, copy, { recursive: true });
      if (isCreate) rmSync(join(copy, 'ix'), { recursive: true });
    }
    const start = performance.now();
    const full = done(whole, words, input ?? undefined);
    if (full.status !== 0) throw new Error(`${words.join(' ')}: ${full.stderr}`);
    const took = performance.now() - start;
    const [old, next] = [isCreate ? null : state(base), state(whole)];
    // Most of the time is the start; the writing is at the end.
    const share = random() % 4 === 0 ? (random() % 1000) / 1000 : 0.5 + (random() % 600) / 1000;
    if (await killed(folder, words, input, share * took)) inTime++;
    const found = state(folder);
    if (found !== old && found !== next)
      throw new Error(`kill ${kill}: ${words.join(' ')} left another index`);
    if (found === next && next !== old) after++;
    else before++;
    // The next writer takes the lock of the dead process, removes what it left, and does the same again.
    if (found === old && found !== next) {
      rmSync(join(folder, 'found'), { recursive: true, force: true });
      const again = done(folder, words, input ?? undefined);
      if (again.status !== 0 || state(folder) !== next)
        throw new Error(`kill ${kill}: ${words.join(' ')} again: ${again.stderr}`);
    }
    if (state(folder) !== null && !isCreate) {
      done(folder, ['index', 'compact', 'ix', '-q']);
      const left = readdirSync(join(folder, 'ix')).filter(
        (name) => !/^(manifest\.json|about\.txt|segment-\d+|seen-\d+)$/.test(name),
      );
      if (left.length > 0) throw new Error(`kill ${kill}: ${left.join(' ')} stays`);
    }
  }
  process.stdout.write(`${kills} kills, ${inTime} in time: ${before} indexes as before, ${after} as after\n`);
} finally {
  rmSync(root, { recursive: true, force: true });
}
