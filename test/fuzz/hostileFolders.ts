/**
 * Folders that somebody forged, given to the commands that read them: finished results, and the work files of unfinished runs. Every
 * case is known by a seed and its number. It holds that nothing outside the folders changes, no program starts, nothing of outside is
 * told, no command fails as a defect, and none that says all is well made another result.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../../src/coordinator/run.js';
import { MinHashError, verifyResult } from '../../src/index.js';
import type { RunOptions } from '../../src/options/check.js';
import { canonicalJsonBytes } from '../../src/result/manifest.js';
import { isObject, type JsonObject } from '../../src/store/plainFile.js';
import { programHere, type Said } from '../cli/programHere.js';
import { resultBytes } from '../coordinator/runs/resultFiles.js';
import { edited, randomFrom, wordsFrom } from '../data/seededTexts.js';
import type { FuzzTarget } from './main.js';
import type { Mutator } from './mutations.js';

/** Stands in files beside the folders: whoever tells it has read outside. */
const SECRET = 'outside-of-every-corpus';

/** What the runs of the results compare. */
const SHAPES: Readonly<Record<string, RunOptions>> = {
  signatures: {},
  lines: { unit: 'line' },
  values: { keep: 'field:n:max' },
  keys: { exactDuplicates: true },
  chunks: { shards: 2 },
};

interface Shape {
  readonly options: RunOptions;
  /** The hidden folder of a run over files that ended before it verified. */
  readonly left: string;
  readonly whole: string;
  /** The corpus that is applied, by the flags of it, as it is for the result that nobody forged. */
  readonly applied: Map<string, string>;
}

/** Programs that were started. */
const started: string[] = [];

/** In one case of so many, on the average, a command is run by the built program. */
const REAL_EVERY = 300;
const CLI = fileURLToPath(new URL('../../package/cli.js', import.meta.url));
const startReal = spawnSync;

function realProgram(cwd: string, words: readonly string[]): Said {
  const options = { cwd, encoding: 'utf8', timeout: 60_000, killSignal: 'SIGKILL' } as const;
  const { status, signal, stdout, stderr } = startReal(process.execPath, [CLI, ...words], options);
  if (status === null) throw new Error(`${words.join(' ')}: ended by ${signal}: ${stderr}`);
  return { code: status, stdout, stderr };
}

/** From here on no program starts in this process. */
function forbidPrograms(): void {
  const programs = createRequire(import.meta.url)('node:child_process') as Record<string, unknown>;
  for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork']) {
    const real = programs[name] as (...words: unknown[]) => unknown;
    programs[name] = (command: unknown, ...more: unknown[]) => {
      // What is written is made durable by the system's own program.
      if (command === 'sync') return real(command, ...more);
      started.push(`${name} ${String(command)}`);
      throw new Error(`${name} of ${String(command)}`);
    };
  }
  syncBuiltinESMExports();
}

/** Every entry of a tree with what is in it. */
function treeOf(folder: string): string {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return JSON.stringify(
    entries.map((name) => {
      const path = join(folder, name);
      return [name, lstatSync(path).isFile() ? readFileSync(path, 'latin1') : 'no file'];
    }),
  );
}

class Ended extends Error {}

/** Runs over files until candidates are verified; the work files stay. */
async function endEarly(options: RunOptions): Promise<void> {
  const onProgress = ({ stage }: { readonly stage: string }): void => {
    if (stage === 'write') throw new Ended();
  };
  try {
    await run(options, { inFiles: true, onProgress });
  } catch (error) {
    if (error instanceof Ended) return;
    throw error;
  }
  throw new Error('the run did not end early');
}

function writeCorpus(folder: string): void {
  const random = randomFrom(7);
  mkdirSync(folder, { recursive: true });
  for (let family = 0; family < 3; family++) {
    const page = wordsFrom(random, 30);
    const text = (): string => edited(random, page, 1).join(' ');
    const line = (n: number): string => JSON.stringify({ id: `${family}-${n}`, text: text(), n });
    writeFileSync(join(folder, `${family}.jsonl`), `${line(0)}\n${line(1)}\n${line(2)}\n`);
    writeFileSync(join(folder, `${family}.txt`), `${text()}\n${text()}\n`);
  }
  writeFileSync(join(folder, 'broken.jsonl'), '{"broken\n');
}

/** One place with the folders of all cases, made once. */
class HostileFolders {
  readonly place: string;
  private readonly corpus: string;
  private readonly shapes = new Map<string, Shape>();
  /** Beside the folders: nothing here may change. */
  private readonly watched: string;
  /** All that no case may change, with when it last did. */
  private outside: readonly { readonly path: string; readonly changed: number }[] = [];
  /** The next command is run by the built program. */
  private isReal = false;
  /** Of all files of the corpus. */
  readonly lines = new Set<string>();

