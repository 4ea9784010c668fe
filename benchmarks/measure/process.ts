/**
 * Runs a command as a process group of its own and measures it from outside: wall time, processor time of all its
 * processes, and the peak of their memory.
 *
 * Processor time is what Linux adds to the time of waited-for children of this process, in ticks of 10 ms: commands
 * must not run side by side, and a grandchild that nobody waits for is not in it. Memory of one process is its own
 * high-water mark; of several it is the largest sum of their proportional set sizes that was seen.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface Measured {
  /** Seconds. */
  readonly wall: number;
  /** Seconds, user and system. */
  readonly cpu: number;
  readonly peakBytes: number;
  /** Exit code; null where a signal ended it. */
  readonly code: number | null;
  readonly timedOut: boolean;
  readonly stdout: string;
  /** The end of what it wrote there. */
  readonly stderr: string;
}

export interface Limits {
  /** Seconds until the whole group is ended. */
  readonly timeout: number;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const TICKS_A_SECOND = 100;
const POLL = 50;
const KEPT_OUTPUT = 1 << 20;

/** Processor seconds of all children of this process that have ended. */
function childrenSeconds(): number {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / TICKS_A_SECOND;
}

/** A field of a file of /proc in kB, as bytes; 0 where the process is gone. */
function kilobytes(file: string, field: string): number {
  try {
    const found = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(file, 'latin1'));
    return found === null ? 0 : 1024 * Number(found[1]);
  } catch {
    return 0;
  }
}

function treeOf(root: number): number[] {
  const tree = [root];
  for (let i = 0; i < tree.length; i++) {
    try {
      for (const thread of readdirSync(`/proc/${tree[i]}/task`)) {
        const children = readFileSync(`/proc/${tree[i]}/task/${thread}/children`, 'latin1');
        tree.push(...children.split(' ').filter(Boolean).map(Number));
      }
    } catch {
      // It ended meanwhile.
    }
  }
  return tree;
}

function memoryOf(root: number): number {
  const tree = treeOf(root);
  if (tree.length === 1) return kilobytes(`/proc/${root}/status`, 'VmHWM');
  return tree.reduce((sum, process) => sum + kilobytes(`/proc/${process}/smaps_rollup`, 'Pss'), 0);
}

/** Runs a command to its end, or to the end of its time. */
export async function measured(command: string, args: readonly string[], limits: Limits): Promise<Measured> {
  const before = childrenSeconds();
  const start = performance.now();
  const child = spawn(command, args, {
    ...(limits.cwd === undefined ? {} : { cwd: limits.cwd }),
    env: { ...process.env, NO_COLOR: '1', ...limits.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    stdout = (stdout + part).slice(-KEPT_OUTPUT);
  });
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    stderr = (stderr + part).slice(-KEPT_OUTPUT);
  });
  let peakBytes = 0;
  let timedOut = false;
  const poll = setInterval(() => {
    if (child.pid !== undefined) peakBytes = Math.max(peakBytes, memoryOf(child.pid));
  }, POLL);
  const end = setTimeout(() => {
    timedOut = true;
    process.kill(-child.pid!, 'SIGKILL');
  }, 1000 * limits.timeout);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', resolve);
    });
    const wall = (performance.now() - start) / 1000;
    return { wall, cpu: childrenSeconds() - before, peakBytes, code, timedOut, stdout, stderr };
  } finally {
    clearInterval(poll);
    clearTimeout(end);
  }
}
