/** What a run will need, as far as it is known before anything is read: estimates, wrong for records of an unusual length. */

import { WORKER_BYTES } from '../../options/memory.js';
import type { Piece } from '../../readers/pieces.js';
import type { ResultParams } from '../../sketch/params.js';
import { DOCUMENT_BYTES, documentsIn, signatureBytes } from '../storage.js';

/** Bytes of a process that holds no document; no part of `--memory`. */
export const PROGRAM_BYTES = 90e6;

/** Bytes in memory, the program's own with them, and on disk. */
interface WorkEstimate {
  readonly memoryBytes: number;
  readonly workBytes: number;
}

/** Memory without a limit, and disk if data are in files; pairs and sets come on top. */
export function workEstimate(params: ResultParams, pieces: readonly Piece[], threads: number): WorkEstimate {
  const documents = documentsIn(pieces);
  const each = signatureBytes(params);
  return {
    memoryBytes: memoryEstimate(documents, each, threads),
    workBytes: Math.round(documents * (each + DOCUMENT_BYTES)),
  };
}

/** Bytes of so many documents with signatures of `each` bytes, and of the workers. */
export function memoryEstimate(documents: number, each: number, threads: number): number {
  const held = documents * (each + DOCUMENT_BYTES);
  return Math.round(PROGRAM_BYTES + Math.max(1, threads) * WORKER_BYTES + held);
}
