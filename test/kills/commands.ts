/**
 * Kills `run`, `apply` and `view --save` at random moments: what they write is as before or complete, inputs are untouched, and the same
 * command then ends well. Too slow for every run of the tests: `npm run test:kills:commands [-- KILLS [SEED]]`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CLI, killSetting } from './setting.js';

const { kills, random, root } = killSetting(100);

/** A command, and what it writes. */
interface Killed {
  readonly words: readonly string[];
  readonly target: string;
  /** Runs to its end before, in the same folder. */
  readonly first?: readonly string[];
}

const COMMANDS: readonly Killed[] = [
  { words: ['run', 'corpus', '--out', 'new', '--quiet'], target: 'new' },
  { words: ['run', 'corpus', '--out', 'found', '--threshold', '0.6', '--force', '--quiet'], target: 'found' },
  { words: ['apply', 'kept', '--to', 'written'], target: 'written' },
  {
    words: ['apply', 'kept', '--to', 'clean', '--annotate', '--force'],
    target: 'clean',
    first: ['apply', 'kept', '--to', 'clean'],
  },
  { words: ['view', 'kept', '--save', 'page.html'], target: 'page.html' },
  { words: ['view', 'found', '--save', 'other.html'], target: 'other.html' },
];

function run(cwd: string, words: readonly string[]) {
  const started = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [CLI, ...words], { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${words.join(' ')}: ${status} ${stderr}`);
  return performance.now() - started;
}

/** A digest of a file or folder without stats.json, which has times; null if it does not exist. */
function stateOf(path: string): string | null {
  if (!existsSync(path)) return null;
  const hash = createHash('sha256');
  const names = statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, encoding: 'utf8' }).sort()
    : [''];
  for (const name of names) {
    const file = join(path, name);
    hash.update(`${name}\n`);
    if (statSync(file).isFile() && name !== 'stats.json') hash.update(readFileSync(file));
  }
  return hash.digest('hex');
}

/** Names of files and folders that a command left behind, except hidden ones. */
const foreignIn = (cwd: string, known: readonly string[]): string[] =>
  readdirSync(cwd).filter((name) => !known.includes(name) && !name.startsWith('.'));

let [before, complete, inTime] = [0, 0, 0];
try {
  const base = join(root, 'base');
  mkdirSync(join(base, 'corpus'), { recursive: true });
  const text = (): string => Array.from({ length: 60 }, () => `w${random() % 900}`).join(' ');
  for (let file = 0; file < 20; file++) {
    const texts = Array.from({ length: 100 }, text);
    const lines = texts.flatMap((line, i) => (i % 4 === 0 ? [line, line.replace(/^\S+/, 'other')] : [line]));
    const written = lines.map((line) => `${JSON.stringify({ text: line })}\n`).join('');
    writeFileSync(join(base, `corpus/${file}.jsonl`), written);
  }
  run(base, ['run', 'corpus', '--out', 'kept', '--quiet']);
  run(base, ['run', 'corpus', '--out', 'found', '--threshold', '0.9', '--quiet']);
  run(base, ['view', 'kept', '--save', 'page.html']);
  const corpus = stateOf(join(base, 'corpus'));
  const ends = COMMANDS.map(({ words, target, first }) => {
    const cwd = join(root, 'whole');
    spawnSync('cp', ['-a', base, cwd]);
    if (first !== undefined) run(cwd, first);
    const old = stateOf(join(cwd, target));
    const time = run(cwd, words);
    const end = { old, done: stateOf(join(cwd, target)), time };
    rmSync(cwd, { recursive: true });
    return end;
  });
  for (let i = 0; i < kills; i++) {
    const { words, target, first } = COMMANDS[i % COMMANDS.length]!;
    const { old, done, time } = ends[i % COMMANDS.length]!;
    const cwd = join(root, `${i}`);
    spawnSync('cp', ['-a', base, cwd]);
    if (first !== undefined) run(cwd, first);
    const names = readdirSync(cwd);
    const child = spawn(process.execPath, [CLI, ...words], { cwd, stdio: 'ignore' });
    const ended = new Promise<boolean>((resolve) => {
      child.once('exit', (_, signal) => resolve(signal === 'SIGKILL'));
    });
    await Promise.race([wait((random() / 2 ** 32) * 1.1 * time), ended]);
    child.kill('SIGKILL');
    if (!(await ended)) inTime++;
    const what = `kill ${i}, ${words.join(' ')}`;
    const state = stateOf(join(cwd, target));
    if (state === done) complete++;
    else if (state === old) before++;
    else throw new Error(`${what}: ${target} is half-written`);
    if (stateOf(join(cwd, 'corpus')) !== corpus) throw new Error(`${what}: the corpus changed`);
    const left = foreignIn(cwd, [...names, target]);
    if (left.length > 0) throw new Error(`${what}: left ${left.join(', ')}`);
    // A target that is complete is replaced only with --force.
    if (state !== done || words.includes('--force') || words[0] === 'view') run(cwd, words);
    if (stateOf(join(cwd, target)) !== done) throw new Error(`${what}: the same command made something else`);
    const hidden = readdirSync(cwd).filter((name) => /\.(mr-minhash-new|tmp)$/.test(name));
    if (state !== done && hidden.length > 0) throw new Error(`${what}: ${hidden.join(', ')} is still there`);
    rmSync(cwd, { recursive: true });
  }
  console.log(
    `${kills} kills: ${before} left what was there, ${complete} were complete (${inTime} ended before the kill)`,
  );
} finally {
  rmSync(root, { recursive: true, force: true });
}
