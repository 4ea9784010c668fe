/**
 * The least memory budget of a run, and the default budget.
 *
 * Asks the system for its memory, nothing else.
 */
import { totalmem } from 'node:os';

const MB = 1e6;

/** Bytes of the kernel, reading buffers and JavaScript heap of a worker. */
export const WORKER_BYTES = 48 * MB;

/** The least bytes of a task's working memory: a column block with its signatures. */
export const LEAST_TASK_BYTES = 4 * MB;

/** The least budget, in bytes, with which `threads` workers (0: this thread works) can do any task. */
function leastMemory(threads: number): number {
  return Math.max(1, threads) * (WORKER_BYTES + LEAST_TASK_BYTES) + 8 * LEAST_TASK_BYTES;
}

/** The default budget: half of the memory of the machine, or of the container in which the process runs. */
export function usualMemory(threads: number): number {
  // 0 where no limit is set, and on some systems a number greater than all memory.
  const bound = process.constrainedMemory?.() ?? 0;
  const all = bound > 0 ? Math.min(bound, totalmem()) : totalmem();
  return Math.max(leastMemory(threads), Math.floor(all / 2));
}

/**
 * What is wrong with a budget for `threads` workers; null: nothing.
 *
 * @param given the budget as the user wrote it; the message gives the least budget in the same kind of unit (MB or MiB)
 */
export function memoryFault(memory: number, threads: number, given: number | string): string | null {
  if (memory >= leastMemory(threads)) return null;
  const workers = threads === 1 ? '1 thread' : `${threads} threads`;
  const isBinary = typeof given === 'string' && /i/i.test(given);
  const sizeOf = (bytes: number): string =>
    isBinary ? `${Math.ceil(bytes / 2 ** 20)}MiB` : `${Math.ceil(bytes / MB)}MB`;
  const fewer = threads > 1 ? `, or ${sizeOf(leastMemory(1))} with --threads 1` : '';
  const least = sizeOf(leastMemory(threads));
  return `--memory ${given}: expected at least ${least} with ${workers}${fewer}, and more for many documents or pairs`;
}