  constructor(place: string) {
    this.place = place;
    this.corpus = join(place, 'corpus');
    this.watched = join(place, 'watched');
  }

  async prepare(): Promise<void> {
    writeCorpus(this.corpus);
    for (const name of filesIn(this.corpus)) {
      for (const line of readFileSync(join(this.corpus, name), 'utf8').split('\n')) this.lines.add(line);
    }
    mkdirSync(join(this.watched, 'folder'), { recursive: true });
    writeFileSync(join(this.watched, 'secret.txt'), `${SECRET} ${SECRET} ${SECRET}\n`);
    writeFileSync(join(this.watched, 'folder', 'durable-000000.log'), SECRET);
    writeFileSync(join(this.watched, 'folder', 'made-000000'), '');
    writeFileSync(join(this.watched, 'program.sh'), `#!/bin/sh\ntouch ${join(this.watched, 'ran')}\n`, {
      mode: 0o755,
    });
    execFileSync('mkfifo', [join(this.place, 'pipe')]);
    for (const [name, more] of Object.entries(SHAPES)) {
      const threshold = more.exactDuplicates === true ? {} : { threshold: 0.5 };
      const own: RunOptions = { threads: 0, ...threshold, ...more };
      const options: RunOptions = { ...own, paths: [this.corpus] };
      const whole = join(this.place, 'whole', name);
      await run({ ...options, out: whole });
      await endEarly({ ...options, out: join(this.place, 'left', name) });
      const left = join(this.place, 'left', `.${name}.mr-minhash-new`);
      this.shapes.set(name, { options, left, whole, applied: new Map() });
    }
    this.outside = ['watched', 'corpus', 'left', 'whole'].flatMap((name) => {
      const folder = join(this.place, name);
      const inside = readdirSync(folder, { recursive: true, encoding: 'utf8' });
      return [folder, ...inside.map((entry) => join(folder, entry))].map((path) => ({
        path,
        changed: lstatSync(path).ctimeMs,
      }));
    });
    forbidPrograms();
  }

  /** Throws where something that no case may change has changed: nobody can set that time, and folders have it for their entries. */
  private refuseChange(): void {
    for (const { path, changed } of this.outside) {
      if (lstatSync(path, { throwIfNoEntry: false })?.ctimeMs !== changed)
        throw new Error(`outside the folders changed: ${path}`);
    }
  }

  /** @throws Error saying which promise is broken */
  async case(kind: Kind, from: Mutator): Promise<void> {
    const work = join(this.place, 'work');
    rmSync(work, { recursive: true, force: true });
    mkdirSync(work);
    this.isReal = from.number(REAL_EVERY) === 0;
    await kind(this, from, work);
    if (started.length > 0) throw new Error(`a program was started: ${started.splice(0).join(', ')}`);
    this.refuseChange();
  }

  shape(from: Mutator): Shape {
    return from.pick([...this.shapes.values()]);
  }

  /** Resumes a run whose hidden folder was forged by `forge`; another result than that of an undisturbed run is no success. */
  async resumed(from: Mutator, forge: (hidden: string) => string): Promise<void> {
    const { options, left, whole } = this.shape(from);
    const out = join(this.place, 'work', 'out');
    const hidden = join(this.place, 'work', '.out.mr-minhash-new');
    cpSync(left, hidden, { recursive: true });
    const what = forge(hidden);
    try {
      await run({ ...options, out, resume: true });
    } catch (error) {
      if (error instanceof MinHashError) return;
      throw new Error(what, { cause: error });
    }
    if (JSON.stringify(resultBytes(out)) !== JSON.stringify(resultBytes(whole)))
      throw new Error(`${what}: another result`);
  }

  /** Runs a command over a forged folder; what it may end with is its own affair, but for a defect and what it tells. */
  async commanded(what: string, words: readonly string[]): Promise<Said> {
    const { isReal } = this;
    this.isReal = false;
    const said = isReal ? realProgram(this.place, words) : await programHere(this.place, words);
    const told = `${said.stdout}${said.stderr}`;
    if (/bug in mr-minhash|^\s+at .*:\d+:\d+/m.test(told)) throw new Error(`${what}: ${said.stderr}`);
    if (told.includes(SECRET)) throw new Error(`${what}: ${words[0]} tells what stands outside`);
    return said;
  }

  /** Applies a result, and returns the corpus; null: it is refused. */
  async applied(what: string, result: string, flags: readonly string[]): Promise<string | null> {
    const to = join(this.place, 'work', 'to');
    rmSync(to, { recursive: true, force: true });
    const { code, stdout } = await this.commanded(what, [
      'apply',
      result,
      ...(flags.includes('--list') ? [] : ['--to', to]),
      ...flags,
    ]);
    if (code !== 0) return null;
    return existsSync(to) ? treeOf(to) : stdout;
  }

