/**
 * Runs that kill their own process with SIGKILL, or fill the disk, at a call to the file system or at a moment of their progress:
 * the same moment every time. Run as a program, this file is that process.
 */
import { spawn } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, statSync, utimesSync, writeFileSync, writeSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { run } from '../../../src/coordinator/run.js';
import { MinHashError } from '../../../src/errors.js';
import type { RunOptions } from '../../../src/options/check.js';
import { NODE_FILES } from '../../../src/store/fileDoor.js';

/** What the process is told, as JSON. */
export interface KillWish {
  readonly options: RunOptions;
  /**
   * `call`: before the n-th write, sync, rename and so on of this thread; `replace`: the same, counted from where a new result
   * is whole that replaces another; `progress`: when the n-th is told; the name of a stage: at its n-th moment of either kind.
   */
  readonly kind: string;
  /** From 1; 0: it ends and says how many moments each stage had. */
  readonly nth: number;
  /** A file that takes all room of the disk at that moment; absent: the process is killed. */
  readonly fills?: string;
  /** A file that has other words, of the same length and date, once a stage reads texts again. */
  readonly changes?: string;
}

export interface Killed {
  /** Null: killed. */
  readonly code: number | null;
  /** Where it was: `verify`, or `rename /out/manifest.json.tmp`; of a run that failed, its error and the stage. */
  readonly said: string;
}

export const PROGRAM = fileURLToPath(import.meta.url);

/** Stages that read texts a second time. */
export const READS_AGAIN = /-sets-/;

/** Runs, and keeps its work as it comes, in a process of its own that is killed at the moment. */
export function killedRun(options: RunOptions, kind: string, nth: number, changes?: string): Promise<Killed> {
  const wish: KillWish = { options, kind, nth, ...(changes !== undefined && { changes }) };
  const stdio = ['ignore', 'ignore', 'pipe'] as const;
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(wish)], { stdio: [...stdio] });
  let said = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, said: said.trim() })));
}

/** How many moments each stage of such a run has, of which none is killed; `start` is before the first. */
export async function momentsOf(
  options: RunOptions,
  kind: string,
  changes?: string,
): Promise<ReadonlyMap<string, number>> {
  const { code, said } = await killedRun(options, kind, 0, changes);
  if (code !== 0) throw new Error(`a run that nobody disturbs ended with ${code}: ${said}`);
  return new Map(JSON.parse(said) as [string, number][]);
}

/** Writes the file until nothing more fits. */
function fill(path: string): void {
  const file = openSync(path, 'a');
  for (let bytes = 1 << 20; bytes > 0; bytes >>= 1) {
    try {
      while (writeSync(file, Buffer.alloc(bytes)) === bytes);
    } catch {
      // Half as many may fit.
    }
  }
  closeSync(file);
}

/** Other words in the place of those of a file; lists of files show no difference. */
function change(path: string): void {
  const { size, atime, mtime } = statSync(path);
  writeFileSync(path, 'other words '.repeat(size));
  const file = openSync(path, 'r+');
  ftruncateSync(file, size);
  closeSync(file);
  utimesSync(path, atime, mtime);
}

async function main({ options, kind, nth, fills, changes }: KillWish): Promise<void> {
  let stage = 'start';
  let passed = 0;
  const moments = new Map<string, number>();
  const moment = (what: string): void => {
    moments.set(stage, (moments.get(stage) ?? 0) + 1);
    if (++passed !== nth) return;
    if (fills !== undefined) {
      fill(fills);
      return;
    }
    writeSync(2, what);
    process.kill(process.pid, 'SIGKILL');
    // The signal may take a moment, and nothing may happen in it.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  };
  const isAny = kind === 'any';
  let isReplacing = false;
  const paths = new Map<unknown, string>();
  for (const [name, real] of Object.entries(NODE_FILES)) {
    const through = (...words: unknown[]): unknown => {
      if (isAny || kind === 'call' || isReplacing || kind === stage)
        moment(`${name} ${paths.get(words[0]) ?? words[0]}`);
      const result = (real as (...words: unknown[]) => unknown)(...words);
      isReplacing ||= kind === 'replace' && name === 'rename' && String(words[1]).endsWith('/.new/_SUCCESS');
      if (name === 'open') paths.set(result, String(words[0]));
      return result;
    };
    Object.assign(NODE_FILES, { [name]: through });
  }
  let changed = changes;
  const onProgress = (told: { readonly stage: string }): void => {
    stage = told.stage;
    if (changed !== undefined && READS_AGAIN.test(stage)) {
      change(changed);
      changed = undefined;
    }
    if (isAny || kind === 'progress' || kind === stage) moment(stage);
  };
  try {
    await run({ checkpointAfter: 0, ...options }, { onProgress });
    if (nth === 0) writeSync(2, JSON.stringify([...moments]));
  } catch (error) {
    writeSync(2, `${error instanceof MinHashError ? error.code : error} in ${stage}\n`);
    process.exitCode = 1;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await main(JSON.parse(process.argv[2]!) as KillWish);
