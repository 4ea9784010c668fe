/**
 * Text files whose bytes are the document as they stand. Floor 2; must never know JSON, gzip or encodings.
 */
import type { ErrorCode } from '../errors.js';
import type { IndexedFile } from './inputsPlan.js';
import {
  type DocumentSink,
  looksBinary,
  type ReadBuffers,
  type ReadParams,
  refusesBinary,
} from './readerSink.js';
import { closeInput, openInput, readInto } from './wholeFiles.js';

/**
 * Gives a text file as one document, in pieces of the buffer's size, up to its end as found. An empty file is
 * a document without text. Skipped: TOO_LARGE, VANISHED, UNREADABLE, BINARY.
 */
export function readTextFile(
  file: IndexedFile,
  params: ReadParams,
  sink: DocumentSink,
  buffers: ReadBuffers,
): void {
  const opened = file.bytes > params.maxDocument ? 'TOO_LARGE' : openInput(file.path);
  if (typeof opened === 'string') {
    sink.skip(file.index, -1, opened, null);
    return;
  }
  try {
    const code = givePieces(opened, file.index, params, sink, buffers.piece);
    if (code !== null) sink.skip(file.index, -1, code, null);
  } finally {
    closeInput(opened);
  }
}

function givePieces(
  descriptor: number,
  index: number,
  params: ReadParams,
  sink: DocumentSink,
  piece: Uint8Array,
): ErrorCode | null {
  let size = 0;
  for (let first = true; ; first = false) {
    const end = readInto(descriptor, piece, 0, null);
    if (end < 0) return 'UNREADABLE';
    size += end;
    if (size > params.maxDocument) return 'TOO_LARGE';
    if (first) {
      if (refusesBinary(params) && looksBinary(piece.subarray(0, end))) return 'BINARY';
      if (end < piece.length) {
        sink.whole(index, -1, null, piece.subarray(0, end), false);
        return null;
      }
      if (!sink.begin(index, -1, null)) return null;
    }
    if (end > 0) sink.text(piece.subarray(0, end));
    if (end < piece.length) break;
  }
  sink.end(false);
  return null;
}
