/**
 * The one door to reading a source: a task's part of the inputs in, documents out, synchronously.
 *
 * Floor 2; must never know what becomes of a document.
 */
import type { ErrorCode } from '../errors.js';
import { type ElementsSource, readElements } from './arrayCuts.js';
import { binaryCodeOf } from './binaryKinds.js';
import { decodeText, isUtf8 } from './encodings.js';
import { type FileList, pathIn } from './fileList.js';
import { formatOfKind, GZIP, type InputFormat, PLAIN_TEXT } from './formats.js';
import { gunzipWhole } from './gzip.js';
import type { RangeSource } from './inputsPlan.js';
import { readArrayFile } from './jsonArrays.js';
import { JsonLines } from './jsonLines.js';
import { JsonRecords } from './jsonRecords.js';
import { readRange } from './lineRanges.js';
import {
  type DocumentSink,
  lineLimit,
  type ReadBuffers,
  type ReadParams,
  readBuffers,
  refusesBinary,
  takesRawBytes,
} from './readerSink.js';
import { readTextFile } from './textFiles.js';
import { readWholeFile } from './wholeFiles.js';

/** Lines that the coordinator cut from a stream: UTF-8, complete but for the last of the stream. */
export interface ChunkSource {
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
export interface FilesSource {
  readonly kind: 'files';
  readonly list: FileList;
}

/** Elements of a file that is one array, or those at some of their positions alone. */
export interface ElementsPart extends ElementsSource {
  readonly part?: readonly [from: number, to: number];
}

export type Source = FilesSource | RangeSource | ElementsPart | ChunkSource;

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
  sink: DocumentSink,
  buffers: ReadBuffers = readBuffers(),
): { lines: number } {
  if (source.kind === 'elements') {
    readElements(source, params, sink, buffers, source.part);
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
  sink: DocumentSink,
  buffers: ReadBuffers,
  records: JsonRecords,
): void {
  const raw = takesRawBytes(params);
  for (let i = 0; i < list.indexes.length; i++) {
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
  sink: DocumentSink,
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
  return (refusesBinary(params) ? binaryCodeOf(bytes) : null) ?? bytes;
}

function decodedWhole(bytes: Uint8Array, encoding: string): Uint8Array {
  const pieces: Uint8Array[] = [];
  decodeText(bytes, encoding, (piece) => pieces.push(piece));
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}

function giveText(index: number, bytes: Uint8Array, params: ReadParams, sink: DocumentSink): void {
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
