/**
 * Kills runs whose data is in files, at every kind of task, and checks that each is resumed to the bytes of a run that nothing disturbs.
 * Then the same for flipped bytes in work files, and for a full disk. Too slow for every run of the tests:
 * `npm run test:kills [-- KILLS [SEED]]`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resultBytes } from '../coordinator/runs/resultFiles.js';
import { mayMount, onFullDisk, placesOf } from '../faults/fullDisk.js';
import { CLI, killSetting } from './setting.js';

const { kills, random, root } = killSetting(50);
const DOCUMENTS = 10_000;

/** Signatures of so many slots do not fit the least memory, so that all data is in files. */
const IN_FILES = ['--hashes', '1024', '--threads', '2', '--memory', '140MB', '--threshold', '0.6', '--quiet'];
const BANDS = ['--bands', '16', '--rows', '4', '--hot-bucket', '64'];

/** Texts of 40 words: 100 near copies of the first one, a near copy of an earlier one in five, and some without a word. */
function texts(): string[] {
  const made: string[][] = [];
  for (let i = 0; i < DOCUMENTS; i++) {
    const words = Array.from({ length: 40 }, () => `w${random() % 9000}`);
    const of = i > 0 && i < 100 ? 0 : i % 5 === 0 ? random() % Math.max(1, i) : i;
    const text = of === i ? words : [...made[of]!];
    if (of !== i && i % 3 > 0) text[random() % 40] = words[0]!;
    made.push(i % 500 === 499 ? [] : text);
  }
  return made.map((words) => words.join(' '));
}

interface Case {
  readonly name: string;
  readonly words: readonly string[];
}

function cases(): Case[] {
  const all = texts();
  const records = (from: number, to: number): string =>
    all
      .slice(from, to)
      .map((text, i) => `${JSON.stringify({ id: from + i, text })}\n`)
      .join('');
  writeFileSync(join(root, 'one.jsonl'), records(0, 4000));
  writeFileSync(join(root, 'two.jsonl'), records(4000, DOCUMENTS));
  mkdirSync(join(root, 'files'));
  for (const [i, text] of all.entries()) writeFileSync(join(root, 'files', `${i}.txt`), text);
  const rows = all.slice(0, 7000).map((text, i) =>
    text
      .split(' ')
      .map((word) => `s${i}\t${word}\n`)
      .join(''),
  );
  writeFileSync(join(root, 'sets.tsv'), rows.join(''));
  const run = (...words: string[]): string[] => ['run', ...words, ...IN_FILES];
  return [
    { name: 'records', words: run('one.jsonl', 'two.jsonl', ...BANDS) },
    { name: 'shards', words: run('one.jsonl', 'two.jsonl', ...BANDS, '--shards', '5') },
    { name: 'files', words: run('files', ...BANDS, '--keep', 'longest', '--candidates', 'all') },
    { name: 'sets', words: run('sets.tsv', ...BANDS, '--input', 'sets') },
    {
      name: 'reference',
      words: run('two.jsonl', '--against', 'one.jsonl', ...BANDS, '--verify', 'signature'),
    },
  ];
}

const hiddenOf = (out: string): string => join(root, `.${out}.mr-minhash-new`);
const workOf = (out: string): string => join(hiddenOf(out), '.work');

/** Whole files of a run: those of `.work`, and those of the result. */
function filesOf(out: string): number {
  try {
    const names = readdirSync(hiddenOf(out), { recursive: true, encoding: 'utf8' });
    return names.filter((name) => !name.endsWith('.tmp')).length;
  } catch {
    return 0;
  }
}

/**
 * Runs a command; calls `look` all the time, which kills it by returning true. Returns its exit code (null: killed) and what it printed
 * on stderr.
 */
