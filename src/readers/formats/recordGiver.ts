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

/** A string of a record in its source, without quotes. */
export interface TextPart {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
  /** The bytes have to be decoded. */
  readonly escaped: boolean;
  /** Invalid characters were replaced by U+FFFD. */
  readonly isRepaired?: boolean;
}

export interface DecodedPiece {
  /** Where decoding continues: `to` when the string is complete. */
  readonly at: number;
  /** Bytes written to the start of `out`. */
  readonly written: number;
  /** Invalid characters were replaced by U+FFFD. */
  readonly repaired: boolean;
}

/**
 * Decodes an escaped string from `from` until `to`, or until `out` is nearly full. The result is never longer than the source, so an
 * `out` as long as the string is always enough.
 */
export type DecodeString = (bytes: Uint8Array, from: number, to: number, out: Uint8Array) => DecodedPiece;

/** The longest escape of a character, in bytes. */
const LONGEST_ESCAPE = 6;

const NO_SCRATCH = new Uint8Array(0);

export class RecordGiver {
  readonly #sink: TextSink;
  readonly #maxDocument: number;
  readonly #noText: ErrorCode;
  readonly #decode: DecodeString | null;
  readonly #scratch: Uint8Array;
  readonly #between: Uint8Array;
  readonly #isTranscoded: boolean;
  #ids = new Uint8Array(256);

  /**
   * @param noText the code of a record without a text
   * @param decode null: no string is escaped
   * @param isTranscoded whether the source was decoded by --encoding
   * @param scratch for texts of several strings, and escaped ones; longer texts are given in pieces
   */
  constructor(
    params: ReadParams,
    sink: TextSink,
    noText: ErrorCode,
    decode: DecodeString | null = null,
    scratch: Uint8Array = NO_SCRATCH,
    isTranscoded = true,
  ) {
    this.#sink = sink;
    this.#maxDocument = params.maxDocument;
    this.#noText = noText;
    this.#decode = decode;
    this.#scratch = scratch;
    this.#between = Buffer.from(betweenTexts(params));
    this.#isTranscoded = isTranscoded && !isUtf8(params.encoding);
  }

  /** An id without its escapes, valid until the next record; null if it is much too long. */
  decodedId(bytes: Uint8Array, from: number, to: number): Uint8Array | null {
    if (to - from > LONGEST_ESCAPE * MOST_ID_BYTES) return null;
    if (to - from > this.#ids.length) this.#ids = new Uint8Array(2 * (to - from));
    const { written } = this.#decode!(bytes, from, to, this.#ids);
    return this.#ids.subarray(0, written);
  }

  /**
   * Gives a record, or its error. Strings of its text that are not empty are joined.
   *
   * @param idBytes valid during the call; null: it has no id
   * @param texts null: it has none
   * @param fields the values of other fields; null: none are read
   */
  give(
    file: number,
    record: number,
    idBytes: Uint8Array | null,
    texts: readonly TextPart[] | null,
    fields: FieldValues | null,
  ): void {
    const sink = this.#sink;
    const id = idBytes === null || idBytes.length > MOST_ID_BYTES ? null : idBytes;
    if (texts === null) sink.skip(file, record, this.#noText, id);
    else {
      if (fields !== null) sink.fields?.(fields);
      if (texts.length === 1 && !texts[0]!.escaped) {
        const { bytes, from, to } = texts[0]!;
        this.#whole(file, record, id, bytes.subarray(from, to), this.#isReplaced(texts));
      } else this.#joined(file, record, id, texts);
    }
  }

  /** Whether strings were repaired, or their source was decoded and has U+FFFD in them. */
  #isReplaced(texts: readonly TextPart[]): boolean {
    return texts.some(
      ({ bytes, from, to, isRepaired }) =>
        isRepaired === true || (this.#isTranscoded && holdsReplacement(bytes.subarray(from, to))),
    );
  }

  #whole(file: number, record: number, id: Uint8Array | null, text: Uint8Array, repaired: boolean): void {
    if (text.length > this.#maxDocument) this.#sink.skip(file, record, 'TOO_LARGE', id);
    else this.#sink.whole(file, record, id, text, repaired);
  }

  #joined(file: number, record: number, id: Uint8Array | null, texts: readonly TextPart[]): void {
    const sink = this.#sink;
    const scratch = this.#scratch;
    const most = texts.reduce((sum, { from, to }) => sum + to - from + this.#between.length, 0);
    const isHeld = most <= scratch.length;
    if (!isHeld && !sink.begin(file, record, id)) return;
    let repaired = this.#isReplaced(texts);
    let size = 0;
    // Decoded bytes are in scratch memory already.
    const put = (bytes: Uint8Array): void => {
      if (isHeld) scratch.set(bytes, size);
      else if (size + bytes.length <= this.#maxDocument) sink.text(bytes);
      size += bytes.length;
    };
    for (const { bytes, from, to, escaped } of texts) {
      if (from === to) continue;
      if (size > 0) put(this.#between);
      if (!escaped) put(bytes.subarray(from, to));
      for (let at = from; escaped && at < to && size <= this.#maxDocument; ) {
        const room = isHeld ? scratch.subarray(size) : scratch;
        const piece = this.#decode!(bytes, at, to, room);
        at = piece.at;
        repaired ||= piece.repaired;
        put(room.subarray(0, piece.written));
      }
    }
    if (size > this.#maxDocument) sink.skip(file, record, 'TOO_LARGE', id);
    else if (isHeld) sink.whole(file, record, id, scratch.subarray(0, size), repaired);
    else sink.end(repaired);
  }
}
