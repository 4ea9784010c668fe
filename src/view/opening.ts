/** Opens the index of a result for `view`: the one kept beside the result, or a new one, which is then kept there. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AskedResult } from '../analysis/result/pairTexts.js';
import { MinHashError } from '../errors.js';
import { indexFile, isOurFolder, openIndex, type StoredIndex } from '../result/indexFile.js';
import { quietly } from '../store/files.js';
import { Behind } from './behind.js';

/** Megabytes that objects may take while an index is made. */
const MEMORY = 256;

/** Errors that say that the index cannot be written beside the result. */
const UNKEPT: readonly string[] = ['WRITE_FAILED', 'DISK_FULL'];

/**
 * Opens the index. Where it cannot be kept beside the result, or others could change it there, a temporary one is made.
 *
 * @param onProgress called with the share that is made, 0..1
 * @throws MinHashError RESULT_MISSING, RESULT_DAMAGED
 */
export async function openedIndex(
  result: AskedResult,
  signal: AbortSignal,
  onProgress: (share: number) => void,
): Promise<StoredIndex> {
  const { folder, manifest } = result;
  const file = indexFile(folder);
  const kept = openIndex(file, folder, manifest);
  if (kept !== null) return kept;
  const behind = new Behind(MEMORY);
  const made = async (place: string): Promise<StoredIndex | null> => {
    await behind.do({ kind: 'index', result, file: place }, { signal, onProgress });
    return openIndex(place, folder, manifest);
  };
  try {
    if (isOurFolder(file)) {
      const opened = await made(file).catch((error: unknown) => {
        if (error instanceof MinHashError && error.faults.every(({ code }) => UNKEPT.includes(code)))
          return null;
        throw error;
      });
      if (opened !== null) return opened;
    }
    const scratch = mkdtempSync(join(tmpdir(), 'mr-minhash-view-'));
    try {
      const opened = await made(join(scratch, 'view.index'));
      if (opened !== null) return opened;
    } finally {
      // The index is open, so it stays readable after its file is removed.
      quietly(() => rmSync(scratch, { recursive: true, force: true }));
    }
  } finally {
    await behind.close();
  }
  throw new MinHashError({
    code: 'RESULT_DAMAGED',
    detail: `${folder}: its files change while they are read`,
  });
}
