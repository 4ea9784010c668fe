/**
 * Where a task finds the documents of one column block: JSON, with bytes beside it where they are no file's.
 */

import type { Block } from '../blocks/block.js';
import type { DocumentSink } from '../blocks/documents.js';
import type { LinesRead, RowSink } from '../blocks/sets.js';
import type { ErrorCode } from '../errors.js';
import type { Kernel } from '../kernel/kernel.js';
import type { RowRule } from '../text/elements.js';
import { binaryCodeOf, packedBinaryCodeOf } from './bytes/binaryKinds.js';
import { decodeText, isUtf8 } from './bytes/encodings.js';
import { gunzipWhole } from './bytes/gzip.js';
import { closeInput, openInput, readInto, readWholeFile } from './bytes/wholeFiles.js';
import {
  lineLimit,
  PIECE_BYTES,
  type ReadBuffers,
  type ReadParams,
  readBuffers,
  refusesBinary,
  type TextSink,
  takesRawBytes,
} from './documentSink.js';
import { type ArrayFile, arrayCuts, type ElementsSource, readElements } from './formats/arrayCuts.js';
import { readArrayFile } from './formats/jsonArrays.js';
import { JsonLines } from './formats/jsonLines.js';
import { JsonRecords } from './formats/jsonRecord.js';
import { readRange } from './formats/lineRanges.js';
import { type SetFields, SetLines } from './formats/setLines.js';
import { readTextFile } from './formats/textFiles.js';
import { formatOfKind, GZIP, type InputFormat, PLAIN_TEXT } from './list/fileKinds.js';
import { type FileList, fileListIn, pathIn } from './list/fileTable.js';
import type { RangeSource } from './split.js';

/*
 * The one door to reading a source: a task's part of the inputs in, documents out, synchronously.
 *
 * It must never know what becomes of a document.
 */

/** Lines that the coordinator cut from a stream: UTF-8, complete but for the last of the stream. */
interface ChunkSource {
  readonly kind: 'chunk';
  /** Index of the file in Inputs.files. */
  readonly index: number;
  /** Id of the file, for messages. */
  readonly id: string;
  /** Number of the chunk's first line in the file, from 0. */
  readonly firstLine: number;
  readonly bytes: Uint8Array;
}

/** Whole files of a list. */
interface FilesSource {
  readonly kind: 'files';
  readonly list: FileList;
}

export type Source = FilesSource | RangeSource | ElementsSource | ChunkSource;

/**
 * Reads a source and gives its documents to the sink, in order. Faults of inputs go to the sink as codes;
 * what is thrown is a defect.
 *
 * @param buffers memory to work in; a caller that reads many sources keeps one set
 * @returns for lines, how many start in the source (blank and skipped ones too); else 0
 */
export function readSource(
  source: Source,
  params: ReadParams,
  sink: TextSink,
  buffers: ReadBuffers = readBuffers(),
): { lines: number } {
  if (source.kind === 'elements') {
    readElements(source, params, sink, buffers);
    return { lines: 0 };
  }
  if (source.kind !== 'files') {
    const lines = new JsonLines(params, sink, buffers);
    if (source.kind === 'chunk') return { lines: readChunk(source, lines) };
    return { lines: readRange(source, params, sink, buffers, lines) };
  }
  const records = new JsonRecords(params, sink, buffers);
  readFiles(source, params, sink, buffers, records);
  return { lines: 0 };
}

function readFiles(
  { list }: FilesSource,
  params: ReadParams,
  sink: TextSink,
  buffers: ReadBuffers,
  records: JsonRecords,
): void {
  const raw = takesRawBytes(params);
  for (let i = 0; i < list.indexes.length; i++) {
    if (sink.opensFile?.(list.indexes[i]!) === false) continue;
    if (raw && list.kinds[i] === PLAIN_TEXT) readTextFile(list, i, params, sink, buffers);
    else readWholly(wholeFile(list, i), params, sink, buffers, records);
  }
}

/** A file that is held whole, as an object: what is done with it costs far more. */
interface WholeFile {
  readonly index: number;
  readonly path: Uint8Array;
  readonly bytes: number;
  readonly format: InputFormat;
  readonly gzip: boolean;
}

function wholeFile(list: FileList, i: number): WholeFile {
  const kind = list.kinds[i]!;
  return {
    index: list.indexes[i]!,
    path: pathIn(list, i),
    bytes: list.sizes[i]!,
    format: formatOfKind(kind),
    gzip: (kind & GZIP) !== 0,
  };
}

function readChunk(source: ChunkSource, lines: JsonLines): number {
  const { bytes, index } = source;
  return bytes.length === 0 ? 0 : lines.run(index, 0, bytes, 0, bytes.length, source.firstLine === 0);
}

/** Files that are held whole: JSON, gzipped, or in another encoding. */
function readWholly(
  file: WholeFile,
  params: ReadParams,
  sink: TextSink,
  buffers: ReadBuffers,
  records: JsonRecords,
): void {
  const raw = rawBytes(file, params, buffers, () => {
    return readArrayFile(file, params, sink, buffers, records, file.format === 'json-or-text');
  });
  if (raw === null) return;
  const bytes = unpackedBytes(file, raw, params);
  if (typeof bytes === 'string') {
    sink.skip(file.index, -1, bytes, null);
    return;
  }
  if (file.format !== 'text') {
    const json = isUtf8(params.encoding) ? bytes : decodedWhole(bytes, params.encoding);
    if (records.file(file.index, json, file.format === 'json-or-text')) return;
  }
  giveText(file.index, bytes, params, sink);
}

