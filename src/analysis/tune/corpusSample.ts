/**
 * A sample of a corpus: documents drawn by a seed, of which only the sketches are kept.
 *
 * Units are drawn without replacement: a unit is a whole file, or the lines that start in a window of a file
 * of lines. Streams (gzipped lines, lines in another encoding than UTF-8) can only be read from their
 * beginning, so they are left out, and counted.
 */

import { numbersBelow } from '../../arrays/growable.js';
import { writeFmix64 } from '../../arrays/hashing.js';
import { AS_TEXT, type PAGE, type TextSink } from '../../blocks/documents.js';
import type { DocumentSketches, Kernel } from '../../kernel/kernel.js';
import { isStream } from '../../readers/bytes/chunks.js';
import { readBuffers } from '../../readers/documentSink.js';
import { FormatReading } from '../../readers/formats/reading.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { formatOfKind, isWhole } from '../../readers/list/formats.js';
import { readSplit, readWhole } from '../../readers/reader.js';
import type { ResultParams } from '../../sketch/params.js';

/** The counts of the reading, and the signatures of the documents with tokens. */
export interface CorpusSample {
  /** Units in the corpus and units drawn; equal: the whole corpus except its streams was read. */
  readonly units: number;
  readonly drawn: number;
  /** Number of documents in each drawn unit, in the order drawn, without skipped ones. */
  readonly documentsIn: readonly number[];
  /**
   * Size of each drawn unit, and of all units: 1 for a file, the share of a full window for the last window
   * of a file.
   */
  readonly sizes: readonly number[];
  readonly allSizes: number;
  /** Number of documents sketched, including empty ones. */
  readonly sketched: number;
  readonly empty: number;
  readonly skipped: number;
  /** Number of sketched files of records without the text field, which were read as texts. */
  readonly asText: number;
  /** Number of documents of the last unit that were counted but not sketched, because the sample was full. */
  readonly leftOver: number;
  readonly bytes: number;
  /**
   * Bytes read and the milliseconds they took: of the last three quarters, because the first quarter is
   * slower while the engine compiles; of all, where the sample is small.
   */
  readonly timed: { readonly bytes: number; readonly milliseconds: number };
  /** Number of shingles of the sketched documents, repeated ones counted every time. */
  readonly shingles: number;
  /** Number of files of lines that can only be read from their beginning: not sampled. */
  readonly streams: number;
  /** The signatures of the documents with tokens, one after the other; `hashes` slots each. */
  readonly signatures: Uint32Array;
  /** The content hashes of the documents with tokens, four uint32 each. */
  readonly contentKeys: Uint32Array;
  readonly hashes: number;
}

/** Size in bytes of a window: some tens of records of the usual size. */
const WINDOW_BYTES = 64 << 10;

/**
 * Draws units until `wanted` documents, or all, are sketched. `clock` returns milliseconds from any start.
 */
export async function sampleCorpus(
  files: FileTable,
  params: ResultParams,
  wanted: number,
  kernel: Kernel,
  clock: () => number,
): Promise<CorpusSample> {
  const units = unitsOf(files, params);
  const sink = new SampleSink(kernel, params, wanted);
  const reading = new FormatReading(params, sink, readBuffers(undefined, kernel));
  const documentsIn: number[] = [];
  const sizes: number[] = [];
  const order = shuffled(units.file.length, params.seed);
  let lap = { bytes: 0, time: clock() };
  for (let next = 0; next < order.length && sink.sketched < wanted; next++) {
    const before = sink.found;
    const isWarm = lap.bytes === 0 && sink.sketched >= wanted / 4;
    if (isWarm) lap = { bytes: sink.bytes, time: clock() };
    const asked = clock();
    await files.fetched([units.file[order[next]!]!]);
    // The time spent on the server is not part of the reading time.
    lap.time += clock() - asked;
    readUnit(files, units, order[next]!, reading);
    documentsIn.push(sink.found - before);
    sizes.push(units.size[order[next]!]!);
  }
  const timed = { bytes: sink.bytes - lap.bytes, milliseconds: clock() - lap.time };
  const { sketched, empty, skipped, asText, bytes, shingles, found } = sink;
  return {
    units: units.file.length,
    drawn: documentsIn.length,
    documentsIn,
    sizes,
    sketched,
    empty,
    skipped,
    asText,
    bytes,
    timed,
    shingles,
    ...sink.finish(),
    hashes: params.sketch.hashes,
    streams: units.streams,
    allSizes: units.size.reduce((sum, size) => sum + size, 0),
    leftOver: found - sketched,
  };
}

interface Units {
  readonly file: Uint32Array;
  /** Where the window of the unit begins in its file; -1: the unit is the whole file. */
  readonly from: Float64Array;
  /** 1; less for the last window of a file. */
  readonly size: Float64Array;
  readonly streams: number;
}

