/**
 * Documents in, rows of the matrix of signatures out: a shingle stream whose sink is a sketcher, the plain way.
 *
 * Floor 1. It must never know where the rows are kept. The reference of a kernel's own way, and what that falls back to.
 */
import type { ShingleSink, ShingleStream } from '../sketch/shingles.js';
import type { Sketcher } from '../sketch/signature.js';
import type { Thinning } from '../sketch/thinning.js';

/**
 * A shingle stream that keeps the finished signature of every document that ends, in their order. A document
 * that is not ended leaves nothing. One set of rows at a time: `clear` comes before the first document of each.
 */
export interface DocumentSketches extends ShingleStream {
  /** A whole document: begin, push, end. */
  whole(text: Uint8Array): void;
  /** Slots from row to row: those of a signature padded to a multiple of 16, padding 0xffffffff. */
  readonly stride: number;
  /** Documents ended since `clear`. */
  readonly rows: number;
  clear(): void;
  /** Copies all rows; `into` has `rows * stride` slots. */
  copyRows(into: Uint32Array): void;
}

/** Where rows are kept. */
export interface SignatureRows {
  readonly rows: number;
  clear(): void;
  append(signature: Uint32Array): void;
  copyRows(into: Uint32Array): void;
}

/** Rows in a plain array that doubles. */
export class PlainRows implements SignatureRows {
  rows = 0;
  private readonly stride: number;
  private slots: Uint32Array;

  constructor(stride: number) {
    this.stride = stride;
    this.slots = new Uint32Array(16 * stride);
  }

  clear(): void {
    this.rows = 0;
  }

  append(signature: Uint32Array): void {
    const at = this.rows++ * this.stride;
    if (at === this.slots.length) {
      const larger = new Uint32Array(2 * at);
      larger.set(this.slots);
      this.slots = larger;
    }
    this.slots.set(signature, at);
  }

  copyRows(into: Uint32Array): void {
    into.set(this.slots.subarray(0, this.rows * this.stride));
  }
}

/** Makes a stream that hands its shingles to this sink. */
export type StreamMaker = (sink: ShingleSink) => ShingleStream;

export class StreamedSketches implements DocumentSketches {
  readonly stride: number;
  private readonly sketcher: Sketcher;
  private readonly stream: ShingleStream;
  private readonly kept: SignatureRows;
  private readonly signature: Uint32Array;

  /** `thinning`: of the shingles of a document only what it keeps is sketched. */
  constructor(streamTo: StreamMaker, sketcher: Sketcher, rows: SignatureRows, thinning?: Thinning) {
    this.sketcher = sketcher;
    this.stride = sketcher.stride;
    this.kept = rows;
    this.signature = new Uint32Array(sketcher.stride);
    this.stream = streamTo((hashes, count) => {
      sketcher.update(this.signature, hashes, thinning?.keep(hashes, count) ?? count);
    });
  }

  get tokens(): number {
    return this.stream.tokens;
  }

  get occurrences(): number {
    return this.stream.occurrences;
  }

  get repaired(): boolean {
    return this.stream.repaired;
  }

  get contentKey(): Uint32Array {
    return this.stream.contentKey;
  }

  get textKey(): Uint32Array {
    return this.stream.textKey;
  }

  get looksLikeCode(): boolean {
    return this.stream.looksLikeCode;
  }

  get rows(): number {
    return this.kept.rows;
  }

  clear(): void {
    this.kept.clear();
  }

  begin(): void {
    this.sketcher.clear(this.signature);
    this.stream.begin();
  }

  push(bytes: Uint8Array): void {
    this.stream.push(bytes);
  }

  end(): void {
    this.stream.end();
    this.sketcher.finish(this.signature);
    this.kept.append(this.signature);
  }

  whole(text: Uint8Array): void {
    this.begin();
    if (text.length > 0) this.push(text);
    this.end();
  }

  copyRows(into: Uint32Array): void {
    this.kept.copyRows(into);
  }
}
