/**
 * Estimates of the memory and disk that a run needs, before anything is read. They are wrong if records have an unusual
 * length.
 */

import { WORKER_BYTES } from '../../options/memory.js';
import type { Piece } from '../../readers/pieces.js';
import type { ResultParams } from '../../sketch/params.js';
import { DOCUMENT_BYTES, documentsIn, signatureBytes } from '../storage.js';

/** Bytes of a process without documents; not part of `--memory`. */
export const PROGRAM_BYTES = 90e6;

/** Bytes in memory, including the program itself, and on disk. */
interface WorkEstimate {
  readonly memoryBytes: number;
  readonly workBytes: number;
}

/** Memory without a limit, and disk if data is in files. Pairs and sets are not included. */
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