function unitsOf(files: FileTable, params: ResultParams): Units {
  const file: number[] = [];
  const from: number[] = [];
  const size: number[] = [];
  let streams = 0;
  for (let index = 0; index < files.length; index++) {
    const kind = files.kinds[index]!;
    if (isWhole(formatOfKind(kind))) {
      file.push(index);
      from.push(-1);
      size.push(1);
    } else if (isStream(files.file(index), params)) streams++;
    else {
      for (let start = 0; start === 0 || start < files.sizes[index]!; start += WINDOW_BYTES) {
        file.push(index);
        from.push(start);
        size.push(Math.min(1, Math.max(0, files.sizes[index]! - start) / WINDOW_BYTES));
      }
    }
  }
  return {
    file: Uint32Array.from(file),
    from: Float64Array.from(from),
    size: Float64Array.from(size),
    streams,
  };
}

/** 0..count-1 in an order that follows from the seed (Fisher and Yates). */
function shuffled(count: number, seed: number): Uint32Array {
  const order = numbersBelow(count);
  const mixed = new Uint32Array(2);
  const seedLow = (seed % 4294967296) | 0;
  const seedHigh = Math.floor(seed / 4294967296) | 0;
  for (let i = 0; i < count - 1; i++) {
    // Mixed twice, so that neighbouring seeds are unrelated.
    writeFmix64(mixed, 0, seedLow, seedHigh ^ 0x5bd1e995);
    writeFmix64(mixed, 0, (mixed[0]! ^ i) | 0, mixed[1]! | 0);
    const other = i + Math.floor((mixed[1]! * (count - i)) / 4294967296);
    const chosen = order[other]!;
    order[other] = order[i]!;
    order[i] = chosen;
  }
  return order;
}

function readUnit(files: FileTable, units: Units, unit: number, reading: FormatReading): void {
  const index = units.file[unit]!;
  const from = units.from[unit]!;
  if (from < 0) {
    readWhole(files, Uint32Array.of(index), reading);
    return;
  }
  const file = files.file(index);
  const to = Math.min(file.bytes, from + WINDOW_BYTES);
  readSplit({ kind: 'range', file, index, from, to }, null, reading);
}

/** Sketches documents while they are read; holds at most a piece of a text. */
class SampleSink implements TextSink {
  found = 0;
  sketched = 0;
  empty = 0;
  skipped = 0;
  asText = 0;
  bytes = 0;
  shingles = 0;
  readonly #wanted: number;
  readonly #hashes: number;
  readonly #sketches: DocumentSketches;
  readonly #contentKeys: Uint32Array;
  /** The rows of the sketches of documents with tokens. */
  readonly #rows: Uint32Array;

  constructor(kernel: Kernel, params: ResultParams, wanted: number) {
    const { sketch } = params;
    this.#wanted = wanted;
    this.#hashes = sketch.hashes;
    this.#contentKeys = new Uint32Array(4 * wanted);
    this.#rows = new Uint32Array(wanted);
    this.#sketches = kernel.documentSketches(params.shingle, sketch);
  }

  begin(_file: number, _record: number, _id: Uint8Array | null): boolean {
    if (!this.#takes()) return false;
    this.#sketches.begin();
    return true;
  }

  text(bytes: Uint8Array): void {
    this.bytes += bytes.length;
    this.#sketches.push(bytes);
  }

  is(what: typeof PAGE | typeof AS_TEXT): void {
    if (what === AS_TEXT) this.asText++;
  }

  end(_repaired: boolean): void {
    this.#sketches.end();
    this.#add();
  }

  whole(_file: number, _record: number, _id: Uint8Array | null, text: Uint8Array, _repaired: boolean): void {
    if (!this.#takes()) return;
    this.bytes += text.length;
    this.#sketches.whole(text);
    this.#add();
  }

  /** Counts a skipped document; a document that has begun leaves no row. */
  skip(_file: number, _record: number, _code: unknown, _id: Uint8Array | null): void {
    this.skipped++;
  }

  #takes(): boolean {
    if (this.sketched < this.#wanted) return true;
    this.found++;
    return false;
  }

  #add(): void {
    const { occurrences, tokens, contentKey, rows } = this.#sketches;
    this.found++;
    this.sketched++;
    this.shingles += occurrences;
    if (tokens === 0) {
      this.empty++;
      return;
    }
    const at = this.sketched - this.empty - 1;
    this.#rows[at] = rows.length - 1;
    this.#contentKeys.set(contentKey, 4 * at);
  }

  /** Signatures, without their padding, and content hashes of the documents with tokens. */
  finish(): { readonly signatures: Uint32Array; readonly contentKeys: Uint32Array } {
    const { rows } = this.#sketches;
    const { stride } = rows;
    const slots = new Uint32Array(rows.length * stride);
    rows.copyTo(slots);
    const count = this.sketched - this.empty;
    const signatures = new Uint32Array(count * this.#hashes);
    for (let i = 0; i < count; i++) {
      const from = this.#rows[i]! * stride;
      signatures.set(slots.subarray(from, from + this.#hashes), i * this.#hashes);
    }
    return { signatures, contentKeys: this.#contentKeys.subarray(0, 4 * count) };
  }
}
