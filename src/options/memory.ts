/**
 * How much memory a run needs at the least, and how much it takes where nobody says.
 *
 * Asks the system how much there is, nothing else.
 */
import { totalmem } from 'node:os';

const MB = 1e6;

/** Kernel, reading buffers and JavaScript heap of a worker. */
export const WORKER_BYTES = 48 * MB;

/** The least a task can work with: a column block with its signatures and bucket keys. */
export const LEAST_TASK_BYTES = 4 * MB;

/** The least budget with which so many workers (0: this thread works) can do any task. */
export function leastMemory(threads: number): number {
  return Math.max(1, threads) * (WORKER_BYTES + LEAST_TASK_BYTES) + 8 * LEAST_TASK_BYTES;
}

/** Half of what the machine, or the container the process is in, has. */
export function usualMemory(threads: number): number {
  // 0 where nothing bounds the process, and on some systems a number beyond all memory.
  const bound = process.constrainedMemory?.() ?? 0;
  const all = bound > 0 ? Math.min(bound, totalmem()) : totalmem();
  return Math.max(leastMemory(threads), Math.floor(all / 2));
}

/** Budgets by the number of workers, and what they have room for, as the end of a sentence. */
export interface Least {
  of(threads: number): number;
  readonly what: string;
  /** Each is enough for the inputs, and may be more than the least. */
  readonly isEnough?: true;
}

const OF_PROGRAM: Least = { of: leastMemory, what: 'and more for many documents or pairs' };

/**
 * What is wrong with a budget for so many workers; null: nothing.
 *
 * @param given as the user wrote it; the least is told in units of the same kind
 * @param least of the program alone, until the inputs are known
 */
export function memoryFault(
  memory: number,
  threads: number,
  given: number | string,
  { of, what, isEnough }: Least = OF_PROGRAM,
): string | null {
  if (memory >= leastMemory(threads)) return null;
  const workers = threads === 1 ? '1 thread' : `${threads} threads`;
  const isBinary = typeof given === 'string' && /i/i.test(given);
  const sizeOf = (bytes: number): string =>
    isBinary ? `${Math.ceil(bytes / 2 ** 20)}MiB` : `${Math.ceil(bytes / MB)}MB`;
  const fewer = threads > 1 ? `, or ${sizeOf(of(1))} with --threads 1` : '';
  const size = sizeOf(of(threads));
  const expected = isEnough === true ? `${size}, which is enough` : `at least ${size}`;
  return `--memory ${given}: expected ${expected} with ${workers}${fewer}, ${what}`;
}