/** The bytes of a file as they are; null where `asArray` gave all of it, so that it need not be held. */
function rawBytes(
  file: WholeFile,
  params: ReadParams,
  { piece }: ReadBuffers,
  asArray: () => boolean,
): Uint8Array | ErrorCode | null {
  const json = file.format !== 'text';
  if (json && !file.gzip && isUtf8(params.encoding)) {
    const small = readWholeFile(file, Math.min(piece.length - 1, lineLimit(params)), piece);
    if (small !== 'TOO_LARGE') return small;
    if (asArray()) return null;
  }
  // JSON is longer than its text by escapes and other fields. In UTF-16 a text takes twice what it takes in
  // UTF-8, and packed data are hardly ever longer than unpacked.
  const limit =
    json && !file.gzip ? lineLimit(params) : Math.min(2 * params.maxDocument + 1024, lineLimit(params));
  return readWholeFile(file, limit, piece);
}

function unpackedBytes(
  file: WholeFile,
  raw: Uint8Array | ErrorCode,
  params: ReadParams,
): Uint8Array | ErrorCode {
  if (typeof raw === 'string') return raw;
  const bytes = file.gzip ? gunzipWhole(raw, params.maxDocument) : raw;
  if (typeof bytes === 'string') return bytes;
  if (!refusesBinary(params)) return bytes;
  return (file.gzip ? packedBinaryCodeOf(bytes) : binaryCodeOf(bytes)) ?? bytes;
}

function decodedWhole(bytes: Uint8Array, encoding: string): Uint8Array {
  const pieces: Uint8Array[] = [];
  decodeText(bytes, encoding, (piece) => pieces.push(piece));
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}

function giveText(index: number, bytes: Uint8Array, params: ReadParams, sink: TextSink): void {
  const raw = takesRawBytes(params);
  if (raw && bytes.length > params.maxDocument) {
    sink.skip(index, -1, 'TOO_LARGE', null);
    return;
  }
  if (!sink.begin(index, -1, null)) return;
  let repaired = false;
  let size = 0;
  const give = (piece: Uint8Array): void => {
    size += piece.length;
    if (piece.length > 0 && size <= params.maxDocument) sink.text(piece);
  };
  if (raw) give(bytes);
  else repaired = decodeText(bytes, params.encoding, give);
  if (size > params.maxDocument) sink.skip(index, -1, 'TOO_LARGE', null);
  else sink.end(repaired);
}

/** Whole files; which ones stands in a block of kind `text` (list/fileTable.ts). */
interface FilesPlace {
  readonly kind: 'files';
}

/** Lines of a stream, cut by the coordinator; the bytes travel as a block of kind `text`. */
interface ChunkPlace {
  readonly kind: 'chunk';
  readonly index: number;
  readonly id: string;
  readonly firstLine: number;
}

/** Documents given in memory, in a block of kind `text`. */
interface MemoryPlace {
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
   * the lines of a chunk; else null.
   */
  read(
    source: Exclude<TaskSource, MemoryPlace>,
    text: Block | null,
    params: ReadParams,
    sink: DocumentSink,
  ): number {
    return readSource(fullSource(source, text), params, sink, this.buffers).lines;
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

/*
 * Lines of sets from where a task finds them, and the first lines of files.
 *
 * Ranges and chunks are those of JSON lines: a line belongs to the range in which it begins.
 */

/** The longest first line that is looked at for names of fields. */
const MOST_HEADER = 1 << 20;
const LINE_FEED = 0x0a;

/** Reads sources of lines; keeps its memory from one to the next. One a worker, not re-entrant. */
export class SetLineReader {
  private readonly buffers: ReadBuffers = readBuffers(PIECE_BYTES);

  /** Gives the rows of a source. `text`: the block of a chunk, null for a range. */
  read(
    source: RangeSource | ChunkPlace,
    text: Block | null,
    params: ReadParams,
    fields: SetFields,
    rule: RowRule,
    sink: RowSink,
  ): LinesRead {
    const taker = new SetLines(fields, rule, sink);
    if (source.kind === 'range') {
      const lines = readRange(source, params, sink, this.buffers, taker);
      return { lines, passed: taker.passed };
    }
    const bytes = text!.columns.bytes as Uint8Array;
    if (bytes.length === 0) return { lines: 0, passed: 0 };
    const lines = taker.run(source.index, 0, bytes, 0, bytes.length, source.firstLine === 0);
    return { lines, passed: taker.passed };
  }
}

/** The first line of a text, with its line feed. */
export function firstLineOf(bytes: Uint8Array): Uint8Array {
  const feed = bytes.indexOf(LINE_FEED);
  return feed < 0 ? bytes : bytes.subarray(0, feed + 1);
}

/** The first line of a file, at most 1 MB of it, or why it cannot be had; of an empty file it is empty. */
export function readFirstLine(path: string): Uint8Array | ErrorCode {
  const descriptor = openInput(path);
  if (typeof descriptor === 'string') return descriptor;
  try {
    for (let size = 4096; ; size *= 16) {
      const head = new Uint8Array(size);
      const end = readInto(descriptor, head, 0, 0);
      if (end < 0) return 'UNREADABLE';
      const read = head.subarray(0, end);
      if (read.includes(LINE_FEED) || end < size || size >= MOST_HEADER) return firstLineOf(read);
    }
  } finally {
    closeInput(descriptor);
  }
}
