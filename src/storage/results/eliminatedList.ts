/**
 * The list of eliminated shingles: what occurs in too many documents to be in a sketch, the most frequent first.
 *
 * Floor 2. Never decides what is eliminated. A hash is written as one number of 64 bits, in 16 hexadecimal digits.
 */
import type { WrittenFile } from './atomicFile.js';
import type { IdTable } from './idTable.js';
import { wordCell } from './rowWriter.js';
import { type ResultPlace, type WritingTools, writeRows } from './tableWriter.js';

export const ELIMINATED_COLUMNS = ['shingle', 'documents', 'text'] as const;

/** Eliminated shingles, sorted by hash. */
export interface EliminatedShingles {
  /** Pairs (low, high). */
  readonly hashes: Uint32Array;
  /** How many documents have each. */
  readonly documents: Uint32Array;
  /** Its tokens, as where it occurs first; no bytes where that is not known. */
  readonly texts: IdTable;
}

const digits = (word: number): string => word.toString(16).padStart(8, '0');

/** Rows by falling number of documents, then by hash. */
function eliminatedOrder(documents: Uint32Array): Uint32Array {
  return Uint32Array.from(documents, (_, i) => i).sort((x, y) => documents[y]! - documents[x]! || x - y);
}

/** Writes `listName('eliminated', format)`, one row a shingle. @throws MinHashError WRITE_FAILED */
export function writeEliminated(
  place: ResultPlace,
  { hashes, documents, texts }: EliminatedShingles,
  tools?: Pick<WritingTools, 'door'>,
): WrittenFile {
  return writeRows(
    place,
    ELIMINATED_COLUMNS,
    (rows) => {
      for (const i of eliminatedOrder(documents)) {
        rows.word(wordCell(digits(hashes[2 * i + 1]!) + digits(hashes[2 * i]!), place.format));
        rows.integer(documents[i]!);
        rows.id(texts, i);
        rows.endRow();
      }
    },
    tools,
  );
}
