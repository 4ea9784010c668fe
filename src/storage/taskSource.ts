/**
 * Where a task finds the documents of one column block: JSON, with bytes beside it where they are no file's.
 *
 * Floor 2.
 */
import type { DocumentSink } from '../blocks/documents.js';
import type { Kernel } from '../kernel/kernel.js';
import type { FilesSource, RangeSource } from './inputsPlan.js';
import { readSource } from './reader.js';
import { PIECE_BYTES, type ReadBuffers, type ReadParams, readBuffers } from './readerSink.js';

/** Lines of a stream, cut by the coordinator; the bytes travel as a block of kind `text`. */
export interface ChunkPlace {
  readonly kind: 'chunk';
  readonly index: number;
  readonly id: string;
  readonly firstLine: number;
}

/** Documents given in memory, in a block of kind `text`. */
export interface MemoryPlace {
  readonly kind: 'memory';
}

export type TaskSource = FilesSource | RangeSource | ChunkPlace | MemoryPlace;

/** A reader that keeps its memory from source to source; one a worker, not re-entrant. */
export class SourceReader {
  private readonly buffers: ReadBuffers;

  /** @param kernel the one that the documents are sketched with */
  constructor(kernel: Pick<Kernel, 'jsonLines'> | null = null) {
    this.buffers = readBuffers(PIECE_BYTES, kernel);
  }

  /** Gives the documents to the sink; returns how many lines start in the source. `bytes`: the lines of a chunk. */
  read(
    source: Exclude<TaskSource, MemoryPlace>,
    bytes: Uint8Array | null,
    params: ReadParams,
    sink: DocumentSink,
  ): number {
    const full = source.kind === 'chunk' ? { ...source, bytes: bytes! } : source;
    return readSource(full, params, sink, this.buffers).lines;
  }
}
