/**
 * Where the documents of a run come from, as often as they are read.
 *
 * Floor 4. Types only.
 */
import type { FileTable } from '../storage/fileTable.js';
import type { FileSource, TextSource } from './secondReading.js';
import type { ColumnBlock } from './sketching.js';

/** Where the documents of a run come from. */
export interface Documents {
  /** Anew at every call. */
  first(): AsyncIterable<ColumnBlock>;
  readonly again: TextSource;
  /** The input files by number; null for documents in memory. */
  readonly files: FileTable | null;
  readonly filesAgain: FileSource;
  /** Bytes of input, for progress; null while unknown. */
  readonly totalBytes: number | null;
  /** Column blocks, for progress where the bytes are not known; null while unknown. */
  readonly totalBlocks: number | null;
}
