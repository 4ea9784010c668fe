/**
 * Draws units of a corpus by a seed, without replacement: whole files, windows of files of lines, and parts of files
 * that can only be read from their beginning (compressed, CSV, other encodings), in their order.
 */
import { numbersBelow } from '../../arrays/growable.js';
import { writeFmix64 } from '../../arrays/hashing.js';
import { isStream } from '../../readers/bytes/chunks.js';
import { readParts } from '../../readers/find.js';
import type { FormatReading } from '../../readers/formats/reading.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { formatOfKind, isWhole } from '../../readers/list/formats.js';
import { readSplit, readWhole } from '../../readers/reader.js';
import type { ResultParams } from '../../sketch/params.js';

/** Size in bytes of a window: some tens of records of average size. */
const WINDOW_BYTES = 64 << 10;

/** Bytes of text per byte of a compressed file: a guess, until all of it is read. */
const PACKED_RATIO = 4;

/** The least share of a sample that a part may contribute, because sizes of texts are guesses. */
const LEAST_SHARE = 0.1;

/** A unit that was read. */
interface DrawnUnit {
  /** 1 for a whole file, else in windows. */
  readonly size: number;
  /** Bytes read, including those of documents that the sink rejected; null: it accepted all. */
  readonly bytes: number | null;
}

/** A file that is read from its beginning. */
interface StreamedFile {
  readonly parts: AsyncGenerator<unknown>;
  /** Bytes of its text: an estimate until its end is read. */
  bytes: number;
  read: number;
  isDone: boolean;
}

/** Where documents that are being read are in their file. */
export interface DrawnPosition {
  /** Number of the first line of the unit: from 0, in the file or in its window. */
  firstLine: number;
  /** First byte of the window; 0: it begins where the file does. */
  windowFrom: number;
}

export class UnitDraw {
  /** Number of files that can only be read from their beginning. */
  readonly streams: number;
  private readonly files: FileTable;
  private readonly reading: FormatReading;
  private readonly position: DrawnPosition;
  private readonly file: number[] = [];
  /** Where the window of the unit begins in its file; -1: the unit is the whole file. */
  private readonly from: number[] = [];
  private readonly order: Uint32Array;
  private readonly streamed: StreamedFile[] = [];
  private drawn = 0;
  private drawnParts = 0;
  private openBytes = 0;

  /**
   * @param reading passes the documents of units to its sink
   * @param position is kept current for the sink
   */
  constructor(
    files: FileTable,
    params: ResultParams,
    reading: FormatReading,
    position: DrawnPosition = { firstLine: 0, windowFrom: 0 },
  ) {
    this.files = files;
    this.reading = reading;
    this.position = position;
    for (let index = 0; index < files.length; index++) {
      const bytes = Math.max(0, files.sizes[index]!);
      if (isWhole(formatOfKind(files.kinds[index]!))) this.add(index, -1, bytes);
      else if (isStream(files.file(index), params)) {
        const parts = readParts(files, [index], params, reading, position);
        const ratio = files.file(index).codec === null ? 1 : PACKED_RATIO;
        this.streamed.push({ parts, bytes: ratio * bytes, read: 0, isDone: false });
      } else
        for (let start = 0; start === 0 || start < bytes; start += WINDOW_BYTES)
          this.add(index, start, Math.min(WINDOW_BYTES, bytes - start));
    }
    this.order = shuffled(this.file.length, params.seed);
    this.streams = this.streamed.length;
  }

  /** Whether all units were read. */
  get isDone(): boolean {
    return this.drawn === this.order.length && this.streamed.every(({ isDone }) => isDone);
  }

  get units(): number {
    const left = this.streamed.reduce((sum, { bytes, read }) => sum + Math.max(0, bytes - read), 0);
    const usual = this.drawnParts === 0 ? WINDOW_BYTES : this.streamedBytes / this.drawnParts;
    return this.file.length + this.drawnParts + Math.ceil(left / Math.max(1, usual));
  }

