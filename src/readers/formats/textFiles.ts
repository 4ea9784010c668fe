/** Reads text files whose bytes are the document itself. */
import type { ErrorCode } from '../../errors.js';
import { binaryCodeOf } from '../bytes/binaryKinds.js';
import { utf16Of } from '../bytes/encodings.js';
import { packingOf } from '../bytes/packings.js';
import {
  closeInput,
  type OpenedFiles,
  openInput,
  readFault,
  readInto,
  readToEnd,
  sizeOf,
} from '../bytes/wholeFiles.js';
import { type ReadBuffers, type ReadParams, refusesBinary, type TextSink } from '../documentSink.js';
import { type FileList, pathIn } from '../list/fileList.js';
import { beginsPage, tellsPages } from './web/pages.js';

/**
 * Emits file `i` of a list as one document, up to its current end: at once if it is smaller than the buffer,
 * else in pieces of the buffer's size. An empty file is a document without text. Skipped: TOO_LARGE,
 * VANISHED, UNREADABLE, NOT_A_FILE, BINARY.
 *
 * @returns false, with nothing emitted, where the first bytes say that they are no text as it stands: packed, UTF-16, or HTML
 */
export function readTextFile(
  list: FileList,
  i: number,
  params: ReadParams,
  sink: TextSink,
  buffers: ReadBuffers,
  seen: OpenedFiles | null = null,
): boolean {
  const index = list.indexes[i]!;
  const size = list.sizes[i]!;
  const opened = size > params.maxDocument ? 'TOO_LARGE' : openInput(pathIn(list, i));
  if (typeof opened === 'string') {
    sink.skip(index, -1, opened, null);
    return true;
  }
  let code: ErrorCode | typeof NO_PLAIN_TEXT | null;
  try {
    seen?.note(index, opened);
    code = give(opened, index, size, params, sink, buffers.piece);
  } finally {
    closeInput(opened);
  }
  if (code === NO_PLAIN_TEXT) return false;
  if (code !== null) sink.skip(index, -1, code, null);
  return true;
}

const NO_PLAIN_TEXT = Symbol('no plain text');

/** 1: what begins with this byte may be packed, UTF-16 or a page; nearly no other text does. */
const MAY_BE_OTHER = new Uint8Array(256);
for (const byte of [0x09, 0x0a, 0x0d, 0x1f, 0x20, 0x28, 0x3c, 0x42, 0xef, 0xfd, 0xfe, 0xff])
  MAY_BE_OTHER[byte] = 1;
MAY_BE_OTHER.fill(1, 0x50, 0x60);

/** Whether first bytes say that the text is not what stands in the file. */
function isNoPlainText(head: Uint8Array, params: ReadParams): boolean {
  if (head.length === 0 || MAY_BE_OTHER[head[0]!] === 0) return false;
  return utf16Of(head) !== null || packingOf(head) !== null || (tellsPages(params) && beginsPage(head));
}

function give(
  descriptor: number,
  index: number,
  size: number,
  params: ReadParams,
  sink: TextSink,
  piece: Uint8Array,
): ErrorCode | typeof NO_PLAIN_TEXT | null {
  const end = readToEnd(descriptor, piece, size);
  if (end < 0) return readFault(descriptor);
  const text = piece.subarray(0, end);
  const isWhole = end < piece.length;
  // The size may be unknown until now; this avoids reading and sketching gigabytes in vain.
  const found = isWhole && (end > 0 || size === 0) ? end : sizeOf(descriptor);
  if (typeof found === 'string') return found;
  if (Math.max(end, found) > params.maxDocument) return 'TOO_LARGE';
  if (refusesBinary(params) && isNoPlainText(text, params)) return NO_PLAIN_TEXT;
  const binary = refusesBinary(params) ? binaryCodeOf(text) : null;
  if (binary !== null) return binary;
  if (isWhole) {
    sink.whole(index, -1, null, text, false);
    return null;
  }
  if (!sink.begin(index, -1, null)) return null;
  sink.text(text);
  const code = givePieces(descriptor, piece, end, params.maxDocument, sink);
  if (code === null) sink.end(false);
  return code;
}

/** Emits the rest of a file after its first `size` bytes. */
function givePieces(
  descriptor: number,
  piece: Uint8Array,
  size: number,
  maxDocument: number,
  sink: TextSink,
): ErrorCode | null {
  for (;;) {
    const end = readInto(descriptor, piece, 0, null);
    if (end < 0) return readFault(descriptor);
    size += end;
    if (size > maxDocument) return 'TOO_LARGE';
    if (end > 0) sink.text(piece.subarray(0, end));
    if (end < piece.length) return null;
  }
}
