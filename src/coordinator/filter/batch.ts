/** Documents that are decided together, in the order of addition: texts, signatures, bucket keys and identities. */
import { ByteColumn, Uint32Column } from '../../arrays/growable.js';
import type { TextSink } from '../../blocks/documents.js';
import type { ErrorCode } from '../../errors.js';
import type { LookedUpText } from '../../index/lookups.js';
import type { DocumentSketches, Kernel } from '../../kernel/kernel.js';
import { bytesOf } from '../../readers/list/pathIds.js';
import type { ResultParams } from '../../sketch/params.js';
import type { SetOfText } from '../index/textSketches.js';

/** Identifies a document in answers about documents that resemble it. */
export interface DocumentIdentity {
  readonly id: Uint8Array;
  /** Its number in the stream, from 0; -1 for a document of an index. */
  readonly number: number;
  /** Of a document of an index, a binary string. */
  readonly location?: string;
}

/** A binary string. */
export const locationOf = ({ number, location }: DocumentIdentity): string => location ?? `-#${number + 1}`;

/** A record that is not compared: its number from 0, its id, and the reason. */
interface UnreadRecord {
  readonly number: number;
  readonly id: Uint8Array | null;
  readonly code: ErrorCode;
}

interface AddedDocument extends DocumentIdentity {
  readonly tokens: number;
  /** The end of its text. */
  readonly end: number;
}

/** A batch with more bytes of text releases its memory. */
const USUAL_BYTES = 4 << 20;

export class Batch implements TextSink {
  /** Number of the first record of the current part, from 0. */
  firstLine = 0;
  /** Documents with invalid bytes that were replaced. */
  repaired = 0;
  readonly unread: UnreadRecord[] = [];
  readonly stride: number;
  readonly #kernel: Kernel;
  readonly #params: ResultParams;
  readonly #sketches: DocumentSketches;
  #texts = new ByteColumn();
  readonly #documents: AddedDocument[] = [];
  readonly #contentKeys = new Uint32Column();
  readonly #textKeys = new Uint32Column();
  /** The same after `close`: four words per document. */
  #contentKeyWords: Uint32Array = new Uint32Array(0);
  #textKeyWords: Uint32Array = new Uint32Array(0);
  /** The end of the text of the last complete document. */
  #ended = 0;
  /** The current document. */
  #number = 0;
  #id: Uint8Array = new Uint8Array(0);
  #wide = new Uint32Array(0);
  #slots = new Uint16Array(0);
  /** Band after band. */
  #keys = new Uint32Array(0);
  /** The document that is looked up, its number in the batch, and its set. */
  readonly #document: LookedUpText;
  #current = -1;
  #set: Uint32Array | null = null;

  constructor(kernel: Kernel, params: ResultParams, setOf: SetOfText) {
    const { shingle, sketch, banding } = params;
    this.#kernel = kernel;
    this.#params = params;
    this.#sketches = kernel.documentSketches(shingle, sketch);
    this.stride = this.#sketches.rows.stride;
    this.#document = {
      ...{ slots: new Uint16Array(this.stride), keys: new Uint32Array(banding.bands) },
      ...{ contentKey: new Uint32Array(4), textKey: new Uint32Array(4) },
      set: () => (this.#set ??= setOf(this.textOf(this.#current))),
    };
  }

  get count(): number {
    return this.#documents.length;
  }

  begin(_file: number, record: number, id: Uint8Array | null): boolean {
    this.#texts.truncate(this.#ended);
    const number = this.firstLine + record;
    this.#number = number;
    this.#id = id === null ? bytesOf(`-#${number + 1}`) : id.slice();
    return true;
  }

  text(bytes: Uint8Array): void {
    this.#texts.append(bytes);
  }

  end(repaired: boolean): void {
    this.#add(this.#texts.view.subarray(this.#ended), repaired);
  }

  /** Adds the current document, whose text is in `#texts`. */
  #add(text: Uint8Array, repaired: boolean): void {
    const sketches = this.#sketches;
    sketches.whole(text);
    this.#ended = this.#texts.length;
    this.#documents.push({ id: this.#id, number: this.#number, tokens: sketches.tokens, end: this.#ended });
    this.#contentKeys.append(sketches.contentKey);
    this.#textKeys.append(sketches.textKey);
    if (repaired || sketches.repaired) this.repaired++;
  }

  whole(file: number, record: number, id: Uint8Array | null, text: Uint8Array, repaired: boolean): void {
    this.begin(file, record, id);
    this.text(text);
    this.#add(text, repaired);
  }

  skip(_file: number, record: number, code: ErrorCode, id: Uint8Array | null): void {
    this.unread.push({ number: this.firstLine + record, code, id: id?.slice() ?? null });
  }

  /** Ends the batch: computes its signatures and keys. */
  close(): void {
    const { count, stride } = this;
    this.#current = -1;
    this.#texts.truncate(this.#ended);
    this.#contentKeyWords = this.#contentKeys.view;
    this.#textKeyWords = this.#textKeys.view;
    if (count === 0) return;
    const { banding } = this.#params;
    const { slotWriter } = this.#kernel;
    const slots = count * stride;
    const keys = count * banding.bands;
    if (this.#slots.length < slots) {
      this.#wide = new Uint32Array(2 * slots);
      this.#slots = new Uint16Array(2 * slots);
    }
    if (this.#keys.length < keys) this.#keys = new Uint32Array(2 * keys);
    const wide = this.#wide.subarray(0, slots);
    this.#sketches.rows.copyTo(wide);
    const [narrow, own] = [this.#slots.subarray(0, slots), this.#keys.subarray(0, keys)];
    slotWriter.writeSignatures(wide, stride, banding, narrow, own, 0);
  }

  clear(): void {
    if (this.#texts.length > USUAL_BYTES) this.#texts = new ByteColumn();
    for (const column of [this.#texts, this.#contentKeys, this.#textKeys]) column.truncate(0);
    this.#documents.length = 0;
    this.unread.length = 0;
    this.#sketches.rows.clear();
    this.#ended = 0;
    this.repaired = 0;
  }

  tokens(i: number): number {
    return this.#documents[i]!.tokens;
  }

  /** Valid until a document is added. */
  textOf(i: number): Uint8Array {
    return this.#texts.view.subarray(this.#documents[i - 1]?.end ?? 0, this.#documents[i]!.end);
  }

  identity(i: number): DocumentIdentity {
    return this.#documents[i]!;
  }

  /** Document i in the form of a lookup, after `close`; valid until the next call. */
  document(i: number): LookedUpText {
    const { slots, keys, contentKey, textKey } = this.#document;
    if (this.#current === i) return this.#document;
    const { count, stride } = this;
    const [contentKeys, textKeys] = [this.#contentKeyWords, this.#textKeyWords];
    // For so few numbers, loops are faster than views.
    for (let slot = 0, at = i * stride; slot < stride; slot++) slots[slot] = this.#slots[at++]!;
    for (let band = 0, at = i; band < keys.length; band++, at += count) keys[band] = this.#keys[at]!;
    for (let word = 0; word < 4; word++) {
      contentKey[word] = contentKeys[4 * i + word]!;
      textKey[word] = textKeys[4 * i + word]!;
    }
    this.#current = i;
    this.#set = null;
    return this.#document;
  }
}
