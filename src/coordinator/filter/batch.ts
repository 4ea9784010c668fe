/** Documents that are decided together, in the order of addition: texts, sketches and identities. */
import { ByteColumn, Uint32Column } from '../../arrays/growable.js';
import type { TextSink } from '../../blocks/documents.js';
import type { ErrorCode } from '../../errors.js';
import type { DocumentSketches } from '../../kernel/kernel.js';

/** Identifies a document in answers about documents that resemble it. */
export interface DocumentIdentity {
  readonly id: Uint8Array;
  /** Index of its file, or STREAM. */
  readonly file: number;
  /** Its number in its file; lines are numbered from 1. */
  readonly number: number;
  /** The location of a document of an index, a binary string. */
  readonly location?: string;
}

/** File number of documents of the filtered stream. */
export const STREAM = 0xffffffff;
/** File number of documents of an index. */
export const OF_INDEX = 0xfffffffe;

interface AddedDocument extends DocumentIdentity {
  readonly isEmpty: boolean;
  readonly tokens: number;
  /** The end of its text. */
  readonly end: number;
}

/** A batch with more bytes of text releases its memory. */
const USUAL_BYTES = 4 << 20;

export class Batch {
  /** Documents with invalid bytes that were replaced. */
  repaired = 0;
  /** After `finish`: the signatures, `stride` slots apart. */
  slots = new Uint32Array(0);
  /** After `finish`: four words per document. */
  contentKeys: Uint32Array = new Uint32Array(0);
  textKeys: Uint32Array = new Uint32Array(0);
  readonly stride: number;
  readonly #sketches: DocumentSketches;
  #texts = new ByteColumn();
  readonly #documents: AddedDocument[] = [];
  readonly #contentKeys = new Uint32Column();
  readonly #textKeys = new Uint32Column();
  /** The end of the text of the last complete document. */
  #ended = 0;

  constructor(sketches: DocumentSketches) {
    this.#sketches = sketches;
    this.stride = sketches.rows.stride;
  }

  get count(): number {
    return this.#documents.length;
  }

  /** Bytes of text in the batch. */
  get bytes(): number {
    return this.#texts.length;
  }

  whole(text: Uint8Array, who: DocumentIdentity, repaired: boolean): void {
    this.#texts.append(text);
    this.#sketches.whole(text);
    this.#added(who, repaired);
  }

  /**
   * A document in pieces: `begin`, any number of `push`, then `end`. The next `begin` discards a document without
   * `end`.
   */
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
    this.#documents.push({ id, file, number, isEmpty: tokens === 0, tokens, end: this.#ended });
    this.#contentKeys.append(contentKey);
    this.#textKeys.append(textKey);
    if (repaired || this.#sketches.repaired) this.repaired++;
  }

  /** Copies the signatures out of the kernel. */
  finish(): void {
    const { count, stride } = this;
    this.#texts.truncate(this.#ended);
    if (this.slots.length < count * stride) this.slots = new Uint32Array(2 * count * stride);
    this.#sketches.rows.copyTo(this.slots.subarray(0, count * stride));
    this.contentKeys = this.#contentKeys.view;
    this.textKeys = this.#textKeys.view;
  }

  clear(): void {
    if (this.#texts.length > USUAL_BYTES) this.#texts = new ByteColumn();
    for (const column of [this.#texts, this.#contentKeys, this.#textKeys]) column.truncate(0);
    this.#documents.length = 0;
    this.#sketches.rows.clear();
    this.#ended = 0;
    this.repaired = 0;
  }

  isEmpty(i: number): boolean {
    return this.#documents[i]!.isEmpty;
  }

  tokens(i: number): number {
    return this.#documents[i]!.tokens;
  }

  /** Valid until a document is added. */
  text(i: number): Uint8Array {
    return this.#texts.view.subarray(this.#documents[i - 1]?.end ?? 0, this.#documents[i]!.end);
  }

  identity(i: number): DocumentIdentity {
    return this.#documents[i]!;
  }
}

export abstract class BatchSink implements TextSink {
  /** Number of the first line of the current part, from 0; 0 if records are not lines. */
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
    this.batch.whole(text, this.identity(file, record, id === null ? null : id.slice()), repaired);
    this.added();
  }

  abstract skip(file: number, record: number, code: ErrorCode, id: Uint8Array | null): void;
}
