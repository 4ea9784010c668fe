/**
 * Lines of sets from where a task finds them, and the first lines of files.
 *
 * Floor 2. Ranges and chunks are those of JSON lines: a line belongs to the range in which it begins.
 */
import type { Block } from '../blocks/block.js';
import type { LinesRead, RowSink } from '../blocks/setBlocks.js';
import type { ErrorCode } from '../errors.js';
import type { RowRule } from '../sketch/rowRules.js';
import type { RangeSource } from './inputsPlan.js';
import { readRange } from './lineRanges.js';
import { PIECE_BYTES, type ReadBuffers, type ReadParams, readBuffers } from './readerSink.js';
import type { SetFields } from './setFields.js';
import { SetLines } from './setLines.js';
import type { ChunkPlace } from './taskSource.js';
import { closeInput, openInput, readInto } from './wholeFiles.js';

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
