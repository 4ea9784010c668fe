/**
 * The number of documents in the inputs and the length of their ids, estimated from a fiftieth of the bytes: spread over plain files, and from the beginnings of streams.
 *
 * Faults of the input are not reported here: the first reading reports them.
 */
import type { TextSink } from '../../blocks/documents.js';
import { ChunkCutter, type ChunkFault, type LineChunk } from '../../readers/bytes/chunkCutter.js';
import { packingNamed } from '../../readers/bytes/packings.js';
import { readInto, withInput } from '../../readers/bytes/wholeFiles.js';
import { type PieceParams, type ReadParams, readBuffers } from '../../readers/documentSink.js';
import { FormatReading } from '../../readers/formats/reading.js';
import type { InputFile } from '../../readers/list/fileList.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { cutFormatNamed } from '../../readers/list/formats.js';
import type { Piece, StreamPiece } from '../../readers/pieces.js';
import { readSplit } from '../../readers/reader.js';
import { chunkSplit, linesBlock, type RangeSplit } from '../../readers/split.js';
import type { ResultParams } from '../../sketch/params.js';

/** Documents, and the bytes of their ids. */
export interface DocumentCount {
  readonly documents: number;
  readonly idBytes: number;
}

const SHARE = 1 / 50;
/** Bytes of a part of a plain file that is read, and the most that are read: more parts hardly improve the estimate. */
const LEAST_PART = 64 << 10;
const MOST_READ = 32 << 20;
const MOST_MILLISECONDS = 1000;
/** Bytes of a chunk of a stream, and the bytes that are read of one that is not packed. */
const CHUNK_BYTES = 64 << 10;
const PLAIN_HEAD = 4 << 20;
/** Bytes behind the name of the file in an id that is a place: its number. */
const PLACE_DIGITS = 8;

/** The documents of the pieces. A file that is read whole counts as one; elements of arrays are guessed. */
export function sampledDocuments(
  pieces: readonly Piece[],
  params: ResultParams,
  files: FileTable,
  documentsIn: (bytes: number) => number,
): DocumentCount {
  const until = performance.now() + MOST_MILLISECONDS;
  const sample = new Sample(params);
  const sum: Sum = { documents: 0, idBytes: 0 };
  const streams: Pick<StreamPiece, 'file' | 'index'>[] = [];
  const ranges: RangeSplit[] = [];
  for (const piece of pieces) {
    if (piece.kind === 'files') sum.documents += piece.files.length;
    else if (piece.kind === 'array') sum.documents += documentsIn(piece.file.bytes);
    else if (piece.kind === 'stream') streams.push(piece);
    // Only the beginning of a file on a server is on this machine.
    else if (!files.isObject(piece.index)) ranges.push(piece);
    else if (piece.from === 0) streams.push(piece);
  }
  const rangeBytes = ranges.reduce((bytes, { from, to }) => bytes + to - from, 0);
  const wanted = Math.min(MOST_READ, Math.max(LEAST_PART, SHARE * rangeBytes));
  // As many parts as have the least length, evenly spread.
  const step = Math.max(1, Math.ceil((ranges.length * LEAST_PART) / wanted));
  const part = Math.ceil(wanted / Math.max(1, Math.ceil(ranges.length / step)));
  for (let i = 0; i < ranges.length && performance.now() < until; i += step) sample.range(ranges[i]!, part);
  sample.addTo(sum, rangeBytes);
  for (const stream of streams) {
    if (stream.file.stdin || performance.now() > until) continue;
    const one = new Sample(params);
    const ratio = one.stream(stream);
    one.addTo(sum, stream.file.bytes * ratio);
  }
  return sum;
}

type Sum = { -readonly [K in keyof DocumentCount]: DocumentCount[K] };

/** Documents that are read: they are counted. */
class Sample implements TextSink {
  private documents = 0;
  private idBytes = 0;
  /** Bytes of the name of the file that is read. */
  private name = 0;
  /** Bytes of plain files and streams that were read. */
  private bytes = 0;
  private readonly params: ReadParams & PieceParams;
  private readonly reading: FormatReading;

  constructor(params: ReadParams & PieceParams) {
    this.params = params;
    this.reading = new FormatReading(params, this, readBuffers());
  }

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

  /** From the middle: the beginning of a file may be unlike the rest of it. */
  range({ file, index, from, to }: RangeSplit, part: number): void {
    const at = from + Math.floor(Math.max(0, to - from - part) / 2);
    const end = Math.min(to, at + part);
    this.name = file.id.length;
    readSplit({ kind: 'range', file, index, from: at, to: end }, null, this.reading);
    this.bytes += end - at;
  }

  /** Counts the complete records of the beginning; returns how many times as long as its file the stream is. */
  stream({ file, index }: Pick<StreamPiece, 'file' | 'index'>): number {
    const { head, ratio } = beginningOf(file);
    const ends = cutFormatNamed(file.format).cutter(this.params);
    const cutter = new ChunkCutter(ends, CHUNK_BYTES, head.length);
    this.name = file.id.length;
    cutter.push(head);
    const read = (chunk: LineChunk | ChunkFault): void => {
      if ('fault' in chunk) return;
      readSplit(chunkSplit(file, index, chunk), linesBlock(chunk.bytes, false), this.reading);
    };
    for (const chunk of cutter.chunks()) read(chunk);
    for (const chunk of cutter.rest(true)) read(chunk);
    // Including the unfinished record at the end, which may be a long one.
    this.bytes += head.length;
    return ratio;
  }

  /** Adds the contents of so many bytes, as if all were like those that were read. */
  addTo(sum: Sum, bytes: number): void {
    if (this.bytes === 0) return;
    const { documents, idBytes } = this;
    const times = Math.max(1, bytes / this.bytes);
    sum.documents += times * documents;
    sum.idBytes += times * idBytes;
  }
}

/** The beginning of a file, unpacked, and its size as a multiple of its packed size. */
function beginningOf({ path, packing, bytes }: InputFile): {
  readonly head: Uint8Array;
  readonly ratio: number;
} {
  const row = packing === null ? null : packingNamed(packing);
  const read = new Uint8Array(Math.min(bytes, row?.headBytes ?? PLAIN_HEAD));
  const end = withInput(
    path,
    (descriptor) => Math.max(0, readInto(descriptor, read, 0, 0)),
    () => 0,
  );
  const begun = read.subarray(0, end);
  const head = row?.head(begun) ?? begun;
  return { head, ratio: end === 0 ? 1 : head.length / end };
}
