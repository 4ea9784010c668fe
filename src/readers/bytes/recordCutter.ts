/**
 * Where records end in a stream of bytes that is read from its beginning.
 *
 * A cutter goes over every byte once, in order: `last` and `next` are called for ranges that follow each other. Cuts follow
 * from the bytes alone, never from how they came.
 */
import type { StreamHead } from '../split.js';

export interface RecordCutter {
  /** Goes over all of [from, to); returns the end of the last record that ends there, or -1. */
  last(bytes: Buffer, from: number, to: number): number;
  /** Goes over [from, to) up to the first end of a record, and no further; returns it, or -1. */
  next(bytes: Buffer, from: number, to: number): number;
  /** How many records a chunk holds: all bytes since the chunk before it, up to an end that was returned or the end of the stream. */
  count(chunk: Buffer): number;
  /** Known once the first chunk is counted; undefined where chunks need none. */
  readonly head?: StreamHead | undefined;
}

const LINE_FEED = 0x0a;

/** Records are lines. */
export class LineEnds implements RecordCutter {
  // A search of the whole buffer would scan stale bytes, megabytes at every call.
  last(bytes: Buffer, from: number, to: number): number {
    const feed = bytes.subarray(from, to).lastIndexOf(LINE_FEED);
    return feed < 0 ? -1 : from + feed + 1;
  }

  next(bytes: Buffer, from: number, to: number): number {
    const feed = bytes.subarray(from, to).indexOf(LINE_FEED);
    return feed < 0 ? -1 : from + feed + 1;
  }

  count(chunk: Buffer): number {
    let lines = 0;
    for (let at = 0; at < chunk.length; lines++) {
      const feed = chunk.indexOf(LINE_FEED, at);
      at = feed < 0 ? chunk.length : feed + 1;
    }
    return lines;
  }
}
