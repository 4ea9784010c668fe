/** Reads a split, the input of one task, into documents or rows of sets; synchronously. */

import type { Block } from '../blocks/block.js';
import type { DocumentSink } from '../blocks/documents.js';
import type { LinesRead, RowSink } from '../blocks/sets.js';
import type { ErrorCode } from '../errors.js';
import type { Kernel } from '../kernel/kernel.js';
import type { InputFormat } from '../sketch/formatNames.js';
import type { RowRule } from '../text/elements.js';
import { giveRecords, lineEnd } from './bytes/records.js';
import { type OpenedFiles, readInto, withInput } from './bytes/wholeFiles.js';
import { PIECE_BYTES, type ReadBuffers, type ReadParams, readBuffers } from './documentSink.js';
import { readRange } from './formats/lineRanges.js';
import { memoryDocuments } from './formats/memoryDocuments.js';
import { type ChunkOfLines, FormatReading, type LinesOfFile } from './formats/reading.js';
import { type SetFields, SetLines } from './formats/setLines.js';
import { readTexts } from './formats/singleFiles.js';
import { RecordTexts } from './formats/web/pages.js';
import { fileListBlock, fileListIn } from './list/fileList.js';
import { type FileTable, fileListOf } from './list/fileTable.js';
import { formatNamed, formatOfKind, isCut } from './list/formats.js';
import type { ArrayFile, LinesSplit, Split } from './split.js';

/**
 * Passes the documents of a split to the sink, in order. Problems of inputs are passed to it as codes; an exception is a defect.
 *
 * @param block the block of the split; null: it has none
 * @returns the number of lines that start in the split, blank and skipped ones included; 0 for other records
 */
export function readSplit(split: Split, block: Block | null, reading: FormatReading): number {
  switch (split.kind) {
    case 'memory':
      memoryDocuments(block!, new RecordTexts(reading.sink, reading.params));
      return 0;
    case 'files':
      readFiles(block!, reading);
      return 0;
    case 'elements': {
      const format = formatNamed(split.file.format);
      if (format.splits !== 'by elements') throw new Error(`${format.name} has no elements`);
      format.read(split, reading);
      return 0;
    }
    default: {
      const format = formatNamed(split.file.format);
      const lines = linesIn(split, block);
      if (format.splits === 'in order' && lines.kind === 'chunk')
        return readChunk(format.name, lines, reading);
      if (format.splits !== 'by lines' || format.read === null)
        throw new Error(`${format.name} has no lines`);
      return format.read(lines, reading);
    }
  }
}

/** Passes on the documents of files that are read as a whole. */
export function readWhole(files: FileTable, indexes: Uint32Array, reading: FormatReading): void {
  readFiles(fileListBlock(fileListOf(files, indexes)), reading);
}

/** Reads a chunk of a format that is cut in order; returns the number of its records, valid or not. */
export function readChunk(
  name: InputFormat,
  { bytes: view, index, firstLine, head }: Pick<ChunkOfLines, 'bytes' | 'index' | 'firstLine' | 'head'>,
  reading: FormatReading,
): number {
  const format = formatNamed(name);
  if (format.splits !== 'in order') throw new Error(`${name} has no chunks`);
  const bytes = Buffer.from(view.buffer, view.byteOffset, view.byteLength);
  const records = format.documents({ bytes, firstLine, ...(head !== undefined && { head }) }, index, reading);
  return giveRecords(records, bytes);
}

function readFiles(block: Block, reading: FormatReading): void {
  const list = fileListIn(block);
  for (let i = 0; i < list.indexes.length; i++) {
    i = readTexts(list, i, reading);
    if (i === list.indexes.length) return;
    const format = formatOfKind(list.kinds[i]!);
    if (isCut(format)) throw new Error(`${format.name} is cut into ranges or chunks`);
    if (reading.sink.opensFile?.(list.indexes[i]!) === false) continue;
    format.read({ kind: 'file', list, i }, reading);
  }
}

function linesIn(split: LinesSplit, block: Block | null): LinesOfFile {
  return split.kind === 'range' ? split : { ...split, bytes: block!.columns.bytes as Uint8Array };
}

/** A reader that reuses its memory; one per worker, not re-entrant. */
export class SplitReader {
  private readonly buffers: ReadBuffers;

  /** @param kernel the one that the documents are sketched with */
  constructor(kernel: Pick<Kernel, 'jsonLines'> | null = null) {
    this.buffers = readBuffers(PIECE_BYTES, kernel);
  }

  /** See readSplit; `opened` notes whole files as they are opened. */
  read(
    split: Split,
    block: Block | null,
    params: ReadParams,
    sink: DocumentSink,
    opened: OpenedFiles | null = null,
  ): number {
    return readSplit(split, block, new FormatReading(params, sink, this.buffers, opened));
  }

  /** Where a large file is cut between its elements. */
  cuts(file: ArrayFile, params: ReadParams): Block {
    const format = formatNamed(file.file.format);
    if (format.splits !== 'by elements') throw new Error(`${format.name} has no elements`);
    return format.cuts(file, params, this.buffers);
  }
}

/** Reads lines of sets, and reuses its memory; one per worker, not re-entrant. */
export class SetLineReader {
  private readonly buffers: ReadBuffers = readBuffers(PIECE_BYTES);
  private readonly kernel: Pick<Kernel, 'rowLines'> | null;

  constructor(kernel: Pick<Kernel, 'rowLines'> | null = null) {
    this.kernel = kernel;
  }

  /** Passes on the rows of a split. `block`: the block of a chunk, null for a range. `seed`: of the hashes of rows. */
  read(
    split: LinesSplit,
    block: Block | null,
    params: ReadParams,
    fields: SetFields,
    rule: RowRule,
    sink: RowSink,
    seed = 0,
  ): LinesRead {
    const taker = new SetLines(fields, rule, sink, this.kernel, seed);
    const chunk = linesIn(split, block);
    const lines =
      chunk.kind === 'range'
        ? readRange(chunk, params, sink, this.buffers, taker)
        : taker.run(chunk.index, 0, chunk.bytes, chunk.firstLine === 0);
    return { lines, passed: taker.passed };
  }
}

/** The longest first line that is searched for names of fields. */
const MOST_HEADER = 1 << 20;

/** The first line of the file of a split, or why it cannot be read; one byte for a stream whose first line was too long to be held. */
export function firstLineOf(split: LinesSplit, block: () => Block): Uint8Array | ErrorCode {
  if (split.kind === 'range') return readFirstLine(split.file.path);
  if (split.firstLine > 0) return new Uint8Array(1);
  return firstLineIn(block().columns.bytes as Uint8Array);
}

function firstLineIn(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, lineEnd(bytes, 0));
}

/** The first line of a file, at most 1 MB, or why it cannot be read; empty for an empty file. */
export function readFirstLine(path: string): Uint8Array | ErrorCode {
  const read = (descriptor: number): Uint8Array | ErrorCode => {
    for (let size = 4096; ; size *= 16) {
      const head = new Uint8Array(size);
      const end = readInto(descriptor, head, 0, 0);
      if (end < 0) return 'UNREADABLE';
      const line = firstLineIn(head.subarray(0, end));
      if (line.length < end || end < size || size >= MOST_HEADER) return line;
    }
  };
  return withInput<Uint8Array | ErrorCode>(path, read, (code) => code);
}
