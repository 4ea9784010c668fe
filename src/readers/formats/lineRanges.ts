/**
 * Reads byte ranges of plain files of lines. A record belongs to the range in which its line starts.
 *
 *     range 1        | range 2        | range 3
 *     aaaaaa\nbbbbbbb|bbb\ncccc\nddddd|ddddd\n
 *     reads a and b  | reads c and d  | reads nothing
 */
import type { TextSink } from '../../blocks/documents.js';
import type { ErrorCode } from '../../errors.js';
import { BINARY_PROBE, binaryCode, isBinaryTable } from '../bytes/binaryKinds.js';
import { ChunkCutter, type LineChunk, recordLimit } from '../bytes/chunkCutter.js';
import { firstLineEnd } from '../bytes/records.js';
import { readInto, withInput } from '../bytes/wholeFiles.js';
import { type LineTaker, type ReadBuffers, type ReadParams, refusesBinary } from '../documentSink.js';
import type { RangeSplit } from '../split.js';

/** Bytes read at a time to find the line feed before a range, or after it. */
const BEYOND = 64 << 10;

/**
 * Emits the records of the lines that start in a range; returns the number of lines that start there
 * (including blank, broken and skipped ones), so that lines can be numbered. Lines added to the file since it
 * was listed are ignored.
 *
 * A file that cannot be opened or read, or ends before its range does, is skipped by each of its ranges; only
 * the first reports that it is binary.
 */
export function readRange(
  source: RangeSplit,
  params: ReadParams,
  sink: Pick<TextSink, 'opensFile' | 'skip'>,
  buffers: ReadBuffers,
  lines: LineTaker,
): number {
  const { file, index, from } = source;
  if (sink.opensFile?.(index) === false) return 0;
  const problem = (code: ErrorCode): number => {
    sink.skip(index, -1, code, null);
    return 0;
  };
  const read = (descriptor: number): number => {
    const binary = refusesBinary(params) ? binaryBeginning(descriptor) : null;
    if (binary !== null) return from === 0 ? problem(binary) : 0;
    let count = 0;
    for (const part of linesOf(descriptor, source, params, buffers)) {
      if (!('problem' in part)) count += lines.run(index, count, part.bytes, from === 0 && count === 0);
      else if (part.problem === 'TOO_LARGE') sink.skip(index, count++, part.problem, null);
      else problem(part.problem);
    }
    return count;
  };
  return withInput(file.path, read, problem);
}

/** The code of a file that begins as a binary one; null: it does not. */
function binaryBeginning(descriptor: number): ErrorCode | null {
  const probe = new Uint8Array(BINARY_PROBE);
  const head = probe.subarray(0, Math.max(0, readInto(descriptor, probe, 0, 0)));
  return isBinaryTable(head) ? binaryCode(head) : null;
}

/** The lines of an open file that start in a range, many at a time; then, if the range has fewer lines than when it was listed, why. */
function* linesOf(
  descriptor: number,
  { file, from, to }: RangeSplit,
  params: ReadParams,
  { piece }: ReadBuffers,
): Generator<LineChunk | { readonly problem: ErrorCode }> {
  const held = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
  const start = from === 0 ? 0 : firstLine(descriptor, held, from, to);
  if (typeof start === 'string') yield { problem: start };
  if (typeof start === 'string' || start >= to) return;
  // A buffer holds the bytes of a read, and the beginning of a line before them.
  const window = Math.ceil(piece.length / 2);
  const cutter = new ChunkCutter(null, window, recordLimit(params, window, file.id), () => {}, held);
  for (let position = start, isOpen = true; isOpen; ) {
    const length = position < to ? Math.min(window, to - position) : BEYOND;
    const room = cutter.room(length);
    const read = readInto(descriptor, room, 0, position);
    // The file had these lines when it was listed: otherwise their loss would go unnoticed.
    const problem = read < 0 ? 'UNREADABLE' : position + read < to && read < length ? 'CHANGED' : null;
    // The first line feed from the last byte of the range on ends the last line that starts in it.
    const end = position + read < to ? -1 : firstLineEnd(room, Math.max(0, to - 1 - position), read);
    cutter.filled(end < 0 ? Math.max(0, read) : end);
    isOpen = end < 0 && read === length;
    position += read;
    yield* cutter.chunks();
    if (!isOpen) yield* cutter.rest(problem === 'UNREADABLE');
    if (problem !== null) yield { problem };
  }
}

/**
 * Where the first line of a range starts, searched from the byte before it on; its end: no line does. A line that spans many
 * ranges costs each of them its own bytes only.
 */
function firstLine(descriptor: number, piece: Buffer, from: number, to: number): number | ErrorCode {
  for (let position = from - 1; position < to; ) {
    const length = Math.min(piece.length, BEYOND, to - position);
    const read = readInto(descriptor, piece, 0, position, length);
    const next = firstLineEnd(piece, 0, Math.max(0, Math.min(read, to - 1 - position)));
    if (next >= 0) return position + next;
    if (read < length) return read < 0 ? 'UNREADABLE' : 'CHANGED';
    position += read;
  }
  return to;
}
