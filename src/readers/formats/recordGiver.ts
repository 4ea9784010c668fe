/**
 * Gives records of all formats as documents: joins several strings to one text, and reports the first of these errors:
 *
 *      no text                          the code of the format, with the id
 *      a text above --max-document      TOO_LARGE, with the id
 *
 * An id is a label, so no record is skipped because of its id: one that is longer than MOST_ID_BYTES counts as missing.
 */
import type { TextSink } from '../../blocks/documents.js';
import type { FieldValues } from '../../blocks/fieldValues.js';
import type { ErrorCode } from '../../errors.js';
import { holdsReplacement, isUtf8 } from '../bytes/encodings.js';
import { MOST_ID_BYTES, type ReadParams } from '../documentSink.js';
import { betweenTexts } from './fields.js';
import { RecordTexts } from './web/pages.js';

export class RecordGiver {
  readonly #sink: TextSink;
  readonly #texts: RecordTexts;
  readonly #maxDocument: number;
  readonly #noText: ErrorCode;
  readonly #between: Buffer;
  readonly #isTranscoded: boolean;

  /**
   * @param noText the code of a record without a text
   * @param isTranscoded whether the source was decoded by --encoding
   */
  constructor(params: ReadParams, sink: TextSink, noText: ErrorCode, isTranscoded = true) {
    this.#sink = sink;
    this.#texts = new RecordTexts(sink, params);
    this.#maxDocument = params.maxDocument;
    this.#noText = noText;
    this.#between = Buffer.from(betweenTexts(params));
    this.#isTranscoded = isTranscoded && !isUtf8(params.encoding);
  }

  /**
   * Gives a record, or its error. Strings of its text that are not empty are joined.
   *
   * @param idBytes valid during the call; null: it has no id
   * @param texts null: it has none
   * @param fields the values of other fields; null: none are read
   * @param isRepaired whether invalid characters of the texts were replaced
   */
  give(
    file: number,
    record: number,
    idBytes: Uint8Array | null,
    texts: readonly Uint8Array[] | null,
    fields: FieldValues | null,
    isRepaired = false,
  ): void {
    const sink = this.#sink;
    const id = idBytes === null || idBytes.length > MOST_ID_BYTES ? null : idBytes;
    if (texts === null) {
      sink.skip(file, record, this.#noText, id);
      return;
    }
    const text = texts.length === 1 ? texts[0]! : this.#joined(texts);
    if (fields !== null) sink.fields?.(fields);
    if (text.length > this.#maxDocument) sink.skip(file, record, 'TOO_LARGE', id);
    else
      this.#texts.whole(file, record, id, text, isRepaired || (this.#isTranscoded && holdsReplacement(text)));
  }

  #joined(texts: readonly Uint8Array[]): Uint8Array {
    return Buffer.concat(
      texts
        .filter(({ length }) => length > 0)
        .flatMap((text, i) => (i === 0 ? [text] : [this.#between, text])),
    );
  }
}
