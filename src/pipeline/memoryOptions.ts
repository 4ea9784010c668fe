/**
 * The options of `findDuplicates`: those of a run without what is about files, and how a program watches and stops it.
 *
 * Floor 4.
 */
import { type Fault, MinHashError } from '../errors.js';
import { shownValue } from '../options/kinds.js';
import { OPTION_KEYS } from '../options/table.js';
import { checkOptions, type Resolved, type RunOptions } from '../options.js';
import type { Progress } from './run.js';

/** Options of a run that make sense without files. */
const RUN_KEYS = [
  'measure',
  'threshold',
  'agree',
  'exactDuplicates',
  'sample',
  'maxShingleDocuments',
  'cluster',
  'representative',
  'shingle',
  'stopWords',
  'bag',
  'sketch',
  'hashes',
  'modulus',
  'bands',
  'rows',
  'recall',
  'hotBucket',
  'verify',
  'seed',
  'shards',
  'threads',
] as const satisfies readonly (keyof RunOptions)[];

/** Options of `findDuplicates`: those of a run that make sense without files, with the same defaults, and what follows them. */
export interface MemoryOptions extends Pick<RunOptions, (typeof RUN_KEYS)[number]> {
  /**
   * Worker threads, 0..256; 0 works in the calling thread. Default: from 32 MB of text on (64 MB where there are two cores)
   * as many as there are cores, below that the calling thread. The result is the same.
   */
  readonly threads?: number;
  /** When it fires the promise rejects with its reason, the workers end, and the source of documents is left. */
  readonly signal?: AbortSignal | undefined;
  /** Told now and then how far a stage is. What it throws rejects the promise. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** @throws MinHashError OPTION_INVALID with every fault */
export function resolveMemory(options: MemoryOptions): Resolved & Pick<MemoryOptions, 'signal'> {
  const { signal, onProgress, ...shared } = options ?? {};
  const { resolved, faults } = checkOptions(shared);
  const mine: Fault[] = faults.filter((fault) => fault.code !== 'NO_INPUT');
  const add = (detail: string): unknown => mine.push({ code: 'OPTION_INVALID', detail });
  for (const [key, value] of Object.entries(shared)) {
    const isOfRuns = key === 'paths' || (OPTION_KEYS as readonly string[]).includes(key);
    const isMine = (RUN_KEYS as readonly string[]).includes(key);
    if (isOfRuns && !isMine && value !== undefined) add(`${key}: expected with files only, see run`);
  }
  if (signal !== undefined && typeof signal?.throwIfAborted !== 'function') {
    add(`signal ${shownValue(signal)}: expected an AbortSignal`);
  }
  if (onProgress !== undefined && typeof onProgress !== 'function') {
    add(`onProgress ${shownValue(onProgress)}: expected a function`);
  }
  if (mine.length > 0) throw new MinHashError(mine);
  return { ...resolved, signal };
}