  /** Names that lead out of a folder. */
  outwards(from: Mutator): string {
    const { watched } = this;
    return from.pick([
      '../watched/secret.txt',
      '../../watched/secret.txt',
      join(watched, 'secret.txt'),
      `corpus/../watched/secret.txt`,
      join(watched, 'program.sh'),
      '/etc/passwd',
      '..',
      '/dev/zero',
      '\0',
      '',
    ]);
  }

  /** An entry of a folder replaced by a link that leads out of it. */
  link(from: Mutator, path: string): void {
    rmSync(path, { recursive: true, force: true });
    symlinkSync(
      from.pick([join(this.watched, 'secret.txt'), join(this.watched, 'folder'), this.watched, '/dev/zero']),
      path,
    );
  }

  get corpusFolder(): string {
    return this.corpus;
  }
}

type Kind = (all: HostileFolders, from: Mutator, work: string) => Promise<void>;

const NUMBERS = [0, 1, -1, 2 ** 31, 2 ** 32, 2 ** 53, 1e308, -0.5];
const WORDS = ['MRLR', 'MRLG', 'MRMB', '..', '../', '{"', ':-1', 'paths', '\\u0000'].map((word) =>
  Buffer.from(word),
);

/** Files of a folder, relative to it. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => lstatSync(join(folder, name)).isFile())
    .sort();
}

/** A JSON value in which one thing was changed. */
function changedJson(from: Mutator, value: unknown, all: HostileFolders): unknown {
  if (typeof value === 'object' && value !== null && from.number(6) > 0) {
    const names = Object.keys(value);
    if (names.length > 0) {
      const inner = names.filter((one) => isObject((value as JsonObject)[one]));
      const name = from.pick(inner.length > 0 && from.number(2) === 0 ? inner : names);
      const copy: Record<string, unknown> | unknown[] = Array.isArray(value) ? [...value] : { ...value };
      const other = from.pick(names);
      const inside = copy as Record<string, unknown>;
      const how = from.number(12);
      if (how === 0) [inside[name], inside[other]] = [inside[other], inside[name]];
      else if (how === 1) delete inside[name];
      else inside[name] = changedJson(from, inside[name], all);
      return copy;
    }
  }
  return from.pick<unknown>([
    ...NUMBERS,
    null,
    true,
    [],
    {},
    'x',
    all.outwards(from),
    [all.outwards(from)],
    { a: 1 },
  ]);
}

const KINDS: Readonly<Record<string, Kind>> = {
  // A finished result in which a file is changed.
  async 'a result'(all, from, work) {
    const one = all.shape(from);
    const out = join(work, 'out');
    cpSync(one.whole, out, { recursive: true });
    const names = filesIn(out);
    const name = from.pick([...names, ...names.filter((file) => file.endsWith('.json'))]);
    const path = join(out, name);
    const before = readFileSync(path);
    const isJson = name.endsWith('.json');
    const after =
      isJson && from.number(4) > 0
        ? Buffer.from(canonicalJsonBytes(changedJson(from, JSON.parse(before.toString()), all) as object))
        : name.endsWith('.tsv') && from.number(2) === 0
          ? Buffer.from(before.toString().replaceAll(/\d\.(jsonl|txt)/g, () => all.outwards(from)))
          : from.damaged([before], WORDS);
    writeFileSync(path, after);
    const { valid } = await verifyResult(out).catch((error: unknown) => {
      if (error instanceof MinHashError) return { valid: false };
      throw new Error(`${name}: verify`, { cause: error });
    });
    if (!isJson && name !== '_SUCCESS' && valid && !after.equals(before))
      throw new Error(`${name}: reported as valid`);
    const what = isJson ? `${name} ${after.toString().slice(0, 3000)}` : name;
    await readers(all, from, work, { one, out, what, isManifest: name === 'manifest.json' });
  },
  // A link, or a folder, where a file or folder of a result should be.
  async 'a link in a result'(all, from, work) {
    const one = all.shape(from);
    const out = join(work, 'out');
    cpSync(one.whole, out, { recursive: true });
    const name = linked(all, from, out, ['apply.json', '.new', '.mr-minhash']);
    await readers(all, from, work, { one, out, what: `link at ${name}`, isManifest: false });
  },
  // Anything in the hidden folder of an unfinished run.
  async 'bytes of a run'(all, from) {
    await all.resumed(from, (hidden) => {
      const name = from.pick(filesIn(hidden));
      const path = join(hidden, name);
      writeFileSync(path, from.damaged([readFileSync(path)], WORDS));
      return `bytes of ${name}`;
    });
  },
  async 'a link in a run'(all, from) {
    await all.resumed(from, (hidden) => `link at ${linked(all, from, hidden, ['.work/sets-9', 'pairs'])}`);
  },
  // A file of a result that has gigabytes of nothing, a JSON value that is huge, a pipe that nobody writes to.
  async giants(all, from, work) {
    const one = all.shape(from);
    const out = join(work, 'out');
    cpSync(one.whole, out, { recursive: true });
    const name = from.pick(filesIn(out));
    const path = join(out, name);
    const how = from.pick(['sparse', 'json', 'pipe']);
    if (how === 'sparse') truncateSync(path, from.pick([2 ** 28, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 33]));
    else if (how === 'json')
      writeFileSync(path, `{"a":[${from.pick(['{}', '[]', '0', '""'])}`.padEnd(2 ** 26, ',{}'));
    else {
      rmSync(path);
      linkSync(join(all.place, 'pipe'), path);
    }
    const what = `${how} at ${name}`;
    await readers(all, from, work, { one, out, what, isManifest: name === 'manifest.json' });
  },
};

