/** Files of records that are compared as texts -> the same, each with the note that it is one; between a reader of texts and its sink. */
import { AS_TEXT, type PAGE } from '../../blocks/documents.js';
import type { ErrorCode } from '../../errors.js';
import type { TextSink } from '../documentSink.js';

export class RecordsAsText implements TextSink {
  readonly #sink: TextSink;
  /** What begins next is the rest of a document: the first part of it has the note. */
  #isRest = false;

  constructor(sink: TextSink) {
    this.#sink = sink;
  }

  opensFile(file: number): boolean {
    return this.#sink.opensFile?.(file) !== false;
  }

  follows(units: number): void {
    this.#isRest = units > 0;
    this.#sink.follows?.(units);
  }

  begin(file: number, record: number, id: Uint8Array | null): boolean {
    if (!this.#sink.begin(file, record, id)) return false;
    if (!this.#isRest) this.#sink.is?.(AS_TEXT);
    this.#isRest = false;
    return true;
  }

  text(bytes: Uint8Array): void {
    this.#sink.text(bytes);
  }

  is(what: typeof PAGE | typeof AS_TEXT): void {
    this.#sink.is?.(what);
  }

  end(repaired: boolean): void {
    this.#sink.end(repaired);
  }

  whole(file: number, record: number, id: Uint8Array | null, text: Uint8Array, repaired: boolean): void {
    if (!this.begin(file, record, id)) return;
    if (text.length > 0) this.#sink.text(text);
    this.#sink.end(repaired);
  }

  skip(file: number, record: number, code: ErrorCode, id: Uint8Array | null): void {
    this.#sink.skip(file, record, code, id);
  }
}
