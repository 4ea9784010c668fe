/**
 * Runs that kill their own process with SIGKILL, at a call to the file system or at a moment of their progress: the same
 * moment every time. Run as a program, this file is that process.
 */
import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { run } from '../../../src/coordinator/run.js';
import type { RunOptions } from '../../../src/options/check.js';
import { NODE_FILES } from '../../../src/store/fileDoor.js';
import type { StageName } from './takenUp.js';

/**
 * `call`: before the n-th write, sync, rename and so on of this thread; `replace`: the same, counted from where a new result
 * is whole that replaces another; `progress`: when the n-th is told; a stage: when its n-th is told.
 */
export type KillKind = 'call' | 'replace' | 'progress' | StageName;

export interface Killed {
  /** Null: killed. */
  readonly code: number | null;
  /** Where it was: `verify`, or `rename /out/manifest.json.tmp`; of a run that ended, how many moments it had. */
  readonly said: string;
}

/** Runs, and keeps its work as it comes, in a process of its own that is killed at moment `nth` (from 1; 0: it ends and says how many there are). */
export function killedRun(options: RunOptions, kind: KillKind, nth: number): Promise<Killed> {
  const argv = [fileURLToPath(import.meta.url), JSON.stringify(options), kind, String(nth)];
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, said: said.trim() })));
}

async function main([options, kind, nth]: readonly string[]): Promise<void> {
  let moments = 0;
  const moment = (what: string): void => {
    if (++moments !== Number(nth)) return;
    writeSync(2, what);
    process.kill(process.pid, 'SIGKILL');
    // The signal may take a moment, and nothing may happen in it.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  };
  if (kind === 'call' || kind === 'replace') {
    let isCounted = kind === 'call';
    const paths = new Map<unknown, string>();
    for (const [name, real] of Object.entries(NODE_FILES)) {
      const through = (...words: unknown[]): unknown => {
        if (isCounted) moment(`${name} ${paths.get(words[0]) ?? words[0]}`);
        const result = (real as (...words: unknown[]) => unknown)(...words);
        isCounted ||= name === 'rename' && String(words[1]).endsWith('/.new/_SUCCESS');
        if (name === 'open') paths.set(result, String(words[0]));
        return result;
      };
      Object.assign(NODE_FILES, { [name]: through });
    }
  }
  await run(
    { checkpointAfter: 0, ...(JSON.parse(options!) as RunOptions) },
    {
      onProgress: ({ stage }) => {
        if (kind === 'progress' || kind === stage) moment(stage);
      },
    },
  );
  writeSync(2, String(moments));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main(process.argv.slice(2));
