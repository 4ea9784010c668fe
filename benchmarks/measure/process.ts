/**
 * Runs a command as a process group and measures it from outside: wall time, processor time of all its processes, and
 * the peak of their memory.
 *
 * Processor time is the larger of two counts, in ticks of 10 ms. The first is what Linux adds to the time of waited-
 * for children of this process; it misses processes that nobody waits for (the workers of a fork server). The second
 * is the sum over every process of the tree when it was last seen; it misses their last moments. Commands must not run
 * side by side. Memory of one process is its own high-water mark; of several it is the largest sum of their
 * proportional set sizes.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface Measured {
  /** Seconds. */
  readonly wall: number;
  /** Seconds, user and system. */
  readonly cpu: number;
  readonly peakBytes: number;
  /** Exit code; null if a signal ended it. */
  readonly code: number | null;
  readonly timedOut: boolean;
  readonly stdout: string;
  /** The end of its output. */
  readonly stderr: string;
}

export interface Limits {
  /** Seconds after which the whole group is killed. */
  readonly timeout: number;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const TICKS_A_SECOND = 100;
const POLL = 50;
const KEPT_OUTPUT = 1 << 20;

/** Fields of a stat file of /proc from the third on, after the name; null if the process is gone. */
function statOf(process: number | 'self'): readonly string[] | null {
  try {
    const stat = readFileSync(`/proc/${process}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

/** Processor seconds of all ended children of this process. */
function childrenSeconds(): number {
  const fields = statOf('self')!;
  return (Number(fields[13]) + Number(fields[14])) / TICKS_A_SECOND;
}

/** A field of a file of /proc in kB, as bytes; 0 if the process is gone. */
function kilobytes(file: string, field: string): number {
  try {
    const match = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(file, 'latin1'));
    return match === null ? 0 : 1024 * Number(match[1]);
  } catch {
    return 0;
  }
}

/** The processes of a command as they come and go; a process whose parent ended is still known. */
class Tree {
  readonly #known: Set<number>;
  /** Seconds by process number and start time, because numbers are reused. */
  readonly #seconds = new Map<string, number>();
  peakBytes = 0;

  constructor(root: number) {
    this.#known = new Set([root]);
  }

  look(): void {
    for (const process of this.#known) {
      const fields = statOf(process);
      if (fields === null) {
        this.#known.delete(process);
        continue;
      }
      const seconds = (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
      this.#seconds.set(`${process} ${fields[19]}`, seconds);
      for (const child of childrenOf(process)) this.#known.add(child);
    }
    this.peakBytes = Math.max(this.peakBytes, this.#memory());
  }

  seconds(): number {
    return [...this.#seconds.values()].reduce((sum, seconds) => sum + seconds, 0);
  }

  #memory(): number {
    const processes = [...this.#known];
    if (processes.length === 1) return kilobytes(`/proc/${processes[0]}/status`, 'VmHWM');
    return processes.reduce((sum, one) => sum + kilobytes(`/proc/${one}/smaps_rollup`, 'Pss'), 0);
  }
}

function childrenOf(process: number): number[] {
  try {
    return readdirSync(`/proc/${process}/task`).flatMap((thread) =>
      readFileSync(`/proc/${process}/task/${thread}/children`, 'latin1')
        .split(' ')
        .filter(Boolean)
        .map(Number),
    );
  } catch {
    return [];
  }
}

/** Runs a command until it ends or its time is over. */
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
  let timedOut = false;
  const tree = child.pid === undefined ? null : new Tree(child.pid);
  const poll = setInterval(() => tree?.look(), POLL);
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
    const cpu = Math.max(childrenSeconds() - before, tree?.seconds() ?? 0);
    return { wall, cpu, peakBytes: tree?.peakBytes ?? 0, code, timedOut, stdout, stderr };
  } finally {
    clearInterval(poll);
    clearTimeout(end);
  }
}
