/** Gives a text that is held whole as a document, unchanged. */
import { AS_TEXT, type TextSink } from '../../blocks/documents.js';
import { decoded, isUtf8 } from '../bytes/encodings.js';
import type { ReadParams } from '../documentSink.js';

/** The text of one document. */
export interface HeldText {
  /** In Inputs.files. */
  readonly file: number;
  readonly record: number;
  readonly id: Uint8Array | null;
  readonly bytes: Uint8Array;
}

/** The sink of the document, and how it is read. */
export interface TextTaker {
  readonly params: ReadParams;
  readonly sink: TextSink;
}

/**
 * Skipped: TOO_LARGE.
 *
 * @param isRecords the file holds records, and is compared as a text
 */
export function giveHeldText(
  { file, record, id, bytes }: HeldText,
  encoding: string,
  { params, sink }: TextTaker,
  isRecords = false,
): void {
  const isRaw = params.shingle.unit === 'bytes' || isUtf8(encoding);
  const { text, repaired } = isRaw ? { text: bytes, repaired: false } : decoded(bytes, encoding);
  if (text.length > params.maxDocument) sink.skip(file, record, 'TOO_LARGE', id);
  else if (!isRecords) sink.whole(file, record, id, text, repaired);
  else if (sink.begin(file, record, id)) {
    if (text.length > 0) sink.is?.(AS_TEXT);
    if (text.length > 0) sink.text(text);
    sink.end(repaired);
  }
}
