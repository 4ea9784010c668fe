/** A sample of a corpus: documents drawn by a seed (drawnUnits.ts). Only their sketches are kept. */

import { AS_TEXT, type PAGE, type TextSink } from '../../blocks/documents.js';
import type { ErrorCode } from '../../errors.js';
import type { DocumentSketches, Kernel } from '../../kernel/kernel.js';
import { readBuffers } from '../../readers/documentSink.js';
import { FormatReading } from '../../readers/formats/reading.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import type { ResultParams } from '../../sketch/params.js';
import { UnitDraw } from './drawnUnits.js';

/** The counts of reading, and the signatures of the documents with tokens. */
export interface CorpusSample {
  /** Whether the whole corpus was read. */
  readonly whole: boolean;
  /** Number of units in the corpus: estimated if a file can only be read from its beginning. */
  readonly units: number;
  /** Number of documents in each drawn unit, in the order drawn, without skipped ones. */
  readonly documentsIn: readonly number[];
  /** Size of each drawn unit, and of all units: 1 for a whole file, otherwise in windows of a file. */
  readonly sizes: readonly number[];
  readonly allSizes: number;
  /** Number of documents sketched, including empty ones. */
  readonly sketched: number;
  readonly empty: number;
  /** Number of skipped documents by reason. */
  readonly skips: Readonly<Record<string, number>>;
  /** Number of sketched files of records without the text field, which were read as texts. */
  readonly asText: number;
  /** Number of documents that were counted but not sketched: the rest of a large unit. */
  readonly leftOver: number;
  readonly bytes: number;
  /**
   * Bytes read and the milliseconds this took: for the last three quarters, because the first quarter is slower while
   * the JIT compiles; for everything if the sample is small.
   */
  readonly timed: { readonly bytes: number; readonly milliseconds: number };
  /** Number of shingles of the sketched documents, repeated ones counted every time. */
  readonly shingles: number;
  /** Number of files that can only be read from their beginning: the sample has their first records. */
  readonly streams: number;
  /** The signatures of the documents with tokens, one after the other; `hashes` slots each. */
  readonly signatures: Uint32Array;
  /** The content hashes of the documents with tokens, four uint32 each. */
  readonly contentKeys: Uint32Array;
  readonly hashes: number;
}

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
  const sink = new SampleSink(kernel, params, wanted);
  const reading = new FormatReading(params, sink, readBuffers(undefined, kernel));
  const draw = new UnitDraw(files, params, reading);
  const documentsIn: number[] = [];
  const sizes: number[] = [];
  let read = 0;
  let lap = { bytes: 0, time: clock() };
  while (sink.sketched < wanted) {
    const [before, bytesBefore] = [sink.found, sink.bytes];
    // Part of a long file may have all the documents that are wanted, so it contributes no more than its share.
    const unit = await draw.next((share) => sink.allow(share));
    if (unit === null) break;
    const isWarm = lap.bytes === 0 && sink.sketched >= wanted / 4;
    if (isWarm) lap = { bytes: read, time: clock() };
    read += unit.bytes ?? sink.bytes - bytesBefore;
    documentsIn.push(sink.found - before);
    sizes.push(unit.size);
  }
  await draw.close();
  const timed = { bytes: read - lap.bytes, milliseconds: clock() - lap.time };
  const { sketched, empty, skips, asText, bytes, shingles, found } = sink;
  return {
    whole: draw.isDone && found === sketched,
    units: draw.units,
    documentsIn,
    sizes,
    sketched,
    empty,
    skips,
    asText,
    bytes,
    timed,
    shingles,
    ...sink.finish(),
    hashes: params.sketch.hashes,
    streams: draw.streams,
    allSizes: draw.allSizes,
    leftOver: found - sketched,
  };
}

/** Sketches documents while they are read; holds at most one piece of a text. */
class SampleSink implements TextSink {
  found = 0;
  sketched = 0;
  empty = 0;
  readonly skips: Record<string, number> = {};
  asText = 0;
  bytes = 0;
  shingles = 0;
  readonly #wanted: number;
  /** Documents that may be sketched by the end of the current unit. */
  #most = 0;
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

  /** Sketches at most this share of the wanted documents from the next unit. */
  allow(share: number): void {
    this.#most = Math.min(this.#wanted, this.sketched + Math.max(1, Math.ceil(share * this.#wanted)));
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
  skip(_file: number, _record: number, code: ErrorCode, _id: Uint8Array | null): void {
    this.skips[code] = (this.skips[code] ?? 0) + 1;
  }

  #takes(): boolean {
    if (this.sketched < this.#most) return true;
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
