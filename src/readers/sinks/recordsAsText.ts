/** Flags documents as files of records that are compared as texts, between a reader of texts and its sink. */
import { AS_TEXT } from '../../blocks/documents.js';
import { PassingSink } from './passingSink.js';

export class RecordsAsText extends PassingSink {
  /** The next text is the rest of a document, whose first part was flagged. */
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

  /** The sink may move its memory when the document begins, before it gets the text. */
  override room(): null {
    return null;
  }
}