  get allSizes(): number {
    const windows = this.streamed.reduce((sum, { bytes }) => sum + bytes, 0) / WINDOW_BYTES;
    return this.from.reduce((sum, _, unit) => sum + this.sizeOf(unit), windows);
  }

  /**
   * Reads the next unit; null: all were read. Each file that is read from its beginning, and all others together, are
   * drawn in proportion to their text.
   *
   * @param begins called before the unit is read, with the most that it should contribute, as a share of the corpus or
   * of a sample
   */
  async next(begins: (share: number) => void): Promise<DrawnUnit | null> {
    for (;;) {
      const stream = this.nextStream();
      if (stream === null) {
        if (this.drawn === this.order.length) return null;
        return this.readUnit(this.order[this.drawn++]!, begins);
      }
      this.position.windowFrom = 0;
      begins(Math.max(LEAST_SHARE, stream.bytes / Math.max(1, this.allBytes)));
      const part = await stream.parts.next();
      if (part.done === true) {
        stream.isDone = true;
        stream.bytes = stream.read;
        continue;
      }
      // A problem of a stream has no documents.
      if (typeof part.value !== 'number') continue;
      stream.read += part.value;
      stream.bytes = Math.max(stream.bytes, stream.read);
      this.drawnParts++;
      return { size: part.value / WINDOW_BYTES, bytes: part.value };
    }
  }

  /** Closes files that were not read to their end. */
  async close(): Promise<void> {
    for (const { parts } of this.streamed) await parts.return(undefined);
  }

  private add(file: number, from: number, bytes: number): void {
    this.file.push(file);
    this.from.push(from);
    this.openBytes += bytes;
  }

  private get streamedBytes(): number {
    return this.streamed.reduce((sum, { read }) => sum + read, 0);
  }

  private get allBytes(): number {
    return this.openBytes + this.streamed.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /**
   * The stream with the smallest share read, if it is less than that of the other units; null: one of these is next.
   */
  private nextStream(): StreamedFile | null {
    const unitCount = this.order.length;
    let least = this.drawn === unitCount ? Number.POSITIVE_INFINITY : this.drawn / unitCount;
    let next: StreamedFile | null = null;
    for (const stream of this.streamed) {
      const share = stream.read / Math.max(1, stream.bytes);
      if (stream.isDone || share >= least) continue;
      least = share;
      next = stream;
    }
    return next;
  }

  private sizeOf(unit: number): number {
    const from = this.from[unit]!;
    if (from < 0) return 1;
    return Math.min(1, Math.max(0, this.files.sizes[this.file[unit]!]! - from) / WINDOW_BYTES);
  }

  private async readUnit(unit: number, begins: (share: number) => void): Promise<DrawnUnit> {
    const index = this.file[unit]!;
    const from = this.from[unit]!;
    begins(1);
    this.position.firstLine = 0;
    this.position.windowFrom = Math.max(0, from);
    if (from < 0) readWhole(this.files, Uint32Array.of(index), this.reading);
    else {
      const file = this.files.file(index);
      const to = Math.min(file.bytes, from + WINDOW_BYTES);
      readSplit({ kind: 'range', file, index, from, to }, null, this.reading);
    }
    return { size: this.sizeOf(unit), bytes: null };
  }
}

/** 0..count-1 in an order that follows from the seed (Fisher and Yates). */
function shuffled(count: number, seed: number): Uint32Array {
  const order = numbersBelow(count);
  const mixed = new Uint32Array(2);
  const seedLow = (seed % 4294967296) | 0;
  const seedHigh = Math.floor(seed / 4294967296) | 0;
  for (let i = 0; i < count - 1; i++) {
    // Mixed twice, so that adjacent seeds are unrelated.
    writeFmix64(mixed, 0, seedLow, seedHigh ^ 0x5bd1e995);
    writeFmix64(mixed, 0, (mixed[0]! ^ i) | 0, mixed[1]! | 0);
    const other = i + Math.floor((mixed[1]! * (count - i)) / 4294967296);
    const chosen = order[other]!;
    order[other] = order[i]!;
    order[i] = chosen;
  }
  return order;
}
