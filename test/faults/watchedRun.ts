/** The built command in a process of its own, its peak memory measured from outside. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const MAIN = fileURLToPath(new URL('../../package/cli.js', import.meta.url));

/** The high-water mark is kept by the system; only what is added after the last look is missed. */
const LOOK_MILLISECONDS = 20;

export interface WatchedRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Most bytes of resident memory; 0 if the system does not report it (only Linux does). */
  readonly peakBytes: number;
  readonly seconds: number;
  /** It was ended because it took longer than allowed. */
  readonly timedOut: boolean;
}

/** Runs `mr-minhash` with the given words and waits for its end, at most `mostSeconds`. */
export function watchedRun(words: readonly string[], mostSeconds: number): Promise<WatchedRun> {
  const start = performance.now();
  const child = spawn(process.execPath, [MAIN, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (piece: Buffer) => stdout.push(piece));
  child.stderr.on('data', (piece: Buffer) => stderr.push(piece));
  let peakBytes = 0;
  let timedOut = false;
  const look = setInterval(() => {
    peakBytes = Math.max(peakBytes, highWaterMark(child.pid!));
    if (performance.now() - start < 1000 * mostSeconds) return;
    timedOut = true;
    child.kill('SIGKILL');
  }, LOOK_MILLISECONDS);
  return new Promise((resolve) => {
    child.on('close', (code) => {
      clearInterval(look);
      const textOf = (pieces: readonly Buffer[]): string => Buffer.concat(pieces).toString('latin1');
      const seconds = (performance.now() - start) / 1000;
      resolve({ code, stdout: textOf(stdout), stderr: textOf(stderr), peakBytes, seconds, timedOut });
    });
  });
}

/** Most bytes of resident memory that a process has had; 0 if the system does not report it (only Linux does). */
export function highWaterMark(pid: number): number {
  try {
    const line = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return line === null ? 0 : 1024 * Number(line[1]);
  } catch {
    return 0;
  }
}
