/**
 * How many documents the inputs hold, and how long their ids are, from a fiftieth of the bytes: spread over plain files, of
 * streams their beginnings.
 *
 * Nothing is told of what is wrong with them: who reads them does.
 */
import { ChunkCutter, type ChunkFault, type LineChunk } from '../../readers/bytes/chunks.js';
import { packingNamed } from '../../readers/bytes/packings.js';
import { closeInput, openInput, readInto } from '../../readers/bytes/wholeFiles.js';
import { type PieceParams, type ReadParams, readBuffers, type TextSink } from '../../readers/documentSink.js';
import { FormatReading } from '../../readers/formats/reading.js';
import type { InputFile } from '../../readers/list/fileList.js';
import { cutFormatNamed } from '../../readers/list/formats.js';
import { byKind, type Piece, type StreamPiece } from '../../readers/pieces.js';
import { readSplit } from '../../readers/reader.js';
import { lineLimit } from '../../readers/recordRoom.js';
import { chunkSplit, linesBlock, type RangeSplit } from '../../readers/split.js';

/** Documents, and the bytes of their ids. */
export interface DocumentCount {
  readonly documents: number;
  readonly idBytes: number;
  /** Bytes that the longest record of plain lines may have: between two of the parts that are read, without one in the parts between. */
  readonly longest: number;
}

const SHARE = 1 / 50;
/** A part of a plain file that is read, and what is read at most: more says hardly more. */
const LEAST_PART = 64 << 10;
const MOST_READ = 32 << 20;
const MOST_MILLISECONDS = 1000;
/** Chunks of a stream, and what is read of one that is not packed. */
const CHUNK_BYTES = 64 << 10;
const PLAIN_HEAD = 4 << 20;
/** A place in a file, where it is the id of a document: its number behind the name of the file. */
const PLACE_DIGITS = 8;

/** Counts what it is given, and reads no text. */
class Counting implements TextSink {
  documents = 0;
  idBytes = 0;
  /** Bytes of the file's name. */
  name = 0;

  begin(_file: number, _record: number, id: Uint8Array | null): boolean {
    this.documents++;
    this.idBytes += id === null ? this.name + PLACE_DIGITS : id.length;
    return false;
  }

  whole(file: number, record: number, id: Uint8Array | null): void {
    this.begin(file, record, id);
  }

  text(): void {}
  end(): void {}
  skip(): void {}
}

/** The documents of the pieces. Files that are read whole count as one; of arrays `arrayDocuments` are taken to be there. */
export function sampledDocuments(
  pieces: readonly Piece[],
  params: ReadParams & PieceParams,
  arrayDocuments: (bytes: number) => number,
): DocumentCount {
  const until = performance.now() + MOST_MILLISECONDS;
  const sample = new Sample(params);
  const sum = { documents: 0, idBytes: 0, longest: 0 };
  const streams: StreamPiece[] = [];
  const ranges: RangeSplit[] = [];
  for (const piece of pieces)
    byKind(piece, {
      files: ({ files }) => {
        sum.documents += files.length;
      },
      array: ({ file }) => {
        sum.documents += arrayDocuments(file.bytes);
      },
      stream: (stream) => streams.push(stream),
      range: (range) => ranges.push(range),
    });
  const rangeBytes = ranges.reduce((bytes, { from, to }) => bytes + to - from, 0);
  const wanted = Math.min(MOST_READ, Math.max(LEAST_PART, SHARE * rangeBytes));
  // As many parts as are long enough, evenly spread.
  const step = Math.max(1, Math.ceil((ranges.length * LEAST_PART) / wanted));
  const part = Math.ceil(wanted / Math.max(1, Math.ceil(ranges.length / step)));
  for (let i = 0; i < ranges.length && performance.now() < until; i += step) sample.range(ranges[i]!, part);
  sample.addTo(sum, rangeBytes);
  sum.longest = Math.min(sample.longest, lineLimit(params));
  for (const stream of streams) {
    if (stream.file.stdin || performance.now() > until) continue;
    const one = new Sample(params);
    const ratio = one.stream(stream);
    one.addTo(sum, stream.file.bytes * ratio);
  }
  return sum;
}

class Sample {
  private readonly counting = new Counting();
  private readonly reading: FormatReading;
  private readonly params: ReadParams & PieceParams;
  private bytes = 0;
  longest = 0;
  /** Where the last record of the file that is read was met. */
  private met = { index: -1, at: 0 };

  constructor(params: ReadParams & PieceParams) {
    this.params = params;
    this.reading = new FormatReading(params, this.counting, readBuffers());
  }

  /** From the middle: the beginning of a file may be unlike the rest of it. */
  range({ file, index, from, to }: RangeSplit, part: number): void {
    const at = from + Math.floor(Math.max(0, to - from - part) / 2);
    const end = Math.min(to, at + part);
    this.counting.name = file.id.length;
    const before = this.counting.documents;
    readSplit({ kind: 'range', file, index, from: at, to: end }, null, this.reading);
    this.bytes += end - at;
    if (this.met.index !== index) this.met = { index, at: 0 };
    if (this.counting.documents > before) this.met.at = end;
    // A part without a record lies in one, which may go on to the end of the file.
    else this.longest = Math.max(this.longest, file.bytes - this.met.at);
  }

  /** The complete records of the beginning; returns how much longer the stream is than its file. */
  stream({ file, index }: StreamPiece): number {
    const { head, ratio } = beginningOf(file);
    const ends = cutFormatNamed(file.format).cutter(this.params);
    const cutter = new ChunkCutter(ends, CHUNK_BYTES, head.length);
    this.counting.name = file.id.length;
    cutter.push(head);
    const read = (chunk: LineChunk | ChunkFault): void => {
      if ('fault' in chunk) return;
      readSplit(chunkSplit(file, index, chunk), linesBlock(chunk.bytes, false), this.reading);
    };
    for (const chunk of cutter.chunks()) read(chunk);
    for (const chunk of cutter.rest(true)) read(chunk);
    // With the record that it ends in: that may be a long one.
    this.bytes += head.length;
    return ratio;
  }

  /** Adds what so many bytes hold, if all of them are like those that were read. */
  addTo(sum: { documents: number; idBytes: number }, bytes: number): void {
    if (this.bytes === 0) return;
    const times = Math.max(1, bytes / this.bytes);
    sum.documents += times * this.counting.documents;
    sum.idBytes += times * this.counting.idBytes;
  }
}

/** The beginning of a file, unpacked, and how many times what it was packed. */
function beginningOf({ path, packing, bytes }: InputFile): {
  readonly head: Uint8Array;
  readonly ratio: number;
} {
  const descriptor = openInput(path);
  if (typeof descriptor === 'string') return { head: new Uint8Array(0), ratio: 1 };
  try {
    const row = packing === null ? null : packingNamed(packing);
    const read = new Uint8Array(Math.min(bytes, row?.headBytes ?? PLAIN_HEAD));
    const end = Math.max(0, readInto(descriptor, read, 0, 0));
    const head = row === null ? read.subarray(0, end) : row.head(read.subarray(0, end));
    return { head, ratio: end === 0 ? 1 : head.length / end };
  } finally {
    closeInput(descriptor);
  }
}
