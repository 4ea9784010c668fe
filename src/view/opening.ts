/** Opens the index of a result for `view`: the one stored beside the result, or a new one, which is then stored there. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AskedResult } from '../analysis/result/pairTexts.js';
import { MinHashError } from '../errors.js';
import { indexFile, isOurFolder, openIndex, type StoredIndex } from '../result/indexFile.js';
import { quietly } from '../store/files.js';
import { Behind } from './behind.js';

/** Megabytes that objects may take while an index is built. */
const MEMORY = 256;

/** Errors which mean that the index cannot be written beside the result. */
const UNKEPT: readonly string[] = ['WRITE_FAILED', 'DISK_FULL'];

/**
 * Opens the index. If it cannot be stored beside the result, or others could change it there, a temporary one is built.
 *
 * @param onProgress called with the share of the index that is built, 0..1
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
  const built = async (place: string): Promise<StoredIndex | null> => {
    await behind.do({ kind: 'index', result, file: place }, { signal, onProgress });
    return openIndex(place, folder, manifest);
  };
  try {
    if (isOurFolder(file)) {
      const opened = await built(file).catch((error: unknown) => {
        if (error instanceof MinHashError && error.problems.every(({ code }) => UNKEPT.includes(code)))
          return null;
        throw error;
      });
      if (opened !== null) return opened;
    }
    const scratch = mkdtempSync(join(tmpdir(), 'mr-minhash-view-'));
    try {
      const opened = await built(join(scratch, 'view.index'));
      if (opened !== null) return opened;
    } finally {
      // An open index can be read after its file is removed.
      quietly(() => rmSync(scratch, { recursive: true, force: true }));
    }
  } finally {
    await behind.close();
  }
  throw new MinHashError({
    code: 'RESULT_DAMAGED',
    detail: `${folder}: its files changed while they were read`,
  });
}