function watched(
  words: readonly string[],
  look: () => boolean,
): Promise<{ readonly code: number | null; readonly stderr: string }> {
  const child = spawn(process.execPath, [CLI, ...words], { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (piece: Buffer) => {
    stderr += piece.toString('latin1');
  });
  const timer = setInterval(() => {
    if (look()) child.kill('SIGKILL');
  }, 1);
  return new Promise((resolve) => {
    child.once('close', (code) => {
      clearInterval(timer);
      resolve({ code, stderr });
    });
  });
}

/** Runs a command until there are so many whole files; false: it ended before. */
async function killed(words: readonly string[], out: string, files: number): Promise<boolean> {
  const { code, stderr } = await watched([...words, '--out', out, '--resume'], () => filesOf(out) >= files);
  if (code !== null && code !== 0) throw new Error(`${words.join(' ')}: ${stderr}`);
  if (code === null && existsSync(join(root, out)) && !existsSync(join(root, out, '_SUCCESS')))
    throw new Error(`${words.join(' ')}: a killed run left an unfinished result`);
  return code === null;
}

/** Resumes a run, and compares its result. */
async function resume({ name, words }: Case, out: string, wanted: string, what: string): Promise<void> {
  if (!existsSync(join(root, out))) {
    const { code, stderr } = await watched([...words, '--out', out, '--resume'], () => false);
    if (code !== 0) throw new Error(`${name}, ${what}: ${stderr}`);
  }
  if (bytesOf(join(root, out)) !== wanted) throw new Error(`${name}, ${what}: another result`);
  if (existsSync(hiddenOf(out))) throw new Error(`${name}, ${what}: ${hiddenOf(out)} stays`);
  rmSync(join(root, out), { recursive: true });
}

const bytesOf = (folder: string): string => JSON.stringify(resultBytes(folder));

/** Flips a bit in some work files; returns their kinds. */
function flip(out: string): string[] {
  const kinds = new Set<string>();
  for (const name of readdirSync(workOf(out))) {
    if (random() % 3 > 0) continue;
    const path = join(workOf(out), name);
    const bytes = readFileSync(path);
    if (bytes.length === 0) continue;
    bytes[random() % bytes.length]! ^= 1 << (random() % 8);
    writeFileSync(path, bytes);
    kinds.add(name.replace(/-.*/, ''));
  }
  return [...kinds];
}

/** Bytes of the files of a run. */
function sizeOf(out: string): number {
  let bytes = 0;
  try {
    for (const name of readdirSync(hiddenOf(out), { recursive: true, encoding: 'utf8' }))
      bytes += statSync(join(hiddenOf(out), name)).size;
  } catch {
    // A file was renamed meanwhile.
  }
  return bytes;
}

let [done, twice, flips, full] = [0, 0, 0, 0];
const met = new Set<string>();
try {
  const all = cases();
  for (const [turn, one] of all.entries()) {
    const { name, words } = one;
    let [most, bytes] = [0, 0];
    // The result of a run in memory, and the files of a run over files.
    const inMemory = words.map((word) => (word === '140MB' ? '4GB' : word));
    const plain = spawnSync(process.execPath, [CLI, ...inMemory, '--out', 'plain'], {
      cwd: root,
      encoding: 'utf8',
    });
    if (plain.status !== 0) throw new Error(`${name}: ${plain.stderr}`);
    const wanted = bytesOf(join(root, 'plain'));
    rmSync(join(root, 'plain'), { recursive: true });
    await watched([...words, '--out', 'out'], () => {
      if (existsSync(workOf('out')))
        for (const file of readdirSync(workOf('out'))) met.add(file.replace(/-.*/, ''));
      most = Math.max(most, filesOf('out'));
      bytes = Math.max(bytes, sizeOf('out'));
      return false;
    });
    if (most < 20) throw new Error(`${name}: no data in files`);
    await resume(one, 'out', wanted, 'files');

    const share = Math.ceil(kills / all.length);
    for (let kill = 0; kill < share; kill++) {
      // Spread over all files; the other half of the kills is at a random one.
      const at = kill % 2 === 0 ? 1 + Math.floor((kill * most) / share) : 1 + (random() % most);
      if (!(await killed(words, 'out', at))) {
        await resume(one, 'out', wanted, `${at} files, not killed`);
        continue;
      }
      done++;
      if (kill % 3 === 2 && (await killed(words, 'out', at + Math.floor((most - at) / 2)))) twice++;
      if (kill % 3 === 1 && existsSync(workOf('out'))) {
        for (const kind of flip('out')) met.add(`${kind} flipped`);
        flips++;
      }
      await resume(one, 'out', wanted, `killed at ${at} of ${most} files`);
    }

    if (!mayMount()) continue;
    // A disk that is full at some part of the files, and has room when the run is resumed.
    const place = join(root, `disk-${turn}`);
    const size = Math.floor(bytes * (0.2 + 0.17 * turn));
    const command = `cd "$ROOT" && "$NODE" "$CLI" ${words.join(' ')} --resume --out "$DISK/out"`;
    const { code, stderr } = onFullDisk(place, size, [command, command], { ROOT: root, CLI });
    if (code !== '1' || !/DISK_FULL|no space|disk is full/i.test(stderr) || /^left |^again /m.test(stderr))
      throw new Error(`${name}, full disk: exit ${code}, ${stderr}`);
    if (bytesOf(placesOf(place).copy) !== wanted) throw new Error(`${name}, full disk: another result`);
    full++;
  }
  const kinds = [...met].filter((kind) => !kind.includes(' ')).sort();
  process.stdout.write(`files of ${kinds.length} kinds: ${kinds.join(', ')}\n`);
  process.stdout.write(
    `${done} kills, ${twice} of them twice, ${flips} with flipped bytes, ${full} full disks: the same bytes\n`,
  );
} finally {
  rmSync(root, { recursive: true, force: true });
}
