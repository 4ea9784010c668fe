/**
 * Where a task finds the documents of one column block: JSON, with bytes beside it where they are no file's.
 *
 * Floor 2.
 */
import type { Block } from '../blocks/block.js';
import type { DocumentSink } from '../blocks/documents.js';
import type { Kernel } from '../kernel/kernel.js';
import { type ArrayFile, arrayCuts, type ElementsSource } from './arrayCuts.js';
import { fileListIn, filesBetween } from './fileList.js';
import type { RangeSource } from './inputsPlan.js';
import { readSource, type Source } from './reader.js';
import { PIECE_BYTES, type ReadBuffers, type ReadParams, readBuffers } from './readerSink.js';

/** Whole files; which ones stands in a block of kind `text` (fileList.ts). */
export interface FilesPlace {
  readonly kind: 'files';
}

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

export type TaskSource = FilesPlace | RangeSource | ElementsSource | ChunkPlace | MemoryPlace;

/** A reader that keeps its memory from source to source; one a worker, not re-entrant. */
export class SourceReader {
  private readonly buffers: ReadBuffers;

  /** @param kernel the one that the documents are sketched with */
  constructor(kernel: Pick<Kernel, 'jsonLines'> | null = null) {
    this.buffers = readBuffers(PIECE_BYTES, kernel);
  }

  /**
   * Gives the documents to the sink; returns how many lines start in the source. `text`: the block of the files, or of
   * the lines of a chunk; else null. `part`: that part of it alone; of files and elements a range of positions, else of
   * bytes, in the file or (at starts of lines) in the chunk.
   */
  read(
    source: Exclude<TaskSource, MemoryPlace>,
    text: Block | null,
    params: ReadParams,
    sink: DocumentSink,
    part: readonly [from: number, to: number, ...unknown[]] | null = null,
  ): number {
    const full = fullSource(source, text);
    return readSource(part === null ? full : partOf(full, part), params, sink, this.buffers).lines;
  }

  /** Where a file is to be cut, if it is one array; see arrayCuts. */
  cuts(file: ArrayFile, params: ReadParams, progress: () => void): Block {
    return arrayCuts(file, params, this.buffers, progress);
  }
}

function fullSource(source: Exclude<TaskSource, MemoryPlace>, text: Block | null): Source {
  if (source.kind === 'files') return { ...source, list: fileListIn(text!) };
  if (source.kind === 'chunk') return { ...source, bytes: text!.columns.bytes as Uint8Array };
  return source;
}

function partOf(source: Source, [from, to]: readonly [number, number, ...unknown[]]): Source {
  if (source.kind === 'files') return { ...source, list: filesBetween(source.list, from, to) };
  if (source.kind === 'range') return { ...source, from, to };
  if (source.kind === 'elements') return { ...source, part: [from, to] };
  // The first line of the file alone can have a byte order mark.
  const firstLine = from === 0 ? source.firstLine : Math.max(1, source.firstLine);
  return { ...source, firstLine, bytes: source.bytes.subarray(from, to) };
}
