/**
 * Are the files of a result the ones its manifest describes?
 *
 * Floor 2.
 */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { MinHashError } from '../../errors.js';
import type { FileFacts, Manifest } from './manifest.js';

const PIECE = 1 << 20;

function sha256Of(path: string): string {
  const hash = createHash('sha256');
  const piece = new Uint8Array(PIECE);
  const descriptor = openSync(path, 'r');
  try {
    for (let read = readSync(descriptor, piece); read > 0; read = readSync(descriptor, piece)) {
      hash.update(piece.subarray(0, read));
    }
  } finally {
    closeSync(descriptor);
  }
  return hash.digest('hex');
}

/** What is wrong with a file, or null. */
function problemOf(path: string, facts: FileFacts): string | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 'it is missing';
  if (stats.size !== facts.bytes) return `expected ${facts.bytes} bytes, found ${stats.size}`;
  return sha256Of(path) === facts.sha256 ? null : 'its SHA-256 is another';
}

/**
 * Checks size and SHA-256 of the files whose names begin with `start`.
 *
 * @throws MinHashError RESULT_DAMAGED naming the first that differs
 */
export function checkFiles(folder: string, manifest: Manifest, start: string): void {
  for (const name of Object.keys(manifest.files).sort()) {
    if (!name.startsWith(start)) continue;
    const problem = problemOf(join(folder, name), manifest.files[name]!);
    if (problem !== null) {
      throw new MinHashError({ code: 'RESULT_DAMAGED', detail: `${join(folder, name)}: ${problem}` });
    }
  }
}