/** Puts a link or a folder into a folder, at the place of something or at one of these, and returns where. */
function linked(all: HostileFolders, from: Mutator, out: string, more: readonly string[]): string {
  const names = readdirSync(out, { recursive: true, encoding: 'utf8' }).sort();
  const name = from.pick([...names, ...more]);
  const path = join(out, name);
  if (from.number(4) === 0 && existsSync(path)) {
    rmSync(path, { recursive: true });
    mkdirSync(path);
  } else all.link(from, path);
  return name;
}

interface ForgedResult {
  readonly one: Shape;
  readonly out: string;
  readonly what: string;
  /** The manifest is forged: it says what was run, so it decides what is applied to which inputs. */
  readonly isManifest: boolean;
}

const READING: readonly (readonly string[])[] = [
  ['verify'],
  ['inspect'],
  ['inspect', '--around', '0.5'],
  ['inspect', '--clusters'],
  ['inspect', '--document', '0-1'],
  ['inspect', '--pair', '0-0', '0-1'],
  ['view', '--save'],
];

/** One of the commands that read a result. */
async function readers(
  all: HostileFolders,
  from: Mutator,
  work: string,
  { one, out, what, isManifest }: ForgedResult,
): Promise<void> {
  if (from.number(2) === 0) return await applied(all, from, work, { one, out, what, isManifest });
  const page = join(work, 'page.html');
  const [command, ...flags] = from.pick(READING);
  await all.commanded(`${what}: ${command} ${flags.join(' ')}`, [
    ...[command!, out, ...flags],
    ...(command === 'view' ? [page] : []),
  ]);
  if (existsSync(page) && readFileSync(page, 'utf8').includes(SECRET))
    throw new Error(`${what}: the page tells what stands outside`);
}

/** Applies the result: others than those of the result that nobody forged are dropped by no forgery but that of the manifest. */
async function applied(
  all: HostileFolders,
  from: Mutator,
  work: string,
  { one, out, what, isManifest }: ForgedResult,
): Promise<void> {
  const words = from.pick([[], ['--corpus', all.corpusFolder], ['--list', 'dropped'], ['--list', 'kept']]);
  const key = words.join(' ');
  let expected = one.applied.get(key);
  if (expected === undefined) {
    expected = (await all.applied('what nobody forged', one.whole, words)) ?? 'refused';
    one.applied.set(key, expected);
  }
  const made = await all.applied(`${what}: apply ${key}`, out, words);
  if (made === null || made === expected) return;
  if (!isManifest) throw new Error(`${what}: apply ${key} dropped others: ${made}\nand not ${expected}`);
  if (made.includes(SECRET)) throw new Error(`${what}: apply wrote what stands outside`);
  const to = join(work, 'to');
  for (const name of existsSync(to) ? filesIn(to) : []) {
    const strange = readFileSync(join(to, name), 'utf8')
      .split('\n')
      .find((line) => !all.lines.has(line));
    if (strange !== undefined) throw new Error(`${what}: apply wrote ${strange} to ${name}`);
  }
}

/** How many cases of twenty each kind has: those that run anew take longer. */
const SHARES: Readonly<Record<string, number>> = {
  'a result': 16,
  'a link in a result': 1,
  'bytes of a run': 1,
  'a link in a run': 1,
  giants: 1,
};

/** The kinds of cases, in a place of their own. From here on this process starts no program. */
export async function folderTargets(place: string): Promise<readonly FuzzTarget[]> {
  const folders = new HostileFolders(place);
  await folders.prepare();
  return Object.entries(SHARES).flatMap(([name, share]) =>
    Array.from({ length: share }, () => ({
      name,
      ...(name === 'giants' ? { every: 4 } : {}),
      run: (from: Mutator) => folders.case(KINDS[name]!, from),
    })),
  );
}
