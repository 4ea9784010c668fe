/**
 * Estimates of the memory and disk that a run needs, before anything is read. They are wrong if records have an unusual
 * length.
 */

import type { Execution } from '../../options/check.js';
import { WORKER_BYTES } from '../../options/memory.js';
import type { Piece } from '../../readers/pieces.js';
import type { ResultParams } from '../../sketch/params.js';
import { budgetOf } from '../../store/budget.js';
import { DOCUMENT_BYTES, documentsIn, Storage, signatureBytes } from '../storage.js';

/** Bytes of a process without documents; not part of `--memory`. */
export const PROGRAM_BYTES = 90e6;

/** Bytes in memory, including the program itself, and on disk. */
interface WorkEstimate {
  readonly memoryBytes: number;
  readonly workBytes: number;
}

/** Memory without a limit, and disk if data does not fit into `memory` bytes. Pairs and sets are not included. */
export function workEstimate(
  params: ResultParams,
  pieces: readonly Piece[],
  { out, memory, threads }: Pick<Execution, 'out' | 'memory' | 'threads'>,
): WorkEstimate {
  const documents = documentsIn(pieces);
  const each = signatureBytes(params);
  const bytes = Math.round(documents * (each + DOCUMENT_BYTES));
  const isInMemory = new Storage(out, budgetOf(memory, threads)).fits(bytes);
  return { memoryBytes: memoryEstimate(documents, each, threads), workBytes: isInMemory ? 0 : bytes };
}

/** Bytes of so many documents with signatures of `each` bytes, and of the workers. */
export function memoryEstimate(documents: number, each: number, threads: number): number {
  const held = documents * (each + DOCUMENT_BYTES);
  return Math.round(PROGRAM_BYTES + Math.max(1, threads) * WORKER_BYTES + held);
}
