/**
 * The number of workers that a run starts: fewer than allowed if starting one more takes longer than the others need
 * for all the work.
 */
import { opendirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Execution } from '../../options/check.js';
import { CODEC_ENDINGS } from '../../readers/list/fileList.js';

/** Bytes of text that a worker compares while another one starts (0.05 s), even if documents are short. */
const BYTES_A_WORKER = 1 << 18;

const PACKED: readonly string[] = Object.values(CODEC_ENDINGS).flat();

/** At most this many files and folders are looked at. */
const FEW_ENTRIES = 64;

/**
 * Worker threads, 0..`threads`: fewer if all PATHs together hold little text.
 *
 * @param least 0: use this thread if the text takes less time than the start of a worker
 */
export function workersFor(
  {
    threads,
    paths,
    against = [],
  }: Pick<Execution, 'threads' | 'paths'> & Partial<Pick<Execution, 'against'>>,
  least: 0 | 1 = 1,
): number {
  if (threads <= least) return threads;
  const bytes = bytesIn([...paths, ...against]);
  if (bytes <= BYTES_A_WORKER / 2) return least;
  return Math.min(threads, Math.ceil(bytes / BYTES_A_WORKER));
}

/** Bytes of the files below paths; infinity for standard input, compressed files, many files, and unreadable paths. */
function bytesIn(paths: readonly string[]): number {
  const waiting = [...paths];
  let bytes = 0;
  try {
    for (let i = 0; i < waiting.length; i++) {
      const path = waiting[i]!;
      if (path === '-' || PACKED.some((ending) => path.toLowerCase().endsWith(ending)))
        return Number.POSITIVE_INFINITY;
      const status = statSync(path);
      if (status.isDirectory()) waiting.push(...fewNamesIn(path).map((name) => join(path, name)));
      else bytes += status.size;
      if (waiting.length > FEW_ENTRIES) return Number.POSITIVE_INFINITY;
    }
    return bytes;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** The names in a folder, at most FEW_ENTRIES + 1, because a folder may have a million. */
function fewNamesIn(path: string): string[] {
  const folder = opendirSync(path);
  const names: string[] = [];
  try {
    while (names.length <= FEW_ENTRIES) {
      const entry = folder.readSync();
      if (entry === null) break;
      names.push(entry.name);
    }
  } finally {
    folder.closeSync();
  }
  return names;
}
