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
import { type ChunkProblem, type LineChunk, RecordChunks } from '../bytes/chunkCutter.js';
import { LineEnds, UncountedLines } from '../bytes/recordCutter.js';
import { readInto, withInput } from '../bytes/wholeFiles.js';
import { type LineTaker, type ReadBuffers, type ReadParams, refusesBinary } from '../documentSink.js';
import type { RangeSplit } from '../split.js';

const LINES = new LineEnds();

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
    const range = new LineRange(descriptor, source, params, buffers);
    let count = 0;
    for (const part of range.parts()) {
      if ('problem' in part) sink.skip(index, count++, part.problem, null);
      else count += lines.run(index, count, part.bytes, from === 0 && count === 0);
    }
    if (range.problem !== null) problem(range.problem);
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

/** The lines of an open file that start in a range, many at a time. */
class LineRange extends RecordChunks {
  /** Once all parts are given: why the range has fewer lines than when the file was listed. */
  problem: 'UNREADABLE' | 'CHANGED' | null = null;
  readonly #descriptor: number;
  readonly #from: number;
  readonly #to: number;
  readonly #piece: Buffer;
  /** Bytes of a read: a buffer holds them, and the beginning of a line before them. */
  readonly #window: number;

  constructor(
    descriptor: number,
    { file, from, to }: RangeSplit,
    params: ReadParams,
    { piece }: ReadBuffers,
  ) {
    const held = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    const window = Math.ceil(piece.length / 2);
    super(new UncountedLines(), window, params, file.id, held);
    this.#descriptor = descriptor;
    this.#from = from;
    this.#to = to;
    this.#piece = held;
    this.#window = window;
  }

  *parts(): Generator<LineChunk | ChunkProblem> {
    const to = this.#to;
    const start = this.#from === 0 ? 0 : this.#firstLine();
    if (start >= to) return;
    for (let position = start, isOpen = true; isOpen && this.problem === null; ) {
      const wanted = position < to ? Math.min(this.#window, to - position) : BEYOND;
      const room = this.room(wanted);
      const read = readInto(this.#descriptor, room, 0, position);
      if (read < 0) this.problem = 'UNREADABLE';
      // The file had these lines when it was listed: otherwise their loss would go unnoticed.
      else if (position + read < to && read < wanted) this.problem = 'CHANGED';
      // The first line feed from the last byte of the range on ends the last line that starts in it.
      const end = position + read < to ? -1 : LINES.next(room, Math.max(0, to - 1 - position), read);
      this.filled(end < 0 ? Math.max(0, read) : end);
      isOpen = end < 0 && read === wanted;
      position += read;
      yield* this.chunks();
    }
    yield* this.rest(this.problem === 'UNREADABLE');
  }

  /**
   * Where the first line of the range starts, searched from the byte before it on; its end: no line does. A line that spans many
   * ranges costs each of them its own bytes only.
   */
  #firstLine(): number {
    const to = this.#to;
    for (let position = this.#from - 1; position < to; ) {
      const wanted = Math.min(this.#piece.length, BEYOND, to - position);
      const read = readInto(this.#descriptor, this.#piece, 0, position, wanted);
      const next = LINES.next(this.#piece, 0, Math.max(0, Math.min(read, to - 1 - position)));
      if (next >= 0) return position + next;
      if (read < wanted) {
        this.problem = read < 0 ? 'UNREADABLE' : 'CHANGED';
        break;
      }
      position += read;
    }
    return to;
  }
}
