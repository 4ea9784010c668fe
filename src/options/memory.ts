/**
 * The least memory budget of a run, and the default budget.
 *
 * The only system call reads the memory of the machine and its limits.
 */
import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';

const MB = 1e6;

/** Bytes of the kernel, reading buffers and JavaScript heap of a worker. */
export const WORKER_BYTES = 48 * MB;

/** Minimum working memory of a task, in bytes: a batch of documents with its signatures. */
export const LEAST_TASK_BYTES = 4 * MB;

/** The smallest budget, in bytes, with which `threads` workers (0: this thread works) can do any task. */
function leastMemory(threads: number): number {
  return Math.max(1, threads) * (WORKER_BYTES + LEAST_TASK_BYTES) + 8 * LEAST_TASK_BYTES;
}

/** The default budget: half of the memory of the machine, or of the lowest limit that is set for the process. */
export function usualMemory(threads: number): number {
  // 0 if no limit is set, and on some systems a number greater than all memory.
  const bound = process.constrainedMemory?.() ?? 0;
  const all = Math.min(bound > 0 ? bound : Number.POSITIVE_INFINITY, groupLimit(), totalmem());
  return Math.max(leastMemory(threads), Math.floor(all / 2));
}

/** Where the control groups of each version are mounted, and which file has the limit of a group. */
const HIERARCHIES = [
  { line: /^0::(.*)$/m, folder: '', limit: 'memory.max' },
  { line: /^\d+:(?:[^:\n]*,)?memory(?:,[^:\n]*)?:(.*)$/m, folder: 'memory', limit: 'memory.limit_in_bytes' },
];

/**
 * The lowest memory limit of the control group of this process and of all groups above it, as SLURM and systemd set them for a
 * slice; infinite without a limit or without control groups.
 *
 * @param groups what `/proc/self/cgroup` holds
 * @param root where the hierarchies are mounted
 */
export function groupLimit(groups = contentOf('/proc/self/cgroup'), root = '/sys/fs/cgroup'): number {
  let least = Number.POSITIVE_INFINITY;
  for (const { line, folder, limit } of HIERARCHIES) {
    const path = line.exec(groups)?.[1];
    if (path === undefined) continue;
    const parts = path.split('/').filter((part) => part !== '' && part !== '..');
    for (let depth = parts.length; depth >= 0; depth--) {
      const bytes = Number(
        contentOf(join(root, folder, ...parts.slice(0, depth), limit)).trim() || Number.NaN,
      );
      if (bytes > 0) least = Math.min(least, bytes);
    }
  }
  return least;
}

/** Empty if it cannot be read. */
function contentOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/**
 * What is wrong with a budget for `threads` workers; null if it is valid.
 *
 * @param given the budget as the user wrote it; the message shows the smallest budget in the same kind of unit (MB or MiB)
 */
export function memoryProblem(memory: number, threads: number, given: number | string): string | null {
  if (memory >= leastMemory(threads)) return null;
  const workers = threads === 1 ? '1 thread' : `${threads} threads`;
  const isBinary = typeof given === 'string' && /i/i.test(given);
  const sizeOf = (bytes: number): string =>
    isBinary ? `${Math.ceil(bytes / 2 ** 20)}MiB` : `${Math.ceil(bytes / MB)}MB`;
  const fewer = threads > 1 ? `, or ${sizeOf(leastMemory(1))} with --threads 1` : '';
  const least = sizeOf(leastMemory(threads));
  return `--memory ${given}: expected at least ${least} with ${workers}${fewer}, and more for many documents or pairs`;
}
