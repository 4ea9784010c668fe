/**
 * How many workers a run starts: not all it may, where one more would take longer to start than the others take for
 * everything.
 */
import { opendirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Execution } from '../../options/check.js';
import { PACKING_ENDINGS } from '../../readers/bytes/packingEndings.js';

/** A worker starts in about 0.05 s, in which another one compares so many bytes of text, however short its documents are. */
const BYTES_A_WORKER = 1 << 18;

const PACKED: readonly string[] = Object.values(PACKING_ENDINGS).flat();

/** Files and folders that are looked at. */
const FEW_ENTRIES = 64;

/**
 * Worker threads, 0..`threads`: fewer where all PATHs together hold too little text, as far as a quick look tells.
 *
 * @param least with 0 this thread works where the text is compared before a worker has started
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

/** Bytes; infinity where that is not known: of standard input, of what is packed, of many files, of what cannot be looked at. */
function bytesIn(paths: readonly string[]): number {
  const waiting = [...paths];
  let bytes = 0;
  try {
    for (let i = 0; i < waiting.length; i++) {
      const path = waiting[i]!;
      if (path === '-' || PACKED.some((ending) => path.toLowerCase().endsWith(ending)))
        return Number.POSITIVE_INFINITY;
      const found = statSync(path);
      if (found.isDirectory()) waiting.push(...fewNamesIn(path).map((name) => join(path, name)));
      else bytes += found.size;
      if (waiting.length > FEW_ENTRIES) return Number.POSITIVE_INFINITY;
    }
    return bytes;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** All names of a folder, or one more than are looked at: a folder may hold a million. */
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
