/** Documents that are decided together, in the order in which they were added: texts, sketches and identities. */
import { ByteColumn, Float64Column, Uint32Column } from '../../arrays/growable.js';
import type { TextSink } from '../../blocks/documents.js';
import type { ErrorCode } from '../../errors.js';
import type { DocumentSketches } from '../../kernel/kernel.js';

/** Identifies a document in answers about those that resemble it. */
export interface DocumentIdentity {
  readonly id: Uint8Array;
  /** Index of its file, or STREAM. */
  readonly file: number;
  /** Its number in its file: of a line from 1. */
  readonly number: number;
}

/** File number of documents of the stream that is filtered. */
export const STREAM = 0xffffffff;

/** A batch with more bytes of text releases its memory. */
const USUAL_BYTES = 4 << 20;

export class Batch {
  count = 0;
  /** Documents that were repaired when they were read. */
  repaired = 0;
  /** After `finish`: the signatures, `stride` slots apart. */
  slots = new Uint32Array(0);
  /** After `finish`: four words a document. */
  contentKeys: Uint32Array = new Uint32Array(0);
  textKeys: Uint32Array = new Uint32Array(0);
  readonly stride: number;
  readonly #sketches: DocumentSketches;
  #texts = new ByteColumn();
  readonly #textEnds = new Float64Column();
  readonly #ids = new ByteColumn();
  readonly #idEnds = new Float64Column();
  readonly #files = new Uint32Column();
  readonly #numbers = new Float64Column();
  readonly #contentKeys = new Uint32Column();
  readonly #textKeys = new Uint32Column();
  /** 1: without tokens. */
  readonly #empty = new ByteColumn();
  /** Where the text of the last complete document ends. */
  #ended = 0;
  // The columns of the finished batch: a view of one is an object, and each document needs them all.
  #areEmpty: Uint8Array = new Uint8Array(0);
  #textView: Uint8Array = new Uint8Array(0);
  #textEndView: Float64Array = new Float64Array(0);
  #idView: Uint8Array = new Uint8Array(0);
  #idEndView: Float64Array = new Float64Array(0);
  #fileView: Uint32Array = new Uint32Array(0);
  #numberView: Float64Array = new Float64Array(0);

  constructor(sketches: DocumentSketches) {
    this.#sketches = sketches;
    this.stride = sketches.rows.stride;
  }

  /** Bytes of text in it. */
  get bytes(): number {
    return this.#texts.length;
  }

  whole(text: Uint8Array, who: DocumentIdentity, repaired: boolean): void {
    this.#texts.append(text);
    this.#sketches.whole(text);
    this.#added(who, repaired);
  }

  /** A document in pieces: `begin`, any number of `push`, then `end`; the next `begin` drops one without its end. */
  begin(): void {
    this.#texts.truncate(this.#ended);
    this.#sketches.begin();
  }

  push(piece: Uint8Array): void {
    this.#texts.append(piece);
    this.#sketches.push(piece);
  }

  end(who: DocumentIdentity, repaired: boolean): void {
    this.#sketches.end();
    this.#added(who, repaired);
  }

  #added({ id, file, number }: DocumentIdentity, repaired: boolean): void {
    const { tokens, contentKey, textKey } = this.#sketches;
    this.#ended = this.#texts.length;
    this.#textEnds.push(this.#ended);
    this.#ids.append(id);
    this.#idEnds.push(this.#ids.length);
    this.#files.push(file);
    this.#numbers.push(number);
    this.#contentKeys.append(contentKey);
    this.#textKeys.append(textKey);
    this.#empty.push(tokens === 0 ? 1 : 0);
    if (repaired || this.#sketches.repaired) this.repaired++;
    this.count++;
  }

  /** Copies the signatures out of the kernel. */
  finish(): void {
    const { count, stride } = this;
    this.#texts.truncate(this.#ended);
    if (this.slots.length < count * stride) this.slots = new Uint32Array(2 * count * stride);
    this.#sketches.rows.copyTo(this.slots.subarray(0, count * stride));
    this.#areEmpty = this.#empty.view;
    this.#textView = this.#texts.view;
    this.#textEndView = this.#textEnds.view;
    this.#idView = this.#ids.view;
    this.#idEndView = this.#idEnds.view;
    this.#fileView = this.#files.view;
    this.#numberView = this.#numbers.view;
    this.contentKeys = this.#contentKeys.view;
    this.textKeys = this.#textKeys.view;
  }

  clear(): void {
    if (this.#texts.length > USUAL_BYTES) this.#texts = new ByteColumn();
    for (const column of [this.#texts, this.#textEnds, this.#ids, this.#idEnds, this.#files, this.#numbers])
      column.truncate(0);
    for (const column of [this.#contentKeys, this.#textKeys, this.#empty]) column.truncate(0);
    this.#sketches.rows.clear();
    this.#ended = 0;
    this.count = 0;
    this.repaired = 0;
  }

  isEmpty(i: number): boolean {
    return this.#areEmpty[i] === 1;
  }

  /** Valid until a document is added. */
  text(i: number): Uint8Array {
    return this.#textView.subarray(this.#textEnd(i), this.#textEnd(i + 1));
  }

  /** Valid until a document is added. */
  id(i: number): Uint8Array {
    return this.#idView.subarray(i === 0 ? 0 : this.#idEndView[i - 1]!, this.#idEndView[i]!);
  }

  file(i: number): number {
    return this.#fileView[i]!;
  }

  number(i: number): number {
    return this.#numberView[i]!;
  }

  identity(i: number): DocumentIdentity {
    return { id: this.id(i), file: this.file(i), number: this.number(i) };
  }

  #textEnd(documents: number): number {
    return documents === 0 ? 0 : this.#textEndView[documents - 1]!;
  }
}

export abstract class BatchSink implements TextSink {
  /** Number of the line, from 0, that the current part begins with; 0 where records are not lines. */
  firstLine = 0;
  protected readonly batch: Batch;
  #begun: DocumentIdentity | null = null;

  constructor(batch: Batch) {
    this.batch = batch;
  }

  protected abstract identity(file: number, record: number, id: Uint8Array | null): DocumentIdentity;

  /** Called after every document. */
  protected added(): void {}

  begin(file: number, record: number, id: Uint8Array | null): boolean {
    this.#begun = this.identity(file, record, id === null ? null : id.slice());
    this.batch.begin();
    return true;
  }

  text(bytes: Uint8Array): void {
    this.batch.push(bytes);
  }

  end(repaired: boolean): void {
    this.batch.end(this.#begun!, repaired);
    this.added();
  }

  whole(file: number, record: number, id: Uint8Array | null, text: Uint8Array, repaired: boolean): void {
    this.batch.whole(text, this.identity(file, record, id), repaired);
    this.added();
  }

  abstract skip(file: number, record: number, code: ErrorCode, id: Uint8Array | null): void;
}
