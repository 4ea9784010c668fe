/** Files of records that are compared as texts -> the same, each with the note that it is one; between a reader of texts and its sink. */
import { AS_TEXT } from '../../blocks/documents.js';
import { PassingSink } from './passingSink.js';

export class RecordsAsText extends PassingSink {
  /** What begins next is the rest of a document: the first part of it has the note. */
  #isRest = false;

  override follows(units: number): void {
    this.#isRest = units > 0;
    super.follows(units);
  }

  override begin(file: number, record: number, id: Uint8Array | null): boolean {
    if (!this.sink.begin(file, record, id)) return false;
    if (!this.#isRest) this.sink.is?.(AS_TEXT);
    this.#isRest = false;
    return true;
  }

  override whole(
    file: number,
    record: number,
    id: Uint8Array | null,
    text: Uint8Array,
    repaired: boolean,
  ): void {
    if (!this.begin(file, record, id)) return;
    if (text.length > 0) this.sink.text(text);
    this.sink.end(repaired);
  }

  /** The sink may move that memory when the document begins, before it is given the text. */
  override room(): null {
    return null;
  }
}
